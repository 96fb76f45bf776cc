// One case of the comparison with Linux, in ns-3: flows over one bottleneck, as near to Linux as
// ns-3's settings allow. docs/reference/peers.md lists every setting.
//
//   ns3_agree --ccas=cubic,bbr --rtt=40 --buffer=67 --queue=fifo --from=10 --until=60
//
// Prints a line for each flow: goodput, retransmissions before and after `from`, and the time at
// which the last byte of a sized flow arrived. A last line gives the mean number of waiting packets.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <iostream>
#include <map>
#include <sstream>

using namespace ns3;

static const uint32_t SEGMENT = 1448;
static const double RATE = 20e6;
static const double FAST = 10e9;
static const uint32_t LARGE = 100000;
// PPP adds two bytes to each packet; the rate is that of IP bytes.
static const double PPP = 1502.0 / 1500.0;

// The mean of the packets that wait, over time; `inService` of those counted are in transmission.
struct QueueMean
{
    double from = 0;
    double area = 0;
    double last = 0;
    uint32_t now = 0;
    uint32_t inService = 0;

    void Advance(double until)
    {
        const uint32_t waiting = now > inService ? now - inService : 0;
        area += waiting * std::max(0.0, until - std::max(last, from));
        last = until;
    }

    void Changed(uint32_t, uint32_t packets)
    {
        Advance(Simulator::Now().GetSeconds());
        now = packets;
    }
};

struct Flow
{
    double from = 0;
    uint64_t goal = 0;
    uint64_t received = 0;
    uint64_t receivedBefore = 0;
    uint64_t again = 0;
    uint64_t againBefore = 0;
    SequenceNumber32 highest{0};
    double start = 0;
    double finished = -1;

    void Sent(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
    {
        if (packet->GetSize() == 0)
        {
            return;
        }
        const SequenceNumber32 end = header.GetSequenceNumber() + packet->GetSize();
        if (header.GetSequenceNumber() < highest)
        {
            (Simulator::Now().GetSeconds() < from ? againBefore : again)++;
        }
        highest = std::max(highest, end);
    }

    void Received(Ptr<const Packet> packet, const Address&)
    {
        (Simulator::Now().GetSeconds() < from ? receivedBefore : received) += packet->GetSize();
        if (goal && finished < 0 && receivedBefore + received >= goal)
        {
            finished = Simulator::Now().GetSeconds() - start;
        }
    }
};

static TypeId
Algorithm(const std::string& cca)
{
    static const std::map<std::string, TypeId> known = {{"reno", TcpLinuxReno::GetTypeId()},
                                                        {"cubic", TcpCubic::GetTypeId()},
                                                        {"bbr", TcpBbr::GetTypeId()}};
    return known.at(cca);
}

static std::vector<std::string>
Split(const std::string& list)
{
    std::vector<std::string> parts;
    std::stringstream in(list);
    for (std::string part; std::getline(in, part, ',');)
    {
        parts.push_back(part);
    }
    return parts;
}

static NetDeviceContainer
Link(Ptr<Node> a, Ptr<Node> b, double rate, double delay, uint32_t limit)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(rate))));
    link.SetChannelAttribute("Delay", TimeValue(Seconds(delay)));
    NetDeviceContainer devices = link.Install(a, b);
    for (uint32_t at = 0; at < 2; ++at)
    {
        auto queue = CreateObject<DropTailQueue<Packet>>();
        queue->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, at == 0 ? limit : LARGE));
        DynamicCast<PointToPointNetDevice>(devices.Get(at))->SetQueue(queue);
    }
    return devices;
}

static void
LikeLinux()
{
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(40)));
    Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(Seconds(1)));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(16 << 20));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::WindowScaling", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(true));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType",
                       TypeIdValue(TcpPrrRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpCubic::HyStartDelayMax", TimeValue(MilliSeconds(16)));
}

int
main(int argc, char* argv[])
{
    std::string ccas = "cubic";
    std::string starts;
    std::string queue = "fifo";
    double rtt = 40;
    double loss = 0;
    double from = 10;
    double until = 60;
    uint32_t buffer = 67;
    uint64_t segments = 0;
    uint32_t seed = 1;

    // Before the options, so that an option such as --ns3::TcpCubic::Beta=0.8 changes a setting.
    LikeLinux();
    CommandLine cmd;
    cmd.AddValue("ccas", "congestion control algorithm of each flow", ccas);
    cmd.AddValue("starts", "start of each flow in ms", starts);
    cmd.AddValue("queue", "fifo, codel or fqcodel", queue);
    cmd.AddValue("rtt", "round-trip time without queues in ms", rtt);
    cmd.AddValue("loss", "probability of random loss before the queue", loss);
    cmd.AddValue("from", "figures from this second on", from);
    cmd.AddValue("until", "end in s", until);
    cmd.AddValue("buffer", "packets that may wait", buffer);
    cmd.AddValue("segments", "segments of each flow, 0 for endless", segments);
    cmd.AddValue("seed", "number of the run", seed);
    cmd.Parse(argc, argv);
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(seed);

    NodeContainer nodes;
    nodes.Create(3);
    InternetStackHelper internet;
    internet.SetIpv6StackInstall(false);
    internet.InstallAll();
    const bool fifo = queue == "fifo";
    NetDeviceContainer access = Link(nodes.Get(0), nodes.Get(1), FAST, 0, LARGE);
    NetDeviceContainer path = Link(nodes.Get(1),
                                   nodes.Get(2),
                                   fifo ? RATE * PPP : FAST,
                                   rtt / 2e3,
                                   fifo ? buffer : LARGE);
    // ACKs leave at a high rate: the way back adds delay only.
    DynamicCast<PointToPointNetDevice>(path.Get(1))->SetDataRate(
        DataRate(static_cast<uint64_t>(FAST)));
    if (loss > 0)
    {
        auto errors = CreateObject<RateErrorModel>();
        errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        errors->SetRate(loss);
        errors->AssignStreams(1);
        access.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
    }

    QueueMean mean;
    mean.from = from;
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    TrafficControlHelper control;
    QueueDiscContainer discs;
    if (!fifo)
    {
        // A token bucket above the discipline, as in the kernel's runs.
        TrafficControlHelper shaped;
        const uint16_t root = shaped.SetRootQueueDisc("ns3::TbfQueueDisc",
                                                      "MaxSize",
                                                      StringValue("10240p"),
                                                      "Burst",
                                                      UintegerValue(3000),
                                                      "Rate",
                                                      DataRateValue(DataRate(uint64_t(RATE))));
        const auto classes = shaped.AddQueueDiscClasses(root, 1, "ns3::QueueDiscClass");
        if (queue == "codel")
        {
            shaped.AddChildQueueDisc(root,
                                     classes[0],
                                     "ns3::CoDelQueueDisc",
                                     "MaxSize",
                                     StringValue("1000p"));
        }
        else
        {
            shaped.AddChildQueueDisc(root,
                                     classes[0],
                                     "ns3::FqCoDelQueueDisc",
                                     "MaxSize",
                                     StringValue("10240p"));
        }
        discs = shaped.Install(path.Get(0));
        auto fair = DynamicCast<FqCoDelQueueDisc>(
            discs.Get(0)->GetQueueDiscClass(0)->GetQueueDisc());
        if (fair)
        {
            // A child does not see the device, from whose MTU it would take its quantum.
            fair->SetQuantum(1514);
        }
        mean.inService = 1;
        discs.Get(0)->TraceConnectWithoutContext("PacketsInQueue",
                                                 MakeCallback(&QueueMean::Changed, &mean));
    }
    addresses.Assign(access);
    addresses.NewNetwork();
    const Ipv4Address goal = addresses.Assign(path).GetAddress(1);
    control.Uninstall(access);
    control.Uninstall(path.Get(1));
    if (fifo)
    {
        control.Uninstall(path.Get(0));
        DynamicCast<PointToPointNetDevice>(path.Get(0))
            ->GetQueue()
            ->TraceConnectWithoutContext("PacketsInQueue",
                                         MakeCallback(&QueueMean::Changed, &mean));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    const std::vector<std::string> names = Split(ccas);
    const std::vector<std::string> times = Split(starts);
    std::vector<Flow> flows(names.size());
    for (uint32_t at = 0; at < names.size(); ++at)
    {
        Flow& flow = flows[at];
        flow.from = from;
        flow.goal = segments * SEGMENT;
        flow.start = at < times.size() ? std::stod(times[at]) / 1e3 : 0;
        const uint16_t port = 5000 + at;
        PacketSinkHelper sink("ns3::TcpSocketFactory",
                              InetSocketAddress(Ipv4Address::GetAny(), port));
        ApplicationContainer receiver = sink.Install(nodes.Get(2));
        receiver.Start(Seconds(0));
        receiver.Get(0)->TraceConnectWithoutContext("Rx", MakeCallback(&Flow::Received, &flow));
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(goal, port));
        bulk.SetAttribute("SendSize", UintegerValue(SEGMENT));
        bulk.SetAttribute("MaxBytes", UintegerValue(flow.goal));
        ApplicationContainer sender = bulk.Install(nodes.Get(0));
        sender.Start(Seconds(flow.start));
        // The socket is made at the start, with the type that the node's TCP has by then.
        Ptr<TcpL4Protocol> tcp = nodes.Get(0)->GetObject<TcpL4Protocol>();
        const TypeId type = Algorithm(names[at]);
        Simulator::Schedule(Seconds(std::max(0.0, flow.start - 1e-9)),
                            [tcp, type]() { tcp->SetAttribute("SocketType", TypeIdValue(type)); });
        Ptr<Application> application = sender.Get(0);
        Simulator::Schedule(Seconds(flow.start + 1e-9), [application, &flow]() {
            Ptr<Socket> socket = DynamicCast<BulkSendApplication>(application)->GetSocket();
            socket->TraceConnectWithoutContext("Tx", MakeCallback(&Flow::Sent, &flow));
        });
    }

    Simulator::Stop(Seconds(until));
    Simulator::Run();
    mean.Advance(until);
    for (uint32_t at = 0; at < flows.size(); ++at)
    {
        const Flow& flow = flows[at];
        std::cout << "flow=" << at << " goodput_mbps=" << flow.received * 8e-6 / (until - from)
                  << " retransmissions_first=" << flow.againBefore
                  << " retransmissions=" << flow.again << " finished_ms=" << flow.finished * 1e3
                  << std::endl;
    }
    std::cout << "mean_queue=" << mean.area / (until - from) << std::endl;
    return 0;
}
