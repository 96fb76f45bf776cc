"""Levels that the SQL of an experiment compares a factor with: an unknown one matches no run."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from headgate.base.errors import HeadgateError
from headgate.base.level_order import level_text
from headgate.base.messages import also
from headgate.experiment.conditions import Label, label_table

_LITERAL = r"(?:'(?:[^']|'')*'|[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
_EQUAL = r"(?:==?|<>|!=|IS\s+(?:NOT\s+)?DISTINCT\s+FROM)"
#: Operators before or after a comparison make another value of its sides.
_OPERATORS = tuple("-+*/%^|")
_END = r"(?![\w.])(?!\s*(?:\|\||::|[-+*/%^]))"


def require_levels(place: str, text: str, levels: Mapping[str, Sequence[Label]]) -> None:
    """Refuse SQL that asks whether a factor equals a level that does not exist.

    `levels` contains the levels of each factor. Raises HeadgateError.
    """
    for name, labels in levels.items():
        table = label_table({name: labels})
        for column in table.columns:
            known = [level_text(level) for level in table[column].tolist()]
            for literal in _find_literals(text, column):
                if not any(_is_same(literal, level) for level in known):
                    raise HeadgateError(
                        f"{place}: {column} is compared with {literal}, which is none of its"
                        f" levels; they are {', '.join(known)}{also(literal.strip(chr(39)), known)}"
                    )


def _find_literals(text: str, column: str) -> Iterator[str]:
    """Yield the literals with which a column is compared by =, <> or IN."""
    quoted = re.escape(column)
    name = rf"(?<![\w.'\"])(?:(?:runs|levels)\.)?(?:{quoted}\b|\"{quoted}\")"
    for pattern in (
        rf"{name}\s*{_EQUAL}\s*({_LITERAL}){_END}",
        rf"(?<![\w.])({_LITERAL})\s*{_EQUAL}\s*{name}{_END}",
    ):
        for match in re.finditer(pattern, text, re.IGNORECASE):
            if text[: match.start()].rstrip()[-1:] not in _OPERATORS:
                yield match[1]
    lists = rf"{name}\s+(?:NOT\s+)?IN\s*\(\s*({_LITERAL}(?:\s*,\s*{_LITERAL})*)\s*\)"
    for match in re.finditer(lists, text, re.IGNORECASE):
        yield from re.findall(_LITERAL, match[1])


def _is_same(literal: str, level: str) -> bool:
    """Return whether a literal is a level: the same text, or the same number."""
    given = literal[1:-1].replace("''", "'") if literal.startswith("'") else literal
    if given == level:
        return True
    try:
        return math.isclose(float(given), float(level), rel_tol=1e-9)
    except ValueError:
        return False
