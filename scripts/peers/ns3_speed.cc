// The bench network `dumbbell-100` in ns-3: endless SACK flows with Reno through one bottleneck.
//
//   ns3_speed --flows=100 --rate=1000000000 --rtt=0.04 --duration=40 [--count] [--routing=nix]
//
// Prints one line: CPU seconds of set-up and of the run and, with --count, the transmitted packets
// of every device (packet-hops). Counting slows a run, so the timed run does without it.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/nix-vector-routing-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cmath>
#include <iostream>
#include <sys/resource.h>

using namespace ns3;

static uint64_t g_hops = 0;
static uint64_t g_drops = 0;

static void
CountHop(Ptr<const Packet>)
{
    ++g_hops;
}

static void
CountDrop(Ptr<const Packet>)
{
    ++g_drops;
}

static double
CpuSeconds()
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
           (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

// A link with its rate, one-way delay and the packets that may wait at the first and second device.
static NetDeviceContainer
Link(Ptr<Node> a, Ptr<Node> b, double rate, double delay, uint32_t first, uint32_t second)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(rate))));
    link.SetChannelAttribute("Delay", TimeValue(Seconds(delay)));
    NetDeviceContainer devices = link.Install(a, b);
    const uint32_t limits[] = {first, second};
    for (uint32_t at = 0; at < 2; ++at)
    {
        auto queue = CreateObject<DropTailQueue<Packet>>();
        queue->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, limits[at]));
        DynamicCast<PointToPointNetDevice>(devices.Get(at))->SetQueue(queue);
    }
    return devices;
}

int
main(int argc, char* argv[])
{
    const double begun = CpuSeconds();
    uint32_t flows = 100;
    double rate = 1e9;
    double rtt = 0.04;
    double duration = 40;
    bool count = false;
    std::string routing = "nix";
    std::string scheduler = "ns3::PriorityQueueScheduler";
    uint32_t sendSize = 1460;

    CommandLine cmd;
    cmd.AddValue("flows", "number of flows", flows);
    cmd.AddValue("rate", "bottleneck rate, bit/s", rate);
    cmd.AddValue("rtt", "round-trip time without queues, s", rtt);
    cmd.AddValue("duration", "simulated seconds", duration);
    cmd.AddValue("count", "count packet-hops by device traces", count);
    cmd.AddValue("routing", "nix or global", routing);
    cmd.AddValue("scheduler", "type of the event scheduler", scheduler);
    cmd.AddValue("sendSize", "bytes per write of the application", sendSize);
    cmd.Parse(argc, argv);

    const uint32_t segment = 1460;
    const uint32_t bdp = std::ceil(rate * rtt / 8 / 1500);
    GlobalValue::Bind("SchedulerType", StringValue(scheduler));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(2 * bdp * segment));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(2 * bdp * segment));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));

    Ptr<Node> left = CreateObject<Node>();
    Ptr<Node> right = CreateObject<Node>();
    NodeContainer senders;
    NodeContainer receivers;
    senders.Create(flows);
    receivers.Create(flows);
    InternetStackHelper internet;
    if (routing == "nix")
    {
        internet.SetRoutingHelper(Ipv4NixVectorHelper());
    }
    internet.SetIpv6StackInstall(false);
    internet.InstallAll();

    const uint32_t large = 100000;
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    NetDeviceContainer trunk = Link(left, right, rate, 0.3 * rtt, bdp, large);
    addresses.Assign(trunk);
    std::vector<Ipv4Address> goals;
    for (uint32_t at = 0; at < flows; ++at)
    {
        addresses.NewNetwork();
        addresses.Assign(Link(senders.Get(at), left, 10 * rate, 0.1 * rtt, large, large));
        addresses.NewNetwork();
        auto near = Link(right, receivers.Get(at), 10 * rate, 0.1 * rtt, large, large);
        goals.push_back(addresses.Assign(near).GetAddress(1));
    }
    // Devices queue by themselves: without this each would have an FqCoDel in front of its queue.
    TrafficControlHelper control;
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        for (uint32_t at = 0; at < (*node)->GetNDevices(); ++at)
        {
            Ptr<NetDevice> device = (*node)->GetDevice(at);
            if (DynamicCast<PointToPointNetDevice>(device))
            {
                control.Uninstall(device);
                if (count)
                {
                    device->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&CountHop));
                }
            }
        }
    }
    if (count)
    {
        trunk.Get(0)->TraceConnectWithoutContext("MacTxDrop", MakeCallback(&CountDrop));
    }
    if (routing == "global")
    {
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    }

    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t at = 0; at < flows; ++at)
    {
        PacketSinkHelper sink("ns3::TcpSocketFactory",
                              InetSocketAddress(Ipv4Address::GetAny(), 5000));
        ApplicationContainer receiver = sink.Install(receivers.Get(at));
        receiver.Start(Seconds(0));
        sinks.push_back(DynamicCast<PacketSink>(receiver.Get(0)));
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(goals[at], 5000));
        bulk.SetAttribute("SendSize", UintegerValue(sendSize));
        ApplicationContainer sender = bulk.Install(senders.Get(at));
        sender.Start(Seconds(0.01 * at));
    }

    Simulator::Stop(Seconds(duration));
    const double ready = CpuSeconds();
    Simulator::Run();
    const double ended = CpuSeconds();
    uint64_t bytes = 0;
    for (auto& sink : sinks)
    {
        bytes += sink->GetTotalRx();
    }
    std::cout << "setup_cpu_s=" << ready - begun << " cpu_s=" << ended - ready
              << " goodput_mbps=" << bytes * 8e-6 / duration;
    if (count)
    {
        std::cout << " packet_hops=" << g_hops << " bottleneck_drops=" << g_drops;
    }
    std::cout << std::endl;
    return 0;
}
