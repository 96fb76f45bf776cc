// The bench network `dumbbell-100` in htsim: endless flows of its TcpSrc through one bottleneck.
//
//   htsim_speed FLOWS RATE_BPS RTT_S DURATION_S [count]
//
// Prints one line on standard error: CPU seconds of set-up and of the run and, with `count`, the
// packets that crossed each link (packet-hops).

#include "clock.h"
#include "config.h"
#include "eventlist.h"
#include "network.h"
#include "pipe.h"
#include "queue.h"
#include "tcp.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>

static unsigned long g_hops = 0;

// A link's delay, which counts what crosses it.
class CountingPipe : public Pipe {
public:
    using Pipe::Pipe;
    void receivePacket(Packet& packet) override {
        ++g_hops;
        Pipe::receivePacket(packet);
    }
};

static double cpu_seconds() {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
           (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

struct Path {
    EventList& events;
    bool count;
    Queue* bottleneck = nullptr;

    // Adds a link, a queue and a delay, to both routes' ends.
    Queue* link(Route& route, double rate, double delay_s, mem_b buffer) {
        Queue* queue = new Queue(static_cast<linkspeed_bps>(rate), buffer, events, nullptr);
        route.push_back(queue);
        route.push_back(pipe(delay_s));
        return queue;
    }

    Pipe* pipe(double delay_s) {
        const simtime_picosec delay = timeFromSec(delay_s);
        return count ? new CountingPipe(delay, events) : new Pipe(delay, events);
    }
};

int main(int argc, char** argv) {
    if (argc < 5) {
        fprintf(stderr, "usage: htsim_speed FLOWS RATE_BPS RTT_S DURATION_S [count]\n");
        return 2;
    }
    const double begun = cpu_seconds();
    const int flows = atoi(argv[1]);
    const double rate = atof(argv[2]), rtt_s = atof(argv[3]), duration_s = atof(argv[4]);
    const int packet = 1500;
    const mem_b bdp = static_cast<mem_b>(std::ceil(rate * rtt_s / 8 / packet));
    const mem_b large = mem_b(100000) * packet;

    EventList& events = EventList::getTheEventList();
    events.setEndtime(timeFromSec(duration_s));
    Packet::set_packet_size(packet);
    srand(1);
    Path path{events, argc > 5};

    // The queue holds the packet in service too.
    Queue* forward = new Queue(static_cast<linkspeed_bps>(rate), (bdp + 1) * packet, events, nullptr);
    Queue* backward = new Queue(static_cast<linkspeed_bps>(rate), large, events, nullptr);
    Pipe* forward_delay = path.pipe(0.3 * rtt_s);
    Pipe* backward_delay = path.pipe(0.3 * rtt_s);

    TcpRtxTimerScanner scanner(timeFromMs(10), events);
    std::vector<TcpSrc*> sources;
    for (int at = 0; at < flows; ++at) {
        TcpSrc* source = new TcpSrc(nullptr, nullptr, events);
        TcpSink* sink = new TcpSink();
        source->set_ssthresh(0xffffffff);
        source->set_cwnd(2 * packet);
        source->_maxcwnd = 2 * bdp * packet;
        scanner.registerTcp(*source);

        Route* out = new Route();
        path.link(*out, 10 * rate, 0.1 * rtt_s, large);
        out->push_back(forward);
        out->push_back(forward_delay);
        path.link(*out, 10 * rate, 0.1 * rtt_s, large);
        out->push_back(sink);
        Route* back = new Route();
        path.link(*back, 10 * rate, 0.1 * rtt_s, large);
        back->push_back(backward);
        back->push_back(backward_delay);
        path.link(*back, 10 * rate, 0.1 * rtt_s, large);
        back->push_back(source);
        source->connect(*out, *back, *sink, timeFromMs(10.0 * at));
        sources.push_back(source);
    }

    const double ready = cpu_seconds();
    while (events.doNextEvent()) {
    }
    const double ended = cpu_seconds();
    double acked = 0;
    for (TcpSrc* source : sources) acked += source->_last_acked;
    fprintf(stderr, "setup_cpu_s=%.3f cpu_s=%.3f goodput_mbps=%.2f bottleneck_drops=%d", ready - begun,
            ended - ready, acked * 8e-6 / duration_s, forward->num_drops());
    if (argc > 5) fprintf(stderr, " packet_hops=%lu", g_hops);
    fprintf(stderr, "\n");
    return 0;
}
