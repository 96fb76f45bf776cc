"""Classes that numba compiles: methods over views of the state and the records, as C functions.

In compiled code, `self` and the records are plain structures with fields but without methods. So
`self.target(x)` becomes a call of a function that takes `self` first, and `window.slow_start(x)`
one that takes `window`. Missing fields are reported here, with their line.
"""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
import threading
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from headgate.base.errors import CcaError
from headgate.base.optional import advise
from headgate.plugin import python_class
from headgate.plugin.code_files import shorten_path
from headgate.plugin.disciplines import DRAWS
from headgate.plugin.given import hash_content
from headgate.plugin.interface import Interface, LoadedTable, Params, fill_table

Fields = Collection[str]


class _Rewriter(ast.NodeTransformer):
    """Replaces calls of methods by calls of functions, and checks the fields of records."""

    def __init__(
        self, interface: Interface, file: str, fields: Mapping[str, Fields], methods: Fields
    ) -> None:
        self.interface, self.file, self.fields, self.methods = interface, file, fields, methods
        self.own = next(iter(fields))  # the name of `self`

    def visit_Call(self, node: ast.Call) -> ast.AST:
        target = node.func
        name = self._function_for(target) if isinstance(target, ast.Attribute) else None
        if name is None or not isinstance(target, ast.Attribute):
            return self.generic_visit(node)
        arguments = [self.visit(argument) for argument in [target.value, *node.args]]
        keywords = [self.visit(keyword) for keyword in node.keywords]
        call = ast.Call(ast.Name(name, ast.Load()), arguments, keywords)
        return ast.copy_location(call, node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        of = node.value
        if isinstance(of, ast.Name) and node.attr not in self.fields.get(of.id, (node.attr,)):
            place, known = f"{self.file}, line {node.lineno}", self.fields[of.id]
            if of.id != self.own:
                raise CcaError(place, f"{of.id} has no {node.attr!r}; it has {', '.join(known)}")
            says = f"{of.id}.{node.attr} is not a number that the class or __init__ sets"
            raise CcaError(place, f"{says}; a compiled {self.interface.noun} keeps no others")
        return self.generic_visit(node)

    def _function_for(self, target: ast.Attribute) -> str | None:
        is_own = isinstance(target.value, ast.Name) and target.value.id == self.own
        if is_own and target.attr in self.methods:
            return _method_name(target.attr)
        return _record_method_name(target.attr) if target.attr in self.interface.methods else None


def _method_name(method: str) -> str:
    """Return the global name of a method of the class."""
    return f"_headgate_self_{method}"


def _record_method_name(method: str) -> str:
    """Return the global name of a method of a record."""
    return f"_headgate_{method}"


def _rewrite_method(
    interface: Interface, function: FunctionType, fields: Sequence[Fields | None], methods: Fields
) -> FunctionType:
    """Return a method as a function; `fields` are those of its arguments, None for a number."""
    tree, file = _parse_method(function), function.__code__.co_filename
    named = zip([argument.arg for argument in tree.args.args], fields, strict=False)
    known = {name: of for name, of in named if of is not None}
    rewriter = _Rewriter(interface, shorten_path(file), known, methods)
    module = ast.Module([ast.fix_missing_locations(rewriter.visit(tree))], [])
    outer = inspect.getclosurevars(function).nonlocals
    scope: dict[str, Any] = {**function.__globals__, **outer}
    exec(compile(module, file, "exec"), scope)
    made = scope[tree.name]
    assert isinstance(made, FunctionType)
    return made


def _parse_method(function: FunctionType) -> ast.FunctionDef:
    """Parse a method without its decorators and annotations, with its own line numbers."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        says = "@jit needs the source; write it to a file"
        raise CcaError(function.__qualname__, says) from None
    tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    ast.increment_lineno(tree, first - 1)
    tree.decorator_list, tree.returns = [], None
    for argument in tree.args.args:
        argument.annotation = None
    return tree


#: The engine's types of fields, as numpy types. Numba makes a float of a signed and an unsigned
#: integer together, and no number of a flow is so large that the sign matters.
_KINDS: Mapping[str, Any] = {
    "f64": "f8",
    "u32": "u4",
    "u64": "i8",
    "bool": "?",
    "Cause": "u4",
    "Draws": ("f8", (DRAWS,)),
}
#: Types of the state. A single number is a float even if it begins as an integer, since in Python
#: it may become a float.
_STATE_KINDS = {"b": "?", "i": "i8", "u": "i8", "f": "f8"}

_tables: dict[object, LoadedTable] = {}
_one_at_a_time = threading.Lock()


def compile_class(interface: Interface, cls: type, params: Params) -> LoadedTable:
    """Return the table of a class with these parameters. Raises CcaError if numba rejects it."""
    with _one_at_a_time:
        key = cls, hash_content(cls), tuple(sorted(params.items()))
        if key not in _tables:
            _tables[key] = _compile(interface, cls, params)
        return _tables[key]


def _compile(interface: Interface, cls: type, params: Params) -> LoadedTable:
    try:
        import numba
    except ImportError:
        says = f"@jit needs numba; {advise('jit')}"
        raise CcaError(python_class.label_of(cls), says) from None
    state = _first_state(interface, cls, params)
    functions = _compile_methods(interface, cls, state.dtype, numba)
    pointer = numba.types.CPointer(numba.from_dtype(state.dtype))
    entries = {
        name: _compile_entry(interface, name, functions[name], pointer, numba)
        for name in interface.callbacks
        if name in functions
    }
    traits = python_class.traits(interface, cls, python_class.make(cls, params))
    return fill_table(interface, entries, state.tobytes(), traits)


@cache
def layout() -> dict[str, np.dtype[Any]]:
    """Return the records as numpy types, from the engine's description of their layout."""
    from headgate import _native

    known: dict[str, np.dtype[Any]] = {}
    for record in json.loads(_native.layout()):
        fields = record["fields"]
        known[record["name"]] = np.dtype(
            {
                "names": [field["name"] for field in fields],
                "formats": [known.get(f["kind"], _KINDS.get(f["kind"])) for f in fields],
                "offsets": [field["offset"] for field in fields],
                "itemsize": record["bytes"],
            },
            align=True,
        )
    return known


def _first_state(interface: Interface, cls: type, params: Params) -> np.ndarray[Any, Any]:
    """Return the first state: the numbers of the class and of a new object."""
    of_class = {
        name: value
        for base in reversed(cls.__mro__)
        for name, value in vars(base).items()
        if isinstance(value, bool | int | float) and name not in interface.traits
        if not name.startswith("__")
    }
    numbers = of_class | vars(python_class.make(cls, params))
    arrays = {name: np.asarray(value) for name, value in numbers.items()}
    for name, array in arrays.items():
        if array.dtype.kind not in _STATE_KINDS or array.size == 0:
            keeps = f"a compiled {interface.noun} keeps numbers and arrays of them"
            says = f"self.{name} is {numbers[name]!r}; {keeps}"
            raise CcaError(python_class.label_of(cls), says)
    fields = [(name, _kind(array), array.shape) for name, array in arrays.items()]
    state = np.zeros(1, np.dtype(fields or [("_nothing", "u1", ())], align=True))
    for name, array in arrays.items():
        state[name] = array
    return state


def object_of(interface: Interface, cls: type, params: Params, stored: bytes) -> Any:
    """Return the object with the state in these bytes."""
    made = python_class.make(cls, params)
    dtype = _first_state(interface, cls, params).dtype
    state = np.frombuffer(stored, dtype, count=1)[0]
    for name in dtype.names or ():
        value = state[name]
        setattr(made, name, value.copy() if value.ndim else value.item())
    return made


def _kind(array: np.ndarray[Any, Any]) -> str:
    kind = _STATE_KINDS[array.dtype.kind]
    return "f8" if array.ndim == 0 and kind == "i8" else kind


def _compile_methods(
    interface: Interface, cls: type, state: np.dtype[Any], numba: Any
) -> dict[str, Any]:
    """Return numba's functions, which find other methods and those of records by global names."""
    names = {name: dtype.names or () for name, dtype in layout().items()}
    rest = [names[interface.context], names[interface.out]]
    fields: dict[str, list[Fields | None]] = {
        name: [None if callback.record is None else names[callback.record], *rest]
        for name, callback in interface.callbacks.items()
    }
    members = inspect.getmembers(cls, inspect.isfunction)
    methods = {name: function for name, function in members if not name.startswith("__")}
    plain = {
        name: _rewrite_method(
            interface, function, [state.names or (), *fields.get(name, ())], methods
        )
        for name, function in methods.items()
    }
    compiled = {name: numba.njit(function) for name, function in plain.items()}
    common = {_method_name(name): function for name, function in compiled.items()}
    for name, method in interface.methods.items():
        common[_record_method_name(name)] = numba.njit(method)
    for function in plain.values():
        function.__globals__.update(common)
    return compiled


def _compile_entry(interface: Interface, name: str, method: Any, state: Any, numba: Any) -> Any:
    """Compile a callback to a C function that returns 0, or 1 if it raised. Raises CcaError."""
    types, record = numba.types, interface.callbacks[name].record

    def pointer(record: str) -> Any:
        return types.CPointer(numba.from_dtype(layout()[record]))

    argument = types.float64 if record is None else pointer(record)
    form = types.int32(state, argument, pointer(interface.context), pointer(interface.out))
    wrap = _wrap_time_callback if record is None else _wrap_record_callback
    try:
        entry = numba.cfunc(form)(wrap(method, numba.carray))
        _require_no_result(interface, name, method, types.none)
        return entry
    except numba.core.errors.NumbaError as error:
        raise CcaError(*_summarise(name, method.py_func, str(error))) from None


def _require_no_result(interface: Interface, name: str, method: Any, none: Any) -> None:
    """Raise CcaError if a compiled callback returns a value, which nothing reads."""
    results = {made.signature.return_type for made in method.overloads.values()} - {none}
    if results:
        code = method.py_func.__code__
        place = f"{shorten_path(code.co_filename)}, line {code.co_firstlineno}"
        says = f"{name} returns a {results.pop()}; set {interface.sets} instead"
        raise CcaError(place, says)


def _wrap_record_callback(method: Any, carray: Any) -> Any:
    def entry(state: Any, record: Any, context: Any, out: Any) -> Any:
        try:
            given = carray(record, 1)[0]
            method(carray(state, 1)[0], given, carray(context, 1)[0], carray(out, 1)[0])
        except Exception:
            return 1
        return 0

    return entry


def _wrap_time_callback(method: Any, carray: Any) -> Any:
    def entry(state: Any, now_s: Any, context: Any, out: Any) -> Any:
        try:
            method(carray(state, 1)[0], now_s, carray(context, 1)[0], carray(out, 1)[0])
        except Exception:
            return 1
        return 0

    return entry


def _summarise(name: str, function: Any, text: str) -> tuple[str, str]:
    """Return the line that numba rejected, and the main sentence of its message."""
    file = str(function.__code__.co_filename)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    ours = [line for line in lines if line.startswith("During: ") and f"{file} (" in line]
    places = [line.rpartition("(")[2].rstrip(")") for line in ours]
    at = next((place for place in places if place.isdigit()), function.__code__.co_firstlineno)
    noise = ("Failed in", "- ", "During", "File", "None", "There are", "Of which", ">>>")
    main = next((line for line in lines if not line.startswith(noise)), lines[0])
    call = next((line[4:] for line in lines if line.startswith(">>> ")), "")
    says = f"numba cannot compile {name}: {main} {call}".rstrip()
    return f"{shorten_path(file)}, line {at}", says
