"""The report is one page that opens with the network off, of whatever a folder holds."""

import csv
import json
import re
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from headgate.base.errors import HeadgateError, StoreError
from headgate.cli.main import app
from headgate.figures.analysis.roles import Pair, Roles
from headgate.figures.plots.effects import significance
from headgate.figures.plots.style import save_figure
from headgate.figures.report import make as render
from headgate.figures.report.about import About, Listed, Parameter, Shown, read, write
from headgate.figures.report.html import findings, paragraph, table, verdict
from headgate.figures.report.make import make
from headgate.figures.report.page import Page, Section, write_page
from headgate.stats.effects import compute_main_effect

from .made_reports import made_report, no_pictures

OUTSIDE = re.compile(r"""(?:src|href)=["'](?!data:|#|figures/|tables/)""")


def page_of(*sections: Section) -> Page:
    return Page("Title", "Question?", "", sections, "footer")


def test_text_is_escaped_and_numbers_are_short(tmp_path: Path) -> None:
    rows = [("a < b", 0.123456, 12345, verdict("not run")), ("c", float("nan"), 1, "x")]
    parts = (
        Section("Findings", findings(["one & two"]) + paragraph("three")),
        Section("Claims", table(("claim", "ours", "n", "verdict"), rows)),
    )
    page = write_page(tmp_path / "r.html", page_of(*parts)).read_text()
    assert "a &lt; b" in page
    assert "one &amp; two" in page
    assert ">0.1235<" in page
    assert '<th scope="col" class="number">ours</th>' in page  # above its numbers
    assert '<th scope="col">verdict</th>' in page
    assert ">12,345<" in page
    assert '<span class="verdict not-run">not run</span>' in page
    assert "vegaEmbed=" not in page  # the drawing code is included only with pictures


def test_a_page_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        write_page(tmp_path / "file" / "r.html", page_of())


def test_a_study_without_a_table_has_its_own_pictures_and_claims(tmp_path: Path) -> None:
    effect = compute_main_effect("X1", [-1, 1, -1, 1], [1.0, 2.0, 1.1, 2.2])
    save_figure(significance({"y1": [effect]}), tmp_path / "figures", "own")
    claim = {
        "id": "c", "statement": "It holds", "source": "someone", "published": 1.0, "measure": "m",
        "tolerance": ">= 1", "ours": 1.5, "ci": None, "verdict": "holds", "note": "",
    }  # fmt: skip
    (tmp_path / "claims.json").write_text(json.dumps({"claims": [claim]}))
    write(
        About(
            title="T",
            question="Q",
            findings=("found it",),
            pictures=(Shown(name="own", title="Own picture", caption="what it shows"),),
            tables=(Listed(title="Own table", columns=("a",), rows=((1.5,),)),),
            parameters=(Parameter(name="think", value="5 s", mark="OURS", source="ours"),),
            versions={"headgate": "1"},
        ),
        tmp_path,
    )
    page = make(tmp_path).read_text()
    assert page.count("data:image/png;base64,") == 1
    for text in ("found it", "It holds", "Own picture", "Own table", "OURS", "verdict holds"):
        assert text in page
    assert not OUTSIDE.findall(page)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    pair = Pair(title="movies", own="a", other="b", available=100.0)
    roles = Roles(responses=("a", "b"), factors=("X1",), pairs=(pair,), worse={"a": "more"})
    about = About(title="T", table="t.csv", roles=roles, versions={"scale": "quick"})
    write(about, tmp_path)
    assert read(tmp_path) == about


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_report(tmp_path_factory.mktemp("report"))


def test_every_finding_leads_to_a_picture_and_a_table(made: Path) -> None:
    page = (made / "report.html").read_text()
    links = set(re.findall(r'href="((?:figures|tables)/[^"]+)"', page))
    assert len(links) > 30
    assert not [link for link in links if not (made / link).is_file()]
    anchors = set(re.findall(r'href="#([^"]+)"', page))
    assert not [anchor for anchor in anchors if f'id="{anchor}"' not in page]


def test_all_tables_lie_beside_it_twice(made: Path) -> None:
    names = {path.stem for path in (made / "tables").glob("*.csv")}
    assert names == {path.stem for path in (made / "tables").glob("*.parquet")}
    assert len(names) == 15 * 2 - 2  # two kinds are of all periods together
    with (made / "tables" / "main-effects-period-1.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    typed = duckdb.sql(f"SELECT * FROM '{made}/tables/main-effects-period-1.parquet'").fetchall()
    assert len(rows) == len(typed) == 4 * 6  # the algorithm is a factor too
    assert {"effect", "effect_low", "p", "q", "p_one_way", "eta_squared"} <= set(rows[0])


def test_the_five_questions_are_answered_in_order(made: Path) -> None:
    page = (made / "report.html").read_text()
    asked = ["Increase rate:", "Loss and recovery:", "Fairness to TCP:", "Utility:", "Safety:"]
    places = [page.index(f"<li>{text}") for text in asked]
    assert places == sorted(places)


def test_the_command_makes_it_again_and_asks_nothing_outside(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headgate.figures.report.make.draw", no_pictures)
    done = CliRunner().invoke(app, ["report", str(made), "--workers", "1"])
    assert done.exit_code == 0, done.output
    page = (made / "report.html").read_text()
    markup = re.sub(r"<script.*?</script>", "", page, flags=re.S)
    assert not OUTSIDE.findall(markup)
    assert len(page) < 10_000_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "contains no report.toml"),
        ("title = ", "this is not TOML"),
        ('title = "t"\nroles = { responses = [] }', "roles.responses"),
        ('title = "t"\ntabel = "x.csv"', "tabel"),
        ('title = "t"\n[roles]\nresponses = ["y"]', "table: roles are those of a table"),
        ('title = "t"\ntable = "no.csv"\n[roles]\nresponses = ["y"]', "no such file"),
        ('title = "t"\ntable = "t.csv"\n[roles]\nresponses = ["z"]', "there is no column 'z'"),
        (
            'title = "t"\ntable = "t.csv"\n[roles]\nresponses = ["y"]\nbefore = "reno"',
            "no column of algorithms",
        ),
        (
            'title = "t"\ntable = "t.csv"\n[roles]\nresponses = ["y"]\ncca = "cca"\nbefore = "x"',
            "'x' is none of the algorithms a, b",
        ),
        (
            'title = "t"\ntable = "t.csv"\n[roles]\nresponses = ["y"]\ncongestion = "z"',
            "'z' is no response",
        ),
        ('title = "t"\ntable = "t.csv"\n[roles]\nresponses = ["y", "y"]', "y is named twice"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_folder_is_one_sentence(tmp_path: Path, text: str | None, said: str) -> None:
    (tmp_path / "t.csv").write_text("cca,y\na,1\nb,2\n")
    if text is not None:
        (tmp_path / "report.toml").write_text(text)
    with pytest.raises(HeadgateError, match=re.escape(said)) as caught:
        make(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_table_of_factors_alone_is_reported_in_part(tmp_path: Path) -> None:
    rows = [f"{a},{b},{3 * a + b}" for a in (-1, 1) for b in (-1, 1)]
    (tmp_path / "t.csv").write_text("\n".join(["A,B,y", *rows]))
    write(
        About(title="t", table="t.csv", roles=Roles(responses=("y",), factors=("A", "B"))), tmp_path
    )
    page = make(tmp_path).read_text()
    assert "Influence of the factors" in page
    assert "Which algorithms behave alike: no column of algorithms is named" in page


def test_pictures_are_drawn_here_where_a_process_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> dict[str, list[str]]:
        raise BrokenProcessPool

    monkeypatch.setattr(render, "FEW", 1)
    monkeypatch.setattr(render, "_draw_beside", killed)
    rows = [f"{a},{b},{3 * a + b}" for a in (-1, 1) for b in (-1, 1)]
    (tmp_path / "t.csv").write_text("\n".join(["A,B,y", *rows]))
    write(
        About(title="t", table="t.csv", roles=Roles(responses=("y",), factors=("A", "B"))), tmp_path
    )
    make(tmp_path, workers=2)
    assert (tmp_path / "figures" / "influence.svg").is_file()
