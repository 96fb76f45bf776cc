/* Patient of gentle.py in C. */
#include <headgate.h>

static const double BETA = 0.7;
static const double PATIENCE_S = 5.0;

/* State of a flow. */
typedef struct {
    double lost_s;
} patient_state;

static int32_t on_ack(void *state, const headgate_ack *ack, const headgate_path *path,
                      headgate_window *window) {
    const patient_state *own = state;
    (void)path;
    if (ack->cwnd_limited) {
        double alpha = 3 * (1 - BETA) / (1 + BETA);
        double eagerness = 1.0 + (ack->now_s - own->lost_s) / PATIENCE_S;
        double left = headgate_slow_start(window, ack->acked);
        window->cwnd += alpha * eagerness * left / window->cwnd;
    }
    return 0;
}

static int32_t on_congestion(void *state, const headgate_congestion *event,
                             const headgate_path *path, headgate_window *window) {
    patient_state *own = state;
    (void)path;
    double left = BETA * event->in_flight;
    own->lost_s = event->now_s;
    window->ssthresh = left > 2.0 ? left : 2.0;
    return 0;
}

const headgate_cca_v1 patient = {HEADGATE_CCA_V1, .state_bytes = sizeof(patient_state),
                                 .on_ack = on_ack, .on_congestion = on_congestion};
