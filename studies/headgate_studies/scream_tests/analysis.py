"""The sentences, the tables and the picture of the report, and the data of the claims."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from headgate import Result, Table
from headgate.figures import GREY, ORDER, PALE, make_axes, use_style
from headgate.lab import Key, Listing, Picture, Runs
from headgate.stats import compute_mean_interval
from headgate_studies.designed import tidy
from headgate_studies.scream_tests.findings import (
    CLOSE,
    changed_ratios,
    marked_shares,
    rates_mbps,
    ratios,
    replicate_rates,
    rows,
)

COUNTS = range(5)
MEASURES = {f"mbps_{n}": lambda result, n=n: float(rates_mbps(result)[n]) for n in COUNTS}
#: Forms of both programs in words.
FORMS = {
    "today": "beside today's Prague",
    "older": "beside the Prague of 2020",
    "draft": "the draft, beside today's Prague",
}
FRAMES = {"fixed": "frames of a fixed size", "varied": "frames of varying sizes"}
#: The change whose rates are compared and drawn as those of the forms are.
PACED_LESS: tuple[str | int, ...] = ("causes", "paced-less")


def keep(result: Result) -> Result:
    """Keep the rates of the stream, and those of the links."""
    return Result({name: result.tables[name] for name in ("media", "links")}, result.meta)


def data(runs: Runs) -> tuple[Table, ...]:
    """Return the rates of every run, one table a part."""
    return tidy(runs, MEASURES)


def sentences(runs: Runs) -> tuple[str, ...]:
    """Say how the simulated rates compare with the published ones, and what changes them."""
    compared = {
        f"With {kind}, {words}": ratios(runs, frames, form)
        for form, words in FORMS.items()
        for frames, kind in FRAMES.items()
    }
    paced_less = f"With {FRAMES['fixed']}, paced at 1.28 times the target, {FORMS['today']}"
    compared[paced_less] = changed_ratios(runs, "paced-less")
    return tuple(_compare(case, found) for case, found in compared.items() if len(found))


def _compare(case: str, found: np.ndarray) -> str:
    return (
        f"{case}: alone {_span(found[:, 0])} of the published rate, and {_span(found[:, 1:])}"
        f" beside flows; within {100 * CLOSE:.0f} %: {int((abs(found - 1) <= CLOSE).sum())} of"
        f" {found.size} rates."
    )


def _span(found: np.ndarray) -> str:
    return f"{found.min():.2f} to {found.max():.2f}"


def tables(runs: Runs) -> tuple[Listing, ...]:
    """Return the published and simulated rates, and the rates after each change."""
    columns = ("frames", "RTT (ms)", "rates", *(f"{n} flows" for n in COUNTS))
    listed = []
    for frames, rtt_ms, published, ours in rows(runs, "today"):
        listed.append((frames, rtt_ms, "published", *published))
        listed.append((frames, rtt_ms, FORMS["today"], *ours.mean(axis=0)))
        for form in ("older", "draft"):
            if ("steps", frames, rtt_ms, form, runs.setup.seeds[0]) in runs.results:
                others = replicate_rates(runs, "steps", frames, rtt_ms, form).mean(axis=0)
                listed.append((frames, rtt_ms, FORMS[form], *others))
    caption = "Mbit/s of the stream beside 0 to 4 flows, means over replicates."
    return (Listing("Rates", caption, columns, listed), _list_causes(runs))


def _list_causes(runs: Runs) -> Listing:
    listed = []
    for rtt_ms in runs.setup.settings["changed_rtts_ms"]:
        keys: dict[str, Key] = {"none": ("steps", "fixed", rtt_ms, "today")}
        keys |= {change: ("causes", change, rtt_ms) for change in runs.setup.settings["changes"]}
        for change, key in keys.items():
            each = [(*key, seed) for seed in runs.setup.seeds]
            results = [runs[one] for one in each if one in runs.results]
            if not results:
                continue
            means = np.mean([rates_mbps(result) for result in results], axis=0)
            own, others = np.mean([marked_shares(result) for result in results], axis=0) * 100
            listed.append((change, rtt_ms, *means, own[1], others[1], own[4], others[4]))
    columns = (
        "change", "RTT (ms)", *(f"{n} flows" for n in COUNTS), "1 flow: stream (%)",
        "Prague (%)", "4 flows: stream (%)", "Prague (%)",
    )  # fmt: skip
    caption = (
        "Mbit/s of the stream with frames of a fixed size if one thing is changed, and marked"
        " shares of the packets of the stream and of Prague."
    )
    return Listing("Changes", caption, columns, listed)


def pictures(runs: Runs) -> tuple[Picture, ...]:
    """Draw the published and simulated rates over the number of flows."""
    caption = (
        "Rate of the stream beside 0 to 4 flows of Prague, by round trip. Grey: within a tenth of"
        " the published rate. Bars: 95 % intervals over replicates."
    )
    return (Picture("scream-tests", "Published and simulated rates", caption, _draw(runs)),)


def _draw(runs: Runs) -> Figure:
    across = len(list(dict.fromkeys(rtt_ms for _, rtt_ms, _, _ in rows(runs, "today"))))
    with use_style():
        figure, axes = make_axes(2, across, (2.6 * across + 1, 5.6), sharex=True, sharey=True)
        for place, (frames, rtt_ms, published, _) in enumerate(rows(runs, "today")):
            ax = axes[place]
            _draw_panel(ax, runs, (frames, rtt_ms), published)
            if place < across:
                ax.set_title(f"{rtt_ms} ms")
            else:
                ax.set_xlabel("flows of Prague")
            if place % across == 0:
                ax.set_ylabel(f"{FRAMES[frames]}\nMbit/s of the stream")
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
        return figure


def _draw_panel(ax: Axes, runs: Runs, case: tuple[str, int], published: list[int]) -> None:
    centre = np.array(published, float)
    low, high = (1 - CLOSE) * centre, (1 + CLOSE) * centre
    ax.fill_between(
        COUNTS, low, high, color=PALE, linewidth=0, label="within 10 % of the published rate"
    )
    ax.plot(COUNTS, centre, color=GREY, label="published")
    keys: dict[str, tuple[str | int, ...]] = {
        FORMS[form]: ("steps", *case, form) for form in ("today", "older")
    }
    if case[0] == "fixed":
        keys["beside today's Prague, paced at 1.28 times the target"] = PACED_LESS + case[1:]
    for (label, key), colour, mark in zip(keys.items(), ORDER, "os^", strict=False):
        if (*key, runs.setup.seeds[0]) not in runs.results:
            continue
        found = replicate_rates(runs, *key)
        spans = np.array([compute_mean_interval(one) for one in found.T.tolist()])
        far = abs(spans[:, 1:].T - spans[:, 0])
        ax.errorbar(
            COUNTS, spans[:, 0], far, color=colour, marker=mark, markersize=3.6, label=label
        )
    ax.set(ylim=(0, 100), xticks=COUNTS)
