"""The sentences, the table and the picture of the report, and the data of the claims."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate import Result, Table
from headgate.figures import Curve, CurvePanel, draw_curves
from headgate.lab import Listing, Picture, Runs
from headgate_studies.designed import tidy
from headgate_studies.paths import course, measured_period_s, queue_share, utilisation

#: A newcomer's share is fair if it lies between these over TIMES times of this length.
FAIR, TIMES, TIME_S = (0.4, 0.6), 4, 5
FIRST, LAST = 30 // TIME_S, 60 // TIME_S
COLOURS = {"reno": "Reno", "cubic": "CUBIC"}


def _of(result: Result, column: str, name: str) -> NDArray[np.float64]:
    """Return a column of the flows of a name; of several flows, a number follows the name."""
    mine = [one.partition(".")[0] == name for one in result.flows["traffic"].tolist()]
    return np.asarray(result.flows[column][mine], float)


def _rate(result: Result, name: str) -> float:
    """Return packets a second that flows of a name delivered."""
    begin, end = measured_period_s(result)
    return float(_of(result, "delivered_packets", name).sum()) / (end - begin)


def _share(result: Result) -> float:
    one, other = _rate(result, "one"), _rate(result, "other")
    return one / (one + other)


def _rtt(result: Result, name: str) -> float:
    found = _of(result, "mean_rtt_s", name)
    return float(found.mean()) if len(found) else np.nan


def _newcomer(result: Result) -> NDArray[np.float64]:
    """Return the share of a newcomer in each time of TIME_S from its start on."""
    packets = [course(result, name, "delivered_packets") for name in ("one", "other")]
    if not len(packets[0][0]):
        return np.array([np.nan])
    (start_s,) = _of(result, "start_s", "one")
    every_s = np.arange(start_s, packets[0][0][-1], TIME_S)
    one, other = (np.diff(np.interp(every_s, t_s, of)) for t_s, of in packets)
    return np.asarray(one / (one + other))


def _fair_after(result: Result) -> float:
    """Return when a newcomer's share begins to be fair; the observed time if never."""
    shares = _newcomer(result)
    means = np.convolve(shares, np.ones(TIMES) / TIMES, "valid") if len(shares) > 1 else shares
    fair = np.flatnonzero((means >= FAIR[0]) & (means <= FAIR[1]))
    return float(TIME_S * (fair[0] + 1 if len(fair) else len(shares)))


MEASURES = {
    "share": _share,
    "one_rate": lambda result: _rate(result, "one"),
    "other_rate": lambda result: _rate(result, "other"),
    "one_rtt_s": lambda result: _rtt(result, "one"),
    "other_rtt_s": lambda result: _rtt(result, "other"),
    "queue_share": queue_share,
    "utilisation": utilisation,
    "mean_window": lambda result: (
        _rate(result, "one") * result.meta["labels"].get("rtt_ms", 0) / 1e3
    ),
    "first_share": lambda result: float(_newcomer(result)[:FIRST].mean()),
    "last_share": lambda result: float(_newcomer(result)[-LAST:].mean()),
    "fair_after_s": _fair_after,
}


def keep(result: Result) -> Result:
    """Leave out the rows of the files."""
    flows = result.flows.where(np.flatnonzero(result.flows["traffic"] != "files"))
    return Result({**result.tables, "flows": flows}, result.meta)


def data(runs: Runs) -> tuple[Table, ...]:
    """Return the measures of every run, one table a part."""
    return tidy(runs, MEASURES)


def _mean(table: Table, value: str, **levels: Any) -> float:
    """Return the mean of a column over the rows with these levels."""
    rows = np.ones(len(table), bool)
    for name, level in levels.items():
        rows &= np.asarray([one == level for one in table[name].tolist()])
    return float(np.mean(table[value][rows])) if rows.any() else np.nan


def sentences(runs: Runs) -> tuple[str, ...]:
    """Answer the four questions."""
    of = {table.name: table for table in data(runs)}
    deep = {"flows": 1, "buffer": 16.0, "rtt_ms": 50, "queue": "drop_tail"}
    filled = {c: 100 * _mean(of["queue"], "queue_share", cca=c, **deep) for c in COLOURS}
    pair = {"cca": "cubic", "c": 0.4, "flows": 1, "buffer": 1.0}
    taken = [
        f"{100 * _mean(of['share'], 'share', rate_mbps=rate, rtt_ms=rtt, **pair):.0f} % at"
        f" {rate} Mbit/s and {rtt} ms"
        for rate, rtt in ((10, 10), (100, 40), (400, 160))
    ]
    far = {"rate_mbps": 1000, "loss": 1e-5}
    rates = {c: 0.012 * _mean(of["loss"], "one_rate", cca=c, **far) for c in COLOURS}
    fast = {"place": "fast", "buffer": 1.0, "convergence": "on"}
    late = {c: _mean(of["join"], "fair_after_s", cca=c, **fast) for c in COLOURS}
    return (
        f"Issue 89: of a buffer of 16 BDP, CUBIC fills {filled['cubic']:.0f} % and Reno"
        f" {filled['reno']:.0f} %.",
        f"Issue 92: beside a Reno flow in a buffer of 1 BDP, a CUBIC flow gets {', '.join(taken)}.",
        "Issue 93: at 1 Gbit/s and 200 ms with one packet in 100,000 lost, CUBIC sends"
        f" {rates['cubic']:.0f} Mbit/s and Reno {rates['reno']:.0f} Mbit/s.",
        "Issue 96: at 400 Mbit/s and 100 ms a newcomer gets a fair share after"
        f" {late['cubic']:.0f} s with CUBIC and {late['reno']:.0f} s with Reno.",
    )


def tables(runs: Runs) -> tuple[Listing, ...]:
    """Return the share of CUBIC beside Reno in every cell."""
    table = next(table for table in data(runs) if table.name == "share")
    cells = dict.fromkeys(key[3:7] for key in runs.results if key[:3] == ("share", "cubic", 0.4))
    rows = []
    for cell in cells:
        at: Any = dict(zip(("flows", "rate_mbps", "rtt_ms", "buffer"), cell, strict=True))
        share = _mean(table, "share", cca="cubic", c=0.4, **at)
        rows.append((*cell, share, _mean(table, "utilisation", cca="reno", **at)))
    columns = ("flows each", "Mbit/s", "ms", "BDP", "share of CUBIC", "used by Reno alone")
    caption = "Share of CUBIC beside as many Reno flows; utilisation of the link by Reno alone."
    return (Listing("CUBIC beside Reno", caption, columns, rows),)


def pictures(runs: Runs) -> tuple[Picture, ...]:
    """Draw one panel for each question."""
    of = {table.name: table for table in data(runs)}
    fill = {"flows": 1, "rtt_ms": 50, "queue": "drop_tail"}
    pair = {"cca": "cubic", "c": 0.4, "flows": 1, "buffer": 1.0}
    share = of["share"]
    filled = {
        name: _line(of["queue"], "queue_share", "buffer", cca=c, **fill)
        for c, name in COLOURS.items()
    }
    taken = {
        f"{rate} Mbit/s": _line(share, "share", "rtt_ms", rate_mbps=rate, **pair)
        for rate in sorted(set(share["rate_mbps"].tolist()))
    }
    used = {
        name: _line(of["loss"], "utilisation", "loss", cca=c, rate_mbps=1000)
        for c, name in COLOURS.items()
    }
    pairs = [key[:2] for key in runs.results if key[0] in ("trips", "many")]
    ratios = {f"{n} beside {n} flows": _draw_ratios(of[str(part)], int(n)) for part, n in pairs}
    ratios["inverse of round trips"] = Curve([1, 8], [1, 8], reference=True)
    queue, beside = ("buffer (BDP)", "mean queue / buffer"), ("round trip (ms)", "share of CUBIC")
    lost = "share of packets lost", "utilisation"
    trips = "ratio of round trips", "ratio of rates"
    ticks = [{x: f"{x:g}" for x in of} for of in ((0.5, 1, 4, 16), (10, 20, 40, 80, 160))]
    panels = [
        CurvePanel(
            "Issue 89: one flow, 20 Mbit/s, 50 ms", *queue, filled, log="x", high=1, ticks=ticks[0]
        ),
        CurvePanel(
            "Issue 92: CUBIC beside Reno, 1 BDP", *beside, taken, log="x", high=1, ticks=ticks[1]
        ),
        CurvePanel("Issue 93: one flow, 1 Gbit/s, 200 ms", *lost, used, log="x", high=1),
        CurvePanel("Issue 96: CUBIC with two round trips", *trips, ratios, log="xy"),
    ]
    drawn = draw_curves(panels, shared_legend=False)
    return (Picture("cubic-rfc9438", "Four questions", "One panel for each issue.", drawn),)


def _line(table: Table, value: str, name: str, **at: Any) -> Curve:
    levels = sorted(set(table[name].tolist()))
    return Curve(levels, [_mean(table, value, **{name: x}, **at) for x in levels], marks=True)


def _draw_ratios(table: Table, flows: int) -> Curve:
    each = [{"flows": flows, "line": "400 Mbit/s", "long_ms": long} for long in (40, 80, 160)]
    trips, rates = (
        [_mean(table, more, **at) / _mean(table, less, **at) for at in each]
        for more, less in (("one_rtt_s", "other_rtt_s"), ("other_rate", "one_rate"))
    )
    return Curve(trips, rates, marks=True)
