"""The sentences, the table and the picture of the report, and the data of the claims."""

import numpy as np

from headgate import Result, Table, parse_rate, parse_time_ps
from headgate.figures import Curve, CurvePanel, draw_curves
from headgate.lab import Listing, Picture, Runs
from headgate.stats import compute_mean_interval
from headgate_studies.designed import tidy
from headgate_studies.mix import theory
from headgate_studies.mix.findings import rate_of, stops
from headgate_studies.paths import course, loss_rate, utilisation

NAMES = {"bbr": "BBR", "bbr3": "BBRv3"}
BUFFERS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
#: The number of flows whose shares are drawn; stops with intervals by place and buffer.
DRAWN = "50 flows"
Stops = dict[str, dict[float, tuple[float, float, float]]]


def _share(result: Result) -> float:
    switched = rate_of(result, switched=True)
    return switched / (switched + rate_of(result, switched=False))


def _flight_over_window(result: Result) -> float:
    """Return the median over the second half of a run; NaN without a series."""
    names = ("in_flight_packets", "cwnd_packets")
    flight, window = (course(result, "switched", name)[1] for name in names)
    half = len(window) // 2
    return float(np.median(flight[half:] / window[half:])) if half else np.nan


def _predict(result: Result, model: theory.Model) -> float:
    path, labels = result.meta["scenario"]["network"], result.meta["labels"]
    rtt_s = parse_time_ps(path["rtt"]) / 1e12
    return model(parse_rate(path["rate"]), rtt_s, labels["buffer"], labels["switched"])


def data(runs: Runs) -> tuple[Table, ...]:
    """Return the measures of every mix."""
    measures = {
        "share": _share,
        "switched_rate": lambda result: rate_of(result, switched=True),
        "stayed_rate": lambda result: rate_of(result, switched=False),
        "wait_s": lambda result: float(result.ports["mean_wait_s"][0]),
        "loss_rate": loss_rate,
        "utilisation": utilisation,
        "flight_over_window": _flight_over_window,
        "ware": lambda result: _predict(result, theory.ware),
        "ours": lambda result: _predict(result, theory.derive),
    }
    return tidy(runs, measures)


def _find_stops(runs: Runs, cca: str) -> Stops:
    """Return the stops with equal round trips."""
    found: Stops = {}
    for at, buffer in dict.fromkeys((str(key[1]), float(key[5])) for key in runs.results):
        if at.endswith("flows") and buffer in BUFFERS:
            found.setdefault(at, {})[buffer] = compute_mean_interval(stops(runs, at, cca, buffer))
    return found


def sentences(runs: Runs) -> tuple[str, ...]:
    """State at which share of flows switching stops."""
    listed = {
        name: ", ".join(
            f"{100 * mean:.0f} % with {buffer:g} BDP"
            for buffer, (mean, *_) in _find_stops(runs, cca)[DRAWN].items()
        )
        for cca, name in NAMES.items()
    }
    return tuple(f"Of {DRAWN}, switching to {name} stops at {of}." for name, of in listed.items())


def tables(runs: Runs) -> tuple[Listing, ...]:
    """Return the stops by algorithm, number of flows and buffer."""
    rows = [
        (name, place, buffer, *interval)
        for cca, name in NAMES.items()
        for place, of in _find_stops(runs, cca).items()
        for buffer, interval in of.items()
    ]
    caption = "Share of flows at which no further flow gains by switching, and its 95 % interval."
    columns = ("switch to", "flows", "buffer (BDP)", "share", "from", "to")
    return (Listing("The share at which switching stops", caption, columns, rows),)


def pictures(runs: Runs) -> tuple[Picture, ...]:
    """Draw the stops over the buffer, and shares of the rate over shares of the flows."""
    ticks, axes = {b: f"{b:g}" for b in BUFFERS}, ("buffer (BDP)", "share of flows")
    panels = []
    for cca, name in NAMES.items():
        found = _find_stops(runs, cca).items()
        lines = {p: Curve([*of], [m for m, *_ in of.values()], marks=True) for p, of in found}
        title = f"Switching to {name} stops at"
        panels.append(CurvePanel(title, *axes, lines, log="x", high=1.05, ticks=ticks))
    axes = ("share of flows that switched", "their share of the rate")
    for cca, name in NAMES.items():
        lines = {f"{buffer:g} BDP": _draw_shares(runs, cca, buffer) for buffer in (1.0, 4.0, 16.0)}
        lines["equal rates"] = Curve([0, 1], [0, 1], reference=True)
        panels.append(CurvePanel(f"{name} beside CUBIC, {DRAWN}", *axes, lines, high=1.05))
    caption = "Above: the share at which switching stops. Below: the rates of switched flows."
    drawn = draw_curves(panels, shared_legend=False)
    return (Picture("mix", "Who gains by switching", caption, drawn),)


def _draw_shares(runs: Runs, cca: str, buffer: float) -> Curve:
    found: dict[float, list[float]] = {}
    for (_, place, name, count, others, room, rtts, _), result in runs.results.items():
        if (place, name, room, rtts) == (DRAWN, cca, buffer, "equal"):
            share = float(count) / (float(count) + float(others))
            found.setdefault(share, []).append(_share(result))
    return Curve([*found], [float(np.mean(values)) for values in found.values()], marks=True)
