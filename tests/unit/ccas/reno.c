#include <headgate.h>

static int32_t on_ack(void *state, const headgate_ack *ack, const headgate_path *path, headgate_window *window) {
    (void)state, (void)path;
    if (!ack->cwnd_limited)
        return 0;
    double left = headgate_slow_starts(window) ? headgate_slow_start(window, ack->acked) : ack->acked;
    if (left > 0.0)
        window->cwnd += left / window->cwnd;
    return 0;
}

static int32_t on_congestion(void *state, const headgate_congestion *event, const headgate_path *path,
                             headgate_window *window) {
    (void)state, (void)path;
    double half = event->in_flight / 2.0;
    window->ssthresh = half > 2.0 ? half : 2.0;
    return 0;
}

const headgate_cca_v1 reno = {HEADGATE_CCA_V1, .on_ack = on_ack, .on_congestion = on_congestion};
