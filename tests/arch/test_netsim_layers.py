"""The layers of the simulator: each names only itself and lower ones."""

import re

import pytest

from .repository import ROOT
from .test_rust_circles import imports

CRATE = "headgate-netsim"
#: The lowest first.
LAYERS = (
    "packets",
    "time",
    "record",
    "devices",
    "port",
    "traffic",
    "plan",
    "region",
    "run",
)


def layer(module: str) -> int:
    return LAYERS.index(module.partition("::")[0])


@pytest.mark.parametrize(("module", "named"), sorted(imports(CRATE).items()))
def test_a_module_names_no_higher_layer(module: str, named: set[str]) -> None:
    assert not {name for name in named if layer(name) > layer(module)}


def test_the_crate_lists_its_layers() -> None:
    text = (ROOT / "crates" / CRATE / "src" / "lib.rs").read_text(encoding="utf-8")
    listed = re.findall(r"^//! \d\. \[`(\w+)`\]", text, re.MULTILINE)
    assert listed == [name for name in LAYERS if name not in {"devices", "plan"}]
