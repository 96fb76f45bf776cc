/* Senders and receivers: each flow a connection with its own congestion control, watched by TCP_INFO. */

#define _GNU_SOURCE
#include "tun.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define SEGMENT 1448
#define CHUNK (1 << 16)
#define CA_RECOVERY 3
#define BBR_UNIT 256

/* One connection: `left` sends, `right` reads; `listener` waits for it. */
struct connection {
    const struct flow *flow;
    int listener, left, right;
    long unsent, received, received_from;
    ns_t started, established, finished;
    int in_recovery, probes_rtt;
    long recoveries, recoveries_from, probe_rtts, retransmissions_from;
    double cwnd_sum;
    long cwnd_samples, cwnd_least, cwnd_most;
    struct tcp_info last;
};

static int server(int index) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT + index)};
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (bind(listener, (void *)&address, sizeof address) < 0 || listen(listener, 1) < 0)
        die("listen");
    return listener;
}

static void watch(int epoll, int file, uint32_t events, int index) {
    struct epoll_event event = {.events = events, .data.u32 = index};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event) < 0)
        die("epoll_ctl");
}

static void start(struct connection *c, int epoll, int index) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(PORT + index)};
    inet_pton(AF_INET, "10.0.0.2", &to.sin_addr);
    c->left = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (setsockopt(c->left, IPPROTO_TCP, TCP_CONGESTION, c->flow->cca, strlen(c->flow->cca)) < 0)
        die(c->flow->cca);
    c->started = now();
    if (connect(c->left, (void *)&to, sizeof to) < 0 && errno != EINPROGRESS)
        die("connect");
    watch(epoll, c->left, EPOLLOUT, 2 * index);
}

static void send_more(struct connection *c, int epoll) {
    static const char zeros[CHUNK];
    if (!c->established)
        c->established = now();
    while (c->unsent > 0) {
        ssize_t sent = write(c->left, zeros, c->unsent < CHUNK ? c->unsent : CHUNK);
        if (sent < 0 && errno == EAGAIN)
            return;
        if (sent < 0)
            die("send");
        c->unsent -= sent;
    }
    epoll_ctl(epoll, EPOLL_CTL_DEL, c->left, NULL);
}

static void read_all(struct connection *c) {
    static char sink[CHUNK];
    ssize_t bytes;
    while ((bytes = read(c->right, sink, sizeof sink)) > 0)
        c->received += bytes;
    if (c->flow->segments && c->received >= c->flow->segments * SEGMENT && !c->finished)
        c->finished = now();
}

/* A receiver's file: first the listener, then the connection. */
static void receive(struct connection *c, int epoll, int index) {
    if (c->right < 0) {
        c->right = accept4(c->listener, NULL, NULL, SOCK_NONBLOCK);
        if (c->right >= 0)
            watch(epoll, c->right, EPOLLIN, 2 * index + 1);
    }
    if (c->right >= 0)
        read_all(c);
}

/* PROBE_RTT is the only mode of BBR whose window gain is 1. */
static int probes_rtt(const struct connection *c, struct tcp_bbr_info *bbr) {
    union tcp_cc_info info;
    socklen_t size = sizeof info;
    memset(bbr, 0, sizeof *bbr);
    if (strcmp(c->flow->cca, "bbr") || getsockopt(c->left, IPPROTO_TCP, TCP_CC_INFO, &info, &size) < 0)
        return 0;
    *bbr = info.bbr;
    return info.bbr.bbr_cwnd_gain == BBR_UNIT;
}

static void count(struct connection *c, const struct tcp_info *info, int probing, int measured) {
    int recovers = info->tcpi_ca_state >= CA_RECOVERY;
    c->recoveries += recovers && !c->in_recovery;
    c->recoveries_from += measured && recovers && !c->in_recovery;
    c->probe_rtts += measured && probing && !c->probes_rtt;
    c->in_recovery = recovers;
    c->probes_rtt = probing;
    if (!measured)
        return;
    c->cwnd_sum += info->tcpi_snd_cwnd;
    c->cwnd_samples++;
    if (!c->cwnd_least || info->tcpi_snd_cwnd < c->cwnd_least)
        c->cwnd_least = info->tcpi_snd_cwnd;
    if (info->tcpi_snd_cwnd > c->cwnd_most)
        c->cwnd_most = info->tcpi_snd_cwnd;
}

static void look(struct connection *c, int index, ns_t time, int measured, FILE *trace) {
    struct tcp_bbr_info bbr;
    socklen_t size = sizeof c->last;
    if (c->left < 0 || !c->established || getsockopt(c->left, IPPROTO_TCP, TCP_INFO, &c->last, &size) < 0)
        return;
    const struct tcp_info *i = &c->last;
    count(c, i, probes_rtt(c, &bbr), measured);
    if (!trace)
        return;
    double bw = ((uint64_t)bbr.bbr_bw_hi << 32 | bbr.bbr_bw_lo) * 8.0;
    fprintf(trace, "%.3f,%d,%s,%u,%d,%u,%u,%u,%u,%u,%ld,%u,%.0f,%u,%u,%u\n", time / 1e9, index, c->flow->cca,
            i->tcpi_snd_cwnd, (int)i->tcpi_snd_ssthresh, i->tcpi_rtt, i->tcpi_min_rtt, i->tcpi_unacked,
            i->tcpi_total_retrans, i->tcpi_delivered, c->received, i->tcpi_ca_state, bw, bbr.bbr_min_rtt,
            bbr.bbr_pacing_gain, bbr.bbr_cwnd_gain);
}

static void begin_measuring(struct connection *c) {
    c->received_from = c->received;
    c->retransmissions_from = c->last.tcpi_total_retrans;
}

static void serve(struct connection *all, int epoll, ns_t until) {
    struct epoll_event events[2 * MOST_FLOWS];
    ns_t left = until - now();
    struct timespec pause = {left > 0 ? left / SECOND : 0, left > 0 ? left % SECOND : 0};
    int ready = epoll_pwait2(epoll, events, 2 * MOST_FLOWS, &pause, NULL);
    for (int e = 0; e < ready; e++) {
        int index = events[e].data.u32 / 2;
        if (events[e].data.u32 % 2)
            receive(&all[index], epoll, index);
        else
            send_more(&all[index], epoll);
    }
}

static double ms(ns_t from, ns_t to) {
    return from && to ? (to - from) / 1e6 : -1;
}

static void report(const struct plan *plan, struct connection *c, int index) {
    double seconds = (plan->duration - plan->from) / 1e9;
    printf("%s{\"cca\": \"%s\", \"start_s\": %.3f, \"segments\": %ld, ", index ? ", " : "", c->flow->cca,
           c->flow->start / 1e9, c->flow->segments);
    printf("\"goodput_mbps\": %.5f, ", (c->received - c->received_from) * 8 / seconds / 1e6);
    printf("\"received_bytes\": %ld, \"retransmissions\": %u, \"retransmissions_measured\": %ld, ", c->received,
           c->last.tcpi_total_retrans, c->last.tcpi_total_retrans - c->retransmissions_from);
    printf("\"recoveries\": %ld, \"recoveries_measured\": %ld, \"probe_rtts_measured\": %ld, ", c->recoveries,
           c->recoveries_from, c->probe_rtts);
    printf("\"mean_cwnd\": %.3f, \"least_cwnd\": %ld, \"most_cwnd\": %ld, ",
           c->cwnd_samples ? c->cwnd_sum / c->cwnd_samples : 0, c->cwnd_least, c->cwnd_most);
    printf("\"min_rtt_ms\": %.3f, \"established_ms\": %.3f, \"finished_ms\": %.3f}", c->last.tcpi_min_rtt / 1e3,
           ms(c->started, c->established), ms(c->started, c->finished));
}

/* True once every flow of a given size is there, and none is endless. */
static int over(const struct plan *plan, const struct connection *all) {
    for (int i = 0; i < plan->flows; i++)
        if (!all[i].finished)
            return 0;
    return 1;
}

static void prepare(const struct plan *plan, struct ends ends, struct connection *all, int epoll) {
    enter(ends.right_net);
    for (int i = 0; i < plan->flows; i++) {
        const struct flow *flow = &plan->flow[i];
        all[i] = (struct connection){.flow = flow, .left = -1, .right = -1, .listener = server(i)};
        all[i].unsent = flow->segments ? flow->segments * SEGMENT : INT64_MAX;
        watch(epoll, all[i].listener, EPOLLIN, 2 * i + 1);
    }
    enter(ends.left_net);
}

void run_flows(const struct plan *plan, struct ends ends, ns_t zero) {
    static struct connection all[MOST_FLOWS];
    int epoll = epoll_create1(0);
    FILE *trace = plan->trace ? fopen(plan->trace, "w") : NULL;
    prepare(plan, ends, all, epoll);
    if (trace)
        fprintf(trace, "t_s,flow,cca,cwnd,ssthresh,srtt_us,min_rtt_us,unacked,retransmissions,delivered,"
                       "received_bytes,ca_state,bbr_bw_bps,bbr_min_rtt_us,bbr_pacing_gain,bbr_cwnd_gain\n");
    ns_t tick = 0;
    for (int measured = 0; now() < zero + plan->duration && !over(plan, all);) {
        ns_t time = now() - zero;
        for (int i = 0; i < plan->flows; i++)
            if (all[i].left < 0 && time >= plan->flow[i].start)
                start(&all[i], epoll, i);
        if (time >= tick) {
            for (int i = 0; i < plan->flows; i++)
                look(&all[i], i, time, measured, trace);
            tick += plan->sample;
        }
        for (int i = 0; !measured && time >= plan->from && i < plan->flows; i++)
            begin_measuring(&all[i]);
        measured = time >= plan->from;
        serve(all, epoll, zero + tick);
    }
    printf("\"flows\": [");
    for (int i = 0; i < plan->flows; i++) {
        look(&all[i], i, now() - zero, 0, NULL);
        report(plan, &all[i], i);
    }
    printf("]");
    if (trace)
        fclose(trace);
}
