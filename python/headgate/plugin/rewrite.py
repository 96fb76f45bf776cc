"""Methods as functions that numba understands: what `self` and records are asked to do is called.

Compiled, `self` and the records are plain structures, which have fields but no methods. So
`self.target(x)` becomes a call of a function that takes `self` first, and `window.slow_start(x)`
one that takes `window`. Fields that are not there are found here, where the line is known.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Collection, Mapping, Sequence
from types import FunctionType
from typing import Any

from headgate.base.errors import LawError
from headgate.plugin.interface import Interface
from headgate.plugin.paths import shorten_path

Fields = Collection[str]


def functions_of(
    interface: Interface, cls: type, own: Fields, records: Mapping[str, Sequence[Fields | None]]
) -> dict[str, FunctionType]:
    """Return the class's callbacks and other methods as functions. Raises LawError.

    `own` are the fields of `self`; `records` tells, for each callback, those of what follows it
    (None for a number).
    """
    methods = {
        name: function
        for name, function in inspect.getmembers(cls, inspect.isfunction)
        if not name.startswith("__")
    }
    return {
        name: _function(interface, function, [own, *records.get(name, ())], methods)
        for name, function in methods.items()
    }


def name_in_globals(method: str) -> str:
    """Return the name under which other methods call a method."""
    return f"_headgate_self_{method}"


def name_of_method(method: str) -> str:
    """Return the name of the function in the place of a record's method."""
    return f"_headgate_{method}"


def _function(
    interface: Interface,
    function: FunctionType,
    fields: Sequence[Fields | None],
    methods: Collection[str],
) -> FunctionType:
    tree = _definition(function)
    known = zip([argument.arg for argument in tree.args.args], fields, strict=False)
    rewriter = _Rewriter(
        interface, function, {name: of for name, of in known if of is not None}, methods
    )
    module = ast.Module([ast.fix_missing_locations(rewriter.visit(tree))], [])
    outer = inspect.getclosurevars(function).nonlocals
    scope: dict[str, Any] = {**function.__globals__, **outer}
    exec(compile(module, function.__code__.co_filename, "exec"), scope)
    made = scope[tree.name]
    assert isinstance(made, FunctionType)
    return made


def _definition(function: FunctionType) -> ast.FunctionDef:
    """Parse a function, without its decorators and annotations, at its own lines."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        says = "@jit needs the source; write it to a file"
        raise LawError(function.__qualname__, says) from None
    tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    ast.increment_lineno(tree, first - 1)
    tree.decorator_list, tree.returns = [], None
    for argument in tree.args.args:
        argument.annotation = None
    return tree


class _Rewriter(ast.NodeTransformer):
    def __init__(
        self,
        interface: Interface,
        function: FunctionType,
        fields: Mapping[str, Fields],
        methods: Collection[str],
    ) -> None:
        self.file = shorten_path(function.__code__.co_filename)
        self.interface = interface
        self.fields = fields
        self.methods = methods
        self.own = next(iter(fields))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        target = node.func
        if not isinstance(target, ast.Attribute):
            return self.generic_visit(node)
        name = self._function_for(target)
        if name is None:
            return self.generic_visit(node)
        arguments = [self.visit(argument) for argument in [target.value, *node.args]]
        keywords = [self.visit(keyword) for keyword in node.keywords]
        call = ast.Call(ast.Name(name, ast.Load()), arguments, keywords)
        return ast.copy_location(call, node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        of = node.value
        if isinstance(of, ast.Name) and of.id in self.fields:
            self._check(of.id, node)
        return self.generic_visit(node)

    def _function_for(self, target: ast.Attribute) -> str | None:
        is_own = isinstance(target.value, ast.Name) and target.value.id == self.own
        if is_own and target.attr in self.methods:
            return name_in_globals(target.attr)
        is_known = target.attr in self.interface.methods
        return name_of_method(target.attr) if is_known else None

    def _check(self, name: str, node: ast.Attribute) -> None:
        known = self.fields[name]
        if node.attr in known:
            return
        place = f"{self.file}, line {node.lineno}"
        if name == self.own:
            says = f"{name}.{node.attr} is not a number that the class or __init__ sets"
            raise LawError(place, f"{says}; a compiled {self.interface.noun} keeps no others")
        raise LawError(place, f"{name} has no {node.attr!r}; it has {', '.join(known)}")
