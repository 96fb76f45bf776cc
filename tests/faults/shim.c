/* Calls that write below FAULTS_ROOT are counted; from a given one on the disk is full, or at it the
 * process group is killed. FAULTS_CONTROL is a file of three words that all processes share: how many
 * there were, at which it begins (0: never), and what (1: no space, 2: a kill). Loaded by LD_PRELOAD.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NO_SPACE = 1, KILL = 2 };

static struct control {
    atomic_long count;
    long at, what;
} *control;
static const char *root;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAULTS_CONTROL");
    int handle = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    root = getenv("FAULTS_ROOT");
    if (handle < 0 || !root) return;
    void *found = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
    if (found != MAP_FAILED) control = found;
}

/* Whether a call on this path is to fail. */
static int fails(const char *path) {
    if (!control || strncmp(path, root, strlen(root)) != 0) return 0;
    long number = atomic_fetch_add(&control->count, 1) + 1;
    if (!control->at || number < control->at) return 0;
    if (control->what == KILL) kill(0, SIGKILL);
    errno = ENOSPC;
    return 1;
}

static int fails_at(int handle) {
    char link[64], path[4096];
    int saved = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t length = control ? readlink(link, path, sizeof path - 1) : -1;
    errno = saved;
    if (length < 0) return 0;
    path[length] = 0;
    return fails(path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPENS(name)                                                       \
    int name(const char *path, int flags, ...) {                          \
        va_list rest;                                                     \
        va_start(rest, flags);                                            \
        mode_t mode = va_arg(rest, int);                                  \
        va_end(rest);                                                     \
        if ((flags & O_CREAT) && fails(path)) return -1;                  \
        return REAL(name)(path, flags, mode);                             \
    }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name)                                                    \
    int name(int folder, const char *path, int flags, ...) {              \
        va_list rest;                                                     \
        va_start(rest, flags);                                            \
        mode_t mode = va_arg(rest, int);                                  \
        va_end(rest);                                                     \
        if ((flags & O_CREAT) && fails(path)) return -1;                  \
        return REAL(name)(folder, path, flags, mode);                     \
    }
OPENS_AT(openat)
OPENS_AT(openat64)

ssize_t write(int handle, const void *data, size_t size) {
    return fails_at(handle) ? -1 : REAL(write)(handle, data, size);
}

ssize_t pwrite(int handle, const void *data, size_t size, off_t at) {
    return fails_at(handle) ? -1 : REAL(pwrite)(handle, data, size, at);
}

ssize_t pwrite64(int handle, const void *data, size_t size, off64_t at) {
    return fails_at(handle) ? -1 : REAL(pwrite64)(handle, data, size, at);
}

ssize_t writev(int handle, const struct iovec *parts, int count) {
    return fails_at(handle) ? -1 : REAL(writev)(handle, parts, count);
}

int fsync(int handle) { return fails_at(handle) ? -1 : REAL(fsync)(handle); }

int rename(const char *from, const char *to) { return fails(to) ? -1 : REAL(rename)(from, to); }

int renameat(int a, const char *from, int b, const char *to) {
    return fails(to) ? -1 : REAL(renameat)(a, from, b, to);
}

int mkdir(const char *path, mode_t mode) { return fails(path) ? -1 : REAL(mkdir)(path, mode); }

int mkdirat(int folder, const char *path, mode_t mode) {
    return fails(path) ? -1 : REAL(mkdirat)(folder, path, mode);
}
