"""A kind of traffic is known to its files and its registries, and to nothing else."""

import ast
import re

from headgate.scenario.traffic import KINDS

from .repository import PACKAGE, ROOT
from .test_imports import imported, modules, nodes, within

CRATES = ROOT / "crates"
RUST = CRATES / "headgate-netsim" / "src" / "traffic" / "kinds"
PYTHON = "headgate.scenario.traffic"
NAMES = {kind.model_fields["kind"].default for kind in KINDS}
#: Kinds of the scenario that are items of other kinds in the plan.
COMPOSED = {kind.model_fields["kind"].default for kind in KINDS if kind.is_composed}


def test_both_sides_have_the_same_kinds() -> None:
    files = {path.stem for path in RUST.iterdir()} - {"mod"}
    listed = re.search(
        r"^kinds! \{\n(.*?)^\}", (RUST / "mod.rs").read_text(), re.DOTALL | re.MULTILINE
    )
    assert listed
    assert set(re.findall(r"(\w+) =>", listed[1])) == files == NAMES - COMPOSED
    python = {path.stem for path in (PACKAGE / "scenario" / "traffic").glob("[a-z]*.py")}
    assert python == NAMES


def test_nothing_else_in_the_engine_names_a_kind() -> None:
    offences = [
        f"{file.relative_to(CRATES)}: {found}"
        for file in CRATES.glob("*/src/**/*.rs")
        if RUST not in file.parents
        for found in re.findall(r"\bTraffic::[A-Z]\w+|\bkinds::[a-z]\w+", file.read_text())
    ]
    assert not offences


def test_nothing_else_in_the_package_imports_or_compares_a_kind() -> None:
    outside = [(name, path) for name, path in modules() if not within(name, PYTHON)]
    imports = [
        f"{module} imports {name}"
        for module, path in outside
        for name in imported(module, path)
        if any(within(name, f"{PYTHON}.{kind}") for kind in NAMES)
    ]
    compares = [
        f"{module}, line {node.lineno}: {word}"
        for module, path in outside
        for node in nodes(path)
        if isinstance(node, ast.Compare)
        for word in words(node) & (NAMES - {"flows"})
    ]
    assert not imports + compares


def words(node: ast.AST) -> set[str]:
    inner = (part.value for part in ast.walk(node) if isinstance(part, ast.Constant))
    return {value for value in inner if isinstance(value, str)}
