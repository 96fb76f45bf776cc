/* Codel of copies.py in C. */
#include <headgate.h>
#include <math.h>

static const double TARGET_S = 0.005, INTERVAL_S = 0.1, MTU_BYTES = 1514.0;

typedef struct {
    double above_s, next_s, count, first;
    bool dropping, loops, sends;
} codel;

static bool is_above(codel *own, const headgate_packet *packet, const headgate_backlog *port) {
    if (packet->wait_s < TARGET_S || port->held_bytes <= MTU_BYTES) {
        own->above_s = INFINITY;
        return false;
    }
    if (own->above_s == INFINITY)
        own->above_s = port->now_s + INTERVAL_S;
    return port->now_s >= own->above_s;
}

static void begin(codel *own, double now_s) {
    double since = own->count - own->first;
    bool again = since > 1.0 && now_s - own->next_s < 16.0 * INTERVAL_S;
    own->count = own->first = again ? since : 1.0;
    own->dropping = true;
    own->next_s = now_s + INTERVAL_S / sqrt(own->count);
}

static void signal_it(codel *own, const headgate_packet *packet, const headgate_backlog *port,
                      headgate_decision *decision) {
    own->count += 1.0;
    if (packet->capable) {
        decision->verdict = HEADGATE_MARK_PACKET;
        own->next_s += INTERVAL_S / sqrt(own->count);
        own->loops = false;
        return;
    }
    decision->verdict = HEADGATE_DROP_PACKET;
    own->dropping = own->loops = port->packets > 0.0; /* an empty queue ends the phase */
    if (!own->loops)
        own->above_s = INFINITY;
}

static int32_t on_departure(void *state, const headgate_packet *packet,
                            const headgate_backlog *port, headgate_decision *decision) {
    codel *own = state;
    bool above = is_above(own, packet, port);
    if (own->sends) { /* what follows the first drop of a phase */
        own->sends = false;
    } else if (own->dropping) {
        own->dropping = above;
        if (own->loops && above)
            own->next_s += INTERVAL_S / sqrt(own->count);
        if (own->dropping && port->now_s >= own->next_s)
            signal_it(own, packet, port, decision);
        else
            own->loops = false;
    } else if (above) {
        begin(own, port->now_s);
        decision->verdict = packet->capable ? HEADGATE_MARK_PACKET : HEADGATE_DROP_PACKET;
        own->sends = !packet->capable && port->packets > 0.0;
    }
    return 0;
}

static const codel INITIAL = {.above_s = INFINITY};
const headgate_queue_v1 queue = {HEADGATE_QUEUE_V1, .state_bytes = sizeof(codel),
                                 .initial = &INITIAL, .on_departure = on_departure};
