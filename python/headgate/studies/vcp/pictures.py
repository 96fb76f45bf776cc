"""The pictures of the study: one for each slide that shows or states something."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.figure import Figure

from headgate.plots.curves import Curve, Panel, curves
from headgate.result import Result
from headgate.studies.found import all_possible
from headgate.studies.paths import course, goodput_bps, loss_rate, utilisation
from headgate.studies.runs import Runs
from headgate.studies.study import Picture
from headgate.studies.vcp import jobs, measures
from headgate.studies.vcp.measures import Measure, at, levels
from headgate.studies.vcp.schemes import COMPARED, bdp

BANDWIDTH, DELAY = "bandwidth (Mbit/s)", "round trip (ms)"
AXES = {
    "bandwidth": BANDWIDTH,
    "delay": DELAY,
    "flows": "flows each way",
    "short": "short flows a second",
}


def pictures(runs: Runs) -> tuple[Picture, ...]:
    """Draw every figure of the report; one whose runs this scale lacks is left out."""
    made = (
        _efficiency, _illustration, _against_tcp, _parameters, _scaling, _loss, _fluid, _bias,
        _queues, _flows, _round_trips, _joining, _responsiveness, _short, _parking_lot, _lossy,
    )  # fmt: skip
    return all_possible(made, runs)


def _swept(runs: Runs, part: str, of: Measure, y: str, title: str = "") -> Panel:
    drawn = {
        name: Curve(
            levels(runs, part),
            [at(runs, part, name, x, of) for x in levels(runs, part)],
            marks=True,
        )
        for name in COMPARED
    }
    return Panel(title, AXES[part], y, drawn, "x")


def _efficiency(runs: Runs) -> Picture:
    panels = [
        _swept(runs, "bandwidth", utilisation, "utilisation", "80 ms"),
        _swept(runs, "delay", utilisation, "utilisation", "150 Mbit/s"),
    ]
    return Picture(
        "efficiency",
        "Slides 2 and 18: utilisation against bandwidth and round trip",
        "50 flows each way, buffer one BDP or two packets a flow.",
        curves(panels),
    )


def _over_time(runs: Runs, schemes: Sequence[str]) -> Figure:
    use, windows = {}, {}
    for name in schemes:
        run = runs["illustration", name]
        use[name] = Curve(*measures.used(run, jobs.SLOW_MBPS))
        windows[name] = Curve(*course(run, "first", "cwnd_packets"))
        windows[f"{name}, of one that joins"] = Curve(*course(run, "joiner 0", "cwnd_packets"))
    return curves(
        [
            Panel("Link", "time (s)", "utilisation", use),
            Panel("Windows", "time (s)", "cwnd (packets)", windows),
        ]
    )


def _illustration(runs: Runs) -> Picture:
    return Picture(
        "illustration",
        "Slide 9: nine flows join at 100 s and leave at about 200 s",
        "VCP at 45 Mbit/s and 80 ms. Each of the nine leaves once it has sent a tenth of what the"
        " path carries in 100 s.",
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
        f"xi = {xi:g}": Curve(*measures.used(runs["xi", xi], jobs.LONE_MBPS)) for xi in jobs.XIS
    }
    panel = Panel("A lone flow, 20 Mbit/s, 80 ms", "time (s)", "utilisation", drawn)
    return Picture(
        "parameters",
        "Slide 15: what xi sets",
        "xi of TCP's slow start, of VCP, of Scalable TCP.",
        curves([panel], columns=1),
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
        Panel("Load factor", "time (s)", "load", loads, "", {"capacity": 1.0}, zoom=(0, 20)),
        Panel("Queue", "time (s)", "packets", queues, zoom=(0, 20)),
    ]
    return Picture(
        "scaling",
        "Slide 16: MI with and without scaling to the round trip",
        "Ten flows start at 50 Mbit/s with a round trip of 10 ms, a twentieth of t_rho.",
        curves(panels),
    )


def _loss(runs: Runs) -> Picture:
    panels = [
        _swept(runs, "bandwidth", loss_rate, "loss rate", "80 ms"),
        _swept(runs, "delay", loss_rate, "loss rate", "150 Mbit/s"),
    ]
    return Picture(
        "loss",
        "Slide 19: packet loss rate",
        "Drops for want of room, or by RED; marks are no losses.",
        curves(panels),
    )


def _fluid(runs: Runs) -> Picture:
    loads = {
        f"k = {k:g}": Curve(*course(runs["stability", k], "bottleneck", "gauge")) for k in jobs.KS
    }
    run = runs["fluid",]
    rates = np.asarray(run.flows["delivered_packets"], float) / float(run.ports["elapsed_s"][0])
    rtts = [1e3 * rtt for rtt in jobs.FLUID_RTTS_S]
    rest = jobs.fluid_rate(jobs.KS[0])
    drawn = {
        "packets": Curve(rtts, rates, points=True),
        "gamma C/N + alpha/(k t)": Curve(rtts, [rest] * len(rtts), theory=True),
    }
    panels = [
        Panel("Load with exact feedback", "time (s)", "load factor", loads, zoom=(0, 100)),
        Panel("Rates at rest", DELAY, "packets/s", drawn, high=1.5 * rest),
    ]
    return Picture(
        "fluid",
        "Slide 21: the equilibrium of the fluid model in packets",
        "Five flows with exact feedback at 20 Mbit/s, gamma 0.9. Left: round trips of 200 ms and"
        " three gains, of which k <= 0.5 is proved stable. Right: five round trips, k = 0.25.",
        curves(panels, shared_legend=False),
    )


def _bias(runs: Runs) -> Picture:
    rtts = 1e3 * measures.spread_rtts_s("40-330")
    drawn = {}
    for name in COMPARED:
        rates = measures.delivered_by_rtt(runs, name, "40-330")
        drawn[name] = Curve(rtts, rates / rates.mean(), marks=True)
    panel = Panel("30 flows on 90 Mbit/s", DELAY, "rate over the mean", drawn)
    return Picture(
        "rtt-bias",
        "Slide 25: rate against round trip",
        "Thirty flows whose round trips are 40 to 330 ms, 10 ms apart.",
        curves([panel], columns=1),
    )


def _queues(runs: Runs) -> Picture:
    panels = [
        _swept(runs, part, lambda run: 100 * measures.queue_share(run), "% of the buffer", title)
        for part, title in (("bandwidth", "80 ms"), ("delay", "150 Mbit/s"))
    ]
    return Picture(
        "queues",
        "Slide 26: mean queue in % of the buffer",
        "A flow's bandwidth-delay product is a packet at"
        f" {jobs.FLOWS / bdp(1, jobs.RTT_S):g} Mbit/s (left) and at"
        f" {1e3 * jobs.FLOWS / bdp(jobs.RATE_MBPS, 1.0):.2g} ms (right).",
        curves(panels),
    )


def _flows(runs: Runs) -> Picture:
    panels = [
        _swept(runs, "flows", utilisation, "utilisation", "150 Mbit/s, 80 ms"),
        _swept(runs, "flows", lambda run: 100 * measures.queue_share(run), "% of the buffer"),
    ]
    return Picture("flows", "Slide 27: number of flows", "As many each way.", curves(panels))


def _round_trips(runs: Runs) -> Picture:
    panels = []
    for spread in jobs.SPREADS_MS:
        drawn = {}
        for name in COMPARED:
            rates = measures.delivered_by_rtt(runs, name, spread)
            flows = np.arange(1, jobs.FAIR_FLOWS + 1)
            drawn[name] = Curve(flows, rates / rates.mean(), marks=True)
        title = "40 ms each" if spread == "equal" else f"{spread} ms"
        panels.append(Panel(title, "flow, by round trip", "rate over the mean", drawn))
    return Picture(
        "round-trips",
        "Slides 28 and 29: influence of the round trip on fairness",
        "Thirty flows on 90 Mbit/s.",
        curves(panels, columns=3),
    )


def _joining(runs: Runs) -> Picture:
    panels = []
    for name in COMPARED:
        t_s, rates = measures.joined_rates(runs["joining", name])
        mbps = rates * 8e-3
        drawn = {f"flow {i + 1}": Curve(t_s, row) for i, row in enumerate(mbps)}
        panels.append(Panel(name, "time (s)", "Mbit/s", drawn))
    return Picture(
        "joining",
        "Slides 30 and 31: convergence onto fairness, with 2 and with 8 bits",
        "Five flows join 100 s apart at 45 Mbit/s and 40 ms.",
        curves(panels),
    )


def _course_of(runs: Runs, of: Callable[[Result], Curve]) -> dict[str, Curve]:
    return {name: of(runs.replicates("crowd", name)[0]) for name in COMPARED}


def _responsiveness(runs: Runs) -> Picture:
    use = _course_of(runs, lambda run: Curve(*measures.used(run, jobs.RATE_MBPS)))
    queue = _course_of(runs, lambda run: Curve(*course(run, "bottleneck", "queue_packets")))
    panels = [
        Panel("Link", "time (s)", "utilisation", use, zoom=(70, 180)),
        Panel("Queue", "time (s)", "packets", queue, zoom=(70, 180)),
    ]
    return Picture(
        "responsiveness",
        "Slide 32: 150 flows join 50 at 80 s and leave at about 120 s",
        "150 Mbit/s, 80 ms.",
        curves(panels),
    )


def _short(runs: Runs) -> Picture:
    panels = [
        _swept(runs, "short", utilisation, "utilisation", "150 Mbit/s, 80 ms"),
        _swept(runs, "short", lambda run: 100 * measures.queue_share(run), "% of the buffer"),
    ]
    return Picture(
        "short-flows",
        "Slide 23, applications: short-lived traffic",
        "Pareto sizes, mean 30 packets, shape 1.35, beside 50 long flows each way.",
        curves(panels),
    )


def _parking_lot(runs: Runs) -> Picture:
    hops = range(1, jobs.HOPS + 1)
    drawn = {}
    for name in COMPARED:
        done = runs.replicates("parking lot", name)
        use = [
            np.mean([run.ports["utilisation"][measures.hop_row(run, hop)] for run in done])
            for hop in hops
        ]
        drawn[name] = Curve(list(hops), use, marks=True)
    panel = Panel("Seven links of 100 Mbit/s", "link", "utilisation", drawn)
    return Picture(
        "parking-lot",
        "Several bottlenecks",
        "50 flows over all links, 50 over each, 50 back.",
        curves([panel], columns=1),
    )


def _lossy(runs: Runs) -> Picture:
    losses = runs.setup.settings["lossy"]["losses"]
    drawn = {
        name: Curve(
            losses,
            [_goodput_mbps(runs, name, p) for p in losses],
            marks=True,
        )
        for name in COMPARED
    }
    panel = Panel("One flow, 50 Mbit/s, 80 ms", "random loss", "goodput (Mbit/s)", drawn, "xy")
    return Picture(
        "wireless",
        "Slide 23, environment: a channel that loses packets",
        "Losses halve the window of all of them, as TCP's.",
        curves([panel], columns=1),
    )


def _goodput_mbps(runs: Runs, scheme: str, loss: float) -> float:
    done = runs.replicates("lossy", scheme, loss)
    return float(np.mean([goodput_bps(run) for run in done])) / 1e6
