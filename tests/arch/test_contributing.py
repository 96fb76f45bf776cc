"""A law costs one file and one line, a counter one line: what CONTRIBUTING.md says, followed."""

import os
import re
import shutil
import subprocess
import textwrap
from pathlib import Path

from headgate import Scenario
from headgate.scenario.plan import plan_json

from .repository import ROOT

#: Step 4, without building the extension again: what the catalog reads, and a run with the law
#: and the counter.
STEP_4 = """\
use headgate_lab::{catalog, simulation::Simulation};

#[test]
fn the_catalog_shows_the_law_and_a_scenario_runs_with_it() {
    assert!(catalog::catalog().contains("\\"name\\":\\"aimd\\""));
    let mut run = Simulation::new(include_str!("plan.json"), &Default::default()).expect("a plan");
    while !run.advance(1.0) {}
    assert!(run.packet_hops() > 1000);
    let results = run.results();
    let responses = results.tables.iter().find(|table| table.name == "responses").unwrap();
    assert!(responses.columns.iter().any(|(name, _)| name == "resets"));
    assert!(catalog::columns().contains("Connections that were reset."));
}
"""


#: The code is built for this test alone and runs for seconds: building it is what costs.
UNOPTIMISED = (
    *("--quiet", "--locked"),
    *("--config", "profile.dev.opt-level=0", "--config", "profile.dev.debug=0"),
    *("--config", 'profile.dev.package."*".opt-level=0'),
)


def code_blocks() -> list[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    return [textwrap.dedent(block) for block in re.findall(r"```rust\n(.*?)```", text, re.DOTALL)]


def copy_workspace(target: Path) -> None:
    """Copy to a fixed place, so that repeated tests reuse what they built."""
    shutil.rmtree(target / "crates", ignore_errors=True)
    target.mkdir(parents=True, exist_ok=True)
    for name in ("Cargo.toml", "Cargo.lock", "rustfmt.toml"):
        shutil.copy(ROOT / name, target / name)
    shutil.copytree(ROOT / "crates", target / "crates")


def add_line(registry: Path, line: str) -> None:
    """Put the line into the list `laws! { ... }`, in its sorted place."""
    text = registry.read_text()
    found = re.search(r"^laws! \{\n(.*?)^\}", text, re.DOTALL | re.MULTILINE)
    assert found, f"{registry.name} has no list of laws"
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


def plan_with(law: str) -> str:
    """Give the plan of the first example; its reno is a law that the built extension lacks."""
    plan, _ = Scenario.load(ROOT / "examples" / "first.toml").plan()
    laws = [
        choice | {"name": law} if choice["name"] == "reno" else choice for choice in plan["laws"]
    ]
    return plan_json(plan | {"laws": laws})


def test_the_steps_add_a_law_and_a_counter() -> None:
    law, line, counter = code_blocks()
    workspace = ROOT / "target" / "contributing"
    crates = workspace / "crates"
    copy_workspace(workspace)
    (crates / "headgate-algos" / "src" / "control" / "aimd.rs").write_text(law)
    add_line(crates / "headgate-algos" / "src" / "control" / "mod.rs", line)
    add_counter(crates / "headgate-netsim" / "src" / "record" / "counters.rs", counter)
    tests = crates / "headgate-lab" / "tests"
    tests.mkdir(exist_ok=True)
    (tests / "step_4.rs").write_text(STEP_4)
    (tests / "plan.json").write_text(plan_with("aimd"))

    cargo(workspace, "fmt", "--check", "-p", "headgate-algos")
    cargo(workspace, "test", *UNOPTIMISED, "-p", "headgate-algos")
    cargo(workspace, "test", *UNOPTIMISED, "-p", "headgate-lab", "--test", "step_4")
