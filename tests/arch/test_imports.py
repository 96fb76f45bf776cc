"""Who may import whom in the package (ARCHITECTURE.md, the dependency rule)."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from .repository import PACKAGE

NATIVE = "headgate._native"

#: The modules that cross the border to the engine; every other one sees tables and plans only.
CROSSES_THE_BORDER = (
    "headgate.catalog",
    "headgate.fluid.solve",
    "headgate.law",
    "headgate.own",
    "headgate.run.refusals",
    "headgate.run.simulate",
    "headgate.scenario.networks.routes",
)

#: Package -> what it must not know. `cli` and `report` may see all.
FORBIDDEN = {
    "headgate.visible": ["headgate"],
    "headgate.units": ["headgate.scenario", "headgate.run", NATIVE],
    "headgate.tables": ["headgate.run", "headgate.scenario", "headgate.studies", NATIVE],
    "headgate.columns": ["headgate.run", "headgate.scenario", "headgate.studies", NATIVE],
    "headgate.scenario": ["headgate.plots", "headgate.studies", "headgate.cli"],
    "headgate.own": ["headgate.scenario", "headgate.run", "headgate.plots", "headgate.cli"],
    "headgate.fluid": ["headgate.scenario", "headgate.plots", "headgate.studies", "headgate.cli"],
    "headgate.design": ["headgate.run", "headgate.plots", "headgate.cli", NATIVE],
    "headgate.measures": ["headgate.run", "headgate.plots", "headgate.cli", NATIVE],
    "headgate.stats": ["headgate.run", "headgate.plots", "headgate.cli", NATIVE],
    "headgate.conform": ["headgate.plots", "headgate.studies", "headgate.cli", NATIVE],
    "headgate.analysis": [
        "headgate.run",
        "headgate.scenario",
        "headgate.studies",
        "headgate.cli",
        NATIVE,
    ],
    "headgate.charts": [
        "headgate.run",
        "headgate.scenario",
        "headgate.studies",
        "headgate.cli",
        NATIVE,
    ],
    "headgate.plots": ["headgate.run", "headgate.studies", "headgate.cli", NATIVE],
    "headgate.run": ["headgate.plots", "headgate.stats", "headgate.studies", "headgate.cli"],
}


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def imported(module: str, path: Path) -> Iterator[str]:
    """Every module that the file imports, at its top or inside a function."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.rsplit(".", node.level - 1)[0] if node.level else ""
            origin = ".".join(part for part in (base, node.module) if part)
            yield origin
            yield from (f"{origin}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("package", FORBIDDEN)
def test_packages_know_only_what_is_below_them(package: str) -> None:
    offences = [
        f"{module} imports {name}"
        for module, path in modules()
        if within(module, package)
        for name in imported(module, path)
        if any(within(name, other) for other in FORBIDDEN[package]) and not within(name, package)
    ]
    assert not offences


def test_only_the_border_imports_the_extension() -> None:
    importers = {
        module
        for module, path in modules()
        if any(within(n, NATIVE) for n in imported(module, path))
    }
    assert not {m for m in importers if not any(within(m, b) for b in CROSSES_THE_BORDER)}


def test_there_is_no_list_of_laws_in_python() -> None:
    """What exists is read from the registry: no module names all the laws."""
    from headgate import catalog

    names = {law.name for law in catalog.laws()}
    assert names
    for module, path in modules():
        if within(module, "headgate.studies"):
            continue  # a study chooses the laws that it compares
        words = {
            node.value
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Constant)
        }
        assert not names <= {word for word in words if isinstance(word, str)}, module


def test_commands_print_by_what_writes_controls_out() -> None:
    """A name that holds an escape sequence or markup is drawn, wherever it is printed."""
    direct = {"rich.console.Console", "rich.print", "typer.echo", "click.echo"}
    offences = [
        f"{module} imports {name}"
        for module, path in modules()
        if module != "headgate.console"
        for name in imported(module, path)
        if name in direct
    ]
    called = [
        f"{module} calls {node.func.value.id}.{node.func.attr}"
        for module, path in modules()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and f"{node.func.value.id}.{node.func.attr}" in direct
    ]
    assert not offences + called
