"""Two-level fractions by name, such as `2^(6-1)`: published ones or of minimum aberration."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headgate.base.errors import HeadgateError
from headgate.design.factor import Factor, letter_factors, make_coded_factors, number_factors
from headgate.design.factorial import Design, make_factorial

_NAME = re.compile(r"2\^(?:\((\d+)(?:-(\d+))?\)|(\d+)(?:-(\d+))?)")
MOST_FACTORS = 512


@dataclass(frozen=True)
class PublishedFraction:
    """The generators of a published fraction, with their source."""

    name: str
    generators: Mapping[str, str]
    source: str


def _expand_rules(*rules: str) -> dict[str, str]:
    """Expand "9=1 2 3" to X9 = X1 X2 X3."""
    named = (rule.partition("=") for rule in rules)
    return {f"X{left}": " ".join(f"X{i}" for i in right.split()) for left, _, right in named}


#: The designs of the NIST study of TCP replacements, and alternatives of the same size.
PUBLISHED = {
    design.name: design
    for design in (
        PublishedFraction(
            "2^(6-1)",
            _expand_rules("6=1 2 3 4 5"),
            "NIST Dataplot, 2TO6M1.DAT; resolution VI, I = X1 X2 X3 X4 X5 X6",
        ),
        PublishedFraction(
            "2^(9-4)",
            _expand_rules("6=2 3 4 5", "7=1 3 4 5", "8=1 2 4 5", "9=1 2 3 5"),
            "NIST Dataplot, 2TO9M4.DAT, after Box, Hunter and Hunter 1978, page 410; its use "
            "in the study's later chapters is recalled, not verified",
        ),
        PublishedFraction(
            "2^(11-5)",
            _expand_rules("7=3 4 5", "8=1 2 3 4", "9=1 2 6", "10=2 4 5 6", "11=1 4 5 6"),
            "NIST Dataplot, 2TO11M5.DAT, after Box, Hunter and Hunter 1978, page 410; its use "
            "in the study's sensitivity chapter is inferred from the 11 factors",
        ),
        PublishedFraction(
            "2^(20-12)",
            _expand_rules(
                *("9=1 2 3", "10=1 2 4", "11=1 2 5", "12=1 2 6", "13=1 2 7", "14=1 2 8"),
                *("15=2 3 4", "16=2 3 5", "17=2 3 6", "18=2 3 7", "19=2 3 8", "20=3 4 5"),
            ),
            "NIST Dataplot, MILLS_20_256.DAT (generators recovered from its 256 rows); its use in "
            "the network study is inferred from its size",
        ),
    )
}


def make_named_design(
    name: str, factors: Sequence[Factor] | None = None, *, published: bool = True
) -> tuple[Design, str]:
    """Return the design with a name such as `2^(9-4)`, and its source.

    If there are no published generators or `published` is false, the fraction is searched for.
    Factors take the columns in order.
    """
    count, generated = parse_size(name)
    design = PUBLISHED.get(f"2^({count}-{generated})") if published else None
    name_factors = letter_factors if design is None else number_factors
    chosen = factors or make_coded_factors(name_factors(count))
    if len(chosen) != count:
        raise HeadgateError(f"a design of {count} factors needs {count}, not {len(chosen)}")
    if design is not None:
        words = {f"X{i}": factor.name for i, factor in enumerate(chosen, 1)}
        rules = {
            words[made]: " ".join(words[part] for part in text.split())
            for made, text in design.generators.items()
        }
        return make_factorial(chosen, rules), design.source
    return make_least_aberrant(chosen, count - generated)


def make_least_aberrant(factors: Sequence[Factor], basic: int) -> tuple[Design, str]:
    """Return the fraction of minimum aberration in 2^basic runs, and the certainty of that."""
    if basic > len(factors):
        raise HeadgateError(
            f"runs: {2**basic} are more than the {2 ** len(factors)} combinations of"
            f" {len(factors)} factors; write runs = {2 ** len(factors)}, and replicates ="
            f" {2 ** (basic - len(factors))} for the same total"
        )
    if basic == len(factors):
        return make_factorial(factors), "full factorial"
    from headgate.design.aberration import find_minimum_aberration

    found = find_minimum_aberration(len(factors), basic)
    names = [f.name for f in factors]
    rules = {
        name: " ".join(names[i] for i in range(basic) if point >> i & 1)
        for name, point in zip(names[basic:], found.points[basic:], strict=True)
    }
    sure = "minimum aberration, by an exhaustive search up to isomorphism"
    best = "the least aberration found by a heuristic search, not proven to be the minimum"
    return make_factorial(factors, rules), sure if found.exact else best


def parse_size(name: str) -> tuple[int, int]:
    """Return the numbers of factors and generators in a name such as `2^(9-4)` or `2^5`."""
    match = _NAME.fullmatch(name.replace(" ", "").replace("**", "^"))
    found = [int(number) for number in match.groups() if number] if match else []
    count, generated = (*found, 0, 0)[:2]
    if not 0 <= generated < count <= MOST_FACTORS:
        raise HeadgateError(
            f"{name!r} is not the name of a two-level design; write 2^k or 2^(k-p) with p below k, "
            f"such as {', '.join(PUBLISHED)}"
        )
    return count, generated
