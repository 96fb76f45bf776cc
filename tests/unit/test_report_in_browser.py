"""The report in a real browser: pictures are drawn, choices filter all, nothing is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from headgate.figures.report import make as report_make
from headgate.figures.vega import CHARTS

from .made_reports import made_report, no_pictures
from .opened_reports import Opened, open_browser

#: Closes any surrounding element or string, and then runs.
STRIKES = (
    "</ScRiPt\t></style></title><img src=x onerror='window.struck=1'><svg onload=window.struck=1>"
    "<!--<script>window.struck=1</script>--> \" onmouseover=window.struck=1 x=' \u2028"
    "{{window.struck=1}} ${window.struck=1} datum['constructor'] javascript:window.struck=1"
)
CHART_NAMES = {name for charts in CHARTS.values() for name in charts}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    yield from open_browser()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report_make, "draw", no_pictures)
        return made_report(tmp_path_factory.mktemp("browser")) / "report.html"


@pytest.fixture
def opened(browser: Browser, report: Path) -> Iterator[Opened]:
    one = Opened(browser, report)
    one.unfold()
    yield one
    assert one.trouble == []
    one.page.close()


def test_every_picture_is_drawn_and_named_for_those_who_hear_it(opened: Opened) -> None:
    script = """() => Object.fromEntries([...document.querySelectorAll("div.chart")].map((div) =>
        [div.dataset.chart, [div.querySelectorAll("svg.marks [role^=graphics]").length,
         div.querySelector("[role=graphics-document]")?.getAttribute("aria-label") ?? "",
         div.querySelector("svg.marks")?.getBoundingClientRect().height ?? 0]]))"""
    found = opened.ask(script)
    assert set(found) == CHART_NAMES
    for name, (marks, label, height) in found.items():
        assert marks > 3, name
        assert len(label) > 10, name
        assert height > 60, name


def test_a_choice_filters_every_picture(opened: Opened) -> None:
    whole = opened.marks("residuals", "symbol", opaque=True)
    assert whole == opened.marks("residuals", "symbol") == 8 * 4
    opened.choose("condition", "X1- X2- X3-")
    for chart, kind, left in (
        ("residuals", "symbol", 4),
        ("components", "symbol", 4),
        ("biplots", "symbol", 4),
        ("apart", "rect", 1),
    ):
        assert opened.marks(chart, kind, opaque=True) == left, chart
    heard = opened.page.inner_text("#said")
    assert re.search(r"Shown: \d: low X1, low X2, low X3 \(X1- X2- X3-\)\.", heard)
    opened.click(opened.page.locator("#all"))
    assert opened.marks("residuals", "symbol", opaque=True) == whole


def test_a_click_on_a_condition_filters_the_others(opened: Opened) -> None:
    opened.click(
        opened.page.locator("div[data-chart=apart] svg g.mark-rect.role-mark > path").first
    )
    expect(opened.choice("condition")).to_have_value(re.compile(r"^X1[-+] X2[-+] X3[-+]$"))
    opened.drawn()
    chosen = opened.choice("condition").input_value()
    assert opened.marks("residuals", "symbol", opaque=True) == 4
    words = opened.choice("condition").locator(f"option[value='{chosen}']").inner_text()
    assert words in opened.page.inner_text("div[data-chart=tree]")


def test_a_click_on_a_response_shows_that_one(opened: Opened) -> None:
    before = opened.choice("response").input_value()
    opened.click(
        opened.page.locator("div[data-chart=effects] svg g.mark-rect.role-mark > path").last
    )
    expect(opened.choice("response")).not_to_have_value(before)


def test_numbers_follow_the_choices(opened: Opened) -> None:
    opened.choose("condition", "X1+ X2+ X3+")
    details = "details.rows[data-of=residuals]"
    opened.page.locator(f"{details} summary").click()
    rows = opened.page.locator(f"{details} tbody tr")
    expect(rows).to_have_count(4)
    assert {row.inner_text().split("\t")[1] for row in rows.all()} == {"X1+ X2+ X3+"}


def test_hovering_names_the_point(opened: Opened) -> None:
    opened.page.locator("div[data-chart=components] svg g.mark-symbol.role-mark > path").last.hover(
        force=True
    )
    tooltip = opened.page.locator("#vg-tooltip-element.visible")
    tooltip.wait_for(timeout=3000)
    assert "cca" in tooltip.inner_text()
    assert "condition" in tooltip.inner_text()


def test_the_keyboard_reaches_every_choice(browser: Browser, report: Path) -> None:
    one = Opened(browser, report)
    reached = set()
    for _ in range(60):
        one.page.keyboard.press("Tab")
        reached.add(one.ask("() => document.activeElement.id"))
    assert {"theme", "open", "choice-condition", "choice-period", "choice-response"} <= reached
    assert "all" in reached


def test_it_is_dark_where_the_system_is_and_light_by_a_button(
    browser: Browser, report: Path
) -> None:
    dark = Opened(browser, report, "dark")
    back = "() => getComputedStyle(document.body).backgroundColor"
    assert dark.ask(back) == "rgb(20, 24, 29)"
    dark.page.click("#theme")
    assert dark.ask(back) == "rgb(246, 247, 249)"
    assert dark.trouble == []


def test_it_prints_without_its_controls(opened: Opened, tmp_path: Path) -> None:
    opened.page.emulate_media(media="print")
    assert not opened.page.locator("form.choices").is_visible()
    assert opened.page.locator("div[data-chart=residuals] svg.marks").is_visible()
    assert len(opened.page.pdf()) > 50_000


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A page of hostile names, without the pictures beside it, which take a minute to draw."""
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report_make, "draw", no_pictures)
        yield made_report(folder, lambda name: f"{name}{STRIKES}") / "report.html"


def test_no_name_runs_in_the_page(browser: Browser, hostile: Path) -> None:
    one = Opened(browser, hostile)
    one.unfold()
    one.choose("period", "2")
    one.choose("response", f"delay{STRIKES}".replace("\u2028", "\\u2028"))
    for chart in sorted(CHART_NAMES):
        marks = one.page.locator(f"div[data-chart={chart}] svg g.role-mark > path")
        if marks.count():
            marks.last.hover(force=True)
    for details in one.page.locator("details > summary").all():
        details.click(force=True)
    assert one.page.title().startswith("A made table</ScRiPt")
    assert not one.struck
    assert one.trouble == []
    one.page.close()


def test_the_policy_stops_what_would_have_slipped_through(
    browser: Browser, hostile: Path, tmp_path: Path
) -> None:
    text = hostile.read_text()
    slipped = "<script>window.struck=1</script><img src=x onerror='window.struck=1'>"
    changed = tmp_path / "changed.html"
    changed.write_text(text.replace("<main", slipped + "<main"))
    one = Opened(browser, changed)
    assert not one.struck
    assert sum("Content Security Policy" in said for said in one.trouble) >= 2
    scripts = re.search(r"script-src ([^;]*)", text)
    assert scripts
    assert re.fullmatch(r"('sha256-[\w+/=]+' ?){3}", scripts[1])
    one.page.close()
