"""Foldover: the runs again with signs reversed, which takes apart what a fraction confounds.

Reversing all signs frees main effects of two-factor interactions, so resolution III becomes IV;
reversing one factor's frees it and its interactions (Box, Hunter and Hunter 2005, chapter 6).
"""

from collections.abc import Sequence

from headgate.design.factorial import Design, regular
from headgate.design.fraction import Fraction
from headgate.errors import HeadgateError


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
