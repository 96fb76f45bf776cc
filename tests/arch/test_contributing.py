"""What CONTRIBUTING.md says of a law, a kind of traffic and a counter, followed."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from .repository import PACKAGE, ROOT

#: Step 4, without building the extension again: what the catalog reads, and a run with the law,
#: the traffic and the counter.
STEP_4 = """\
use headgate_lab::{catalog, simulation::Simulation, tables::Column};

#[test]
fn the_catalog_shows_the_law_and_a_scenario_runs_with_it() {
    assert!(catalog::catalog().contains("\\"name\\":\\"aimd\\""));
    let (lists, own) = Default::default();
    let mut run = Simulation::new(include_str!("plan.json"), &lists, own).expect("a plan");
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

#: The plan of the first example, and incast beside it.
PLAN = """\
import sys
from headgate import Scenario
from headgate.scenario.plan import plan_json

scenario = Scenario.load(sys.argv[1]).to_dict()
incast = {"kind": "incast", "law": "reno", "size": "20 packets", "every": "1 s", "rounds": 3}
plan, _ = Scenario.from_dict(scenario | {"traffic": [*scenario["traffic"], incast]}).plan()
print(plan_json(plan))
"""

#: The code is built for this test alone and runs for seconds: building it is what costs.
UNOPTIMISED = (
    *("--quiet", "--locked"),
    *("--config", "profile.dev.opt-level=0", "--config", "profile.dev.debug=0"),
    *("--config", 'profile.dev.package."*".opt-level=0'),
)


def code_blocks(language: str) -> list[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    found = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    return [textwrap.dedent(block) for block in found]


def copy_workspace(target: Path) -> None:
    """Copy to a fixed place, so that repeated tests reuse what they built."""
    shutil.rmtree(target / "crates", ignore_errors=True)
    target.mkdir(parents=True, exist_ok=True)
    for name in ("Cargo.toml", "Cargo.lock", "rustfmt.toml"):
        shutil.copy(ROOT / name, target / name)
    shutil.copytree(ROOT / "crates", target / "crates")


def add_line(registry: Path, name: str, line: str) -> None:
    """Put the line into the list `name! { ... }`, in its sorted place."""
    text = registry.read_text()
    found = re.search(rf"^{name}! \{{\n(.*?)^\}}", text, re.DOTALL | re.MULTILINE)
    assert found, f"{registry.name} has no list of {name}"
    lines = sorted([*found[1].splitlines(), f"    {line.strip()}"])
    registry.write_text(text[: found.start(1)] + "\n".join(lines) + "\n" + text[found.end(1) :])


def add_counter(table: Path, line: str) -> None:
    """Put the line at the end of the counters of the network, or fail."""
    head, begin, rest = table.read_text().partition("pub struct Counters {\n")
    body, end, tail = rest.partition("    }\n")
    assert begin
    assert end
    table.write_text(f"{head}{begin}{body}        {line.strip()}\n{end}{tail}")


def cargo(folder: Path, *args: str) -> None:
    # A target folder of its own: cargo takes two workspaces of one shape for the same.
    environment = os.environ | {"CARGO_TARGET_DIR": str(folder / "target")}
    done = subprocess.run(
        ["cargo", *args], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def plan_of(package: Path, law: str) -> str:
    """Give the plan that a copy of the package makes; its reno is the law, unknown in Python."""
    made = subprocess.run(
        [sys.executable, "-c", PLAN, ROOT / "examples" / "first.toml"],
        env=os.environ | {"PYTHONPATH": str(package.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    reno = '{"name":"reno","params"'
    assert reno in made.stdout
    return made.stdout.replace(reno, f'{{"name":"{law}","params"')


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


@pytest.mark.slow  # it builds the crates once more
def test_the_steps_add_a_law_a_kind_of_traffic_and_a_counter(tmp_path: Path) -> None:
    law, law_line, kind, kind_line, counter = code_blocks("rust")
    workspace = ROOT / "target" / "contributing"
    crates = workspace / "crates"
    copy_workspace(workspace)
    (crates / "headgate-algos" / "src" / "control" / "aimd.rs").write_text(law)
    add_line(crates / "headgate-algos" / "src" / "control" / "mod.rs", "laws", law_line)
    kinds = crates / "headgate-netsim" / "src" / "traffic" / "kinds"
    (kinds / "incast.rs").write_text(kind)
    add_line(kinds / "mod.rs", "kinds", kind_line)
    add_counter(crates / "headgate-netsim" / "src" / "record" / "counters.rs", counter)
    tests = crates / "headgate-lab" / "tests"
    tests.mkdir(exist_ok=True)
    (tests / "step_4.rs").write_text(STEP_4)
    package = copy_package(tmp_path, *code_blocks("python"))
    (tests / "plan.json").write_text(plan_of(package, "aimd"))

    cargo(workspace, "fmt", "--check", "-p", "headgate-algos", "-p", "headgate-netsim")
    cargo(workspace, "test", *UNOPTIMISED, "-p", "headgate-algos")
    cargo(workspace, "test", *UNOPTIMISED, "-p", "headgate-lab", "--test", "step_4")
