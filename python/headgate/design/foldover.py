"""Foldover: the runs again with signs reversed, which takes apart what a fraction confounds.

Reversing all signs frees main effects of two-factor interactions, so resolution III becomes IV;
reversing one factor's frees it and its interactions (Box, Hunter and Hunter 2005, chapter 6).
"""

from collections.abc import Sequence

from headgate.base.errors import HeadgateError
from headgate.design.factorial import Design, regular
from headgate.design.fraction import Fraction


def refuse_the_same_runs(design: Design, factors: Sequence[str] = ()) -> None:
    """Raise HeadgateError if the runs with signs reversed are the runs of the design once more.

    That is so where every defining word has an even number of reversed factors: nothing would be
    taken apart. A full design has no words at all.
    """
    fraction = design.fraction
    words = () if fraction is None else fraction.generating_words
    names = () if fraction is None else fraction.names
    if any(factor not in names for factor in factors):
        return  # `foldover` names it
    reversed_ = set(factors or names)
    if fraction is not None and all(
        sum(names[place] in reversed_ for place in word.effect) % 2 == 0 for word in words
    ):
        what = f"on {', '.join(factors)}" if factors else "on all factors"
        why = (
            "every defining word has an even number of reversed factors" if words
            else "the design is full"
        )  # fmt: skip
        raise HeadgateError(
            f"foldover {what} repeats the same {len(design)} runs, since {why}; reverse one factor,"
            f' such as foldover = ["{names[0]}"], to free it, or ask for replicates'
            if words
            else f"foldover {what} repeats the same {len(design)} runs, since {why}; ask for"
            " replicates"
        )


def foldover(design: Design, factors: Sequence[str] = ()) -> Design:
    """Return the runs of a fraction, and after them the same with `factors` reversed; else all.

    Whether a run is of the second half is one more basic column, by which a reversed factor is
    multiplied; the algebra of both halves together follows.
    """
    fraction = design.fraction
    if fraction is None:
        raise HeadgateError("a foldover needs a two-level design that is made by generators")
    unknown = [name for name in factors if name not in fraction.names]
    if unknown:
        raise HeadgateError(
            f"foldover: {unknown[0]!r} is not a factor; the factors are {', '.join(fraction.names)}"
        )
    reversed_ = [not factors or name in factors for name in fraction.names]
    half = 1 << fraction.basic
    # The new column is -1 in the first half, where signs are to stay as they are.
    both = Fraction(
        fraction.names,
        tuple(p | half if r else p for p, r in zip(fraction.points, reversed_, strict=True)),
        tuple(-s if r else s for s, r in zip(fraction.signs, reversed_, strict=True)),
        fraction.basic + 1,
    )
    return regular(design.factors, both)
