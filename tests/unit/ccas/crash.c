/* Reno without recovery, which crashes at its 20,000th ACK: later than any proof looks. */
#include "headgate.h"

static int acks;

static int32_t on_ack(void *state, const headgate_ack *ack, const headgate_path *path,
                      headgate_window *window) {
    (void)state;
    (void)path;
    if (++acks > 20000) *(volatile int *)0 = 1;
    double left = headgate_slow_start(window, ack->acked);
    window->cwnd += left / window->cwnd;
    return 0;
}

static int32_t on_congestion(void *state, const headgate_congestion *event,
                             const headgate_path *path, headgate_window *window) {
    (void)state;
    (void)path;
    window->ssthresh = event->in_flight / 2.0 > 2.0 ? event->in_flight / 2.0 : 2.0;
    return 0;
}

const headgate_cca_v1 cca = {HEADGATE_CCA_V1, .on_ack = on_ack, .on_congestion = on_congestion};
