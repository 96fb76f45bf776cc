"""Codes in a study's own sentences, such as X1 or X1+ X2-, read as words with the code as a tip."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from headgate.figures.analysis.phrases import phrases, short
from headgate.figures.analysis.whole import TableAnalysis
from headgate.figures.report.glossary import explain
from headgate.figures.report.html import Markup, tip

#: p as a number says too much where it is small, and nothing where it is 0.
_SMALL_P = re.compile(r"\bp = (?:0(?![.\d])|\d(?:\.\d+)?e-\d+|0\.000\d*)")
LEAST_P = "p < 0.001"


class Codes:
    """What the codes of conditions, factors and responses are called on a page."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    @classmethod
    def of(cls, found: TableAnalysis | None) -> Codes:
        """Return the names of what is analysed: of codes alone, X1 and y10, and of conditions."""
        if found is None:
            return cls({})
        roles = found.roles
        columns = [name for name in (*roles.factors, *roles.responses) if re.search(r"\d", name)]
        named = {name: short(roles, name) for name in columns}
        told = phrases(found.frame, roles) if roles.law else {}
        if len(roles.conditions) == 1 and roles.conditions[0] in roles.factors:
            told = {}  # a condition is called by a level, which sentences name as such
        return cls({code: words for code, words in {**named, **told}.items() if code != words})

    def explain(self, text: str) -> Markup:
        """Return a text with its codes in words and its terms linked to their definitions."""
        if isinstance(text, Markup):
            return text
        plain = _SMALL_P.sub(LEAST_P, text)
        if not self._names:
            return explain(plain)
        parts, last = [], 0
        for found in self._pattern.finditer(plain):
            words = self._names[found[0]]
            parts += [explain(plain[last : found.start()]), tip(words, found[0])]
            last = found.end()
            if plain.startswith(f" {words}", last):  # `y5 loss rate` says the words itself
                last += 1 + len(words)
        return Markup("".join([*parts, explain(plain[last:])]))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        ordered = sorted(self._names, key=lambda code: (-len(code), code))
        codes = "|".join(map(re.escape, ordered))
        return re.compile(rf"(?<![\w.-])(?:{codes})(?!\.?[\w+\N{{MINUS SIGN}}-])")
