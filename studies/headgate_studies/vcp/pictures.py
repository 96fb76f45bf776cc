"""The pictures of the study: one for each slide that shows or states something."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from matplotlib.figure import Figure

from headgate.figures import Curve, CurvePanel, draw_curves
from headgate.lab import Picture, Runs, make_possible
from headgate_studies.paths import course, loss_rate, utilisation
from headgate_studies.vcp import extensions, jobs, measures
from headgate_studies.vcp.measures import Series, at, compared, hop_row, replicates
from headgate_studies.vcp.panels import (
    DELAY,
    PER_CENT,
    alone,
    each,
    mark_points,
    over_paths,
    queue_per_cent,
    use_and_queue,
)
from headgate_studies.vcp.schemes import bdp

RELATIVE = "rate over the mean"


def pictures(runs: Runs) -> tuple[Picture, ...]:
    """Draw every figure of the report; one whose runs this scale lacks is left out."""
    made = (
        _efficiency, _spread, _illustration, _against_tcp, _parameters, _scaling, _loss, _fluid,
        _bias, _queues, _flows, _round_trips, _joining, _responsiveness, extensions.short,
        extensions.completion, extensions.real_time, _parking_lot, extensions.lossy,
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
            told,
            DELAY,
            "utilisation",
            {n: Curve(xs, [at(runs, part, n, x) for x in xs], marks=True) for n in names},
            "x",
            low=0.5,
        )
        for part, told in parts.items()
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
        "Slide 15: what xi sets",
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
    firsts = {name: replicates(runs, "crowd", name)[0] for name in compared(runs)}
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
    done = replicates(runs, "parking lot", scheme)
    return float(np.mean([run.ports["utilisation"][hop_row(run, hop)] for run in done]))
