/* Two hosts, each a network namespace with one TUN device; nothing of it is left when the program ends. */

#define _GNU_SOURCE
#include "tun.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void die(const char *what) {
    perror(what);
    exit(2);
}

static void write_file(const char *path, const char *text) {
    int file = open(path, O_WRONLY);
    if (file < 0 || write(file, text, strlen(text)) < 0)
        die(path);
    close(file);
}

void enter(int net) {
    if (setns(net, CLONE_NEWNET) < 0)
        die("setns");
}

static void tell(int socket, unsigned long request, struct ifreq *ifr, const char *what) {
    if (ioctl(socket, request, ifr) < 0)
        die(what);
}

static void set_address(int socket, struct ifreq *ifr, unsigned long request, const char *address) {
    struct sockaddr_in *in = (struct sockaddr_in *)&ifr->ifr_addr;
    memset(in, 0, sizeof *in);
    in->sin_family = AF_INET;
    inet_pton(AF_INET, address, &in->sin_addr);
    tell(socket, request, ifr, address);
}

/* A TUN device that is up. Without IFF_VNET_HDR it takes and gives packets of the MTU only: what TCP
 * batches is cut up before it leaves, and nothing is put together on arrival. */
static int open_device(const char *name, const char *address) {
    struct ifreq ifr = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
    int socket_ = socket(AF_INET, SOCK_DGRAM, 0);
    if (tun < 0 || socket_ < 0)
        die("/dev/net/tun");
    strncpy(ifr.ifr_name, name, IFNAMSIZ - 1);
    tell(tun, TUNSETIFF, &ifr, "TUNSETIFF");
    set_address(socket_, &ifr, SIOCSIFADDR, address);
    set_address(socket_, &ifr, SIOCSIFNETMASK, "255.255.255.0");
    ifr.ifr_mtu = 1500;
    tell(socket_, SIOCSIFMTU, &ifr, "SIOCSIFMTU");
    ifr.ifr_flags = IFF_UP | IFF_RUNNING;
    tell(socket_, SIOCSIFFLAGS, &ifr, "SIOCSIFFLAGS");
    close(socket_);
    return tun;
}

/* No limit but the congestion window: buffers are large, and no connection learns from another. */
static int host(const char *name, const char *address, int *tun) {
    if (unshare(CLONE_NEWNET) < 0)
        die("unshare: network namespaces");
    *tun = open_device(name, address);
    write_file("/proc/sys/net/ipv4/tcp_no_metrics_save", "1");
    write_file("/proc/sys/net/ipv4/tcp_wmem", "4096 4194304 67108864");
    write_file("/proc/sys/net/ipv4/tcp_rmem", "4096 33554432 67108864");
    int net = open("/proc/thread-self/ns/net", O_RDONLY);
    if (net < 0)
        die("/proc/thread-self/ns/net");
    return net;
}

struct ends build_hosts(void) {
    struct ends ends;
    char map[64];
    unsigned uid = getuid(), gid = getgid();
    if (unshare(CLONE_NEWUSER) < 0)
        die("unshare: user namespaces");
    write_file("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "0 %u 1", uid);
    write_file("/proc/self/uid_map", map);
    snprintf(map, sizeof map, "0 %u 1", gid);
    write_file("/proc/self/gid_map", map);
    ends.right_net = host("path", "10.0.0.2", &ends.right_tun);
    ends.left_net = host("path", "10.0.0.1", &ends.left_tun);
    return ends;
}

/* Packets that the device of this namespace has refused or lost: none, if the path has kept up. */
long device_drops(void) {
    char line[512];
    long drops = 0, rx, tx;
    FILE *file = fopen("/proc/thread-self/net/dev", "r");
    if (!file)
        die("/proc/thread-self/net/dev");
    while (fgets(line, sizeof line, file))
        if (sscanf(line, " path: %*s %*s %*s %ld %*s %*s %*s %*s %*s %*s %*s %ld", &rx, &tx) == 2)
            drops += rx + tx;
    fclose(file);
    return drops;
}
