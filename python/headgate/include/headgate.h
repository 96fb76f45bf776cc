/* What a law of congestion control in C is written with. Windows are in segments, times in seconds.
 *
 * Fill one headgate_law_v1 and export it; `control = "./mylaw.c:mylaw"` takes it from there. The
 * functions keep no pointer beyond the call, share no state between flows but the block they are
 * handed, and end no process. They return 0, or a number of their own that ends the run. */
#ifndef HEADGATE_H
#define HEADGATE_H

#include <stdbool.h>
#include <stdint.h>

#define HEADGATE_LAW_VERSION 1

/* What a law sets and the transport obeys. */
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

/* A delivery-rate sample; all zero unless the law has HEADGATE_WANTS_RATE. */
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
    double acked;       /* segments that the law may count */
    double rtt_s;       /* RTT sample; 0 when there is none */
    uint32_t in_flight; /* segments in flight before this ACK */
    bool round_start;   /* a round trip has passed since the last such mark */
    bool cwnd_limited;  /* the window is what limits the flow; do not grow it otherwise */
    bool recovers;      /* losses are still being repaired after this ACK, by fast recovery */
    bool after_timeout; /* or after a time-out */
    double marked;      /* segments whose congestion mark was echoed */
    headgate_rate rate;
} headgate_ack;

/* Flags of a law. */
enum {
    HEADGATE_PER_ROUND = 1,    /* on_ack once a round trip, with what its ACKs brought in all */
    HEADGATE_KEEPS_WINDOW = 2, /* sets cwnd also while lost segments are repaired */
    HEADGATE_WANTS_RATE = 4,   /* needs ack->rate and on_segment_lost */
    HEADGATE_ECHO_LATCHED = 8, /* needs ECN with the echo of RFC 3168, */
    HEADGATE_ECHO_ACCURATE = 16 /* or of RFC 8257 */
};

typedef struct headgate_law_v1 {
    uint32_t version;     /* HEADGATE_LAW_VERSION */
    uint32_t size;        /* sizeof(headgate_law_v1) */
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
} headgate_law_v1;

#define HEADGATE_LAW_V1 .version = HEADGATE_LAW_VERSION, .size = sizeof(headgate_law_v1)

static inline bool headgate_slow_starts(const headgate_window *window) {
    return window->cwnd < window->ssthresh;
}

/* Slow start by so many segments, up to ssthresh; gives those that are left. */
static inline double headgate_slow_start(headgate_window *window, double acked) {
    double room = window->ssthresh - window->cwnd;
    double step = room > 0.0 ? room : 0.0;
    step = acked < step ? acked : step;
    window->cwnd += step;
    return acked - step;
}

#endif
