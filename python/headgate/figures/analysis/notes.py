"""Notes on a table: rows that analyses leave out, and labels that may not be meant as written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from headgate.base.units import sizes
from headgate.figures.analysis.frame import MISSING, Frame
from headgate.figures.analysis.missing_values import report_missing
from headgate.figures.analysis.read import DECIMAL_COMMA
from headgate.figures.analysis.successive_rows import report_series
from headgate.figures.analysis.unnamed_columns import report_dependence

#: Labels that a note names before it says how many more there are.
NAMED = 4
#: Names of columns that tables in wide form give to replicates.
REPLICATE_NAME = re.compile(
    r"(run|rep|repl|replicate|repetition|iteration|iter|seed|trial|sample)[ _.-]*\d+", re.IGNORECASE
)
#: Cramer's V of two factors from which on a note says that they change together.
CORRELATED = 0.7
#: Rows for each combination of their levels below which chance alone makes such a V.
FEW_ROWS = 5


def write_notes(
    frame: Frame,
    factors: Sequence[str],
    responses: Sequence[str],
    labels: Sequence[str] = (),
    replicate: str | None = None,
) -> list[str]:
    """Return notes on a table that a reader needs before its results.

    `labels` are further columns of labels, such as algorithms; `replicate` is that of replicates.
    """
    named = [*factors, *(name for name in labels if name not in factors)]
    texts = {name: frame.labels(name) for name in named}
    return [
        *report_missing(frame, factors, texts, responses),
        *_say_alone(frame, replicate),
        *_say_wide(responses),
        *(said for name, of in texts.items() for said in _doubtful(name, of)),
        *(said for name in named for said in _say_decimals(name, texts[name])),
        *_correlated({name: texts[name] for name in factors}),
        *_say_copies(frame, responses),
        *_say_alike(frame, list(texts.values()), responses),
        *(_say_dependent(frame, named, responses, replicate) if named else ()),
    ]


def _say_dependent(
    frame: Frame, named: Sequence[str], responses: Sequence[str], replicate: str | None
) -> list[str]:
    """Report rows that are no replicates although their condition is the same."""
    found = [*report_dependence(frame, named, responses, replicate)]
    return found or [*report_series(frame, named, responses, replicate)]


def _say_alone(frame: Frame, replicate: str | None) -> Iterator[str]:
    count = frame.labels(replicate).count("") if replicate else 0
    if count:
        said = "lacks a label; it is" if count == 1 else "lack a label; they are"
        yield f"{replicate}: {count} of {len(frame)} rows {said} compared with no other run."


def _say_wide(responses: Sequence[str]) -> Iterator[str]:
    """Report responses that are probably the replicates of one, by their names."""
    wide = [name for name in responses if REPLICATE_NAME.fullmatch(name.strip())]
    if len(wide) > 1:
        yield (
            f"{', '.join(wide[:NAMED])}{' ...' * (len(wide) > NAMED)} seem to be replicates of one"
            " response, but each column is analysed as a response. If they are replicates, write"
            " one row per run, with the value in one column and the replicate in another."
        )


def _say_copies(frame: Frame, responses: Sequence[str]) -> Iterator[str]:
    """Count the rows that repeat another one.

    Rows without a number repeat nothing. If runs of other conditions give the same numbers, such as
    0 and 1, equal rows are probably several runs.
    """
    if not responses:
        return
    rows = list(zip(*([str(cell) for cell in of] for of in frame.columns.values()), strict=True))
    places = [place for place, name in enumerate(frame.columns) if name in responses]
    measured = {row: tuple(row[place] for place in places) for row in rows}
    numbers = np.array([frame.numbers(name) for name in responses])
    known = np.isfinite(numbers).any(axis=0).tolist()
    counts = Counter(row for row, is_known in zip(rows, known, strict=True) if is_known)
    conditions = Counter(measured.values())
    copies = sum(count - 1 for row, count in counts.items() if conditions[measured[row]] == 1)
    if copies:
        yield (
            f"{copies} of {len(rows)} rows {'is a copy' if copies == 1 else 'are copies'} of an"
            " earlier row in every column; copies count as replicates, so leave them out if they"
            " are the same run."
        )


def _say_alike(
    frame: Frame, labels: Sequence[Sequence[str]], responses: Sequence[str]
) -> Iterator[str]:
    """Report replicates with equal numbers in all conditions."""
    numbers = np.array([frame.numbers(name) for name in responses]).T
    groups: dict[tuple[str, ...], list[int]] = {}
    for row, key in enumerate(zip(*labels, strict=True)):
        groups.setdefault(key, []).append(row)
    several = [of for of in groups.values() if len(of) > 1]
    if responses and several and all(_are_alike(numbers[of]) for of in several):
        yield (
            "The replicates of every condition have the same numbers: nothing in them is random,"
            " so intervals and tests that use their spread are meaningless."
        )


def _are_alike(numbers: NDArray[np.float64]) -> bool:
    return bool(((numbers == numbers[0]) | np.isnan(numbers)).all())


def _doubtful(name: str, texts: Iterable[str]) -> Iterator[str]:
    """Name labels that look like missing values, and labels that differ only in writing."""
    known = sorted(set(texts) - {""})
    for text in known:
        if text.lower() in MISSING:
            yield f"{name}: {text!r} is taken as a label; leave the cell empty if it is missing."
    alike: dict[object, list[str]] = {}
    for text, same in zip(known, sizes(known) or map(_plain, known), strict=True):
        alike.setdefault(same, []).append(text)
    twice = [" and ".join(map(repr, of)) for of in alike.values() if len(of) > 1]
    if twice:
        more = f" and {len(twice) - NAMED} more" if len(twice) > NAMED else ""
        yield (
            f"{name}: {', '.join(twice[:NAMED])}{more} are different labels; write them alike if"
            " they are the same."
        )


def _say_decimals(name: str, texts: Iterable[str]) -> Iterator[str]:
    """Name a label that may be a number with a decimal comma, among other numbers."""
    known = sorted(set(texts) - {""})
    commas = [text for text in known if DECIMAL_COMMA.fullmatch(text)]
    if commas and sizes([text.replace(",", ".") for text in known]) is not None:
        yield (
            f"{name}: {commas[0]!r} is read as a name; if it is a number, give --decimal ',' or"
            " write a point."
        )


def _correlated(factors: dict[str, list[str]]) -> Iterator[str]:
    for one, other in combinations(factors, 2):
        cells = _count_cells(factors[one], factors[other])
        if min(cells.shape) < 2 or cells.sum() < FEW_ROWS * cells.size:
            continue
        v = _cramers_v(cells)
        if CORRELATED <= v < 1 - 1e-9:
            yield (
                f"{one} and {other} mostly change together (Cramer's V {v:.2f}; {cells.min()} to"
                f" {cells.max()} runs of each combination of levels), so their effects are hard to"
                " separate."
            )


def _count_cells(one: Sequence[str], other: Sequence[str]) -> NDArray[np.int64]:
    rows, at = np.unique(one, return_inverse=True)
    columns, beside = np.unique(other, return_inverse=True)
    cells = np.zeros((len(rows), len(columns)), dtype=np.int64)
    np.add.at(cells, (at, beside), 1)
    return cells


def _cramers_v(cells: NDArray[np.int64]) -> float:
    """Return Cramer's V (1946): 0 for independent labels, 1 if one determines the other."""
    expected = np.outer(cells.sum(axis=1), cells.sum(axis=0)) / cells.sum()
    square = float(((cells - expected) ** 2 / expected).sum())
    return float(np.sqrt(square / cells.sum() / (min(cells.shape) - 1)))


def _plain(text: str) -> str:
    """Return a label without differences of case, blanks, or zeros of a number."""
    try:
        return str(Fraction(text))
    except (ValueError, ZeroDivisionError):
        return "".join(text.lower().split())
