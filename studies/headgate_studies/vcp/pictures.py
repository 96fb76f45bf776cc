"""The pictures of the study: one for each slide that shows or states something."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from headgate import Result
from headgate.figures import Curve, CurvePanel, draw_curves
from headgate.lab import Picture, Runs, make_possible
from headgate_studies.paths import course, goodput_bps, loss_rate, mean_of, queue_share, utilisation
from headgate_studies.vcp import jobs, measures
from headgate_studies.vcp.jobs import bdp
from headgate_studies.vcp.measures import (
    HALF_A_LINE,
    SHORT,
    Measure,
    Series,
    at,
    compared,
    hop_row,
    levels,
    mean_completion_s,
)

BANDWIDTH, DELAY = "bandwidth (Mbit/s)", "round trip (ms)"
AXES = {
    "bandwidth": BANDWIDTH,
    "delay": DELAY,
    "flows": "flows each way",
    "short": "short flows a second",
    "real time": "video, share of the line",
}
#: Sweeps whose levels are not on a logarithmic axis.
PLAIN = ("real time",)
PER_CENT = "% of the buffer"
RELATIVE = "rate over the mean"
#: Bins of the sizes of files, packets; the least that is drawn is 8.
SIZES = ((8, 9), (10, 14), (15, 19), (20, 29), (30, 49), (50, 99), (100, 199), (200, 499))


def queue_per_cent(run: Result) -> float:
    """Mean queue in % of the buffer."""
    return 100 * queue_share(run)


def each(runs: Runs, of: Callable[[str], Curve]) -> dict[str, Curve]:
    """Draw a curve for each of the four schemes."""
    return {name: of(name) for name in measures.compared(runs)}


def mark_points(runs: Runs, x: ArrayLike, of: Callable[[str], ArrayLike]) -> dict[str, Curve]:
    """Draw points for each of them."""
    return each(runs, lambda name: Curve(x, of(name), marks=True))


def swept(runs: Runs, part: str, of: Measure, y: str, title: str = "") -> CurvePanel:
    """Draw a measure over the levels of a sweep."""
    xs = levels(runs, part)
    drawn = mark_points(runs, xs, lambda name: [at(runs, part, name, x, of) for x in xs])
    return CurvePanel(title, AXES[part], y, drawn, "" if part in PLAIN else "x")


def over_paths(runs: Runs, of: Measure, y: str) -> Figure:
    """Draw a measure over bandwidths, and over round trips."""
    titles = {"bandwidth": "80 ms", "delay": "150 Mbit/s"}
    return draw_curves([swept(runs, part, of, y, title) for part, title in titles.items()])


def use_and_queue(runs: Runs, part: str) -> Figure:
    """Draw utilisation and queue over one of the other sweeps."""
    use = swept(runs, part, utilisation, "utilisation", "150 Mbit/s, 80 ms")
    return draw_curves([use, swept(runs, part, queue_per_cent, PER_CENT)])


def alone(panel: CurvePanel) -> Figure:
    """Draw a figure of one panel."""
    return draw_curves([panel], columns=1)


def pictures(runs: Runs) -> tuple[Picture, ...]:
    """Draw every figure of the report; one whose runs this scale lacks is left out."""
    made = (
        _efficiency, _spread, _illustration, _against_tcp, _parameters, _scaling, _loss, _fluid,
        _bias, _queues, _flows, _round_trips, _joining, _responsiveness, short,
        completion, real_time, _parking_lot, lossy,
    )  # fmt: skip
    return make_possible(made, runs)


def _efficiency(runs: Runs) -> Picture:
    return Picture(
        "efficiency",
        "Slides 2 and 18: utilisation against bandwidth and round trip",
        "50 flows each way, buffer one BDP or two packets a flow.",
        over_paths(runs, utilisation, "utilisation"),
    )


def _spread(runs: Runs) -> Picture:
    xs, names = measures.levels(runs, "delay"), ("VCP", "VCP released")
    parts = {"delay": "equal round trips", "spread": "spread by up to a fifth"}
    panels = [
        CurvePanel(
            title,
            DELAY,
            "utilisation",
            {n: Curve(xs, [at(runs, part, n, x) for x in xs], marks=True) for n in names},
            "x",
            low=0.5,
        )
        for part, title in parts.items()
    ]
    return Picture(
        "spread",
        "The paper's rules and the released ones, with equal and with spread round trips",
        "150 Mbit/s, 50 flows each way.",
        draw_curves(panels),
    )


def _over_time(runs: Runs, schemes: Sequence[str]) -> Figure:
    use, windows = {}, {}
    for name in schemes:
        run = runs["illustration", name]
        use[name] = Curve(*measures.utilisation_course(run, jobs.SLOW_MBPS))
        windows[name] = Curve(*course(run, "first", "cwnd_packets"))
        windows[f"{name}, of one that joins"] = Curve(*course(run, "joiner 0", "cwnd_packets"))
    return draw_curves(
        [
            CurvePanel("Link", "time (s)", "utilisation", use),
            CurvePanel("Windows", "time (s)", "cwnd (packets)", windows),
        ]
    )


def _illustration(runs: Runs) -> Picture:
    return Picture(
        "illustration",
        "Slide 9: nine flows join at 100 s and leave at 200 s",
        "VCP at 45 Mbit/s and 80 ms.",
        _over_time(runs, ["VCP"]),
    )


def _against_tcp(runs: Runs) -> Picture:
    return Picture(
        "against-tcp",
        "Slide 10: VCP against TCP with RED/ECN over time",
        "The same with TCP SACK, RED and ECN.",
        _over_time(runs, ["TCP", "VCP"]),
    )


def _parameters(runs: Runs) -> Picture:
    drawn = {
        f"xi = {xi:g}": Curve(*measures.utilisation_course(runs["xi", xi], jobs.LONE_MBPS))
        for xi in runs.setup.settings["xis"]
    }
    panel = CurvePanel("A lone flow, 20 Mbit/s, 80 ms", "time (s)", "utilisation", drawn)
    return Picture(
        "parameters",
        "Slide 15: the effect of xi",
        "xi of TCP's slow start, of VCP, of Scalable TCP.",
        alone(panel),
    )


def _scaling(runs: Runs) -> Picture:
    names = {"rtt": "scaled to the RTT", "none": "in every RTT"}
    loads, queues = (
        {
            name: Curve(*course(runs["scaling", kind], "bottleneck", column))
            for kind, name in names.items()
        }
        for column in ("gauge", "queue_packets")
    )
    panels = [
        CurvePanel("Load factor", "time (s)", "load", loads, "", {"capacity": 1.0}, zoom=(0, 20)),
        CurvePanel("Queue", "time (s)", "packets", queues, zoom=(0, 20)),
    ]
    return Picture(
        "scaling",
        "Slide 16: MI with and without scaling to the round trip",
        "Ten flows start at 50 Mbit/s with a round trip of 10 ms, a twentieth of t_rho.",
        draw_curves(panels),
    )


def _loss(runs: Runs) -> Picture:
    return Picture(
        "loss",
        "Slide 19: packet loss rate",
        "Drops for want of room, or by RED; marks are no losses.",
        over_paths(runs, loss_rate, "loss rate"),
    )


def _fluid(runs: Runs) -> Picture:
    loads = {
        f"k = {k:g}": Curve(*course(runs["stability", k], "bottleneck", "gauge"))
        for k in runs.setup.settings["ks"]
    }
    run = runs["fluid",]
    rates = np.asarray(run.flows["delivered_packets"], float) / float(run.ports["elapsed_s"][0])
    rtts = [1e3 * rtt for rtt in jobs.FLUID_RTTS_S]
    rest = jobs.fluid_rate(jobs.K)
    drawn = {
        "packets": Curve(rtts, rates, points=True),
        "gamma C/N + alpha/(k t)": Curve(rtts, [rest] * len(rtts), theory=True),
    }
    panels = [
        CurvePanel("Load with exact feedback", "time (s)", "load factor", loads, zoom=(0, 100)),
        CurvePanel("Rates at rest", DELAY, "packets/s", drawn, high=1.5 * rest),
    ]
    return Picture(
        "fluid",
        "Slide 21: the equilibrium of the fluid model in packets",
        "Five flows with exact feedback at 20 Mbit/s, gamma 0.9. Left: round trips of 200 ms and"
        " three gains, of which k <= 0.5 is proved stable. Right: five round trips, k = 0.25.",
        draw_curves(panels, shared_legend=False),
    )


def _bias(runs: Runs) -> Picture:
    drawn = mark_points(
        runs, 1e3 * measures.spread_rtts_s(runs.setup, "40-330"), partial(_relative, runs, "40-330")
    )
    panel = CurvePanel("30 flows on 90 Mbit/s", DELAY, RELATIVE, drawn)
    return Picture(
        "rtt-bias",
        "Slide 25: rate against round trip",
        "Thirty flows whose round trips are 40 to 330 ms, 10 ms apart.",
        alone(panel),
    )


def _relative(runs: Runs, spread: str, name: str) -> Series:
    rates = measures.delivered_by_rtt(runs, name, spread)
    return np.asarray(rates / rates.mean())


def _queues(runs: Runs) -> Picture:
    return Picture(
        "queues",
        "Slide 26: mean queue in % of the buffer",
        "A flow's bandwidth-delay product is a packet at"
        f" {jobs.FLOWS / bdp(1, jobs.RTT_S):g} Mbit/s (left) and at"
        f" {1e3 * jobs.FLOWS / bdp(jobs.RATE_MBPS, 1.0):.2g} ms (right).",
        over_paths(runs, queue_per_cent, PER_CENT),
    )


def _flows(runs: Runs) -> Picture:
    drawn = use_and_queue(runs, "flows")
    return Picture("flows", "Slide 27: number of flows", "As many each way.", drawn)


def _round_trips(runs: Runs) -> Picture:
    flows = np.arange(1, jobs.FAIR_FLOWS + 1)
    panels = []
    for spread in runs.setup.settings["spreads_ms"]:
        title = "40 ms each" if spread == "equal" else f"{spread} ms"
        drawn = mark_points(runs, flows, partial(_relative, runs, spread))
        panels.append(CurvePanel(title, "flow, by round trip", RELATIVE, drawn))
    return Picture(
        "round-trips",
        "Slides 28 and 29: influence of the round trip on fairness",
        "Thirty flows on 90 Mbit/s.",
        draw_curves(panels, columns=3),
    )


def _joining(runs: Runs) -> Picture:
    panels = []
    for name in compared(runs):
        t_s, rates = measures.joined_rates(runs["joining", name])
        mbps = rates * 8e-3
        drawn = {f"flow {i + 1}": Curve(t_s, row) for i, row in enumerate(mbps)}
        panels.append(CurvePanel(name, "time (s)", "Mbit/s", drawn))
    return Picture(
        "joining",
        "Slides 30 and 31: convergence onto fairness, with 2 and with 8 bits",
        "Five flows join 100 s apart at 45 Mbit/s and 40 ms.",
        draw_curves(panels),
    )


def _responsiveness(runs: Runs) -> Picture:
    firsts = {name: runs.replicates("crowd", name)[0] for name in compared(runs)}
    use = each(runs, lambda name: Curve(*measures.utilisation_course(firsts[name], jobs.RATE_MBPS)))
    queue = each(runs, lambda name: Curve(*course(firsts[name], "bottleneck", "queue_packets")))
    panels = [
        CurvePanel("Link", "time (s)", "utilisation", use, zoom=(70, 180)),
        CurvePanel("Queue", "time (s)", "packets", queue, zoom=(70, 180)),
    ]
    return Picture(
        "responsiveness",
        "Slide 32: 150 flows join 50 at 80 s and leave at 120 s",
        "150 Mbit/s, 80 ms.",
        draw_curves(panels),
    )


def _parking_lot(runs: Runs) -> Picture:
    hops = range(1, jobs.HOPS + 1)
    drawn = mark_points(runs, list(hops), lambda name: [_hop_use(runs, name, hop) for hop in hops])
    panel = CurvePanel("Seven links of 100 Mbit/s", "link", "utilisation", drawn)
    return Picture(
        "parking-lot",
        "Several bottlenecks",
        "50 flows over all links, 50 over each, 50 back.",
        alone(panel),
    )


def _hop_use(runs: Runs, scheme: str, hop: int) -> float:
    done = runs.replicates("parking lot", scheme)
    return float(np.mean([run.ports["utilisation"][hop_row(run, hop)] for run in done]))


def short(runs: Runs) -> Picture:
    """Show the line that short files share with long flows."""
    return Picture(
        "short-flows",
        "Slide 23, applications: short-lived traffic",
        "Pareto sizes, mean 30 packets, shape 1.35, beside 50 long flows each way.",
        use_and_queue(runs, "short"),
    )


def completion(runs: Runs) -> Picture:
    """Show how long they take."""
    rates = levels(runs, "short")
    typical = max(levels(runs, "short", most=HALF_A_LINE))
    files = (1, SHORT)
    by_rate = mark_points(
        runs, rates, lambda n: [mean_completion_s(runs, n, x, files) for x in rates]
    )
    middles = [np.sqrt(low * high) for low, high in SIZES]
    by_size = mark_points(
        runs, middles, lambda n: [mean_completion_s(runs, n, typical, size) for size in SIZES]
    )
    by_size["alone"] = Curve(middles, [measures.ai_completion_s(x) for x in middles], theory=True)
    seconds = "mean completion time (s)"
    panels = [
        CurvePanel(f"Files of up to {SHORT} packets", AXES["short"], seconds, by_rate, "xy"),
        CurvePanel(f"{typical:g} files a second", "size (packets)", seconds, by_size, "xy"),
    ]
    return Picture(
        "completion",
        "Slide 23, applications: how long short files take",
        "The same runs; from the SYN to the last packet at the receiver. 625 files a second would"
        " take all of the line. Dashed: VCP's window of two packets, which only alpha raises.",
        draw_curves(panels),
    )


def real_time(runs: Runs) -> Picture:
    """Show what a voice waits and loses."""
    panels = [swept(runs, "real time", of, name) for name, of in measures.VOICE.items()]
    return Picture(
        "real-time",
        "Slide 23, applications: real-time traffic",
        "A voice of 50 packets a second beside 50 flows each way and video; neither yields."
        " Queueing on its round trips, its change from packet to packet, and losses.",
        draw_curves(panels),
    )


def lossy(runs: Runs) -> Picture:
    """Show the goodput over a link that loses packets at random."""
    losses = runs.setup.settings["lossy"]["losses"]
    drawn = mark_points(runs, losses, lambda name: [_goodput_mbps(runs, name, p) for p in losses])
    panel = CurvePanel("One flow, 50 Mbit/s, 80 ms", "random loss", "goodput (Mbit/s)", drawn, "xy")
    return Picture(
        "wireless",
        "Slide 23, environment: a channel that loses packets",
        "Losses halve the window of all of them, as TCP's.",
        alone(panel),
    )


def _goodput_mbps(runs: Runs, scheme: str, loss: float) -> float:
    done = runs.replicates("lossy", scheme, loss)
    return mean_of(goodput_bps, done) / 1e6
