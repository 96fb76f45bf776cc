/* RED of copies.py in C. */
#include <headgate.h>
#include <math.h>

static const double LOW = 3.0, HIGH = 12.0, TOP = 0.1, WEIGHT = 0.5, MEAN_BYTES = 1500.0;

typedef struct {
    double mean, count;
    bool above;
} red_state;

static void average(red_state *red, const headgate_backlog *port) {
    double missed = floor(port->rate_bytes_s / MEAN_BYTES * port->idle_s);
    if (missed > 0.0)
        red->mean *= pow(1.0 - WEIGHT, missed);
    red->mean += WEIGHT * (port->packets - red->mean);
}

static double base(const red_state *red) {
    double over = red->mean - HIGH;
    double p = over >= 0.0 ? TOP + (1.0 - TOP) * over / HIGH
                           : TOP * (red->mean - LOW) / (HIGH - LOW);
    return p < 1.0 ? p : 1.0;
}

static double spaced(const red_state *red, double p) {
    double seen = red->count * p;
    if (seen < 1.0)
        return 0.0;
    return seen < 2.0 ? p / (2.0 - seen) : 1.0;
}

static int32_t on_arrival(void *state, const headgate_packet *packet, const headgate_backlog *port,
                          headgate_decision *decision) {
    red_state *red = state;
    (void)packet;
    average(red, port);
    red->count += 1.0;
    bool was_above = red->above;
    red->above = red->mean >= LOW && port->packets > 1.0;
    if (red->above && !was_above)
        red->count = 1.0;
    if (red->above && was_above && headgate_draw(decision) <= spaced(red, base(red))) {
        red->count = 0.0;
        decision->verdict = HEADGATE_DROP_PACKET;
    }
    return 0;
}

const headgate_queue_v1 red = {
    HEADGATE_QUEUE_V1, .state_bytes = sizeof(red_state), .on_arrival = on_arrival};
