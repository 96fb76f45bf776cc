/* Threshold of copies.py in C. */
#include <headgate.h>

static int32_t on_arrival(void *state, const headgate_packet *packet, const headgate_backlog *port,
                          headgate_decision *decision) {
    (void)state;
    if (packet->capable && port->present > 20.0)
        decision->verdict = HEADGATE_MARK_PACKET;
    return 0;
}

const headgate_queue_v1 queue = {HEADGATE_QUEUE_V1, .on_arrival = on_arrival};
