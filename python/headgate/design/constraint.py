"""Constraints on the levels of factors: inequalities such as `2 * rate + rtt <= 100`.

The names are factors, and their numbers are in the unit in which the file gives their low level.
Expressions contain numbers, names, + - * / and comparisons only; nothing else is evaluated.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import HeadgateError
from headgate.design.factor import Factor

Numbers = NDArray[np.float64]
_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: np.divide,
}  # fmt: skip
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.LtE: operator.le, ast.GtE: operator.ge, ast.Lt: operator.lt, ast.Gt: operator.gt,
}  # fmt: skip
ALLOWED = "write an inequality of numbers and factors with + - * /, such as 2 * rate + rtt <= 100"
MOST_CHARACTERS = 500
#: Sums of rounded levels satisfy a bound within this share of its larger side.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Constraint:
    """A checked inequality."""

    text: str
    tree: ast.Compare

    @classmethod
    def read(cls, text: str, factors: Sequence[Factor]) -> Constraint:
        """Parse an inequality. Raises HeadgateError."""
        try:
            tree = (
                ast.parse(text.strip(), mode="eval").body if len(text) < MOST_CHARACTERS else None
            )
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            tree = None
        if not isinstance(tree, ast.Compare):
            raise HeadgateError(f"constraints: {text!r}: {ALLOWED}")
        found = cls(text, tree)
        found.holds(factors, np.zeros((1, len(factors))))
        return found

    def holds(self, factors: Sequence[Factor], coded: Numbers) -> NDArray[np.bool_]:
        """Return which coded combinations of levels satisfy the inequality."""
        known = {f.name: coded[:, place] for place, f in enumerate(factors)}
        values = {f.name: f.numbers_at(known[f.name]) for f in factors if f.numeric}
        sides = [self._compute(side, values) for side in (self.tree.left, *self.tree.comparators)]
        kept = np.ones(len(coded), bool)
        for way, left, right in zip(self.tree.ops, sides[:-1], sides[1:], strict=True):
            compare = _COMPARISONS.get(type(way))
            if compare is None:
                raise HeadgateError(f"constraints: {self.text!r}: {ALLOWED}")
            room = ROUNDING * np.maximum(np.abs(left), np.abs(right))
            kept &= compare(left, right + (room if isinstance(way, ast.LtE) else -room))
        return kept

    def _compute(self, node: ast.expr, values: Mapping[str, Numbers]) -> Any:
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return float(number)
            case ast.Name(id=name) if name in values:
                return values[name]
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return -self._compute(inner, values)
            case ast.BinOp(left=left, op=way, right=right) if type(way) in _ARITHMETIC:
                with np.errstate(divide="ignore", invalid="ignore"):
                    return _ARITHMETIC[type(way)](
                        self._compute(left, values), self._compute(right, values)
                    )
            case ast.Name(id=name):
                names = ", ".join(values) or "none"
                raise HeadgateError(
                    f"constraints: {self.text!r}: {name} is not a factor with numbers; these are"
                    f" {names}"
                )
        raise HeadgateError(f"constraints: {self.text!r}: {ALLOWED}")
