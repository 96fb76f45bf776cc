"""The study `nist-scale`: its sentences, tables, pictures, and the file of preserved responses.

`nist/preserved.toml` is this file as the `standard` scale of `nist-scale` wrote it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from headgate import Table, Words
from headgate.figures import Curve, CurvePanel, Heat, draw_curves, draw_heat
from headgate.lab import Analysis, Listing, Picture, PicturesLater, Runs
from headgate_studies.nist_scale.findings import STANDARD
from headgate_studies.nist_scale.sizes import NAMES, UTILISATION, Ratio, Sizes, jobs, share

__all__ = ["analyse", "jobs", "prepare"]

#: The responses drawn over the size, by algorithm: title and unit.
COURSES = {
    UTILISATION: ("utilisation", ""),
    "y2": ("share of sources transmitting", ""),
    "y10": ("retransmission rate", ""),
    "y16": ("queueing delay", " (s)"),
    "web_DD_fast": ("Web objects, DD, fast", " (packets/s)"),
    "long_DD": ("long-lived flow, DD", " (packets/s)"),
}
CONTRASTS = ("y10", "y16", "web_DD_fast")
LARGEST_CHANGE = np.log(2)
FILE = "preserved.toml"
#: A response is preserved if its whole interval is this near to the largest size's.
NEAR = 0.1


def prepare(runs: Runs) -> Sizes:
    """Measure every response of finished runs."""
    return Sizes(runs.setup, runs.results)


def analyse(of: Sizes) -> Analysis:
    """Compare every response at every size with the largest."""
    return Analysis(
        sentences=sentences(of),
        pictures=PicturesLater(partial(pictures, of)),
        tables=tables(of),
        data=(data(of),),
        files={FILE: as_toml(of)},
    )


def sentences(of: Sizes) -> tuple[str, ...]:
    """Say of each size how much of the largest it keeps."""
    return tuple(_size(of, size) for size in of.sizes[:-1])


def _size(of: Sizes, size: str) -> str:
    found = sort_responses(of, size)
    return (
        f"At {size} of the published size, {len(found.kept)} of {len(NAMES)} responses are within"
        f" {NEAR:.0%} of those at {of.sizes[-1]} under every condition, {len(found.moved)} are not"
        f" under some, and {len(found.untold)} are undecided by the replicates."
    )


def tables(of: Sizes) -> tuple[Listing, ...]:
    """Return one table a condition: every response at every size over that at the largest."""
    return tuple(_condition(of, name) for name in of.conditions)


def _condition(of: Sizes, condition: str) -> Listing:
    smaller = of.sizes[:-1]
    rows: list[tuple[Any, ...]] = [
        (title, *(_format_ratio(of.ratio(name, condition, size)) for size in smaller))
        for name, title in NAMES.items()
    ]
    return Listing(
        condition,
        f"Second period, over the same at {of.sizes[-1]}: geometric mean over algorithms, and its"
        " 95 % interval over replicates.",
        ("response", *(f"size {size}" for size in smaller)),
        rows,
    )


def _format_ratio(ratio: Ratio) -> str:
    if not np.isfinite(ratio.value):
        return "none in some run"
    return f"{ratio.value:.2f} ({ratio.low:.2f} to {ratio.high:.2f})"


def data(of: Sizes) -> Table:
    """Return one row a run: its labels and every response."""
    rows = list(_rows(of))
    columns = dict(zip(("condition", "size", "cca", "seed"), zip(*rows, strict=True), strict=True))
    words = {name: Words.of(columns[name]) for name in ("condition", "size", "cca")}
    keys = list(dict.fromkeys(row[:3] for row in rows))
    found = {name: np.concatenate([of.measured[key][name] for key in keys]) for name in NAMES}
    return Table("responses", {**words, "seed": np.array(columns["seed"]), **found})


def _rows(of: Sizes) -> Iterator[tuple[str, str, str, int]]:
    for key in of.measured:
        for seed in of.setup.seeds:
            yield (*key, seed)


def pictures(of: Sizes) -> tuple[Picture, ...]:
    """Draw every picture."""
    return (_draw_preserved(of), _courses(of), _contrasts(of))


def _draw_preserved(of: Sizes) -> Picture:
    smaller = of.sizes[:-1]
    columns = list(product(of.conditions, smaller))
    values = np.array(
        [[np.log(of.ratio(name, *column).value) for column in columns] for name in NAMES]
    )
    panel = Heat(
        "",
        values,
        [size for _, size in columns],
        -LARGEST_CHANGE,
        LARGEST_CHANGE,
        colours="PuOr",
        scale=100,
        groups={len(smaller) * i: name for i, name in enumerate(of.conditions)},
        label="100 x ln(ratio)",
    )
    return Picture(
        "preserved",
        "What each size keeps",
        f"Second period: 100 times the logarithm of a response over that at {of.sizes[-1]}, mean"
        " over algorithms; 10 is 10 % more, -69 a half. Counts are per source. Grey: none in some"
        " run.",
        draw_heat(list(NAMES.values()), [panel]),
    )


def _courses(of: Sizes) -> Picture:
    panels = [
        _panel(
            of,
            "".join(COURSES[name]),
            {cca: _means(of, name, condition, cca) for cca in of.ccas},
            condition,
        )
        for name, condition in product(COURSES, of.conditions)
    ]
    return Picture(
        "sizes",
        "Six responses over the size of the network",
        "Second period, mean over replicates; one column a condition.",
        draw_curves(panels, columns=len(of.conditions), panel_in=(4.2, 2.7), order=of.ccas),
    )


def _contrasts(of: Sizes) -> Picture:
    others = [cca for cca in of.ccas if cca != STANDARD]
    panels = [
        _panel(
            of,
            f"{COURSES[name][0]}\nover {STANDARD}",
            {
                cca: _means(of, name, condition, cca) / _means(of, name, condition, STANDARD)
                for cca in others
            },
            condition,
        )
        for name, condition in product(CONTRASTS, of.conditions)
    ]
    return Picture(
        "contrasts",
        "How far algorithms differ, over the size of the network",
        f"An algorithm's response over that of {STANDARD}, second period: a flat line means that a"
        " comparison in miniature gives the result of a larger one.",
        draw_curves(panels, columns=len(of.conditions), panel_in=(4.2, 2.7), order=of.ccas),
    )


def _means(of: Sizes, response: str, condition: str, cca: str) -> np.ndarray:
    return np.array([of.measured[condition, size, cca][response].mean() for size in of.sizes])


def _panel(of: Sizes, title: str, by_cca: dict[str, np.ndarray], condition: str) -> CurvePanel:
    x = [share(size) for size in of.sizes]
    return CurvePanel(
        condition,
        "size (published = 1)",
        title,
        {cca: Curve(x, values, marks=True) for cca, values in by_cca.items()},
        log="x",
        ticks=dict(zip(x, of.sizes, strict=True)),
    )


@dataclass(frozen=True)
class Preserved:
    """The responses that one size preserves, those that it changes, and those undecided."""

    kept: tuple[str, ...]
    moved: tuple[str, ...]
    untold: tuple[str, ...]


def sort_responses(of: Sizes, size: str) -> Preserved:
    """Sort the responses of a size: kept in every condition, moved in one at least, or neither."""
    sorted_ = {name: _sort(of, name, size) for name in NAMES}
    return Preserved(*(tuple(n for n, s in sorted_.items() if s == say) for say in _SORTS))


_SORTS = ("kept", "moved", "untold")


def _sort(of: Sizes, response: str, size: str) -> str:
    ratios = [of.ratio(response, condition, size) for condition in of.conditions]
    if all(ratio.within(NEAR) for ratio in ratios):
        return "kept"
    return "moved" if any(ratio.beyond(NEAR) for ratio in ratios) else "untold"


def as_toml(of: Sizes) -> str:
    """Write what every size but the largest keeps."""
    head = (
        "# Made by `headgate study nist-scale`: responses at a size whose ratio to the largest size"
        f"\n# lies within {NEAR:.0%} (kept), beyond it in some condition (moved), or cannot be"
        "\n# listed, by 95 % intervals over replicates.\n\n"
        f'largest = "{of.sizes[-1]}"\nnear = {NEAR}\n'
    )
    return head + "".join(_section(size, sort_responses(of, size)) for size in of.sizes[:-1])


def _section(size: str, found: Preserved) -> str:
    lines: Mapping[str, tuple[str, ...]] = {word: getattr(found, word) for word in _SORTS}
    written = "".join(f"{word} = {list(names)}\n" for word, names in lines.items())
    return f'\n[sizes."{size}"]\n{written}'.replace("'", '"')
