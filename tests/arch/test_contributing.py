"""The steps of CONTRIBUTING.md for an algorithm, a discipline, a kind of traffic and a counter."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from .repository import PACKAGE, ROOT

#: Step 4, without building the extension again: the input of the catalog, and a run with the
#: algorithm, the discipline, the traffic and the counter.
STEP_4 = """\
use headgate_lab::{catalog, simulation::Simulation, tables::Column};

#[test]
fn the_catalog_shows_what_is_new_and_a_scenario_runs_with_it() {
    assert!(catalog::catalog().contains("\\"name\\":\\"aimd\\""));
    assert!(catalog::devices().contains("\\"name\\":\\"early-drop\\""));
    let (lists, user_code) = Default::default();
    let mut run = Simulation::new(include_str!("plan.json"), &lists, user_code).expect("a plan");
    while !run.advance(1.0) {}
    assert!(run.packet_hops() > 1000);
    let results = run.results();
    let responses = results.tables.iter().find(|table| table.name == "responses").unwrap();
    assert!(responses.columns.iter().any(|(name, _)| name == "resets"));
    assert!(catalog::columns().contains("Connections that were reset."));
    let flows = results.tables.iter().find(|table| table.name == "flows").unwrap();
    let (_, traffic) = flows.columns.iter().find(|(name, _)| name == "traffic").unwrap();
    let Column::U64(traffic) = traffic else { panic!("numbers") };
    assert_eq!(traffic.iter().filter(|&&number| number == 2).count(), 8 * 3);
}
"""

#: The plan of the first example with a queue discipline, and incast beside it.
PLAN = """\
import sys
from headgate import Scenario
from headgate.scenario.plan import plan_json

scenario = Scenario.load(sys.argv[1]).to_dict()
scenario["network"]["queue"] = "threshold"
incast = {"kind": "incast", "cca": "reno", "size": "20 packets", "every": "1 s", "rounds": 3}
plan, _ = Scenario.from_dict(scenario | {"traffic": [*scenario["traffic"], incast]}).plan()
print(plan_json(plan))
"""

#: The code is built for this test alone and runs for seconds: building it is what costs.
UNOPTIMISED = (
    *("--quiet", "--locked"),
    *("--config", "profile.dev.opt-level=0", "--config", "profile.dev.debug=0"),
    *("--config", 'profile.dev.package."*".opt-level=0'),
)

#: Files by their path, which end up in the copy of the workspace.
Files = dict[Path, str]


def code_blocks(language: str) -> list[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    found = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    return [textwrap.dedent(block) for block in found]


def read_workspace() -> Files:
    """Read what the workspace is built from."""
    names = [Path(name) for name in ("Cargo.toml", "Cargo.lock", "rustfmt.toml")]
    crates = [path.relative_to(ROOT) for path in (ROOT / "crates").rglob("*") if path.is_file()]
    return {path: (ROOT / path).read_text() for path in [*names, *crates]}


def write_workspace(target: Path, files: Files) -> None:
    """Bring the folder to these files; those that do not change keep their time, for cargo."""
    for path in (target / "crates").rglob("*"):
        if path.is_file() and path.relative_to(target) not in files:
            path.unlink()
    for name, text in files.items():
        path = target / name
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def with_line(text: str, name: str, line: str) -> str:
    """Put the line into the list `name! { ... }`, in its sorted place."""
    found = re.search(rf"^{name}! \{{\n(.*?)^\}}", text, re.DOTALL | re.MULTILINE)
    assert found, f"there is no list of {name}"
    lines = sorted([*found[1].splitlines(), f"    {line.strip()}"])
    return text[: found.start(1)] + "\n".join(lines) + "\n" + text[found.end(1) :]


def with_counter(text: str, line: str) -> str:
    """Put the line at the end of the counters of the network, or fail."""
    head, begin, rest = text.partition("pub struct Counters {\n")
    body, end, tail = rest.partition("    }\n")
    assert begin
    assert end
    return f"{head}{begin}{body}        {line.strip()}\n{end}{tail}"


def run(folder: Path, *command: str) -> None:
    # A separate target folder: cargo takes two workspaces of one shape for the same.
    environment = os.environ | {"CARGO_TARGET_DIR": str(folder / "target")}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def plan_of(package: Path) -> str:
    """Give the plan that a copy of the package makes, with what is unknown in Python put in."""
    made = subprocess.run(
        [sys.executable, "-c", PLAN, ROOT / "examples" / "first.toml"],
        env=os.environ | {"PYTHONPATH": str(package.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    plan = made.stdout
    for known, new in {"reno": "aimd", "threshold": "early-drop"}.items():
        assert f'{{"name":"{known}","params"' in plan
        plan = plan.replace(f'{{"name":"{known}","params"', f'{{"name":"{new}","params"')
    return plan


def copy_package(target: Path, kind: str) -> Path:
    """Copy the package and add the kind of traffic."""
    package = target / "headgate"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    folder = package / "scenario" / "traffic"
    (folder / "incast.py").write_text(kind)
    registry = folder / "__init__.py"
    head, begin, rest = registry.read_text().partition("KINDS: tuple[type[Group], ...] = (")
    line = "from headgate.scenario.traffic.incast import Incast\n"
    registry.write_text(f"{head}{line}{begin}Incast, {rest}")
    return package


@pytest.mark.timeout(
    1800
)  # the first run builds the crates once more, later ones only what changed
def test_the_steps_add_an_algorithm_a_discipline_a_kind_of_traffic_and_a_counter(
    tmp_path: Path,
) -> None:
    cca, cca_line, queue, queue_line, kind, kind_line, counter = code_blocks("rust")
    algos = Path("crates", "headgate-algos", "src")
    netsim = Path("crates", "headgate-netsim", "src")
    kinds, counters = netsim / "traffic" / "kinds", netsim / "record" / "counters.rs"
    tests = Path("crates", "headgate-lab", "tests")
    added = {
        algos / "control" / "aimd.rs": cca,
        algos / "queue" / "early_drop.rs": queue,
        kinds / "incast.rs": kind,
    }
    files = read_workspace() | added
    for registry, name, line in [
        (algos / "control" / "mod.rs", "controllers", cca_line),
        (algos / "queue" / "mod.rs", "queues", queue_line),
        (kinds / "mod.rs", "kinds", kind_line),
    ]:
        files[registry] = with_line(files[registry], name, line)
    files[counters] = with_counter(files[counters], counter)
    files[tests / "step_4.rs"] = STEP_4
    files[tests / "plan.json"] = plan_of(copy_package(tmp_path, *code_blocks("python")))

    workspace = ROOT / "target" / "contributing"
    write_workspace(workspace, files)
    run(workspace, "rustfmt", "--edition", "2024", "--check", *map(str, added))
    run(workspace, "cargo", "test", *UNOPTIMISED, "-p", "headgate-algos")
    run(workspace, "cargo", "test", *UNOPTIMISED, "-p", "headgate-lab", "--test", "step_4")
