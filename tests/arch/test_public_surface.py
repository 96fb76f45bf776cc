"""The public interface: every name is defined once, described, and listed in the docs."""

import ast
import builtins
import importlib
import inspect
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from .repository import ROOT, STUDIES

#: The modules of the public interface. Every other module of `headgate` is internal.
PUBLIC = (
    *("headgate", "headgate.claims", "headgate.design", "headgate.figures", "headgate.forms"),
    *("headgate.lab", "headgate.plugin", "headgate.stats"),
)
#: Modules that are names of the public interface and define public names.
MODULES = {"analysis": "headgate.figures", "catalog": "headgate", "fluid": "headgate"}


def public_names(module: str) -> set[str]:
    return set(importlib.import_module(module).__all__)


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """Give the module and the name of every import from `headgate`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
            yield from ((name, "") for name in found if name.split(".")[0] == "headgate")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "headgate":
            yield from ((node.module or "", alias.name) for alias in node.names)


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_is_there(module: str) -> None:
    public = importlib.import_module(module)
    assert sorted(set(public.__all__)) == sorted(public.__all__)
    for name in public.__all__:
        assert getattr(public, name) is not None


@pytest.mark.parametrize("module", PUBLIC)
def test_another_name_is_refused(module: str) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        importlib.import_module(module).nothing  # noqa: B018


@pytest.mark.parametrize("module", [*PUBLIC, *(f"{of}.{name}" for name, of in MODULES.items())])
def test_every_error_that_a_public_name_documents_is_public(module: str) -> None:
    name = module.rpartition(".")[2]
    public = module_of(name) if name in MODULES else importlib.import_module(module)
    known = {*vars(builtins), *vars(subprocess)}.union(*map(public_names, PUBLIC))
    named = {
        (name, error)
        for name in public.__all__
        for text in docstrings(getattr(public, name))
        for error in re.findall(r"\b[A-Z]\w+Error\b", text)
    }
    assert not {one for one in named if one[1] not in known}


def docstrings(thing: object) -> Iterator[str]:
    """Give the documentation of a thing, and of the methods of a class."""
    yield thing.__doc__ or ""
    for name, one in vars(thing).items() if inspect.isclass(thing) else ():
        if not name.startswith("_"):
            yield one.__doc__ or ""


@pytest.mark.parametrize("package", [STUDIES, ROOT / "examples"], ids=["studies", "examples"])
def test_studies_and_examples_import_only_public_names(package: Path) -> None:
    paths = sorted(package.rglob("*.py"))
    assert paths
    offences = [
        f"{path.relative_to(ROOT)}: {module}.{name}"
        for path in paths
        for module, name in imports(path)
        if module not in PUBLIC or (name and name not in public_names(module))
    ]
    assert not offences


def test_studies_use_only_public_names_of_modules() -> None:
    """Names that studies read from `analysis`, `catalog` and `fluid` are public too."""
    offences = [
        f"{path.relative_to(ROOT)}: {node.value.id}.{node.attr}"
        for path in STUDIES.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        if isinstance(node.value, ast.Name) and node.value.id in MODULES
        if (MODULES[node.value.id], node.value.id) in set(imports(path))
        if node.attr not in module_of(node.value.id).__all__
    ]
    assert not offences


def module_of(name: str) -> ModuleType:
    module = getattr(importlib.import_module(MODULES[name]), name)
    assert isinstance(module, ModuleType)
    return module


def test_the_reference_describes_every_public_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    page = importlib.import_module("public_page")
    assert set(page.MODULES) == set(PUBLIC)
    sections = page.public().split("\n## ")
    for section in sections:
        module = section.split("`")[1]
        names = {name for name in public_names(module) if f"{module}.{name}" not in PUBLIC}
        assert not {name for name in names if f"`{name}" not in section}
