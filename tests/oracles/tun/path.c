/* The path: random loss, a drop-tail FIFO served by a virtual clock, delay; the way back only delays.
 *
 * A packet's departure follows from its arrival and the departure before it, never from when this program
 * wakes up. So a late wake-up shifts packets by its lateness and changes no rate; how late is reported. */

#define _GNU_SOURCE
#include "tun.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM 32768 /* packets under way in one direction */
#define BIN_US 10
#define BINS 10000

struct packet {
    ns_t start, due; /* its transmission begins; it arrives */
    uint16_t bytes;
    uint8_t data[1600];
};

/* Packets in order of arrival. Those from `waiting` on have not begun to be sent. */
struct line {
    struct packet *ring;
    long head, waiting, tail;
    int out;
};

struct path {
    const struct plan *plan;
    struct path_report *report;
    ns_t zero, busy_until;
    double waited, served;
    uint64_t draw;
    long late[BINS];
    double late_sum;
};

static struct packet *at(struct line *line, long index) {
    return &line->ring[index % ROOM];
}

static ns_t later(ns_t a, ns_t b) {
    return a > b ? a : b;
}

/* Part of [from, to) that is measured, ns. */
static ns_t measured(const struct path *path, ns_t from, ns_t to) {
    ns_t least = path->zero + path->plan->from, most = path->zero + path->plan->duration;
    ns_t a = later(from, least), b = to < most ? to : most;
    return b > a ? b - a : 0;
}

/* Uniform in [0, 1): splitmix64. */
static double uniform(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Flow of a packet that goes forward: receivers listen at PORT and above. */
static int flow_of(const struct packet *packet) {
    const uint8_t *tcp = packet->data + 4 * (packet->data[0] & 15);
    int flow = (tcp[2] << 8 | tcp[3]) - PORT;
    return flow >= 0 && flow < MOST_FLOWS ? flow : 0;
}

/* True if the FIFO takes the packet; its times are set then. */
static int enqueue(struct path *path, struct line *line, struct packet *packet, ns_t arrival) {
    const struct plan *plan = path->plan;
    int flow = flow_of(packet);
    if (plan->loss > 0 && uniform(&path->draw) < plan->loss) {
        path->report->lost[flow]++;
        return 0;
    }
    while (line->waiting < line->tail && at(line, line->waiting)->start <= arrival)
        line->waiting++;
    long waiting = line->tail - line->waiting;
    if (waiting >= plan->buffer && path->busy_until > arrival) {
        path->report->drops[flow]++;
        return 0;
    }
    packet->start = later(arrival, path->busy_until);
    path->busy_until = packet->start + (ns_t)(packet->bytes * 8 * 1e9 / plan->rate_bps);
    packet->due = path->busy_until + plan->delay;
    path->waited += measured(path, arrival, packet->start);
    path->served += measured(path, packet->start, path->busy_until);
    if (packet->start > arrival && waiting + 1 > path->report->max_queue)
        path->report->max_queue = waiting + 1;
    return 1;
}

/* Takes what a device has; `fifo`: it goes through the queue. */
static void collect(struct path *path, struct line *line, int in, int fifo) {
    for (;;) {
        if (line->tail - line->head >= ROOM)
            die("more packets under way than there is room for");
        struct packet *packet = at(line, line->tail);
        ssize_t bytes = read(in, packet->data, sizeof packet->data);
        if (bytes <= 0)
            return;
        if (packet->data[0] >> 4 != 4 || packet->data[9] != 6)
            continue; /* neighbours' noise: not TCP over IPv4 */
        packet->bytes = bytes;
        ns_t arrival = now();
        packet->due = arrival + path->plan->delay;
        if (!fifo || enqueue(path, line, packet, arrival))
            line->tail++;
    }
}

static void note_lateness(struct path *path, ns_t late) {
    double us = late / 1e3;
    long bin = us / BIN_US;
    path->late[bin < BINS ? bin : BINS - 1]++;
    path->late_sum += us;
    path->report->carried++;
    if (us > path->report->late_max_us)
        path->report->late_max_us = us;
}

static void deliver(struct path *path, struct line *line) {
    while (line->head < line->tail && at(line, line->head)->due <= now()) {
        struct packet *packet = at(line, line->head++);
        if (line->waiting < line->head)
            line->waiting = line->head;
        note_lateness(path, now() - packet->due);
        if (write(line->out, packet->data, packet->bytes) < 0 && errno != EAGAIN)
            die("write to the device");
    }
}

/* Waits for a packet from a device, or until one is due. */
static void wait_until(ns_t due, struct pollfd *devices) {
    ns_t left = later(due - now(), 0);
    struct timespec pause = {left / SECOND, left % SECOND};
    if (ppoll(devices, 2, &pause, NULL) < 0)
        die("ppoll");
}

static ns_t next_due(struct line *line, ns_t otherwise) {
    ns_t due = line->head < line->tail ? at(line, line->head)->due : otherwise;
    return due < otherwise ? due : otherwise;
}

static void conclude(const struct path *path) {
    struct path_report *report = path->report;
    double measured_ns = path->plan->duration - path->plan->from;
    long sum = 0, bin = 0;
    while (bin < BINS && (sum += path->late[bin]) * 100 < report->carried * 99)
        bin++;
    report->late_p99_us = (bin + 1) * BIN_US;
    report->late_mean_us = report->carried ? path->late_sum / report->carried : 0;
    report->mean_queue = path->waited / measured_ns;
    report->utilisation = path->served / measured_ns;
}

void carry(const struct plan *plan, struct ends ends, ns_t zero, volatile int *stop,
           struct path_report *report) {
    struct line there = {.ring = calloc(ROOM, sizeof(struct packet)), .out = ends.right_tun};
    struct line back = {.ring = calloc(ROOM, sizeof(struct packet)), .out = ends.left_tun};
    struct pollfd devices[2] = {{ends.left_tun, POLLIN, 0}, {ends.right_tun, POLLIN, 0}};
    static struct path path;
    path = (struct path){.plan = plan, .report = report, .zero = zero, .draw = plan->seed};
    if (!there.ring || !back.ring)
        die("memory for packets");
    while (!*stop) {
        wait_until(next_due(&back, next_due(&there, now() + SECOND / 100)), devices);
        if (devices[0].revents)
            collect(&path, &there, ends.left_tun, 1);
        if (devices[1].revents)
            collect(&path, &back, ends.right_tun, 0);
        deliver(&path, &there);
        deliver(&path, &back);
    }
    conclude(&path);
    free(there.ring);
    free(back.ring);
}
