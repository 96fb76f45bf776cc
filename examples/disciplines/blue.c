/* Blue of blue.py in C. */
#include <headgate.h>

static const double LIMIT_PACKETS = 50.0;
static const double FREEZE_S = 0.1;

/* State of a port. */
typedef struct {
    double probability;
    double changed_s;
} blue_state;

static void change(blue_state *own, double by, double now_s) {
    if (now_s - own->changed_s < FREEZE_S)
        return;
    double p = own->probability + by;
    own->probability = p < 0.0 ? 0.0 : p > 1.0 ? 1.0 : p;
    own->changed_s = now_s;
}

static int32_t on_arrival(void *state, const headgate_packet *packet, const headgate_backlog *port,
                          headgate_decision *decision) {
    blue_state *own = state;
    if (port->packets > LIMIT_PACKETS)
        change(own, 0.02, port->now_s);
    else if (port->idle_s > 0.0)
        change(own, -0.002, port->now_s);
    if (headgate_draw(decision) <= own->probability)
        decision->verdict = packet->capable ? HEADGATE_MARK_PACKET : HEADGATE_DROP_PACKET;
    return 0;
}

const headgate_queue_v1 blue = {
    HEADGATE_QUEUE_V1, .state_bytes = sizeof(blue_state), .on_arrival = on_arrival};
