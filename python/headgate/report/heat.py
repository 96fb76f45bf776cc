"""The main picture of a study of laws: what gets worse and better under which condition.

It is a table, so that it is read without JavaScript, at any width, by those who hear it, and light
or dark as the page is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from headgate.analysis.answer import answered, law_title
from headgate.analysis.part import Part
from headgate.analysis.phrases import level_phrase, levels_by_condition, phrases, short
from headgate.report.html import fold, wide
from headgate.report.page import WORDS, anchor
from headgate.stats.changes import Change

#: From which change on a cell has which colour.
STEPS = (0.1, 0.25, 0.5, 1.0)
#: Columns in which a number can still be written.
WRITTEN = 12
#: Rows and laws that a first screen has room for.
MOST_ROWS, MOST_LAWS = 18, 4
LEGEND = (
    '<p class="legend"><span>worse:</span>{worse}<span>better:</span>{better}'
    "<span>from 10, 25, 50, 100 %. +48: 48 % more; \N{MULTIPLICATION SIGN}2: twice as much; empty:"
    ' less than 10 %, or within chance. <a href="{words}">What the words mean</a></span></p>'
)


@dataclass(frozen=True)
class _Column:
    """A condition: its label, what it is in words, and each factor's level and place of it."""

    label: str
    words: str
    levels: Mapping[str, tuple[str, str]]


def heat(part: Part) -> str:
    """Return a panel a law: responses down, conditions across by congestion; "" without laws."""
    laws = [one.law for one in answered(part)]
    if not laws:
        return ""
    rows, columns = _rows(part, laws), _columns(part)
    panels = [_panel(part, law, rows, columns) for law in laws]
    first, more = panels[:MOST_LAWS], panels[MOST_LAWS:]
    others = fold(f"The other {len(more)} laws", _grid(more)) if more else ""
    return _legend() + _grid(first) + others


def _grid(panels: Sequence[str]) -> str:
    return f'<div class="panels">{"".join(panels)}</div>'


def _legend() -> str:
    worse, better = (
        "".join(f'<i class="{side}{step}"></i>' for step in range(1, len(STEPS) + 1))
        for side in "wb"
    )
    return LEGEND.format(worse=worse, better=better, words=f"#{anchor(WORDS)}")


def _rows(part: Part, laws: Sequence[str]) -> list[str]:
    """Return the responses that are shown: all that may be worse, or those that change most."""
    names = [name for name in part.roles.responses if name in part.roles.worse]
    cells, conditions = part.changes.cells, part.cells.conditions
    count = {n: sum(cells[a, c, n].matters for a in laws for c in conditions) for n in names}
    kept = sorted(names, key=lambda name: -count[name])[:MOST_ROWS]
    return [name for name in names if name in kept]


def _columns(part: Part) -> list[_Column]:
    levels, words = levels_by_condition(part.frame, part.roles), phrases(part.frame, part.roles)
    names = {factor: part.frame.levels(factor).names for factor in next(iter(levels.values()), {})}
    return [
        _Column(label, words[label], {
            factor: (_place(names[factor], level), level_phrase(part.roles, factor, level))
            for factor, level in levels[label].items()
        })
        for label in (part.cells.conditions[place] for place in part.order)
    ]  # fmt: skip


def _place(names: Sequence[str], level: str) -> str:
    """Say whether a level is the lowest, the highest, or between them."""
    return {names[0]: "low", names[-1]: "top"}.get(level, "mid")


def _panel(part: Part, law: str, rows: Sequence[str], columns: Sequence[_Column]) -> str:
    """Return the table of one law."""
    dense = " dense" if len(columns) > WRITTEN else ""
    title = escape(law_title(law))
    head = [_number_columns(columns), *(_strip(part, f, columns) for f in columns[0].levels)]
    body = "".join(_row(part, law, name, columns) for name in rows)
    whole = (
        f'<table class="heat{dense}"><caption>{title}</caption>'
        f"<thead>{''.join(head)}</thead><tbody>{body}</tbody></table>"
    )
    return wide(whole, law_title(law))


def _number_columns(columns: Sequence[_Column]) -> str:
    cells = "".join(
        f'<th scope="col" title="{escape(_describe(column))}">{place}</th>'
        for place, column in enumerate(columns, 1)
    )
    head = '<th scope="row" title="number of the condition">congestion \N{RIGHTWARDS ARROW}</th>'
    return f"<tr>{head}{cells}</tr>"


def _describe(column: _Column) -> str:
    code = f" ({column.label})" if column.label != column.words else ""
    return f"{column.words}{code}"


def _strip(part: Part, factor: str, columns: Sequence[_Column]) -> str:
    """Return the row that says which level of a factor each condition has."""
    levels = [column.levels[factor] for column in columns]
    cells = "".join(f'<td class="{place}" title="{escape(level)}"></td>' for place, level in levels)
    named = {level: place for place in ("low", "mid", "top") for at, level in levels if at == place}
    said = _without_end(list(named))
    shown = "".join(
        f'<i class="{place}"></i> {escape(text)} '
        for text, place in zip(said, named.values(), strict=True)
    )
    title = escape(part.roles.title(factor))
    return f'<tr class="strip"><th scope="row" title="{title}">{shown}</th>{cells}</tr>'


def _without_end(phrases: Sequence[str]) -> list[str]:
    """Leave out the words that all end with, but in the last: `slow`, `fast network`."""
    words = [phrase.split() for phrase in phrases]
    least = min(map(len, words))
    end = next((n for n in range(least) if len({tuple(w[-n - 1 :]) for w in words}) > 1), least - 1)
    return [" ".join(w[:-end] if end else w) for w in words[:-1]] + [phrases[-1]]


def _row(part: Part, law: str, name: str, columns: Sequence[_Column]) -> str:
    found = [part.changes.cells[law, column.label, name] for column in columns]
    cells = "".join(_cell(one, part.roles.worse[name] == "more") for one in found)
    title = escape(part.roles.title(name))
    return f'<tr><th scope="row" title="{title}">{escape(short(part.roles, name))}</th>{cells}</tr>'


def _cell(found: Change, more_is_worse: bool) -> str:
    if not found.matters:
        return "<td></td>"
    side = "w" if (found.share > 0) == more_is_worse else "b"
    step = sum(abs(found.share) >= least for least in STEPS)
    return f'<td class="{side}{step}">{_amount(found.share)}</td>'


def _amount(share: float) -> str:
    """Write a change in few letters: in %, from twice as much on as a multiple."""
    if share >= 1:
        return f"\N{MULTIPLICATION SIGN}{1 + share:.2g}"
    return f"{100 * share:+.0f}".replace("-", "\N{MINUS SIGN}")
