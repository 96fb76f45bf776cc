"""A fifth law costs one file and one line: the steps of CONTRIBUTING.md, followed."""

import os
import re
import shutil
import subprocess
import textwrap
from pathlib import Path

from .repository import ROOT

LISTED = """\
use headgate_model::control::Registry;

#[test]
fn the_new_law_is_in_the_registry_and_builds() {
    let cards = headgate_algos::control::AnyLaw::cards();
    let index = cards.iter().position(|card| card.name == "aimd").expect("listed");
    let defaults: Vec<f64> = cards[index].params.iter().map(|param| param.default).collect();
    headgate_algos::control::AnyLaw::build(index, &defaults);
}
"""


def code_blocks() -> list[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    return [textwrap.dedent(block) for block in re.findall(r"```rust\n(.*?)```", text, re.DOTALL)]


def copy_workspace(target: Path) -> Path:
    """Copy to a fixed place (repeated tests reuse its build); return the laws' crate."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name in ("Cargo.toml", "Cargo.lock", "rustfmt.toml"):
        shutil.copy(ROOT / name, target / name)
    shutil.copytree(ROOT / "crates", target / "crates")
    return target / "crates" / "headgate-algos"


def add_line(registry: Path, line: str) -> None:
    """Put the line into the list `laws! { ... }`, in its sorted place."""
    text = registry.read_text()
    found = re.search(r"^laws! \{\n(.*?)^\}", text, re.DOTALL | re.MULTILINE)
    assert found, f"{registry.name} has no list of laws"
    lines = sorted([*found[1].splitlines(), f"    {line.strip()}"])
    registry.write_text(text[: found.start(1)] + "\n".join(lines) + "\n" + text[found.end(1) :])


def cargo(folder: Path, *args: str) -> None:
    environment = os.environ | {"CARGO_TARGET_DIR": str(ROOT / "target")}
    done = subprocess.run(
        ["cargo", *args], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_five_steps_add_a_law() -> None:
    law, line = code_blocks()
    workspace = ROOT / "target" / "contributing"
    algos = copy_workspace(workspace)
    (algos / "src" / "control" / "aimd.rs").write_text(law)
    add_line(algos / "src" / "control" / "mod.rs", line)
    (algos / "tests").mkdir(exist_ok=True)
    (algos / "tests" / "listed.rs").write_text(LISTED)

    cargo(workspace, "fmt", "--check", "-p", "headgate-algos")
    cargo(workspace, "test", "--quiet", "--locked", "--profile", "simtest", "-p", "headgate-algos")
