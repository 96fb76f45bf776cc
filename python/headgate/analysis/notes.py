"""Notes on a table: rows that analyses leave out, and labels that may not be meant as written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from headgate.analysis.frame import MISSING, Frame

#: Labels that a note names before it says how many more there are.
NAMED = 4


def notes(
    frame: Frame, factors: Sequence[str], responses: Sequence[str], labels: Sequence[str] = ()
) -> list[str]:
    """Return what a reader has to know of a table before its results, in sentences.

    `labels` are further columns of labels, such as laws.
    """
    named = [*factors, *(name for name in labels if name not in factors)]
    texts = {name: frame.labels(name) for name in named}
    return [
        *_left_out(frame, {name: texts[name] for name in factors}, responses),
        *(said for name, of in texts.items() for said in _doubtful(name, of)),
    ]


def _left_out(
    frame: Frame, factors: dict[str, list[str]], responses: Sequence[str]
) -> Iterator[str]:
    """Count the rows without a level, and those without a number."""
    for name, of in factors.items():
        if count := of.count(""):
            yield (
                f"{name}: {_rows(count, len(of))} no level; the main effects leave out"
                f" {_these(count)}."
            )
    gaps = {name: int(np.isnan(frame.numbers(name)).sum()) for name in responses}
    said = [f"{name} {count} of {len(frame)}" for name, count in gaps.items() if count]
    if said:
        yield (
            "Rows without a finite number are left out of the analyses of that response:"
            f" {', '.join(said)}."
        )


def _rows(count: int, of: int) -> str:
    return f"{count} of {of} rows {'has' if count == 1 else 'have'}"


def _these(count: int) -> str:
    return "this row" if count == 1 else "these rows"


def _doubtful(name: str, texts: Iterable[str]) -> Iterator[str]:
    """Name labels that stand for nothing elsewhere, and labels that differ in writing only."""
    known = sorted(set(texts) - {""})
    for text in known:
        if text.lower() in MISSING:
            yield f"{name}: {text!r} is taken as a label; leave the cell empty if it is missing."
    alike: dict[str, list[str]] = {}
    for text in known:
        alike.setdefault(_plain(text), []).append(text)
    twice = [" and ".join(map(repr, of)) for of in alike.values() if len(of) > 1]
    if twice:
        more = f" and {len(twice) - NAMED} more" if len(twice) > NAMED else ""
        yield (
            f"{name}: {', '.join(twice[:NAMED])}{more} are different labels; write them alike if"
            " they are the same."
        )


def _plain(text: str) -> str:
    """Return a label without what people write in two ways: case, blanks, zeros of a number."""
    try:
        return str(Fraction(text))
    except (ValueError, ZeroDivisionError):
        return "".join(text.lower().split())
