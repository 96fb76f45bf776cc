"""The sentences, the table and the picture of the report, and the data of the claims."""

from typing import Any

import numpy as np

from headgate import Result, Table
from headgate.claims import Estimate, estimate_mean
from headgate.figures import Dots, draw_dots
from headgate.lab import Listing, Picture, Runs
from headgate_studies.cubic_rfc9438.analysis import keep as leave_out_files
from headgate_studies.designed import tidy
from headgate_studies.new_controllers.measures import MEASURES, SECOND, find_falls

#: Names of the algorithms and of the forms of GCC in the picture, in its order.
NAMES = {
    "copa": "Copa", "vivace": "PCC Vivace", "ledbat-pp": "LEDBAT++", "bbr": "BBR",
    "cubic": "CUBIC", "draft": "GCC, draft of 2016", "webrtc": "GCC, libwebrtc",
}  # fmt: skip
#: The algorithms whose own sources the study reads.
TESTED = ("copa", "vivace", "ledbat-pp")
#: Rows, one a second, that show how a target grows at first.
GROWTH_ROWS = 12
BUFFERS = (1.0, 2.0, 5.0)


def keep(result: Result) -> Result:
    """Leave out the rows of the files, and most rows of calls.

    Of a call alone remain the seconds before its falls, the rows of its first seconds, and the
    last one.
    """
    kept = leave_out_files(result)
    if "media_series" not in kept.tables:
        return kept
    series = kept.tables["media_series"]
    rows = np.zeros(len(series), bool)
    if len(kept.tables["media"]) == 1 and not len(kept.flows):
        rows[: GROWTH_ROWS * SECOND : SECOND] = rows[-1:] = True
        for i in find_falls(series["t_s"], series["target_bps"]):
            rows[i - SECOND : i + 1] = True
    return Result({**kept.tables, "media_series": series.where(np.flatnonzero(rows))}, kept.meta)


def data(runs: Runs) -> tuple[Table, ...]:
    """Return the measures of every run, one table a part."""
    return tidy(runs, MEASURES)


def _find(runs: Runs, part: str, value: str, **levels: Any) -> Estimate | None:
    """Return the mean of a measure with its interval over the runs with these levels."""
    found = [
        MEASURES[value](result)
        for result in runs.results.values()
        if result.meta["labels"]["part"] == part
        and all(result.meta["labels"][name] == level for name, level in levels.items())
    ]
    return estimate_mean(found) if found else None


def _number(runs: Runs, part: str, value: str, **levels: Any) -> float:
    found = _find(runs, part, value, **levels)
    return found.ours if found else float("nan")


def sentences(runs: Runs) -> tuple[str, ...]:
    """State what each algorithm does in a run that its sources speak of."""
    beside = ", ".join(
        f"{NAMES[cca]} {100 * _number(runs, 'beside', 'share', cca=cca, buffer=2.0):.0f} %"
        for cca in TESTED
    )
    lossy = ", ".join(
        f"{NAMES[cca]} {_number(runs, 'lossy', 'sent_mbps', cca=cca, loss=0.01):.0f} Mbit/s"
        for cca in ("copa", "vivace", "bbr", "cubic")
    )
    calls = " and ".join(
        f"{100 * _number(runs, 'calls', 'share', variant=form, company='cubic'):.0f} % ({form})"
        for form in ("draft", "webrtc")
    )
    return (
        f"Beside one CUBIC flow in a buffer of 2 BDP, one flow gets: {beside}.",
        f"With 1 % of the packets lost, one flow of 100 Mbit/s sends: {lossy}.",
        f"A call with GCC beside one CUBIC flow gets {calls} of what both send.",
    )


def tables(runs: Runs) -> tuple[Listing, ...]:
    """Return throughput and queueing delay of each algorithm without another one."""
    cells = dict.fromkeys(key[1:5] for key in runs.results if key[0] == "alone")
    rows = []
    for cell in cells:
        at: Any = dict(zip(("cca", "flows", "rtt_ms", "buffer"), cell, strict=True))
        values = (_number(runs, "alone", name, **at) for name in ("sent_mbps", "queue_ms", "jain"))
        rows.append((*cell, *values))
    columns = ("cca", "flows", "ms", "BDP", "Mbit/s", "queue (ms)", "Jain")
    caption = "Throughput, mean queueing delay and Jain's index on a link of 100 Mbit/s."
    return (Listing("Without another algorithm", caption, columns, rows),)


def _draw(runs: Runs, part: str, value: str, **levels: Any) -> dict[str, Any]:
    """Return the interval of a measure for each algorithm or form of GCC with such runs."""
    label = "variant" if part == "calls" else "cca"
    found = {
        name: _find(runs, part, value, **{label: key}, **levels) for key, name in NAMES.items()
    }
    return {name: (one.ours, *one.interval) for name, one in found.items() if one}


def pictures(runs: Runs) -> tuple[Picture, ...]:
    """Draw shares beside CUBIC, queues without another algorithm, and the use of lossy paths."""
    shares = {f"{b:g} BDP": _draw(runs, "beside", "share", buffer=b) for b in BUFFERS}
    shares["call, 500 ms"] = _draw(runs, "calls", "share", company="cubic")
    queues = {
        f"{n} flow{'s' * (n > 1)}": _draw(runs, "alone", "queue_ms", flows=n, rtt_ms=20, buffer=5.0)
        for n in (1, 4)
    }
    losses = {
        text: _draw(runs, "lossy", "sent_mbps", loss=loss)
        for text, loss in (("no losses", 0.0), ("1 % lost at random", 0.01))
    }
    panels = [
        Dots("One flow beside one CUBIC flow", "share of what both send", shares, 0.5),
        Dots("Flows of one algorithm, 20 ms", "mean queueing delay (ms)", queues, log=True),
        Dots("One flow on a lossy path, 40 ms", "throughput (Mbit/s)", losses),
    ]
    caption = (
        "One flow beside one CUBIC flow, 100 Mbit/s, 40 ms (calls: 4 Mbit/s, 50 ms), dotted: an"
        " equal share; queueing delay with 20 ms; throughput with 40 ms. Lines: 95 % intervals."
    )
    drawn = draw_dots(list(NAMES.values()), panels)
    return (Picture("new-controllers", "Shares, queues and losses", caption, drawn),)
