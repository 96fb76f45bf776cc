"""Classes that Python code passed: their names in scenarios, and their identities.

The identity of a class at the top of its file is the hash of the file if the class is still as
written there. The name `FILE:NAME` gives the same. The identity of any other class contains its
content. So it changes with the attributes of the class, and no other process confuses the two.
"""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Iterable, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import FunctionType, ModuleType

from headgate.base.errors import CcaError
from headgate.plugin import code_files, python_class
from headgate.plugin.code_files import sha256, shorten_path
from headgate.plugin.content import ContentError, hash_class, hash_code

#: The classes by their names in scenarios, and the content of each at the first use of its name.
_classes: dict[str, type] = {}
_names: dict[tuple[str, str], str] = {}
#: The text of the running program as it was first read: a program cannot be imported again.
_programs: dict[str, bytes] = {}
#: Whether a class with this content is as in a text, and whether its methods are.
_compared: dict[tuple[type, str, str], tuple[bool, bool]] = {}
_one_at_a_time = threading.RLock()


def register(cls: type) -> str:
    """Return the name of a class in scenarios of this process. Raises CcaError.

    The second class of a name gets the name with `#2`, unless its content is equal.
    """
    first = f"{python_class.file_of(cls)}:{cls.__qualname__}"
    content = hash_content(cls)
    with _one_at_a_time:
        words = _names.get((first, content), "")
        if not words or not _is_same(_classes[words], cls, content):
            words = _names[first, content] = _find_free(first, cls)
        _classes[words] = cls
    code_files.name_by_hand(words)
    return words


def _is_same(known: type, cls: type, content: str) -> bool:
    return known is cls or hash_content(known) == content


def _find_free(first: str, cls: type) -> str:
    """Return a free name. A class that its file does not contain as it is gets a number."""
    number = 1 if "<" in first or not Path(python_class.file_of(cls)).is_file() else 2
    if number == 2 and not _why_not_importable(cls):
        number = 1
    while True:
        words = first if number == 1 else f"{first}#{number}"
        if _classes.get(words, cls) is cls:
            return words
        number += 1


def is_given(words: str) -> bool:
    """Return whether words name a class that Python code passed."""
    return words in _classes


def class_of(words: str) -> type:
    """Return the class of this name."""
    return _classes[words]


def hash_content(cls: type) -> str:
    """Hash the content of a class. Raises CcaError."""
    try:
        return hash_class(cls)
    except ContentError as error:
        raise CcaError(python_class.label_of(cls), str(error)) from None


def try_hash_content(cls: type) -> str | None:
    """Hash the content of a class, or return None if that is impossible."""
    try:
        return hash_class(cls)
    except ContentError:
        return None


def hash_given(cls: type) -> str:
    """Return the identity of a class. Raises CcaError, also if its file was edited since import."""
    file, content = python_class.file_of(cls), hash_content(cls)
    text = _read_text(cls, file)
    if text is None:
        return sha256(content.encode())
    code_files.record_version(file, sha256(text))
    is_as_written, has_same_methods = _compare(cls, text, content)
    if is_as_written:
        return sha256(text)
    if not has_same_methods and _is_imported_as_written(cls):
        says = "the file was edited since Python imported it"
        hint = f"restart Python, or name the file: '{shorten_path(file)}:{cls.__qualname__}'"
        raise CcaError(python_class.label_of(cls), f"{says}; {hint}")
    return sha256(text, content.encode())


def require_importable(words: str) -> None:
    """Raise CcaError unless another process can take the class of this name from its file."""
    why = _why_not_importable(_classes[words]) if words in _classes else ""
    if why:
        says = f"runs are made in other processes, which cannot import this class ({why})"
        hint = "write it in a separate file with these values, and pass './file.py:Name'"
        raise CcaError(python_class.label_of(_classes[words]), f"{says}; {hint}")


def _why_not_importable(cls: type) -> str:
    """Return why another process cannot take a class from its file; empty if it can."""
    text = _read_text(cls, python_class.file_of(cls))
    if text is None or "." in cls.__qualname__:
        return "it is not at the top of a file"
    if not _compare(cls, text, hash_content(cls))[0]:
        return "it is not as its file defines it"
    return ""


def _read_text(cls: type, file: str) -> bytes | None:
    """Return the text of the file of a class, or None for a notebook or a prompt."""
    try:
        text = Path(file).read_bytes()
    except OSError:
        return None
    return _programs.setdefault(file, text) if cls.__module__ == "__main__" else text


def _is_imported_as_written(cls: type) -> bool:
    """Return whether Python imported the file of a class without changing its text."""
    loader = getattr(sys.modules.get(cls.__module__), "__loader__", None)
    return type(loader) is SourceFileLoader and cls.__module__ != "__main__"


def _compare(cls: type, text: bytes, content: str) -> tuple[bool, bool]:
    """Return whether a class is as in a text, and whether its methods are."""
    key = cls, sha256(text), content
    if key not in _compared:
        _compared[key] = _compare_with(cls, _rebuild(cls, text), content)
    return _compared[key]


def _compare_with(cls: type, rebuilt: type | None, content: str) -> tuple[bool, bool]:
    if rebuilt is None:
        return False, True
    try:
        is_equal = hash_class(rebuilt) == content
    except ContentError:
        is_equal = False
    codes = {name: hash_code(one.__code__) for name, one in _methods_of(rebuilt)}
    return is_equal, all(hash_code(one.__code__) == codes.get(k) for k, one in _methods_of(cls))


def _methods_of(cls: type) -> Iterator[tuple[str, FunctionType]]:
    """Return the methods that the definition of a class contains."""
    for name, value in vars(cls).items():
        if isinstance(value, FunctionType) and value.__qualname__ == f"{cls.__qualname__}.{name}":
            yield name, value


def _rebuild(cls: type, text: bytes) -> type | None:
    """Define a class again by its text. Returns None if it is not at the top of the text.

    Only what the class refers to is run: definitions, and assignments without calls. All other
    names, such as imported ones, keep their present values.
    """
    module = sys.modules.get(cls.__module__)
    if module is None or "." in cls.__qualname__:
        return None
    try:
        tree = ast.parse(text)
        chosen = ast.Module(_list_needed(tree, cls.__name__), [])
        return _run(chosen, module).get(cls.__name__)
    except Exception:
        return None


def _run(tree: ast.Module, module: ModuleType) -> dict[str, type]:
    scope = dict(vars(module))
    names = {name for node in tree.body for name in _bound_names(node)}
    for name in names:
        scope.pop(name, None)
    exec(compile(tree, str(module.__file__), "exec", dont_inherit=True), scope)
    return {name: of for name, of in scope.items() if name in names and isinstance(of, type)}


def _list_needed(tree: ast.Module, name: str) -> list[ast.stmt]:
    """Return the statements that define a name and all that it refers to, in their order."""
    binding: dict[str, list[ast.stmt]] = {}
    for node in tree.body:
        for bound in _bound_names(node):
            binding.setdefault(bound, []).append(node)
    needed, waiting = set[str](), [name]
    while waiting:
        if (one := waiting.pop()) not in needed and one in binding:
            needed.add(one)
            waiting += _read_names(binding[one])
    of_future = [n for n in tree.body if isinstance(n, ast.ImportFrom) and n.module == "__future__"]
    return of_future + [node for node in tree.body if needed & {*_bound_names(node)}]


def _bound_names(node: ast.stmt) -> tuple[str, ...]:
    """Return the names that a definition, or an assignment without a call, sets."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.Assign(targets=targets, value=value) if not _calls(value):
            return tuple(target.id for target in targets if isinstance(target, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return () if _calls(value) else (name,)
    return ()


def _calls(value: ast.expr) -> bool:
    return any(isinstance(part, ast.Call | ast.Await | ast.Yield) for part in ast.walk(value))


def _read_names(nodes: Iterable[ast.stmt]) -> list[str]:
    return [part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)]
