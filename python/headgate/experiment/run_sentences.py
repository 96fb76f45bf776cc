"""Sentences on the runs of an experiment: missing values, busiest links, and short times."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import numpy as np

from headgate.base.messages import count_others
from headgate.base.units import format_figure
from headgate.experiment.effect_sentences import spoken
from headgate.experiment.measures import OF_BUSIEST
from headgate.experiment.responses import Response
from headgate.experiment.tables import MeasuredRuns
from headgate.experiment.unfinished import COMPLETION_TIMES

#: The largest number of conditions, or of pairs of levels, that sentences name.
MOST_NAMED = 3
#: The share of unfinished files above which completion times are said to leave them out.
MANY_UNFINISHED = 0.05


def say_missing(found: MeasuredRuns, response: Response) -> Iterator[str]:
    """Count the runs without a value of a response, and name the conditions that lack most."""
    made = found.digests != ""
    lacking = made & ~np.isfinite(found.values[response.name])
    if not lacking.any():
        return
    counts, runs = lacking.sum(axis=1), made.sum(axis=1)
    conditions = [c for c in np.argsort(-counts, kind="stable").tolist() if counts[c]]
    named = [f"{counts[c]} of {runs[c]} with {found.describe(c)}" for c in conditions[:MOST_NAMED]]
    left = len(conditions) - len(named)
    more = f"; others under {count_others(left, 'condition')}" if left else ""
    yield (
        f"{spoken(response)} lacks a value in {lacking.sum()} of {made.sum()} runs"
        f" ({'; '.join(named)}{more}); its means and effects are those of the other runs."
    )


def say_busiest(found: MeasuredRuns) -> Iterator[str]:
    """Name the busiest links if they differ, since responses then compare different links."""
    asked = [one for one in found.responses if one.sql in OF_BUSIEST]
    counts, unit = _count_busiest(found)
    if not asked or len(counts) < 2:
        return
    (first, most), *others = counts
    named = [f"in {count} {link}" for link, count in others[:MOST_NAMED]]
    rest = sum(count for _, count in others[MOST_NAMED:])
    more = [f"in {rest} another one"] * bool(rest)
    other = f"in the others {others[0][0]}" if len(others) == 1 else ", ".join([*named, *more])
    compared = ", ".join(one.name for one in asked)
    among = most + sum(count for _, count in others)
    yield (
        f"In {most} of {among} {unit} the busiest link is {first}, {other}: {compared} then compare"
        f" different links. For one link, write {_write_response(asked[0], first)}."
    )


def _count_busiest(found: MeasuredRuns) -> tuple[list[tuple[str, int]], str]:
    """Count the conditions of each busiest link; the runs, if replicates of a condition differ."""
    if found.busiest is None:
        return [], ""
    links = [{*filter(None, row)} for row in found.busiest.tolist()]
    if all(len(row) < 2 for row in links):
        return Counter(link for row in links for link in row).most_common(), "conditions"
    return Counter(filter(None, found.busiest.ravel().tolist())).most_common(), "runs"


def _write_response(response: Response, link: str) -> str:
    """Write the response of one link as an item of `responses`."""
    table = "links" if response.period or "FROM links" in response.sql else "ports"
    name = link.replace("'", "''")
    sql = f"SELECT {OF_BUSIEST[response.sql]} FROM {table} WHERE link = '{name}'"
    better = f', better = "{response.better}"' * bool(response.better)
    unit = f', unit = "{response.unit}"' * bool(response.unit)
    return (
        f'{{name = "{response.name}", sql = {json.dumps(sql, ensure_ascii=False)}{unit}{better}}}'
    )


def say_drifts(found: MeasuredRuns) -> Iterator[str]:
    """Name the conditions whose measured time is too short."""
    drifting = [(c, said) for c, said in enumerate(found.drifts) if said]
    if not drifting:
        return
    named = [f"{found.describe(c)} ({said})" for c, said in drifting[:MOST_NAMED]]
    more = f" and {len(drifting) - len(named)} more" if len(drifting) > len(named) else ""
    yield (
        f"Under {len(drifting)} of {len(found.coded)} conditions the busiest link still drifts from"
        " the first to the second half of the measured time, so that their means may differ from"
        f" those of longer runs; lengthen the duration or the warm-up: {', '.join(named)}{more}."
    )


def say_unfinished(found: MeasuredRuns) -> Iterator[str]:
    """Name the conditions in which many files are too late for the measured completion times."""
    timed = [
        one.name for one in found.responses if any(column in one.sql for column in COMPLETION_TIMES)
    ]
    shares = np.array(found.unfinished)
    late = [c for c in np.argsort(-shares, kind="stable").tolist() if shares[c] > MANY_UNFINISHED]
    if not timed or not late:
        return
    named = [
        f"{format_figure(100 * shares[c], digits=2)} % with {found.describe(c)}"
        for c in late[:MOST_NAMED]
    ]
    more = f"; {len(late) - len(named)} more" if len(late) > len(named) else ""
    verb, least = "leaves" if len(timed) == 1 else "leave", 100 * MANY_UNFINISHED
    yield (
        f"Under {len(late)} of {len(shares)} conditions more than {least:.0f} % of the files are"
        f" unfinished at the end of the runs ({'; '.join(named)}{more}): {', '.join(timed)} {verb}"
        " them out and so may be too low. Lengthen the duration, or offer less traffic."
    )
