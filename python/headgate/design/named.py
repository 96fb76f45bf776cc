"""Two-level fractions by their name, `2^(6-1)`: published ones, and those of minimum aberration."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headgate.base.errors import HeadgateError
from headgate.design.factor import Factor, letters, make_coded_factors, number_factors
from headgate.design.factorial import Design, make_factorial

_NAME = re.compile(r"2\^(?:\((\d+)(?:-(\d+))?\)|(\d+)(?:-(\d+))?)")
MOST_FACTORS = 512


@dataclass(frozen=True)
class Published:
    """A fraction that somebody published: its generators, and where they are from."""

    name: str
    generators: Mapping[str, str]
    source: str


def _numbers(*rules: str) -> dict[str, str]:
    """Write "9=1 2 3" as X9 = X1 X2 X3."""
    named = (rule.partition("=") for rule in rules)
    return {f"X{left}": " ".join(f"X{i}" for i in right.split()) for left, _, right in named}


#: What the NIST study of TCP replacements needs, and alternatives of the same size.
PUBLISHED = {
    design.name: design
    for design in (
        Published(
            "2^(6-1)",
            _numbers("6=1 2 3 4 5"),
            "NIST Dataplot, 2TO6M1.DAT; resolution VI, I = X1 X2 X3 X4 X5 X6",
        ),
        Published(
            "2^(9-4)",
            _numbers("6=2 3 4 5", "7=1 3 4 5", "8=1 2 4 5", "9=1 2 3 5"),
            "NIST Dataplot, 2TO9M4.DAT, after Box, Hunter and Hunter 1978, page 410; that the "
            "study's later chapters used it is recalled, not verified",
        ),
        Published(
            "2^(11-5)",
            _numbers("7=3 4 5", "8=1 2 3 4", "9=1 2 6", "10=2 4 5 6", "11=1 4 5 6"),
            "NIST Dataplot, 2TO11M5.DAT, after Box, Hunter and Hunter 1978, page 410; that the "
            "study's sensitivity chapter used it is inferred from its 11 factors",
        ),
        Published(
            "2^(20-12)",
            _numbers(
                *("9=1 2 3", "10=1 2 4", "11=1 2 5", "12=1 2 6", "13=1 2 7", "14=1 2 8"),
                *("15=2 3 4", "16=2 3 5", "17=2 3 6", "18=2 3 7", "19=2 3 8", "20=3 4 5"),
            ),
            "NIST Dataplot, MILLS_20_256.DAT (generators recovered from its 256 rows); that the "
            "network study used the same design is inferred from its size",
        ),
    )
}


def design_of_name(
    name: str, factors: Sequence[Factor] | None = None, *, published: bool = True
) -> tuple[Design, str]:
    """Return the design that a name such as `2^(9-4)` stands for, and where it is from.

    Published generators come first, unless `published` is false; else the fraction is searched for.
    Factors take the columns in their order.
    """
    count, generated = size_of(name)
    design = PUBLISHED.get(f"2^({count}-{generated})") if published else None
    chosen = _check_count(factors, count) if factors else make_coded_factors(_names(count, design))
    if design is not None:
        words = {f"X{i}": factor.name for i, factor in enumerate(chosen, 1)}
        rules = {
            words[made]: " ".join(words[part] for part in text.split())
            for made, text in design.generators.items()
        }
        return make_factorial(chosen, rules), design.source
    return least_aberrant(chosen, count - generated)


def least_aberrant(factors: Sequence[Factor], basic: int) -> tuple[Design, str]:
    """Return the fraction of minimum aberration in 2^basic runs, and how sure that is."""
    if basic > len(factors):
        raise HeadgateError(
            f"runs: {2**basic} are more than the {2 ** len(factors)} of all levels of"
            f" {len(factors)} factors; write runs = {2 ** len(factors)}, and replicates ="
            f" {2 ** (basic - len(factors))} for as many in all"
        )
    if basic == len(factors):
        return make_factorial(factors), "full factorial"
    from headgate.design.aberration import minimum_aberration

    found = minimum_aberration(len(factors), basic)
    names = [f.name for f in factors]
    rules = {
        name: " ".join(names[i] for i in range(basic) if point >> i & 1)
        for name, point in zip(names[basic:], found.points[basic:], strict=True)
    }
    sure = "minimum aberration, by an exhaustive search up to isomorphism"
    best = "the least aberration met by a heuristic search; that there is no less is not proven"
    return make_factorial(factors, rules), sure if found.exact else best


def size_of(name: str) -> tuple[int, int]:
    """Read `2^(9-4)`, or `2^5`, as numbers of factors and of generators."""
    match = _NAME.fullmatch(name.replace(" ", "").replace("**", "^"))
    found = [int(number) for number in match.groups() if number] if match else []
    count, generated = (*found, 0, 0)[:2]
    if not 0 <= generated < count <= MOST_FACTORS:
        raise HeadgateError(
            f"{name!r} is not the name of a two-level design; write 2^k or 2^(k-p) with p below k, "
            f"such as {', '.join(PUBLISHED)}"
        )
    return count, generated


def _names(count: int, design: Published | None) -> list[str]:
    return letters(count) if design is None else number_factors(count)


def _check_count(factors: Sequence[Factor], count: int) -> Sequence[Factor]:
    if len(factors) != count:
        raise HeadgateError(
            f"a design of {count} factors is asked for, and {len(factors)} are given"
        )
    return factors
