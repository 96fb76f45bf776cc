/* What a congestion control algorithm, or a queue discipline, in C is written with. Windows are in
 * segments, times in seconds.
 *
 * Fill one headgate_cca_v1 and export it; `cca = "./my_cca.c:my_cca"` takes it from there. Or fill
 * one headgate_queue_v1; `queue = "./myqueue.c:myqueue"` takes that. The functions keep no pointer
 * beyond the call, share no state between flows or ports but the block they are handed, and end no
 * process. They return 0, or a number of their own that ends the run. */
#ifndef HEADGATE_H
#define HEADGATE_H

#include <stdbool.h>
#include <stdint.h>

#define HEADGATE_CCA_VERSION 1

/* What an algorithm sets and the transport obeys. */
typedef struct headgate_window {
    double cwnd;     /* congestion window, segments; 1 or more */
    double ssthresh; /* slow-start threshold, segments; infinite until something sets it */
    double pace;     /* segments/s; infinite = unpaced */
} headgate_window;

/* What is known of the path, kept by the transport. */
typedef struct headgate_path {
    double srtt_s;          /* smoothed RTT (RFC 6298); 0 before the first sample */
    double min_rtt_s;       /* smallest RTT of the connection; infinite before the first sample */
    uint32_t segment_bytes; /* segment size on the wire */
} headgate_path;

/* Why the window must shrink. */
enum { HEADGATE_LOSS = 0, HEADGATE_TIMEOUT = 1, HEADGATE_MARK = 2 };

typedef struct headgate_congestion {
    uint32_t cause;
    double now_s;
    uint32_t in_flight; /* RFC 5681's FlightSize */
} headgate_congestion;

/* A delivery-rate sample; all zero unless the algorithm has HEADGATE_WANTS_RATE. */
typedef struct headgate_rate {
    double per_s;          /* segments/s; 0 when there is no sample */
    double interval_s;     /* over so long */
    double delivered;      /* segments delivered in all, */
    double newly;          /* and by this ACK */
    double prior;          /* delivered when the sampled segment was sent */
    double then_in_flight; /* segments in flight when it was sent, itself included */
    double lost;           /* segments found lost in all, */
    double lost_since;     /* since the sampled segment was sent, */
    double newly_lost;     /* and since the ACK before */
    double in_flight;      /* segments in flight after this ACK */
    double rtt_s;          /* RTT of the newest segment sent only once, or by time stamps; 0 when there is none */
    double wait_s;         /* time until pacing lets the next segment go */
    bool app_limited;      /* there was nothing to send when the sampled segment was sent */
} headgate_rate;

/* What one acknowledgement brought. */
typedef struct headgate_ack {
    double now_s;
    double acked;       /* segments that the algorithm may count */
    double rtt_s;       /* RTT sample; 0 when there is none */
    uint32_t in_flight; /* segments in flight before this ACK */
    bool round_start;   /* a round trip has passed since the last such mark */
    bool cwnd_limited;  /* the window is what limits the flow; do not grow it otherwise */
    bool recovers;      /* fast recovery is still repairing losses after this ACK */
    bool after_timeout; /* or after a time-out */
    double marked;      /* segments whose congestion mark was echoed */
    headgate_rate rate;
    bool paced; /* segments leave at a pace: the algorithm sets one, or the transport paces by itself */
} headgate_ack;

/* Flags of an algorithm. */
enum {
    HEADGATE_PER_ROUND = 1,    /* on_ack once a round trip, with what its ACKs brought in all */
    HEADGATE_CONTROLS_CWND_IN_RECOVERY = 2, /* sets cwnd also while lost segments are repaired */
    HEADGATE_WANTS_RATE = 4,   /* needs ack->rate and on_segment_lost */
    HEADGATE_ECHO_LATCHED = 8, /* needs ECN with the echo of RFC 3168, */
    HEADGATE_ECHO_ACCURATE = 16 /* or of RFC 8257 */
};

typedef struct headgate_cca_v1 {
    uint32_t version;     /* HEADGATE_CCA_VERSION */
    uint32_t size;        /* sizeof(headgate_cca_v1) */
    uint32_t state_bytes; /* what each flow keeps between calls; aligned to 8 */
    uint32_t flags;
    const void *initial; /* state_bytes that a flow begins with; NULL = zeros */
    /* A connection is established. May be NULL, as all but on_ack and on_congestion. */
    int32_t (*on_start)(void *state, double now_s, const headgate_path *path, headgate_window *window);
    /* New data were acknowledged outside recovery. */
    int32_t (*on_ack)(void *state, const headgate_ack *ack, const headgate_path *path,
                      headgate_window *window);
    /* Any other ACK; acked is what it delivered. */
    int32_t (*on_recovery_ack)(void *state, const headgate_ack *ack, const headgate_path *path,
                               headgate_window *window);
    /* A segment was lost; sent tells what was known when it was sent. */
    int32_t (*on_segment_lost)(void *state, const headgate_rate *sent, const headgate_path *path,
                               headgate_window *window);
    /* Congestion: set window->ssthresh. */
    int32_t (*on_congestion)(void *state, const headgate_congestion *event, const headgate_path *path,
                             headgate_window *window);
    /* Recovery ended; cwnd is back at ssthresh. */
    int32_t (*on_recovered)(void *state, double now_s, const headgate_path *path,
                            headgate_window *window);
    /* The last reduction was needless, and cwnd is back at its value before it, or larger. */
    int32_t (*on_undo)(void *state, double cwnd_before, const headgate_path *path,
                       headgate_window *window);
} headgate_cca_v1;

#define HEADGATE_CCA_V1 .version = HEADGATE_CCA_VERSION, .size = sizeof(headgate_cca_v1)

/* Former names: a file that uses one does not compile, and the error states the present name. */
#define HEADGATE_LAW_V1 _Pragma("GCC error \"HEADGATE_LAW_V1 is now HEADGATE_CCA_V1\"") HEADGATE_CCA_V1
#define headgate_law_v1 _Pragma("GCC error \"headgate_law_v1 is now headgate_cca_v1\"") headgate_cca_v1

static inline bool headgate_slow_starts(const headgate_window *window) {
    return window->cwnd < window->ssthresh;
}

/* Slow start by so many segments, up to ssthresh; gives those that are left. It changes cwnd, so
   call it in a statement before the one that sets cwnd: `cwnd += ...` may read cwnd first. */
static inline double headgate_slow_start(headgate_window *window, double acked) {
    double room = window->ssthresh - window->cwnd;
    double step = room > 0.0 ? room : 0.0;
    step = acked < step ? acked : step;
    window->cwnd += step;
    return acked - step;
}

/* Queue disciplines ---------------------------------------------------------------------------- */

#define HEADGATE_QUEUE_VERSION (1u << 16 | 1u)

/* A port; the packet that is decided on is not counted. */
typedef struct headgate_backlog {
    double now_s;        /* since the run began */
    double packets;      /* packets that wait, the one in service not counted */
    double present;      /* packets here, the one in service included */
    double bytes;        /* still to be sent, the rest of the one in service included */
    double held_bytes;   /* of packets that wait; 0 at a port that holds none, see headgate_queue_v1 */
    double wait_s;       /* time until all that is here has left */
    double idle_s;       /* how long the line has been idle; 0 while it sends */
    double rate_bytes_s; /* rate of the line */
} headgate_backlog;

/* A packet that arrives, or is the next to leave. */
typedef struct headgate_packet {
    uint64_t flow;       /* names its connection and direction */
    double wait_s;       /* how long it has waited; 0 when it arrives */
    double rank;         /* that it was given when it arrived */
    uint32_t size_bytes; /* with its headers */
    bool capable;        /* it may be marked: its ECN field is not 0 (RFC 3168) */
    uint32_t ecn;        /* its ECN field: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE */
} headgate_packet;

/* What becomes of it. Only a packet that is capable may be marked. */
enum { HEADGATE_KEEP_PACKET = 0, HEADGATE_MARK_PACKET = 1, HEADGATE_DROP_PACKET = 2 };

/* Random numbers that lie ready for one decision. */
#define HEADGATE_DRAWS 4

/* What a discipline says of a packet: all 0 before the call, but for the random numbers. */
typedef struct headgate_decision {
    uint32_t verdict; /* keep, mark or drop it */
    uint32_t drawn;   /* how many of draws were taken */
    double rank;      /* of an arrival: less goes first, equal ranks in the order of arrival */
    double draws[HEADGATE_DRAWS];
} headgate_decision;

/* Flags of a discipline. */
enum { HEADGATE_RANKS = 1 /* sets decision->rank; packets leave in that order */ };

/* A port holds packets, and knows held_bytes, if its discipline has on_departure or ranks. */
typedef struct headgate_queue_v1 {
    uint32_t version;     /* HEADGATE_QUEUE_VERSION */
    uint32_t size;        /* sizeof(headgate_queue_v1) */
    uint32_t state_bytes; /* what each port keeps between calls; aligned to 8 */
    uint32_t flags;
    const void *initial; /* state_bytes that a port begins with; NULL = zeros */
    double tick_s;       /* time between two ticks; 0 = none */
    /* A packet arrives where there is room for it. One of the first two is not NULL. */
    int32_t (*on_arrival)(void *state, const headgate_packet *packet, const headgate_backlog *port,
                          headgate_decision *decision);
    /* A packet is the next to leave; if it is dropped, the one behind it is. */
    int32_t (*on_departure)(void *state, const headgate_packet *packet, const headgate_backlog *port,
                            headgate_decision *decision);
    /* Time went on by tick_s; there is nothing to decide. */
    int32_t (*on_tick)(void *state, double now_s, const headgate_backlog *port,
                       headgate_decision *decision);
} headgate_queue_v1;

#define HEADGATE_QUEUE_V1 .version = HEADGATE_QUEUE_VERSION, .size = sizeof(headgate_queue_v1)

/* A random number, uniform in (0, 1]; more than HEADGATE_DRAWS for one packet are an error. */
static inline double headgate_draw(headgate_decision *decision) {
    uint32_t drawn = decision->drawn++;
    return drawn < HEADGATE_DRAWS ? decision->draws[drawn] : 1.0;
}

#endif
