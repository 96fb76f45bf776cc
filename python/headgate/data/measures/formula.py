"""Derived columns: the formula in a column's definition is the one that is evaluated."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.data.columns import Column

Numbers = NDArray[np.float64]


def ratio(above: Any, below: Any) -> Numbers:
    """Divide; NaN if the divisor is zero."""
    above, below = np.asarray(above, np.float64), np.asarray(below, np.float64)
    out: Numbers = np.full(np.broadcast(above, below).shape, np.nan)
    np.divide(above, below, out=out, where=below != 0)
    return out


def share(above: Any, below: Any) -> Numbers:
    """Divide a part by its whole; 0 if both are 0."""
    nothing = (np.asarray(above) == 0) & (np.asarray(below) == 0)
    return np.where(nothing, 0.0, ratio(above, below))


def form(columns: Iterable[Column], facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return every column in its order: a fact unchanged, any other by its formula.

    A formula may name derived columns.
    """
    columns = tuple(columns)
    formulas, known = {column.name: column.formula for column in columns}, dict(facts)

    def value(name: str) -> Any:
        if name not in known:
            known[name] = evaluate(formulas[name], value)
        return known[name]

    return {column.name: value(column.name) for column in columns}


def evaluate(formula: str, value: Callable[[str], Any]) -> Numbers:
    """Evaluate a formula of names, numbers, the four operations and `share(part, whole)`."""
    return _evaluate(_parse(formula), value)


@cache
def _parse(formula: str) -> ast.expr:
    """Parse a formula; the definitions of columns contain a fixed number of them."""
    return ast.parse(formula, mode="eval").body


_OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Numbers]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: ratio,
}


def _evaluate(node: ast.expr, value: Callable[[str], Any]) -> Numbers:
    match node:
        case ast.BinOp(left=left, op=operation, right=right):
            return _OPERATIONS[type(operation)](_evaluate(left, value), _evaluate(right, value))
        case ast.Call(func=ast.Name(id="share"), args=[part, whole], keywords=[]):
            return share(_evaluate(part, value), _evaluate(whole, value))
        case ast.Name(id=name):
            return np.asarray(value(name), np.float64)
        case ast.Constant(value=int(number)):
            return np.asarray(number, np.float64)
    raise ValueError(
        f"{ast.unparse(node)!r} is neither a name, a number, share(part, whole) nor one of + - * /"
    )
