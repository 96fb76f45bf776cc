"""What the levels of a design's factors are called in reports."""

from __future__ import annotations

from collections.abc import Iterable

from headgate.data.tables import Table
from headgate.design.factor import Factor
from headgate.design.factorial import Design
from headgate.figures.analysis.phrases import CODES, level_words
from headgate.figures.analysis.roles import Roles


def words_of(factor: Factor) -> tuple[str, str]:
    """Return words for the low and the high level: its own, by its title, or the levels."""
    title = factor.title or factor.name
    texts = str(factor.low), str(factor.high)
    plain = texts if all(text[:1].isalpha() for text in texts) else None
    return factor.words or level_words(title) or plain or (f"low {title}", f"high {title}")


def name_levels(roles: Roles, factors: Iterable[Factor], table: Table) -> Roles:
    """Return the roles of a table with words for the levels that stand in it as -1 and 1."""
    words = {
        factor.name: dict(zip(CODES, words_of(factor), strict=True))
        for factor in factors
        if factor.name in roles.factors and {*map(str, table[factor.name])} <= {*CODES}
    }
    return roles.model_copy(update={"levels": {**words, **roles.levels}})


def describe_condition(design: Design, run: int) -> str:
    """Return a condition of a design of two levels in words."""
    signs = design.matrix[run].tolist()
    pairs = zip(design.factors, signs, strict=True)
    return ", ".join(words_of(factor)[sign > 0] for factor, sign in pairs)


def describe_shared_levels(design: Design, runs: Iterable[int]) -> str:
    """Return in words the levels that all of these conditions have in common."""
    columns = {f: set(design.column(f.name)[list(runs)].tolist()) for f in design.factors}
    return ", ".join(words_of(f)[1 in signs] for f, signs in columns.items() if len(signs) == 1)
