"""The pictures of the study."""

from collections.abc import Sequence

import numpy as np

from headgate import fluid
from headgate.figures import Curve, CurvePanel, draw_curves
from headgate.lab import NotRunError, Picture, Runs, make_possible
from headgate_studies.fct.completion_plots import Cloud, Course, Sizes, completion, parts
from headgate_studies.fct.jobs import (
    BASE,
    DATA_CENTRE,
    PAPER_GAINS,
    cases,
    levels,
    magnitude,
    protocols,
)
from headgate_studies.fct.measures import PARTS, SHOWN, Times, bins, by_bin, parts_s, total

#: Colours of the protocols, the same in every picture.
NAMES = {"tcp": "TCP", "xcp": "XCP", "rcp": "RCP", "dctcp": "DCTCP"}
ORDER = tuple(NAMES.values())
SHARING, SLOW_START, EXACT = "processor sharing", "slow start", "exact processor sharing"
LARGEST = 100_000
#: Flows of the pictures of loads and capacities: short ones, and ones of many round trips.
BANDS = ((10, 50), (50, 500), (500, 2_000))


def pictures(runs: Runs) -> tuple[Picture, ...]:
    """Draw every figure of the report; one whose runs this scale lacks is left out."""
    made = (_completion, _gap, _definitions, _shapes, _rtts, _factors, _data_centre)
    return make_possible(made, runs)


def clouds(runs: Runs, case: str, column: str = "sender_s") -> dict[str, Cloud]:
    """Return the completion times of every protocol of a case."""
    found = {}
    for protocol in protocols(runs.setup, case):
        if protocol in NAMES:
            times = Times.of(runs, case, protocol)
            found[NAMES[protocol]] = Cloud(
                (times.sizes, times.by_size(column)), by_bin(times, column)
            )
    if not found:
        raise NotRunError(f"no protocol was run in the case {case!r}")
    return found


def _formulas(runs: Runs, case: str) -> dict[str, Course]:
    times = Times.of(runs, case, protocols(runs.setup, case)[0])
    sizes = np.geomspace(1, LARGEST, 600)
    return {
        SHARING: (
            sizes,
            fluid.compute_processor_sharing(sizes, times.packets_per_s, times.load, times.rtt_s),
        ),
        SLOW_START: (sizes, fluid.compute_slow_start(sizes, times.packets_per_s, times.rtt_s)),
        EXACT: by_bin(times, "sharing_s"),
    }


def _panel(
    runs: Runs, case: str, title: str, y: tuple[float, float], *, log_x: bool = False
) -> Sizes:
    x = (1_000.0, float(LARGEST)) if log_x else (0.0, float(SHOWN))
    return Sizes(title, clouds(runs, case), _formulas(runs, case), x, y, log_x)


def _completion(runs: Runs) -> Picture:
    about, y = cases(runs.setup)[BASE], (0.1, 100.0)
    said = f"{about['rate']}, {about['rtt']}, load {about['load']}, shape {about['shape']}"
    panels = [
        _panel(runs, BASE, "Flows up to 2,000 packets", y),
        _panel(runs, BASE, "Flows from 1,000 packets", y, log_x=True),
    ]
    return Picture(
        "completion-times",
        "Average completion time against flow size",
        f"{said}; to the sender's last ACK. Points: mean of each size; lines: mean of each bin."
        " Black: processor sharing at the nominal load, slow start, and processor sharing of the"
        " very flows of these runs. Flows that had not finished at the end are left out, which cuts"
        " the slow ones among the largest.",
        completion(panels, ORDER),
    )


def _gap(runs: Runs) -> Picture:
    times = Times.of(runs, BASE, "rcp")
    edges = list(bins(20, 20_000))
    taken = [parts_s(times, *each) for each in edges]
    kept = [i for i, part in enumerate(taken) if np.isfinite(list(part.values())).all()]
    shares = {name: [1e3 * taken[i][name] for i in kept] for name in PARTS}
    sums = [1e3 * sum(taken[i].values()) for i in kept]
    receiver = [s - 1e3 * taken[i][PARTS[0]] for s, i in zip(sums, kept, strict=True)]
    return Picture(
        "gap",
        "Why RCP is above processor sharing",
        "What RCP's completion time exceeds 1.5 RTT + L/(C (1 - load)) by, taken apart. The way of"
        " the last ACK is half a round trip and no fault of RCP's. A flow starts at the rate of"
        " the moment and hears of a higher one a round trip later. The run realises less than the"
        " nominal load, and starts empty, which lowers the times of long flows.",
        parts(
            [f"{edges[i][0]:,}\nto {edges[i][1]:,}" for i in kept],
            shares,
            {"whole, at the sender": sums, "whole, at the receiver": receiver},
            "flow size (packets)",
            "above the formula (ms)",
        ),
    )


def _definitions(runs: Runs) -> Picture:
    panels = [_two_definitions(runs), _loads_realised(runs), *_short_run(runs)]
    return Picture(
        "definitions",
        "What is measured decides what is seen",
        "RCP by both definitions of completion, beside the formula and the exact run of processor"
        " sharing; the load that the flows of a run offer, seed by seed; TCP in the run that stops"
        " after 100,000 finished flows, as the scripts of the source do, and in the whole run;"
        " RCP with other gains and another mean.",
        draw_curves(panels, shared_legend=False, panel_in=(5.2, 3.5)),
    )


def _two_definitions(runs: Runs) -> CurvePanel:
    times = Times.of(runs, BASE, "rcp")
    sizes = np.geomspace(5, 20_000, 200)
    formula = fluid.compute_processor_sharing(sizes, times.packets_per_s, times.load, times.rtt_s)
    drawn = {
        "sender's last ACK": Curve(*by_bin(times, "sender_s", 5, 20_000), marks=True),
        "receiver's last packet": Curve(*by_bin(times, "receiver_s", 5, 20_000), marks=True),
        EXACT: Curve(*by_bin(times, "sharing_s", 5, 20_000), marks=True),
        "formula": Curve(sizes, formula, theory=True),
    }
    return CurvePanel("RCP by both definitions", "flow size (packets)", "AFCT (s)", drawn, "x")


def _loads_realised(runs: Runs) -> CurvePanel:
    shapes = levels(runs.setup, "shape")
    protocol = protocols(runs.setup, BASE)[0]
    found = [
        [total(run, "offered_load") for run in runs.replicates(case, protocol)]
        for case in shapes.values()
    ]
    x = [s for s, loads in zip(shapes, found, strict=True) for _ in loads]
    y = [load for loads in found for load in loads]
    nominal = {"nominal": float(cases(runs.setup)[BASE]["load"])}
    drawn = {
        "one run": Curve(x, y, points=True),
        "mean": Curve(list(shapes), [float(np.mean(loads)) for loads in found], marks=True),
    }
    title = "Load that the flows of a run offer"
    return CurvePanel(
        title, "shape", "offered load", drawn, "", nominal, low=min(0.6, min(y) - 0.02)
    )


def _short_run(runs: Runs) -> list[CurvePanel]:
    drawn: dict[str, Curve] = {}
    if "tcp" in protocols(runs.setup, BASE):
        times = Times.of(runs, BASE, "tcp")
        drawn = {
            "100,000 flows": Curve(*by_bin(times, "early_sender_s", 5), marks=True),
            "whole run": Curve(*by_bin(times, "sender_s", 5), marks=True),
        }
    others = {
        "gains 0.1, 1": (BASE, "rcp"),
        "gains 0.4, 0.4": (BASE, PAPER_GAINS),
        **{f"mean {mean}": (f"mean {mean}", "rcp") for mean in runs.setup.settings["means"]},
    }
    rcp = {
        name: Curve(*by_bin(Times.of(runs, *which), "sender_s", 5, 20_000), marks=True)
        for name, which in others.items()
    }
    return [
        CurvePanel("TCP, short run and long run", "flow size (packets)", "AFCT (s)", drawn, "x"),
        CurvePanel("RCP, gains and mean", "flow size (packets)", "AFCT (s)", rcp, "x"),
    ]


def _shapes(runs: Runs) -> Picture:
    panels = [
        _panel(runs, case, f"Shape {shape}", (0.1, 20.0))
        for shape, case in levels(runs.setup, "shape").items()
    ]
    return Picture(
        "shapes",
        "Shapes of Pareto's distribution",
        "Average completion time against size, mean size, load and round trip as before. The larger"
        " the shape, the fewer the large flows, hence fewer points.",
        completion(panels, ORDER, columns=3, panel_in=(4.4, 3.4)),
    )


def _rtts(runs: Runs) -> Picture:
    rtts = levels(runs.setup, "rtt")
    panels = [_panel(runs, case, f"Round trip {rtt}", (0.05, 20.0)) for rtt, case in rtts.items()]
    return Picture(
        "rtts",
        "Round trips",
        "Average completion time against size at the sender's last ACK. RCP's line lies half a"
        " round trip and more above processor sharing at every one of them.",
        completion(panels, ORDER, columns=3, panel_in=(4.4, 3.6)),
    )


def _factors(runs: Runs) -> Picture:
    loads, rates = levels(runs.setup, "load"), levels(runs.setup, "rate")
    panels = [
        *_responses(runs, "load", loads, list(loads), ""),
        *_responses(
            runs, "capacity (Mbit/s)", rates, [magnitude(rate) / 1e6 for rate in rates], "x"
        ),
    ]
    return Picture(
        "factors",
        "Load and capacity",
        "Average completion time at the sender's last ACK. More capacity at the same load and more"
        " flows shortens a flow's fair share of the link; slow start does not hear of it.",
        draw_curves(panels, columns=3, panel_in=(4.0, 3.3), order=ORDER),
    )


def _responses(
    runs: Runs, label: str, found: dict[object, str], x: Sequence[float], log: str
) -> list[CurvePanel]:
    panels = []
    for low, high in BANDS:
        drawn = {
            NAMES[protocol]: Curve(
                x,
                [
                    Times.of(runs, case, protocol).mean("sender_s", low, high)
                    for case in found.values()
                ],
                marks=True,
            )
            for protocol in protocols(runs.setup, BASE)
            if protocol in NAMES
        }
        title = f"{low:,} to {high:,} packets"
        ticks = {value: f"{value:g}" for value in x}
        panels.append(CurvePanel(title, label, "AFCT (s)", drawn, log, ticks=ticks))
    return panels


def _data_centre(runs: Runs) -> Picture:
    about = cases(runs.setup)[DATA_CENTRE]
    panels = [
        _panel(runs, DATA_CENTRE, "Flows up to 2,000 packets", (1e-4, 1.0)),
        _panel(runs, DATA_CENTRE, "Flows from 1,000 packets", (1e-3, 10.0), log_x=True),
    ]
    return Picture(
        "data-centre",
        "A data centre",
        f"{about['rate']}, {about['rtt']}, the same flows; buffers of a BDP (RCP: no limit). A path"
        " of a hundred packets and a time-out of 200 ms: one loss of a short flow's last packet"
        " costs TCP two thousand round trips.",
        completion(panels, ORDER),
    )
