"""Imports allowed in the package: one table of wings, which ARCHITECTURE.md shows too."""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from .repository import PACKAGE, ROOT

NATIVE = "headgate._native"

#: The modules that cross the border to the engine; every other one sees tables and plans only.
CROSSES_THE_BORDER = (
    "headgate.base.catalog",
    "headgate.engine.captures.read",
    "headgate.engine.fluid.solve",
    "headgate.engine.live",
    "headgate.engine.run.prepare",
    "headgate.engine.run.simulate",
    "headgate.engine.run.trace",
    "headgate.plugin",
    "headgate.scenario.networks.routes",
    "headgate.stats.intervals",
)

#: All modules of a wing that its list does not name. They are one layer.
REST = "*"
#: The wings, the lowest first, and the layers inside each. A wing imports only from wings before
#: it, and a module only from modules of its wing before it. A wing's `__init__` is its last layer.
WINGS: Mapping[str, tuple[str, ...]] = {
    "base": (
        *("version", "errors", "terminal", "names", "marks", "messages", "units", "level_order"),
        *("process", "files", "strict", "optional", "console", "progress", "catalog"),
        *("parameters", "plain_text", "lazy", "titles"),
    ),
    "claims": ("claim", "verdicts"),
    "data": (
        *("columns", "tables", "parquet", "recent", "folder", "measures", "topologies"),
        "export",
    ),
    "stats": (REST,),
    "plugin": ("cca_records", "discipline_records", REST),
    "scenario": (REST,),
    "figures": ("spec", "plots", "paper", "notebook", "analysis", "vega", "report"),
    "engine": ("run", "api", "keys", "build", "traces", "captures", "live", "fluid", "bench"),
    "design": (REST,),
    "lab": (REST,),
    "experiment": (REST, "templates", "schemas"),
    "cli": (REST,),
    "forms": (),
    "__main__": (),
}
#: Wings whose `__init__` is a module of the public interface: it names things of every wing, and no
#: other module imports from it.
PUBLIC = ("claims", "design", "figures", "forms", "lab", "plugin", "stats")
#: A file for users to start from, so it imports what users import.
TEMPLATE = "headgate.experiment.templates.own_cca"
#: The second distribution of the repository.
STUDIES = "headgate_studies"


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(path.read_text())))


def imported(module: str, path: Path) -> Iterator[str]:
    """Every module that the file imports: at its top, inside a function, or for types alone."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.rsplit(".", node.level - 1)[0] if node.level else ""
            origin = ".".join(part for part in (base, node.module) if part)
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def imports_of_files() -> dict[str, set[str]]:
    """Which files of the package each of its files imports."""
    files = dict(modules())
    return {
        module: {file_of(name, files) for name in imported(module, path)} - {module, ""}
        for module, path in files.items()
    }


def file_of(name: str, files: Mapping[str, Path]) -> str:
    """The module that defines a name: itself, or the part in front of its last dot."""
    if within(name, NATIVE):
        return ""
    return name if name in files or not name else file_of(name.rpartition(".")[0], files)


def wing(module: str) -> str:
    return module.split(".")[1]


def is_public(module: str) -> bool:
    return module == "headgate" or module in {f"headgate.{name}" for name in PUBLIC}


def layer(module: str) -> tuple[int, int]:
    """The place of a module's wing, and the place of the module inside it."""
    inside, parts = WINGS[wing(module)], module.split(".")
    if len(parts) == 2:
        place = len(inside)
    else:
        place = inside.index(parts[2] if parts[2] in inside else REST)
    return list(WINGS).index(wing(module)), place


def test_every_module_has_its_layer() -> None:
    there: dict[str, set[str]] = {}
    for module, _ in modules():
        _, *parts = module.split(".")
        if parts:
            there.setdefault(parts[0], set()).update(parts[1:2])
    del there["law"]  # a former module, which names the present one
    assert sorted(there) == sorted(WINGS)
    for name, inside in WINGS.items():
        named = set(inside) - {REST}
        assert named <= there[name], name
        assert REST in inside or named == there[name], name


def test_the_architecture_page_shows_the_same_wings_and_border() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    table = text.partition("| wing, the lowest first")[2].partition("\n\n")[0]
    rows = [row.split("|")[1:3] for row in table.splitlines()[2:]]
    shown = {quoted(name)[0]: tuple(quoted(inside)) for name, inside in rows}
    assert list(shown.items()) == [
        (name, () if inside == (REST,) else inside)
        for name, inside in WINGS.items()
        if name not in {"__main__", "forms"}
    ]
    border = text.partition("\nOnly `")[2].partition("cross the border")[0]
    assert [f"headgate.{name}" for name in quoted("`" + border)] == list(CROSSES_THE_BORDER)


def quoted(text: str) -> list[str]:
    return re.findall(r"`([\w.*]+)`", text)


def test_imports_lead_to_lower_layers_only() -> None:
    offences = [
        f"{module} imports {name}"
        for module, names in imports_of_files().items()
        if not is_public(module) and module != TEMPLATE
        for name in names
        if is_public(name) or layer(name) > layer(module)
    ]
    assert not offences


def test_the_package_imports_nothing_of_the_studies() -> None:
    offences = [
        f"{module} imports {name}"
        for module, path in modules()
        for name in imported(module, path)
        if within(name, STUDIES)
    ]
    assert not offences


def test_no_files_import_each_other_in_a_circle() -> None:
    try:
        tuple(TopologicalSorter(imports_of_files()).static_order())
    except CycleError as circle:
        pytest.fail(" -> ".join(circle.args[1]))


def test_only_the_border_imports_the_extension() -> None:
    importers = {
        module
        for module, path in modules()
        if any(within(n, NATIVE) for n in imported(module, path))
    }
    assert not {m for m in importers if not any(within(m, b) for b in CROSSES_THE_BORDER)}


def test_there_is_no_list_of_algorithms_in_python() -> None:
    """The registry lists the algorithms: no module names all of them."""
    from headgate.base import catalog

    names = {cca.name for cca in catalog.ccas()}
    assert names
    for module, path in modules():
        words = {node.value for node in nodes(path) if isinstance(node, ast.Constant)}
        assert not names <= {word for word in words if isinstance(word, str)}, module


def test_commands_print_by_what_writes_controls_out() -> None:
    """A name that holds an escape sequence or markup is drawn, wherever it is printed."""
    direct = {"rich.console.Console", "rich.print", "typer.echo", "click.echo"}
    offences = [
        f"{module} imports {name}"
        for module, path in modules()
        if module != "headgate.base.console"
        for name in imported(module, path)
        if name in direct
    ]
    called = [
        f"{module} calls {node.func.value.id}.{node.func.attr}"
        for module, path in modules()
        for node in nodes(path)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and f"{node.func.value.id}.{node.func.attr}" in direct
    ]
    assert not offences + called
