"""Only what users call says that the user named code: a file that is read never does."""

import ast
from pathlib import Path

from .repository import PACKAGE, STUDIES

#: Calls that permit the code which they are given to run.
PERMITS = ("name_by_hand", "load_cca", "check_cca", "from_dict", "replaced")
#: Modules that may call them: the command line with arguments, calls of Python programs, shipped
#: studies (whose algorithms are theirs or named on the command line), and processes that work for
#: others.
ALLOWED = {
    "headgate/engine/bench.py",
    "headgate/engine/build.py",
    "headgate/engine/api.py",
    "headgate/cli/check.py",
    "headgate/cli/options.py",
    "headgate_studies/conform/kernel/path.py",
    "headgate_studies/conform/report.py",
    "headgate_studies/conform/case.py",
    "headgate_studies/conform/picoquic/l4s.py",
    "headgate/experiment/experiment.py",
    "headgate/engine/live/emulation.py",
    "headgate_studies/mesonet/model.py",
    "headgate/plugin/given.py",
    "headgate/plugin/load.py",
    "headgate/plugin/proof.py",
    "headgate/plugin/code_files.py",
    "headgate/scenario/spec.py",
    "headgate/experiment/study/study.py",
    "headgate_studies/flow_level/networks.py",
    "headgate_studies/nist/campaign.py",
    "headgate_studies/nist/variants.py",
    "headgate_studies/nist_duration/findings.py",
    "headgate_studies/nist_scale/sizes.py",
    "headgate_studies/starvation/jobs.py",
    "headgate_studies/nist_unknowns/analysis.py",
    "headgate_studies/tcp_replacements/analysis.py",
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
    paths = {
        path.relative_to(package.parent).as_posix(): path
        for package in (PACKAGE, STUDIES)
        for path in package.rglob("*.py")
    }
    assert {name for name, path in paths.items() if permits(path)} == ALLOWED
