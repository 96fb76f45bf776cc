/* The kernel's TCP over an emulated path: what the three files share. */

#ifndef HEADGATE_TUN_H
#define HEADGATE_TUN_H

#include <stdint.h>
#include <time.h>

#define SECOND 1000000000LL
#define MOST_FLOWS 64
#define PORT 5000

typedef int64_t ns_t;

struct flow {
    char cca[16];
    ns_t start;
    long segments; /* 0: endless */
};

/* What is asked for on the command line. Times are ns since the start of the run. */
struct plan {
    double rate_bps, loss;
    ns_t delay; /* one way */
    long buffer; /* packets that may wait, beside the one in service */
    uint64_t seed;
    ns_t duration, from, sample;
    int flows;
    struct flow flow[MOST_FLOWS];
    const char *trace;
};

/* What the path did; `wait` and `served` from plan.from on. */
struct path_report {
    long drops[MOST_FLOWS], lost[MOST_FLOWS];
    double mean_queue;
    long max_queue;
    double utilisation;
    double late_mean_us, late_p99_us, late_max_us;
    long carried;
};

struct ends {
    int left_tun, right_tun; /* devices of the senders' and of the receivers' host */
    int left_net, right_net; /* their network namespaces */
};

static inline ns_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * SECOND + t.tv_nsec;
}

void die(const char *what);

struct ends build_hosts(void);
void enter(int net);
long device_drops(void);

void carry(const struct plan *plan, struct ends ends, ns_t zero, volatile int *stop,
           struct path_report *report);

/* Runs every flow and prints a JSON object of each. */
void run_flows(const struct plan *plan, struct ends ends, ns_t zero);

#endif
