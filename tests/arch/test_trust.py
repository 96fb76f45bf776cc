"""Only what users call says that the user named code: a file that is read never does."""

import ast
from pathlib import Path

import headgate

PACKAGE = Path(headgate.__file__).parent
#: Calls that permit the code which they are given to run.
PERMITS = ("name_by_hand", "from_dict", "replaced")
#: Modules that may call them: the command line with arguments, calls of Python programs, shipped
#: studies (whose laws are theirs or named on the command line), and processes that work for others.
ALLOWED = {
    "engine/bench/networks.py",
    "engine/build.py",
    "engine/api.py",
    "cli/check.py",
    "cli/options.py",
    "conform/kernel/path.py",
    "conform/suite.py",
    "conform/trial.py",
    "experiment/experiment.py",
    "engine/live/emulation.py",
    "mesonet/model.py",
    "plugin/load.py",
    "plugin/proof.py",
    "plugin/trust.py",
    "scenario/spec.py",
    "studies/ask.py",
    "studies/flow_level/networks.py",
    "studies/nist/campaign.py",
    "studies/nist/downloads.py",
    "studies/nist/variants.py",
    "studies/nist_duration/jobs.py",
    "studies/nist_scale/jobs.py",
    "studies/nist_unknowns/runs.py",
    "studies/tcp_replacements/network.py",
}
#: Forms of files, whose `from_dict` permits nothing.
FORMS = {"cls", "super", "DesignFile", "ExperimentFile"}


def permits(path: Path) -> bool:
    return any(map(_permits, ast.walk(ast.parse(path.read_text(encoding="utf-8")))))


def _permits(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    of = node.func
    if isinstance(of, ast.Name):
        return of.id in PERMITS
    return isinstance(of, ast.Attribute) and of.attr in PERMITS and not _is_form(of)


def _is_form(of: ast.Attribute) -> bool:
    owner = of.value.func if isinstance(of.value, ast.Call) else of.value
    return of.attr == "from_dict" and isinstance(owner, ast.Name) and owner.id in FORMS


def test_nothing_else_permits_code_to_run() -> None:
    paths = {str(path.relative_to(PACKAGE)): path for path in PACKAGE.rglob("*.py")}
    assert {name for name, path in paths.items() if permits(path)} == ALLOWED
