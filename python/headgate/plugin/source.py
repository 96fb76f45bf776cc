"""A law as it stands in a file: what it is called and its hash, found without running any of it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from headgate.errors import LawError
from headgate.plugin.paths import read, sha256, shorten_path, split

#: Kinds of file: a Python class, what is compiled to a shared library first, and such a library.
KINDS = (".py", ".c", ".rs", ".so")
#: What a law is called in its library, if nobody says.
SYMBOL = "law"

_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


@dataclass(frozen=True)
class Source:
    """A law's file as it was read, and which law in it is meant."""

    file: str
    text: bytes
    symbol: str
    """The class, or the table that a library exports."""

    @property
    def name(self) -> str:
        """What the law is called in results."""
        is_file = self.symbol == SYMBOL and Path(self.file).suffix != ".py"
        return Path(self.file).stem if is_file else self.symbol

    @property
    def sha256(self) -> str:
        """The hash of the file."""
        return sha256(self.text)

    @property
    def label(self) -> str:
        """How sentences call it."""
        return f"{shorten_path(self.file)}:{self.symbol}"


def find(source: str) -> Source:
    """Find the law that `FILE` or `FILE:NAME` means; raise LawError. Runs nothing of it."""
    named, name = split(source)
    kind = Path(named).suffix
    if kind not in KINDS:
        raise LawError(source, f"an own law is a file that ends in one of {', '.join(KINDS)}")
    file = str(Path(named).resolve())
    text = read(file)
    if kind != ".py":
        return Source(file, text, name or SYMBOL)
    return Source(file, text, name or _only_law(text, file))


def _only_law(text: bytes, file: str) -> str:
    laws = laws_in(text, file)
    if len(laws) == 1:
        return laws[0]
    if not laws:
        raise LawError(shorten_path(file), "has no class with on_ack and on_congestion")
    example = f"{shorten_path(file)}:{laws[0]}"
    names = ", ".join(laws)
    raise LawError(shorten_path(file), f"has several laws ({names}); name one, as in {example}")


def laws_in(text: bytes, file: str) -> list[str]:
    """Name the classes that look like laws, in order; raise LawError if the file is not Python.

    Where none has `on_ack` itself or from a class of the file, those of imported bases may.
    """
    classes = {
        node.name: node for node in _parse(text, file).body if isinstance(node, ast.ClassDef)
    }
    sure = [name for name in classes if _has_on_ack(name, classes)]
    return sure or [name for name, node in classes.items() if _has_other_bases(node, classes)]


def _parse(text: bytes, file: str) -> ast.Module:
    try:
        return ast.parse(text)
    except _UNREADABLE as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        says = error.msg if isinstance(error, SyntaxError) else str(error)
        raise LawError(f"{shorten_path(file)}{line}", f"{type(error).__name__}: {says}") from None


def _has_on_ack(name: str, classes: Mapping[str, ast.ClassDef]) -> bool:
    """Look in the class and in those before it in the file that it comes from."""
    node = classes[name]
    if any(_names(part, "on_ack") for part in node.body):
        return True
    earlier = {base: of for base, of in classes.items() if of.lineno < node.lineno}
    return any(base in earlier and _has_on_ack(base, earlier) for base in _bases(node))


def _names(part: ast.stmt, name: str) -> bool:
    if isinstance(part, ast.FunctionDef):
        return part.name == name
    targets = part.targets if isinstance(part, ast.Assign) else []
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def _bases(node: ast.ClassDef) -> list[str]:
    return [base.id for base in node.bases if isinstance(base, ast.Name)]


def _has_other_bases(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> bool:
    return len([base for base in _bases(node) if base in classes]) < len(node.bases)
