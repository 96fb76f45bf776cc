"""Every deviation of the engine is stated in one form, and the documentation lists it."""

import re
import subprocess
import sys
from pathlib import Path

from .repository import ROOT

#: A comment of a crate or of the presets that begins like a deviation.
BEGUN = re.compile(r"^\s*(?://[/!]?|#) NOTE\b.*$", re.MULTILINE)
#: The source deviated from: an RFC or a draft with its section, a paper with its year, or a
#: program.
FORM = re.compile(r"\s*(?://[/!]?|#) NOTE\([^()]+\): \S")


def page() -> str:
    """Generate the page as the documentation does."""
    code = "import sys; sys.path.insert(0, sys.argv[1]);"
    code += "from deviations_page import deviations; print(deviations())"
    done = subprocess.run(
        [sys.executable, "-c", code, ROOT / "docs"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def begun() -> list[tuple[Path, str]]:
    files = [*(ROOT / "crates").glob("*/src/**/*.rs"), ROOT / "python/headgate/scenario/presets.py"]
    return [(file, line) for file in files for line in BEGUN.findall(file.read_text())]


def test_each_deviation_names_its_source() -> None:
    assert [(file, line) for file, line in begun() if not FORM.match(line)] == []


def test_the_page_lists_every_deviation_with_its_file() -> None:
    rows = [line for line in page().splitlines() if line.endswith("` |")]
    assert len(rows) == len(begun()) > 50
    row = next(row for row in rows if row.startswith("| RFC 3168 section 6.1.4 |"))
    assert "the RFC forbids ECN-capable pure ACKs" in row
    assert row.endswith("| `crates/headgate-tcp/src/marks.rs` |")


def test_the_page_lists_those_of_the_presets() -> None:
    (row,) = [row for row in page().splitlines() if row.startswith("| RFC 3465 section 2.3 |")]
    assert "limit L of two segments" in row
    assert row.endswith("| `python/headgate/scenario/presets.py` |")
