"""Own code as it stands in a file: its name and its hash, found without running any of it."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from headgate.base.errors import LawError
from headgate.plugin.interface import Interface
from headgate.plugin.paths import KINDS, read, sha256, shorten_path, split

_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


@dataclass(frozen=True)
class Source:
    """A file as it was read, and which law or discipline in it is meant."""

    interface: Interface
    file: str
    text: bytes
    symbol: str
    """The class, or the table that a library exports."""

    @property
    def name(self) -> str:
        """What it is called in results."""
        is_file = self.symbol == self.interface.symbol and Path(self.file).suffix != ".py"
        return Path(self.file).stem if is_file else self.symbol

    @property
    def sha256(self) -> str:
        """The hash of the file."""
        return sha256(self.text)

    @property
    def label(self) -> str:
        """How sentences call it."""
        return f"{shorten_path(self.file)}:{self.symbol}"


def find(source: str, interface: Interface) -> Source:
    """Find what `FILE` or `FILE:NAME` means. Raises LawError. Runs nothing of it."""
    named, name = split(source)
    kind = Path(named).suffix
    if kind not in KINDS:
        raise LawError(
            source,
            f"your own {interface.noun} must be a file that ends in one of {', '.join(KINDS)}",
        )
    file = str(Path(named).resolve())
    text = read(file)
    if kind != ".py":
        return Source(interface, file, text, name or interface.symbol)
    return Source(interface, file, text, name or _only_class(text, file, interface))


def _only_class(text: bytes, file: str, interface: Interface) -> str:
    found = classes_in(text, file, interface)
    if len(found) == 1:
        return found[0]
    if not found:
        wanted = " and ".join(" or ".join(group) for group in interface.required)
        raise LawError(shorten_path(file), f"has no class with {wanted}")
    example = f"{shorten_path(file)}:{found[0]}"
    says = f"has several {interface.noun}s ({', '.join(found)}); name one, as in {example}"
    raise LawError(shorten_path(file), says)


def classes_in(text: bytes, file: str, interface: Interface) -> list[str]:
    """Name the classes that look like what is wanted. Raises LawError if the file is not Python.

    Where none has a callback that tells it, itself or from a class of the file, those of imported
    bases may.
    """
    classes = _classes(text, file)
    sure = [name for name in classes if _has_one(interface.tells_it, name, classes)]
    return sure or [name for name, node in classes.items() if _has_other_bases(node, classes)]


def tells_itself(text: bytes, file: str, name: str | None, interface: Interface) -> bool:
    """Say whether the class, or any class if none is named, has a callback of the interface."""
    classes = _classes(text, file)
    named = classes if name is None else classes.keys() & {name}
    return any(_has_one(interface.tells_it, one, classes) for one in named)


def _classes(text: bytes, file: str) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in _parse(text, file).body if isinstance(node, ast.ClassDef)}


def _parse(text: bytes, file: str) -> ast.Module:
    try:
        return ast.parse(text)
    except _UNREADABLE as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        says = error.msg if isinstance(error, SyntaxError) else str(error)
        raise LawError(f"{shorten_path(file)}{line}", f"{type(error).__name__}: {says}") from None


def _has_one(callbacks: Sequence[str], name: str, classes: Mapping[str, ast.ClassDef]) -> bool:
    """Look in the class and in those before it in the file that it comes from."""
    node = classes[name]
    if any(_names(part, callback) for part in node.body for callback in callbacks):
        return True
    earlier = {base: of for base, of in classes.items() if of.lineno < node.lineno}
    return any(base in earlier and _has_one(callbacks, base, earlier) for base in _bases(node))


def _names(part: ast.stmt, name: str) -> bool:
    if isinstance(part, ast.FunctionDef):
        return part.name == name
    targets = part.targets if isinstance(part, ast.Assign) else []
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def _bases(node: ast.ClassDef) -> list[str]:
    return [base.id for base in node.bases if isinstance(base, ast.Name)]


def _has_other_bases(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> bool:
    return len([base for base in _bases(node) if base in classes]) < len(node.bases)
