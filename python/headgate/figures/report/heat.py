"""The main picture of a study of algorithms: changes for the worse and better by condition.

It is a table, so that it is read without JavaScript, at any width, by those who hear it, and light
or dark as the page is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import product

from headgate.figures.analysis.answer import CcaAnswer, Reversal, cca_title
from headgate.figures.analysis.part import PeriodAnalysis
from headgate.figures.analysis.phrases import level_phrase, phrases, short
from headgate.figures.analysis.roles import Roles
from headgate.figures.analysis.whole import TableAnalysis
from headgate.figures.report.html import explain, fold, paragraph, wide
from headgate.stats.changes import Change

#: From which change on a cell has which colour.
STEPS = (0.1, 0.25, 0.5, 1.0)
#: Columns in which a number can still be written, and on a phone; and columns that are not narrow.
WRITTEN, WRITTEN_NARROW, WIDE = 24, 8, 40
#: In narrow columns, one in this many conditions shows its number.
NUMBERED = 5
#: Rows and panels of algorithms that a first screen has room for.
MOST_ROWS, MOST_CCAS = 18, 4
#: The first word of a throughput: the access routers of its flows.
ENDS = ("DD", "DF", "DN", "FF", "FN", "NN")
ENDS_SAID = (
    "DD to NN: the access routers between which flows go. D is directly connected to the"
    " backbone and has the fastest links, F is fast, N is normal and has the slowest."
)
LEGEND = (
    '<p class="legend"><span>worse:</span>{worse}<span>better:</span>{better}'
    "<span>from 10, 25, 50, 100 %.{numbers} Empty: less than 10 %, or within chance</span></p>"
)
NUMBERS = (
    '<span class="{narrow}"> Numbers are changes in %: +48 is 48 % more, and'
    " \N{MULTIPLICATION SIGN}2 twice as much.</span>"
)
BOTH = " \N{PLUS-MINUS SIGN}: worse in some conditions and better in others."


@dataclass(frozen=True)
class _Column:
    """A condition: its label, its words, and the level of each factor.

    Each level is given by its position among all levels, from 0 (lowest) to 1, and its words.
    """

    label: str
    words: str
    levels: Mapping[str, tuple[float, str]]


def heat(found: TableAnalysis) -> str:
    """Return a panel per algorithm that changes anything: responses down, conditions across.

    Algorithms and responses without a change are named below. Of many algorithms the means over
    groups of conditions come first, and the panels are folded. "" if no algorithm replaces another.
    """
    part, said = found.focus, found.answers
    ccas = [one.cca for one in said]
    moving = [cca for cca in ccas if _moves(part, [cca], part.roles.worse)]
    if not moving:
        return (
            paragraph(explain(_name_idle(part, ccas, []), all_terms=True), "scope") if ccas else ""
        )
    rows, columns = _rows(part, moving), _columns(part)
    panels = _grid([_panel(part, cca, rows, columns) for cca in moving])
    idle = _name_idle(part, [cca for cca in ccas if cca not in moving], rows)
    panels += paragraph(explain(idle, all_terms=True), "scope") if idle else ""
    ends = name_ends(part, rows)
    if len(moving) <= MOST_CCAS:
        return _legend(_explain_numbers(len(columns))) + ends + panels
    both = BOTH if any(of for one in said for of in one.reversals.values()) else ""
    head = _legend(NUMBERS.format(narrow="") + both) + ends
    return (
        head + _overview(part, said) + fold("Algorithm by algorithm, under each condition", panels)
    )


def _overview(part: PeriodAnalysis, said: Sequence[CcaAnswer]) -> str:
    """Return one panel per group of conditions: responses down, algorithms across."""
    groups = list(said[0].changes)
    moved = [
        name for one in said for by in (one.changes, one.reversals) for of in by.values()
        for name in of
    ]  # fmt: skip
    kept = [name for name, _ in Counter(moved).most_common(MOST_ROWS)]
    rows = [name for name in _measures(part) if name in kept]
    return _grid([_group(part, said, group, rows) for group in groups])


def _group(part: PeriodAnalysis, said: Sequence[CcaAnswer], group: str, rows: Sequence[str]) -> str:
    ccas = "".join(_head(one.cca) for one in said)
    body = "".join(
        _line(
            part, name, [o.reversals[group].get(name) or o.changes[group].get(name) for o in said]
        )
        for name in rows
    )
    title = escape(group[:1].upper() + group[1:])
    whole = (
        f'<table class="heat ccas"><caption>{title}</caption><thead><tr><th scope="row">CCA</th>'
        f"{ccas}</tr></thead><tbody>{body}</tbody></table>"
    )
    return wide(whole, title)


def _moves(part: PeriodAnalysis, ccas: Iterable[str], names: Iterable[str]) -> int:
    """Count the cells that change by 10 % or more, beyond chance."""
    cells, conditions = part.changes.cells, part.cells.conditions
    return sum(cells[one].matters for one in product(ccas, conditions, names))


def _name_idle(part: PeriodAnalysis, ccas: Sequence[str], rows: Sequence[str]) -> str:
    """Name the algorithms and responses without a change."""
    others = part.changes.others
    idle = [name for name in _measures(part) if not _moves(part, others, [name])] if rows else []
    said = [
        _deny([one for one in ccas if _settled(part, [one], part.roles.worse)]),
        _leave_open([one for one in ccas if not _settled(part, [one], part.roles.worse)]),
    ]
    for settled, begin in ((True, "Changed by none of them"), (False, "No change is shown in")):
        names = [short(part.roles, n) for n in idle if _settled(part, others, [n]) == settled]
        said += [f"{begin}: {', '.join(names)}."] if names else []
    return " ".join(filter(None, said))


def _settled(part: PeriodAnalysis, ccas: Sequence[str], names: Iterable[str]) -> bool:
    """Return whether every cell is decided: it changes by 10 %, or it does not."""
    cells, conditions = part.changes.cells, part.cells.conditions
    return all(cells[one].state != "not known" for one in product(ccas, conditions, names))


def _deny(ccas: Sequence[str]) -> str:
    named, verb = " and ".join(map(cca_title, ccas)), "changes" if len(ccas) == 1 else "change"
    return f"{named} {verb} no measure by 10 % or more under any condition." if ccas else ""


def _leave_open(ccas: Sequence[str]) -> str:
    named = " and ".join(map(cca_title, ccas))
    return f"With {named} no change of 10 % or more is shown in any measure." if ccas else ""


def name_ends(part: PeriodAnalysis, rows: Sequence[str]) -> str:
    """Explain the two letters before throughputs, if there are any."""
    if not any(short(part.roles, name).split()[0] in ENDS for name in rows):
        return ""
    return paragraph(explain(ENDS_SAID), "scope")


def _measures(part: PeriodAnalysis) -> list[str]:
    return [name for name in part.roles.responses if name in part.roles.worse]


def _grid(panels: Sequence[str]) -> str:
    return f'<div class="panels">{"".join(panels)}</div>'


def _head(cca: str) -> str:
    return f'<th scope="col" title="{escape(cca_title(cca))}">{escape(cca.rpartition(":")[2])}</th>'


def _explain_numbers(columns: int) -> str:
    if columns > WRITTEN:
        return ""
    return NUMBERS.format(narrow="wide-only" if columns > WRITTEN_NARROW else "")


def _legend(numbers: str) -> str:
    worse, better = (
        "".join(f'<i class="{side}{step}"></i>' for step in range(1, len(STEPS) + 1))
        for side in "wb"
    )
    return LEGEND.format(worse=worse, better=better, numbers=numbers)


def _rows(part: PeriodAnalysis, ccas: Sequence[str]) -> list[str]:
    """Return the measures that change most, in the order of the table."""
    count = {name: _moves(part, ccas, [name]) for name in _measures(part)}
    kept = sorted(filter(count.__getitem__, count), key=lambda name: -count[name])[:MOST_ROWS]
    return [name for name in count if name in kept]


def _columns(part: PeriodAnalysis) -> list[_Column]:
    levels, words = part.levels_by_condition, phrases(part.frame, part.roles)
    names = {factor: part.frame.levels(factor).names for factor in next(iter(levels.values()), {})}
    return [
        _Column(label, words[label], {
            f: (_place(names[f], level), level_phrase(part.roles, f, level, names[f]))
            for f, level in levels[label].items()
        })
        for label in (part.cells.conditions[place] for place in part.order)
    ]  # fmt: skip


def _place(names: Sequence[str], level: str) -> float:
    return names.index(level) / max(1, len(names) - 1)


def _panel(part: PeriodAnalysis, cca: str, rows: Sequence[str], columns: Sequence[_Column]) -> str:
    title = escape(cca_title(cca))
    head = [_number_columns(part, columns), *(_strip(part, f, columns) for f in columns[0].levels)]
    body = "".join(_row(part, cca, name, columns) for name in rows)
    whole = (
        f'<table class="heat{_density(len(columns))}"><caption>{title}</caption>'
        f"<thead>{''.join(head)}</thead><tbody>{body}</tbody></table>"
    )
    return wide(whole, cca_title(cca))


def _density(columns: int) -> str:
    """Return the class of a table whose cells are too narrow for numbers."""
    if columns > WRITTEN:
        return " dense narrow" if columns > WIDE else " dense"
    return " many" if columns > WRITTEN_NARROW else ""


def _number_columns(part: PeriodAnalysis, columns: Sequence[_Column]) -> str:
    cells = "".join(
        f'<th scope="col" title="{escape(_describe(column))}">{_number(place, len(columns))}</th>'
        for place, column in enumerate(columns, 1)
    )
    said = "congestion \N{RIGHTWARDS ARROW}" if part.roles.congestion else "condition"
    return f'<tr><th scope="row" title="number of the condition">{said}</th>{cells}</tr>'


def _number(place: int, columns: int) -> str:
    """Return the number of a condition; in narrow columns most are hidden."""
    shown = columns <= WRITTEN or place == 1 or place % NUMBERED == 0
    return f"<span>{place}</span>" if shown else f'<span class="hidden">{place}</span>'


def _describe(column: _Column) -> str:
    code = f" ({column.label})" if column.label != column.words else ""
    return f"{column.words}{code}"


def _strip(part: PeriodAnalysis, factor: str, columns: Sequence[_Column]) -> str:
    """Return the row that shows the level of a factor in each condition."""
    levels = [column.levels[factor] for column in columns]
    cells = "".join(f'<td {_shade(at)} title="{escape(level)}"></td>' for at, level in levels)
    known = sorted(set(levels))
    said = _without_shared([level for _, level in known])
    shown = "".join(
        f"<i {_shade(at)}></i> {escape(text)} " for (at, _), text in zip(known, said, strict=True)
    )
    title = escape(part.roles.title(factor))
    return f'<tr class="strip"><th scope="row" title="{title}">{shown}</th>{cells}</tr>'


def _shade(at: float) -> str:
    return f'class="level" style="--at:{100 * at:.0f}%"'


def _without_shared(phrases: Sequence[str]) -> list[str]:
    """Write common words once: `slow`, `fast network`; `rtt 10`, `20`, `40 ms`."""
    words = [phrase.split() for phrase in phrases]
    end = _count_shared([one[::-1] for one in words], 0)
    begin = _count_shared(words, end)
    last = len(words) - 1
    return [
        " ".join(one[begin if place else 0 : len(one) if place == last else len(one) - end])
        for place, one in enumerate(words)
    ]


def _count_shared(words: Sequence[Sequence[str]], taken: int) -> int:
    """Count the common first words; each phrase keeps one more and `taken` others."""
    most = max(0, min(map(len, words)) - 1 - taken)
    return next((n for n in range(most) if len({one[n] for one in words}) > 1), most)


def _row(part: PeriodAnalysis, cca: str, name: str, columns: Sequence[_Column]) -> str:
    found = [part.changes.cells[cca, column.label, name] for column in columns]
    return _line(part, name, found, titled=len(columns) > WRITTEN)


def _line(
    part: PeriodAnalysis,
    name: str,
    found: Sequence[Change | Reversal | None],
    *,
    titled: bool = False,
) -> str:
    """Return a row of changes; cells without room for their numbers get a title."""
    cells = "".join(_cell(part.roles, name, one, titled=titled) for one in found)
    title = escape(part.roles.title(name))
    said = explain(short(part.roles, name))
    return f'<tr><th scope="row" title="{title}">{said}</th>{cells}</tr>'


def _cell(roles: Roles, name: str, found: Change | Reversal | None, *, titled: bool) -> str:
    if isinstance(found, Reversal):
        return f'<td class="both" title="{escape(found.write())}">\N{PLUS-MINUS SIGN}</td>'
    if found is None or not found.matters:
        return "<td></td>"
    side = "w" if roles.is_worse(name, found.share) else "b"
    step = sum(abs(found.share) >= least for least in STEPS)
    said = found.write()
    title = f' title="{said}"' if titled else ""
    return f'<td class="{side}{step}"{title}>{said.removesuffix(" %")}</td>'
