"""Finds user-defined code in a file, its name and its hash, without running it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from headgate.base.errors import CcaError
from headgate.plugin.code_files import KINDS, read, sha256, shorten_path, split
from headgate.plugin.interface import Interface


@dataclass(frozen=True)
class Source:
    """The content of a file, and the algorithm or discipline in it that is meant."""

    interface: Interface
    file: str
    text: bytes
    symbol: str
    """The class, or the table that a library exports."""

    @property
    def name(self) -> str:
        """The name in results."""
        is_file = self.symbol == self.interface.symbol and Path(self.file).suffix != ".py"
        return Path(self.file).stem if is_file else self.symbol

    @property
    def sha256(self) -> str:
        """The hash of the file."""
        return sha256(self.text)

    @property
    def label(self) -> str:
        """The name in messages."""
        return f"{shorten_path(self.file)}:{self.symbol}"


def find(source: str, interface: Interface) -> Source:
    """Find `FILE` or `FILE:NAME` without running it. Raises CcaError."""
    named, name = split(source)
    kind = Path(named).suffix
    if kind not in KINDS:
        says = f"your own {interface.noun} must be a file that ends in one of {', '.join(KINDS)}"
        raise CcaError(source, says)
    if name and ("#" in name or "<" in name):
        says = "names a class that another process made; write it at the top of a file"
        raise CcaError(source, f"{says}, and name it './file.py:Name'")
    file = str(Path(named).resolve())
    text = read(file)
    default = interface.symbol if kind != ".py" else ""
    return Source(interface, file, text, name or default or _only_class(text, file, interface))


def _only_class(text: bytes, file: str, interface: Interface) -> str:
    found = _find_classes(text, file, interface)
    if len(found) == 1:
        return found[0]
    if not found:
        wanted = " and ".join(" or ".join(group) for group in interface.required)
        raise CcaError(shorten_path(file), f"has no class with {wanted}")
    example = f"{shorten_path(file)}:{found[0]}"
    says = f"has several {interface.noun}s ({', '.join(found)}); name one, as in {example}"
    raise CcaError(shorten_path(file), says)


def _find_classes(text: bytes, file: str, interface: Interface) -> list[str]:
    """Return the classes with a callback of the interface, inherited ones included.

    If there are none, return those with a base class from another file: it may have the callback.
    """
    classes = _parse_classes(text, file)
    sure = [name for name in classes if _has_callback(interface, name, classes)]
    if sure:
        return sure
    others = {name: set(_base_names(node)) - {*classes} for name, node in classes.items()}
    return [
        n for n, node in classes.items() if others[n] or len(_base_names(node)) < len(node.bases)
    ]


def has_callback(text: bytes, file: str, name: str | None, interface: Interface) -> bool:
    """Return whether the class, or any class if none is named, has a callback of the interface."""
    classes = _parse_classes(text, file)
    named = classes if name is None else classes.keys() & {name}
    return any(_has_callback(interface, one, classes) for one in named)


def _parse_classes(text: bytes, file: str) -> dict[str, ast.ClassDef]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        says = error.msg if isinstance(error, SyntaxError) else str(error)
        raise CcaError(f"{shorten_path(file)}{line}", f"{type(error).__name__}: {says}") from None
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def _has_callback(interface: Interface, name: str, classes: Mapping[str, ast.ClassDef]) -> bool:
    """Look in the class and in its base classes, which precede it in the file."""
    node = classes[name]
    names = interface.identifying_callbacks
    if any(_defines(part, callback) for part in node.body for callback in names):
        return True
    earlier = {base: of for base, of in classes.items() if of.lineno < node.lineno}
    return any(
        base in earlier and _has_callback(interface, base, earlier) for base in _base_names(node)
    )


def _defines(part: ast.stmt, name: str) -> bool:
    if isinstance(part, ast.FunctionDef):
        return part.name == name
    targets = part.targets if isinstance(part, ast.Assign) else []
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def _base_names(node: ast.ClassDef) -> list[str]:
    return [base.id for base in node.bases if isinstance(base, ast.Name)]
