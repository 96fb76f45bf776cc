"""The sentences, the tables and the picture of the report, and the data of the claims."""

from __future__ import annotations

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from headgate import Result, Table
from headgate.figures import GREY, ORDER, PALE, make_axes, use_style
from headgate.lab import Listing, NotRunError, Picture, Runs
from headgate_studies.designed import tidy
from headgate_studies.l4s_tests.findings import (
    CLOSE,
    NAMES,
    choose,
    count_close,
    distance,
    mean_rates,
    rate_mbps,
)
from headgate_studies.l4s_tests.jobs import NO_FORM
from headgate_studies.l4s_tests.published import Row, checked_rows, read_rows

QUEUES = {
    "dualpi2": "DualPI2",
    "fq_codel": "FQ-CoDel",
    "cnq_codel_af": "CNQ-CodelAF",
    "pfifo": "drop-tail",
}
#: One for each queue of scenario 1, and one for scenario 6.
PANELS = len(QUEUES) + 1
#: Forms of Prague in words.
FORMS = {
    "tested": "the Prague of the tests",
    "today": "today's Prague",
    "older": "the Prague of 2019",
}
SHOWN = ("tested", "today")
#: Marks and colours of the algorithms in the picture.
LOOKS = {"prague": (ORDER[3], "o"), "cubic": (ORDER[0], "s"), "reno": (ORDER[2], "^")}
LABELS = {"prague": "Prague", "cubic": "CUBIC", "reno": "Reno"}
ENDS = (0.15, 60.0)


def _published(result: Result) -> Row:
    return read_rows()[result.meta["labels"]["row"]]


MEASURES = {
    "one_mbps": lambda result: rate_mbps(result, "one"),
    "other_mbps": lambda result: rate_mbps(result, "other"),
    "one_published": lambda result: _published(result).mbps[0],
    "other_published": lambda result: _published(result).mbps[1],
}


def keep(result: Result) -> Result:
    """Leave out the row of the ping."""
    flows = result.flows.where(np.flatnonzero(result.flows["traffic"] != "ping"))
    return Result({**result.tables, "flows": flows}, result.meta)


def data(runs: Runs) -> tuple[Table, ...]:
    """Return the rates of every run, one table a part."""
    return tidy(runs, MEASURES)


def sentences(runs: Runs) -> tuple[str, ...]:
    """Say how many rows each form of Prague gives within a tenth."""
    said = []
    for form, words in FORMS.items():
        counts = {
            name: count_close(runs, choose("fairness", queue, prague=True), form)
            for queue, name in QUEUES.items()
        }
        counts["one queue, classic ECN"] = count_close(runs, choose("shared", prague=True), form)
        parts = [f"{close} of {rows} with {name}" for name, (close, rows) in counts.items() if rows]
        said.append(f"Rows within {100 * CLOSE:.0f} % with {words}: {', '.join(parts)}.")
    alone = {
        name: count_close(runs, choose("fairness", queue, prague=False), NO_FORM)
        for queue, name in QUEUES.items()
    }
    parts = [f"{close} of {rows} with {name}" for name, (close, rows) in alone.items()]
    late = [
        "{} of {}".format(
            *count_close(runs, choose("fairness", "pfifo", prague=p), "tested", "timers")
        )
        for p in (True, False)
    ]
    return (
        *said,
        f"Rows of CUBIC beside CUBIC within a tenth: {', '.join(parts)}.",
        f"With ACKs delayed by up to 1 ms at random, {late[0]} rows of drop-tail with Prague are"
        f" within a tenth, and {late[1]} of CUBIC beside CUBIC.",
    )


def tables(runs: Runs) -> tuple[Listing, ...]:
    """Return the shares by queue and kind of round trips, and all rows."""
    return (_list_shares(runs), _list_rows(runs))


def _list_shares(runs: Runs) -> Listing:
    rows = []
    for queue, name in QUEUES.items():
        for equal, trips in ((True, "equal"), (False, "different")):
            of = [choose("fairness", queue, prague=p, equal=equal) for p in (True, False)]
            forms = [_write(count_close(runs, of[0], form)) for form in FORMS]
            rows.append((name, trips, *forms, _write(count_close(runs, of[1], NO_FORM))))
    for queue in dict.fromkeys(row.queue for row in checked_rows("shared")):
        chosen = choose("shared", queue, prague=True)
        forms = [_write(count_close(runs, chosen, form)) for form in FORMS]
        rows.append((queue, "equal", *forms, ""))
    columns = ("queue", "round trips", *FORMS.values(), "CUBIC beside CUBIC")
    caption = f"Rows whose rates are both within {100 * CLOSE:.0f} % of the published ones."
    return Listing("Rows within a tenth", caption, columns, rows)


def _write(counts: tuple[int, int]) -> str:
    close, rows = counts
    return f"{close} of {rows}" if rows else ""


def _list_rows(runs: Runs) -> Listing:
    rows = []
    for row in read_rows().values():
        for form in (*SHOWN, NO_FORM) if row.is_checked else ():
            if (form == NO_FORM) != row.has_prague and _has(runs, row, form):
                rates = mean_rates(runs, row, form)
                rows.append((row.row, form, *row.mbps, *rates, 100 * distance(rates, row)))
    columns = ("row", "Prague", "published", "published", "ours", "ours", "distance (%)")
    caption = "Mbit/s of both flows of every row, and the larger distance from the publication."
    return Listing("All rows", caption, columns, rows)


def _has(runs: Runs, row: Row, form: str) -> bool:
    try:
        mean_rates(runs, row, form)
    except NotRunError:
        return False
    return True


def pictures(runs: Runs) -> tuple[Picture, ...]:
    """Draw simulated against published rates, by queue and form of Prague."""
    caption = (
        "Rate of each flow, simulated over published; grey: within a tenth. Rows of CUBIC beside"
        " CUBIC are the same in both lines of panels."
    )
    return (Picture("l4s-tests", "Published and simulated rates", caption, _draw(runs)),)


def _draw(runs: Runs) -> Figure:
    with use_style():
        figure, axes = make_axes(2, PANELS, (14.0, 6.2), sharex=True, sharey=True)
        for line, form in enumerate(SHOWN):
            for place, queue in enumerate((*QUEUES, "")):
                part = "fairness" if queue else "shared"
                rows = [row for row in checked_rows(part) if queue in ("", row.queue)]
                ax = axes[PANELS * line + place]
                _draw_panel(ax, runs, rows, form)
                if not line:
                    ax.set_title(QUEUES.get(queue, "one queue, classic ECN"))
                if not place:
                    ax.set_ylabel(f"{FORMS[form]}\nsimulated (Mbit/s)")
                if line:
                    ax.set_xlabel("published (Mbit/s)")
        handles: dict[str, Artist] = {
            LABELS[name]: ax.plot([], [], mark, color=c)[0] for name, (c, mark) in LOOKS.items()
        }
        handles["within a tenth"] = Patch(color=PALE)
        figure.legend(
            list(handles.values()), list(handles), loc="outside lower center", ncols=len(handles)
        )
        return figure


def _draw_panel(ax: Axes, runs: Runs, rows: list[Row], form: str) -> None:
    ends = np.array(ENDS)
    ax.fill_between(ends, (1 - CLOSE) * ends, (1 + CLOSE) * ends, color=PALE, linewidth=0)
    ax.plot(ends, ends, color=GREY, linewidth=0.8)
    for row in rows:
        if not _has(runs, row, form):
            continue
        ours = mean_rates(runs, row, form)
        for place in range(len(NAMES)):
            colour, mark = LOOKS[str(row.flows[2 * place])]
            ax.plot(row.mbps[place], ours[place], mark, color=colour, markersize=3.6, alpha=0.7)
    ax.set(xscale="log", yscale="log", xlim=ENDS, ylim=ENDS)
    ticks = (0.2, 1, 5, 20, 50)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])
        axis.set_ticks([], minor=True)
