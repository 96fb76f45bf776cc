"""How much of a study is run: a scale by its name, or a share of the full size."""

from __future__ import annotations

from fractions import Fraction

from headgate.base.errors import HeadgateError


def scale_name(text: str) -> str:
    """Return the name under which a claim knows a scale: a fraction counts as full."""
    return "full" if text[:1].isdigit() or text.startswith(".") else text


def fraction(text: str, wrong: str, near: str = "") -> float:
    """Read a share such as "1/20". Raises HeadgateError for others.

    It says what is `wrong`, what is allowed, and the names that are `near`.
    """
    try:
        share = float(Fraction(text))
    except (ValueError, ZeroDivisionError):
        share = 0.0
    if not 0 < share <= 1:
        raise HeadgateError(f"{wrong} a fraction above 0 and up to 1, such as '1/20'{near}")
    return share
