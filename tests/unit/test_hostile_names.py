"""Hostile names: text that a terminal, spreadsheet or picture would obey is shown as text."""

import csv
import io
import re
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest
from typer.testing import CliRunner

from headgate.base import progress as standing
from headgate.base.console import PlainConsole
from headgate.base.terminal import escape_controls, escape_formula, safe_file_name, unescape_formula
from headgate.claims.verdicts import JudgedClaim
from headgate.cli.campaign import print_claims
from headgate.cli.main import app, main
from headgate.data.tables import Table, Words
from headgate.design import load_design
from headgate.engine.run import progress
from headgate.engine.run.progress import Progress
from headgate.figures.analysis import compute_main_effects
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.whole import analyse_table
from headgate.figures.plots.style import make_axes, save_figure, use_style
from headgate.figures.report.make import write_tables
from headgate.lab.scheduler import CampaignProgress

from .made_reports import roles, table

#: Clears the screen, sets the window's title, goes back over what was said, turns text round.
ORDERS = "\x1b[2J\x1b]0owned\x07\x9b31m\u202egnp\u2066"
FORMULA = "=cmd|' /C calc'!A0"
#: Characters at which a spreadsheet starts a formula.
COMPUTED = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("reno", "reno"),
        ("größer, 大きい, \u0645\u06cc\u200c\u062e", "größer, 大きい, \u0645\u06cc\u200c\u062e"),
        ("back\rover", "back\\rover"),
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("exe.\u202egnp", "exe.\\u202egnp"),
        ("two\nlines", "two\\nlines"),
        ("a\u2028b\u2029c\x85d\x9be", "a\\u2028b\\u2029c\\x85d\\x9be"),
        ("file\udcff", "file\\udcff"),
        ("\ufeff\U000e0041", "\\ufeff\\U000e0041"),
    ],
)
def test_text_that_a_terminal_would_obey_is_escaped(text: str, shown: str) -> None:
    assert escape_controls(text) == shown
    assert escape_controls(shown) == shown


# --- terminal -------------------------------------------------------------------------------------


def harmless(said: str) -> bool:
    return all(line == escape_controls(line) for line in said.split("\n"))


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    path = tmp_path / f"runs{ORDERS}.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"x{ORDERS}", f"y[bold]{ORDERS}", "part"])
        writer.writerows([(x, x + i / 10, f"one{ORDERS}") for i, x in product(range(3), (0, 1))])
    return path


def test_names_of_a_table_are_drawn_on_the_terminal(runs: Path) -> None:
    options = ["--factors", f"x{ORDERS}", "--responses", f"y[bold]{ORDERS}", "--by", "part"]
    done = CliRunner().invoke(app, ["analyse", str(runs), *options])
    assert done.exit_code == 0, done.output
    assert harmless(done.output)
    assert "\\x1b[2J" in done.output
    assert "[bold]" in done.output


def commanded(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["headgate", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "no\u202esuch"),
        ("report", "no\udcffsuch"),
        ("report", f"no{ORDERS}such"),
        ("plot", "a\u2028b"),
        (ORDERS,),
        ("report", "x", ORDERS),
    ],
)
def test_a_path_in_an_error_is_drawn(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commanded(monkeypatch, *arguments)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert harmless(said.err)


def test_a_value_of_a_scenario_in_an_error_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.toml"
    path.write_text('duration = "\\u001b]0;owned\\u0007 s"\n')
    commanded(monkeypatch, "check", str(path))
    said = capsys.readouterr().err
    assert "\\x1b]0;owned\\x07" in said
    assert harmless(said)


def test_no_markup_and_no_order_of_a_name_is_obeyed_in_tables() -> None:
    out = io.StringIO()
    name = f"[link=https://example.org]algorithm[/link] :smile: {ORDERS}"
    claim = JudgedClaim(
        id=name, statement="s", source="s", published=1.0, measure="m", tolerance=name, ours=1.0,
        ci=None, verdict="holds", note="",
    )  # fmt: skip
    print_claims(PlainConsole(file=out, width=400), [(name, claim)])
    said = out.getvalue()
    assert harmless(said)
    assert "[link=https://example.org]algorithm[/link] :smile: \\x1b[2J" in said


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_bar_obeys_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    title = f"[link=https://example.org]{{task.total}}{ORDERS}"
    monkeypatch.setenv("COLUMNS", "300")
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with standing.show_progress(title, stream) as show:
        show(CampaignProgress(4, finished=2, due_hops=4, made_hops=2))
    with progress.show_progress(title) as report:
        report(Progress(1.0, 2.0, 3, 4.0, 5.0))
    said = stream.getvalue()
    assert said.count("[link=https://example.org]{task.total}\\x1b[2J") >= 2
    assert not [order for order in ("\x1b]", "\x1b[2J", "\u202e") if order in said]


# --- spreadsheets ---------------------------------------------------------------------------------


def computed(cell: str) -> Iterator[str]:
    """Give the parts that a spreadsheet would compute, for every separator of cells."""
    for one in cell.replace("\n", ";").replace("\t", ";").split(";"):
        if one.startswith(COMPUTED) and len(one) > 1:
            yield one


def number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def test_a_cell_of_text_is_not_computed_and_comes_back() -> None:
    for length in range(5):
        for signs in product("=+-@'\t\n;1a \uff1d,", repeat=length):
            text = "".join(signs)
            cell = escape_formula(text)
            assert unescape_formula(cell) == text
            assert number(text) or not list(computed(cell))


@pytest.mark.parametrize("text", ["-1", "+1", "-1.5e-3", "+", "-", "reno", "X1- X2+", "1;2", "'a"])
def test_numbers_and_plain_words_stay(text: str) -> None:
    assert escape_formula(text) == text


def test_tables_of_a_report_are_not_computed_and_are_read_back(tmp_path: Path) -> None:
    rows = [{f"{FORMULA} algorithm": FORMULA, "x": -1.5, "level": "-1", "said": "a;=b"}]
    write_tables({"t": rows}, tmp_path)
    with (tmp_path / "t.csv").open(newline="") as file:
        head, cells = csv.reader(file)
    assert head[0] == f"'{FORMULA} algorithm"
    assert cells == [f"'{FORMULA}", "-1.5", "-1", "a;'=b"]
    frame = Frame.of(tmp_path / "t.csv")
    assert frame.column(f"{FORMULA} algorithm").tolist() == [FORMULA]
    assert frame.column("said").tolist() == ["a;=b"]


def test_the_sheet_of_a_design_is_not_computed(tmp_path: Path) -> None:
    path = tmp_path / "d.toml"
    path.write_text(
        f'title = "t\\n{FORMULA}"\nkind = "two-level"\nruns = 4\n[factors]\n'
        f"a = {{ low = -1, high = 1 }}\nb = {{ low = 0, high = 1 }}\n"
    )
    text = load_design(path).csv()
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not [cell for cell in cells if not number(cell) and list(computed(cell))]
    assert f"# t\\n{FORMULA}" in cells


# --- pictures and notebooks -----------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("name", [r"$\frac{$", "a$b$c", "<script>", "&amp;\x1b\x00", "-->", "%s"])
def test_a_picture_draws_names_as_they_are(tmp_path: Path, name: str) -> None:
    with use_style():
        figure, (ax, powers) = make_axes(1, 2, (6, 3))
        ax.bar([name, "b"], [1, 2], label=name)
        ax.set(title=name, xlabel=name)
        ax.legend()
        powers.loglog([1, 1e6], [1, 1e6], label=name)
        powers.legend()
    with mpl.rc_context({"svg.fonttype": "none"}):
        _, svg = save_figure(figure, tmp_path, "named")
    drawn = [element.text or "" for element in ET.parse(svg).iter() if element.tag.endswith("text")]
    shown = "".join(character for character in name if character >= " ")
    assert drawn.count(shown) == 5
    assert not [element for element in ET.parse(svg).iter() if element.tag.endswith("script")]
    assert not [text for text in drawn if "mathdefault" in text]


@pytest.mark.filterwarnings("ignore:Glyph")
def test_a_picture_of_outlines_is_whole(tmp_path: Path) -> None:
    with use_style():
        figure, (ax,) = make_axes(1, 1, (6, 3))
        ax.set(title="--><script>\x1b</script><!--")
    _, svg = save_figure(figure, tmp_path, "named")
    assert not [element for element in ET.parse(svg).iter() if element.tag.endswith("script")]


@pytest.mark.parametrize(
    "name", ["../../x", "/etc/x", "a/b", "a\\b", "con:", "\x1b", "", "..", "x" * 300]
)
def test_a_name_of_a_file_stays_in_its_folder(name: str) -> None:
    kept = safe_file_name(name)
    assert re.fullmatch(r"[\w.+-]{1,100}", kept)
    assert kept not in {".", ".."}
    assert safe_file_name(name + "!") != kept
    assert safe_file_name("changes-fast-period-2") == "changes-fast-period-2"


def test_pictures_and_tables_of_hostile_algorithms_stay_in_their_folders() -> None:
    rows = table(lambda name: f"../{name}</script>")
    found = analyse_table({name: [row[name] for row in rows] for name in rows[0]},
                  roles(lambda name: f"../{name}</script>"))  # fmt: skip
    names = [name for said in found.findings() for name in (said.picture, said.table)]
    assert len(names) > 20
    assert not [name for name in names if not re.fullmatch(r"[\w.+-]+", name)]


# a name as long as the picture leaves its panels no room: it must be drawn, not be pretty
@pytest.mark.filterwarnings("ignore:constrained_layout not applied")
def test_effects_of_hostile_names_are_drawn(tmp_path: Path) -> None:
    name = r"$\x$" + FORMULA
    made = {name: [0, 1] * 4, "y": np.arange(8.0)}
    for title, figure in compute_main_effects(made, [name], ["y"]).figures().items():
        assert save_figure(figure, tmp_path, title)


def test_a_notebook_shows_names_as_they_are() -> None:
    strike = "<img src=x onerror=alert(1)>"
    flows = Table("flows", {strike: Words.of([strike]), "flow": np.array([1])})
    html = flows._repr_html_()
    assert "<img" not in html
    assert html.count("&lt;img") == 2
