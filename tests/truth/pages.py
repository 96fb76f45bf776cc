"""Pages of planted tables and experiments, and their text.

Most pages are made without pictures: sentences and tables are the same, at a tenth of the cost.
"""

from __future__ import annotations

import html
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from typer.testing import CliRunner

from headgate.cli.main import app
from headgate.experiment import findings, runner
from headgate.experiment.runs import Runs
from headgate.figures import vega
from headgate.figures.report import make
from headgate.figures.report.about import About, write

from .designs import PlantedDesign
from .experiments import Truth
from .tables import Planted

#: Words that would deny an effect; that none is shown may be said.
DENIES = re.compile(r"\bnot moved\b|\bno effect\b(?! (on|can|is shown)\b)|does not (affect|depend)|"
                    r"\bhas no\b|\bunaffected\b|\bnever\b", re.IGNORECASE)  # fmt: skip


@contextmanager
def without_pictures() -> Iterator[None]:
    """Make pages without pictures, and their tables as CSV alone."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(make, "draw", lambda *_: defaultdict(list)))
        stack.enter_context(patch.object(make, "_write_parquet", lambda *_: None))
        stack.enter_context(patch.dict(vega.CHARTS, clear=True))
        stack.enter_context(patch.object(findings, "pictures", lambda *_: ()))
        yield


def page_of_table(made: Planted, folder: Path) -> str:
    """Return the text of the page of a table; its tables are in the folder."""
    made.write(folder / "t.csv")
    about = About(title="t", question="what acts on y?", table="t.csv", roles=made.roles)
    write(about, folder)
    return text_of(make.make(folder, workers=1))


def run_experiment(
    made: Truth | PlantedDesign, runs: Runs, folder: Path
) -> tuple[dict[str, Any], str]:
    """Run an experiment by its command, with planted runs; return its JSON and its page's text."""
    for name, content in made.experiment.files.items():
        (folder / name).write_bytes(content)
    asked = ["experiment", "run", str(folder / "experiment.toml"), "--json", "--out"]
    with patch.object(runner, "make_runs", lambda *_: (runs, (1.0, 1000))):
        done = CliRunner().invoke(app, [*asked, str(folder)], catch_exceptions=False)
    assert done.exit_code in {0, 1}, done.output
    return json.loads(done.stdout), text_of(folder / "report.html")


def text_of(page: Path) -> str:
    """Return the words of a page without what only defines them."""
    text = page.read_text(encoding="utf-8")
    body = re.sub(r"<(script|style).*?</\1>", " ", text, flags=re.DOTALL)
    return join(html.unescape(re.sub(r"<[^>]+>", "", body)))


def join(text: str) -> str:
    """Return a text with single spaces."""
    return " ".join(text.split())


def write_for_page(sentence: str) -> str:
    """Return a sentence of the terminal as a page writes it, with minus signs."""
    return join(re.sub(r"([ (])-(?=\d)", "\\1\N{MINUS SIGN}", sentence))


def answer_of(page: str) -> str:
    """Return what a page answers: all before the notes on what counts."""
    said = page.partition("Answer")[2].partition("An effect is named if")[0]
    return said.partition("Note: ")[0].strip()


def denials(page: str) -> list[str]:
    """Return the words of a page that assert that there is no effect, but for definitions."""
    said = page.partition("Glossary")[0].partition("Method")[0]
    return [match[0] for match in DENIES.finditer(said)]
