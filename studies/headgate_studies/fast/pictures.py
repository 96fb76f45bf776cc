"""The pictures of the study."""

from collections.abc import Callable

import numpy as np

from headgate import Result
from headgate.figures import Curve, CurvePanel, Dots, draw_curves, draw_dots
from headgate.lab import Picture, Runs, make_possible
from headgate_studies.fast import theory
from headgate_studies.fast.findings_equation import beside_reno
from headgate_studies.fast.measures import (
    distances,
    oc192_utilisation,
    random_losses,
    random_utilisation,
)
from headgate_studies.paths import (
    course,
    loss_rate,
    mean_of,
    mean_queue,
    queue_share,
    shares,
    utilisation,
)

SHOWN_S, OSCILLATION_S, DSL_S = 12.0, 6.0, 40.0
#: About when the chosen packet is lost.
LOST_S = 6.4
SHOWN_UPDATES = 12
#: Names of forms in the catalogue, for those that the study names otherwise.
FORM_NAMES = {"agent": "ns2"}


def pictures(runs: Runs) -> tuple[Picture, ...]:
    """Draw every figure of the report; one whose runs this scale lacks is left out."""
    made = (
        _equation,
        short_buffers,
        _components,
        _oscillation,
        _long_fat,
        _random_loss,
        _kaist,
        _dsl,
    )
    return make_possible(made, runs)


def _equation(runs: Runs) -> Picture:
    panels = [_convergence(runs), _capacity(runs), _latecomers(runs), _against_reno(runs)]
    return Picture(
        "equation",
        "What follows from the equation, and what the packets do",
        "Distance to rest at each update, with the factor 1 - gamma (dashed); the queue of two"
        " flows over capacities; shares of flows that came one after the other, and with true"
        " baseRTT; the share of FAST against one Reno, packets over the quasi-static model.",
        draw_curves(panels, shared_legend=False),
    )


def _convergence(runs: Runs) -> CurvePanel:
    drawn: dict[str, Curve] = {}
    for gamma in runs.setup.settings["gammas"]:
        error = distances(runs["convergence", gamma])[:SHOWN_UPDATES]
        updates = np.arange(len(error))
        drawn[f"gamma {gamma}"] = Curve(updates, np.maximum(error, 0.1), marks=True)
        drawn[f"{1 - gamma:g} an update"] = Curve(
            updates, np.maximum(error[0] * (1 - gamma) ** updates, 0.1), theory=True
        )
    return CurvePanel("Geometric convergence", "update", "distance to rest (packets)", drawn, "y")


def _capacity(runs: Runs) -> CurvePanel:
    drawn = {
        f"{1e3 * rtt:g} ms": Curve(
            runs.setup.settings["rates_mbps"],
            [mean_queue(runs["capacity", rate, rtt]) for rate in runs.setup.settings["rates_mbps"]],
            marks=True,
        )
        for rtt in runs.setup.settings["rtts_s"]
    }
    title = "The queue is the sum of alpha"
    levels = {"2 flows, alpha 50": 100.0}
    return CurvePanel(
        title, "capacity (Mbit/s)", "mean queue (packets)", drawn, "", levels, high=130
    )


def _latecomers(runs: Runs) -> CurvePanel:
    drawn: dict[str, Curve] = {}
    for count in runs.setup.settings["latecomers"][1:]:
        flows = np.arange(1, count + 1)
        drawn[f"{count} late-comers"] = Curve(flows, shares(runs["latecomers", count]), marks=True)
        drawn[f"derived, {count}"] = Curve(flows, theory.latecomer_shares(count), theory=True)
    together = np.mean([shares(run) for run in runs.replicates("together", 10)], axis=0)
    drawn["10 with true baseRTT"] = Curve(np.arange(1, 11), together, marks=True)
    return CurvePanel(
        "Late-comers take the queue for distance", "flow, oldest first", "share", drawn
    )


def _against_reno(runs: Runs) -> CurvePanel:
    drawn: dict[str, Curve] = {}
    for sender in ("doubling", "no-doubling"):
        pairs = [
            (theory.against_reno(b, a)[0], beside_reno(runs, b, a, sender)[0])
            for b, a in theory.AGAINST_RENO
        ]
        expected, found = zip(*sorted(pairs), strict=True)
        drawn[f"FAST, {sender}"] = Curve(expected, found, points=True)
    drawn["as derived"] = Curve([0, 0.6], [0, 0.6], theory=True)
    return CurvePanel(
        "Share against one Reno", "quasi-static model", "packets", drawn, "", high=1.0
    )


def _components(runs: Runs) -> Picture:
    one = runs["components",]
    bursts = {
        kind: _curve(runs["burstiness", kind], "bottleneck", "queue_packets", 3.0)
        for kind in runs.setup.settings["burstiness_kinds"]
    }
    window = {
        "window": _curve(one, "fast", "cwnd_packets", SHOWN_S),
        "in flight": _curve(one, "fast", "in_flight_packets", SHOWN_S),
    }
    base_ms = 1e3 * float(one.flows["min_rtt_s"][0])
    panels = [
        CurvePanel(
            "Estimation",
            "time (s)",
            "smoothed round trip (ms)",
            {"round trip": _curve(one, "fast", "srtt_s", SHOWN_S, 1e3)},
            levels={"baseRTT": base_ms},
            low=base_ms - 3,
        ),
        CurvePanel("Window control", "time (s)", "packets", {"window": window["window"]}),
        CurvePanel(
            "Data control", "time (s)", "packets", window, zoom=(LOST_S - 0.5, LOST_S + 2.0)
        ),
        CurvePanel("Burstiness control", "time (s)", "packets waiting", bursts),
    ]
    return Picture(
        "components",
        "The four components of the architecture",
        "One FAST flow, alpha 100, on 100 Mbit/s and 100 ms; one packet is lost after six seconds."
        " Estimation: smoothed round trip over baseRTT. Window control: doubling, the equation, a"
        " half after the loss. Data control: data in flight while the loss is repaired."
        " Burstiness control: increases at once (none), spread over ACKs, or packets paced. Paced,"
        " the start causes no queue of bursts, so it doubles longer and overshoots.",
        draw_curves(panels, shared_legend=False),
    )


def _curve(run: Result, name: str, column: str, until_s: float, scale: float = 1.0) -> Curve:
    t_s, values = course(run, name, column)
    shown = (t_s <= until_s) & (values > 0) if column == "srtt_s" else t_s <= until_s
    return Curve(t_s[shown], scale * values[shown])


def _oscillation(runs: Runs) -> Picture:
    panels = []
    for room in runs.setup.settings["rooms"]:
        run = runs["overfull", room, runs.setup.seeds[0]]
        begin = float(run.scenario.measure.warmup) / 1e12
        drawn = {}
        for i, name in enumerate(("fast", "fast-2", "fast-3")):
            t_s, window = course(run, name, "cwnd_packets")
            kept = (t_s >= begin) & (t_s <= begin + OSCILLATION_S)
            drawn[f"flow {i + 1}"] = Curve(t_s[kept], window[kept])
        title = f"Buffer {runs.setup.settings['rooms'][room]:g} N alpha: {room}"
        panels.append(CurvePanel(title, "time (s)", "window (packets)", drawn, high=180))
    return Picture(
        "oscillation",
        "With too little buffer FAST swings",
        "Windows of three of eight flows, alpha 50 each, 100 Mbit/s, 40 ms.",
        draw_curves(panels),
    )


def _long_fat(runs: Runs) -> Picture:
    long_fat = [loss for loss in runs.setup.settings["long_fat"]["losses"] if loss > 0]
    used = {
        cca: [_mean_used(runs, "long fat", cca, loss) for loss in long_fat]
        for cca in ("fast", "reno")
    }
    oc192 = [loss for loss in runs.setup.settings["oc192"]["losses"] if loss > 0]
    ccas = [cca for cca in runs.setup.settings["oc192_ccas"] if cca in runs.setup.ccas]
    wide = {cca: [oc192_utilisation(runs, cca, loss, 1.0) for loss in oc192] for cca in ccas}
    panels = [
        CurvePanel(
            "1 Gbit/s, 180 ms",
            "residual loss",
            "utilisation",
            {cca: Curve(long_fat, values, marks=True) for cca, values in used.items()},
            "x",
            {"FAST 95 %": 0.95, "Linux 27 %": 0.27, "Linux 19 %": 0.19},
            high=1.05,
        ),
        CurvePanel(
            "OC-192, 9.5 Gbit/s, 264 ms",
            "residual loss",
            "utilisation",
            {cca: Curve(oc192, values, marks=True) for cca, values in wide.items()},
            "x",
            {"FAST 79 %": 0.79, "BIC 50 %": 0.5, "Westwood+ 40 %": 0.4, "Linux 30 %": 0.3},
            high=1.05,
        ),
    ]
    return Picture(
        "long-fat",
        "Long fat paths: utilisation by residual loss",
        "One flow. Dotted: the published figures. The loss at which an algorithm's curve meets its"
        " line would explain its figure.",
        draw_curves(panels, order=("fast", "reno", "westwood", "bic")),
    )


def _mean_used(runs: Runs, part: str, cca: str, loss: float) -> float:
    return mean_of(utilisation, runs.replicates(part, cca, loss))


def _random_loss(runs: Runs) -> Picture:
    losses = random_losses(runs)
    named = {
        "doubling": "FAST, doubling",
        "no-doubling": "FAST, no doubling",
        "paper": "FAST, no doubling, paper's clock",
        "reno": "Reno",
    }
    panels = []
    for rate, tables in theory.RANDOM_LOSS.items():
        drawn = {
            said: Curve(
                losses, [random_utilisation(runs, rate, key, p) for p in losses], marks=True
            )
            for key, said in named.items()
        }
        for key, table in tables.items():
            kept = {p: u for p, u in table.items() if p >= min(losses)}
            drawn[f"derived, {key}"] = Curve(list(kept), list(kept.values()), theory=True)
        panels.append(CurvePanel(rate, "random loss", "utilisation", drawn, "xy", high=1.3))
    return Picture(
        "random-loss",
        "Random (wireless) loss",
        "One flow, 100 ms, buffer 1 BDP. Dashed: the round-by-round model with doubling (upper) and"
        " without (lower). The agent of ns-2 updates every 10 ms within an updating round trip,"
        " hence more than the model without doubling; its own bursts end doubling early, hence less"
        " than the model with it.",
        draw_curves(panels),
    )


def _kaist(runs: Runs) -> Picture:
    ccas = runs.setup.ccas
    panels = [
        Dots(title, "share", {"": {cca: Dots.point(of(runs["kaist", cca])) for cca in ccas}})
        for title, of in (("utilisation", utilisation), ("mean queue / buffer", queue_share))
    ]
    return Picture(
        "kaist",
        "High throughput, and what it costs in queue",
        "One flow of each algorithm on 1 Gbit/s, 180 ms, a buffer of half a BDP, after the start.",
        draw_dots(ccas, panels),
    )


def _dsl(runs: Runs) -> Picture:
    panels = [
        CurvePanel(
            f"Upload at 512 kbit/s, {rtt} ms",
            "time (s)",
            "smoothed round trip (s)",
            {cca: _curve(runs["dsl", cca, rtt], cca, "srtt_s", DSL_S) for cca in ("fast", "reno")},
        )
        for rtt in runs.setup.settings["dsl_rtts_ms"]
    ]
    return Picture(
        "dsl",
        "A DSL upload",
        "The round trip under FAST (alpha 8) and under Reno, a buffer of 50 packets.",
        draw_curves(panels),
    )


def short_buffers(runs: Runs) -> Picture:
    """Draw use and loss of one flow by buffer."""
    return Picture(
        "short-buffers",
        "FAST in buffers of a tenth of the path to all of it",
        "One flow, alpha 200, 1 Gbit/s, 100 ms, from 50 to 100 s. The paper's doubling ends with"
        " the first queue; that of the simple form and of the agent of ns-2 comes back whenever the"
        " queue is empty, and what it overshoots the buffer loses.",
        draw_curves(
            [_panel(runs, "utilisation", utilisation), _panel(runs, "loss rate", loss_rate)]
        ),
    )


def _panel(runs: Runs, label: str, measure: Callable[[Result], float]) -> CurvePanel:
    buffers: list[float] = runs.setup.settings["short_buffers"]
    forms: list[str] = runs.setup.settings["forms"]
    drawn = {
        FORM_NAMES.get(form, form): Curve(
            buffers, [measure(runs["short buffers", form, b]) for b in buffers], marks=True
        )
        for form in forms
    }
    return CurvePanel(label.capitalize(), "buffer (BDP)", label, drawn)
