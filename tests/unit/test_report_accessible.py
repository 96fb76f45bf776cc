"""The page for everyone: axe-core's rules, narrow and wide, light and dark; folds and filters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from matplotlib.colors import to_rgb
from playwright.sync_api import Browser, expect

import headgate
from headgate.figures.plots.palette import DARK_GROUND, EDGE, LOAD, ON_DARK
from headgate.figures.report import make as report_make
from headgate.figures.report.pictures import write_pictures
from headgate.figures.spec.kinds import KINDS
from headgate.figures.spec.looks import GREY, LINES
from headgate.figures.spec.run import Run

from .made_reports import made_report, no_pictures
from .opened_reports import LIMIT_MS, Opened, open_browser

WIDTHS, SCHEMES = (1400, 390), ("light", "dark")
#: Findings of axe that are taste.
HARMLESS = frozenset({"minor", "moderate"})


def claim(name: str, verdict: str, **more: object) -> dict[str, object]:
    common: dict[str, object] = {
        "statement": f"CCA {name} is fair", "source": "someone", "published": 1.0, "measure": "m",
        "tolerance": ">= 1", "ours": 1.5, "ci": [1.2, 1.8], "note": "p = 0",
        "sample": {"count": 2, "unit": "conditions"},
    }  # fmt: skip
    return {"id": name, "verdict": verdict, **common, **more}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    yield from open_browser()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("accessible")
    rows = [claim("bic", "holds"), claim("cubic", "holds"), claim("hstcp", "differs", ci=None)]
    (folder / "claims.json").write_text(json.dumps({"claims": rows}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report_make, "draw", no_pictures)
        return made_report(folder) / "report.html"


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a run's pictures: lines over time, the queue's two scales, a map, points."""
    result = headgate.dumbbell(flows=["reno", "cubic"], rate="10 Mbit/s", rtt="20 ms").run("3 s")
    run = Run("black", result.tables, result.meta)
    drawn = {kind.name: kind.draw([run]) for kind in KINDS}
    whole = {name: drawing for name, drawing in drawn.items() if drawing is not None}
    assert {"throughput", "queue", "topology"} <= set(whole)
    return write_pictures(tmp_path_factory.mktemp("pictures") / "pictures.html", "A run", whole)


def violations(one: Opened, harmless: frozenset[str] = HARMLESS) -> list[str]:
    one.page.evaluate(AXE_SCRIPT)
    found: dict[str, Any] = one.ask("() => axe.run({ resultTypes: ['violations'] })")
    return [
        f"{rule['id']}: {node['target']} {node['html'][:200]} {node['failureSummary']}"
        for rule in found["violations"]
        if rule["impact"] not in harmless
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_serious(browser: Browser, report: Path, scheme: str, width: int) -> None:
    one = Opened(browser, report, scheme, width)
    assert violations(one) == []
    if one.page.locator("nav > details:not([open])").count():
        one.page.click("nav summary")
    one.unfold()
    assert violations(one) == []
    assert one.trouble == []
    one.page.close()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_in_a_page_of_pictures(
    browser: Browser, pictures: Path, scheme: str, width: int
) -> None:
    one = Opened(browser, pictures, scheme, width)
    assert violations(one, harmless=frozenset()) == []
    one.page.click("#theme")
    one.drawn()
    assert violations(one, harmless=frozenset()) == []
    assert one.trouble == []
    one.page.close()


def test_pictures_are_dark_on_a_dark_page(browser: Browser, pictures: Path) -> None:
    """The ground of each, and a line that is black on white, which nobody would see."""
    ground = """() => [...document.querySelectorAll("div.chart canvas")].map((canvas) =>
        canvas.getContext("2d").getImageData(1, 1, 1, 1).data[0])"""
    one = Opened(browser, pictures, "dark")
    assert max(one.ask(ground)) < 0x30
    one.page.click("#theme")
    one.drawn()
    assert min(one.ask(ground)) == 255
    one.page.close()


@pytest.mark.parametrize("ink", [*LINES, *LOAD[1:], "black", GREY, EDGE])
def test_lines_stand_out_from_a_dark_page(ink: str) -> None:
    light, dark = sorted(map(luminance, (ON_DARK.get(ink, ink), DARK_GROUND)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 3


def luminance(colour: str) -> float:
    """How bright a colour is, as WCAG 2.1 says."""
    parts = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour))
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_hangs_over_the_edge(browser: Browser, report: Path, width: int) -> None:
    one = Opened(browser, report, width=width)
    one.ask("() => document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    one.page.wait_for_timeout(500)
    one.drawn()
    assert one.ask("() => document.documentElement.scrollWidth") <= width
    one.page.close()


def test_a_phone_shows_the_answer_before_any_list_of_links(browser: Browser, report: Path) -> None:
    one = Opened(browser, report, width=390)
    top = {
        name: one.page.locator(name).first.bounding_box()
        for name in (".first ul.findings", "table.questions", "table.heat", "nav")
    }
    heights = [box["y"] for box in top.values() if box]
    assert len(heights) == 4
    assert heights == sorted(heights)
    assert heights[0] < 400
    assert not one.page.locator("nav ol").is_visible()
    assert one.page.locator("table.heat td.w4").first.is_visible()
    one.page.close()


def test_no_word_of_the_five_questions_is_broken_on_a_phone(browser: Browser, report: Path) -> None:
    """A word wider than its cell would hang out of it, or be cut in two."""
    one = Opened(browser, report, width=390)
    wide = """() => [...document.querySelectorAll("table.questions :is(td, th)")]
        .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"""
    broken = """() => getComputedStyle(document.querySelector("table.questions td")).overflowWrap"""
    assert one.page.locator("table.questions td .verdict").count() >= 9
    assert one.ask(wide) == []
    assert one.ask(broken) == "normal"
    one.page.close()


def test_a_tree_has_room_below_a_long_title_on_a_phone(
    browser: Browser, report: Path, tmp_path: Path
) -> None:
    long = "a network that is slow, delays that are short, and buffers that are small"
    text = re.sub("(low|high) X1, (low|high) X2", long, report.read_text(encoding="utf-8"))
    (tmp_path / "long.html").write_text(text, encoding="utf-8")
    one = Opened(browser, tmp_path / "long.html", width=390)
    one.page.click("section summary >> text=Which algorithms behave alike")
    one.page.wait_for_selector("div[data-chart=tree] svg.marks")
    one.drawn()
    assert "a network that is slow" in one.page.inner_text("div[data-chart=tree]")
    frame = "div[data-chart=tree] svg g.mark-group.role-frame > g > path"
    width = "(frame) => document.querySelector(frame).getBoundingClientRect().width"
    assert one.ask(width, frame) > 200
    one.page.close()


def test_means_in_bits_per_second_are_read_in_millions(
    browser: Browser, report: Path, tmp_path: Path
) -> None:
    texts = """(at) => [...document.querySelectorAll(`div[data-chart=means] svg ${at} text`)]
        .map((one) => one.textContent)"""
    shown = []
    for unit in ("s", "bit/s"):
        text = report.read_text(encoding="utf-8").replace("delay (s)", f"delay ({unit})")
        (tmp_path / "unit.html").write_text(text, encoding="utf-8")
        one = Opened(browser, tmp_path / "unit.html")
        one.unfold()
        response = one.page.locator("#choice-response option", has_text=f"delay ({unit})").first
        one.choose("response", response.get_attribute("value") or "")
        labels = one.ask(texts, ".role-axis-label")
        shown.append([float(label.replace(",", "")) for label in labels if label[0].isdigit()])
        titles = " ".join(one.ask(texts, ".role-title"))
        assert ("(Mbit/s)" in titles) is (unit == "bit/s")
        one.page.close()
    pairs = [pair for pair in zip(*shown, strict=True) if pair[0] != pair[1]]  # not names of levels
    assert len(pairs) >= 3
    assert [millions for _, millions in pairs] == pytest.approx(
        [1e-6 * value for value, _ in pairs]
    )


@pytest.mark.parametrize("chart", ["changes", "effects", "correlations", "outliers"])
def test_a_phone_shows_names_of_responses_whole(
    browser: Browser, report: Path, tmp_path: Path, chart: str
) -> None:
    long = "share of sources transmitting"
    text = report.read_text(encoding="utf-8").replace("queueing delay (s)", long)
    (tmp_path / "long.html").write_text(text, encoding="utf-8")
    one = Opened(browser, tmp_path / "long.html", width=390)
    one.page.evaluate("document.getElementById('open').click()")
    one.page.wait_for_selector(f"div[data-chart={chart}] svg.marks")
    one.drawn()
    texts = "(at) => [...document.querySelectorAll(at)].map((one) => one.textContent)"
    names = one.ask(texts, f"div[data-chart={chart}] svg .role-axis-label text")
    assert long in names
    assert not [name for name in names if name.endswith("\N{HORIZONTAL ELLIPSIS}")]
    one.page.close()


def test_a_link_opens_the_section_that_it_leads_to(browser: Browser, report: Path) -> None:
    one = Opened(browser, report)
    drawn = one.page.locator("div[data-chart=effects] svg.marks")
    assert not drawn.is_visible()
    one.page.click("nav a[href='#section-main-effects']")
    expect(drawn).to_be_visible()
    one.page.click(".first a.term >> nth=0")
    expect(one.page.locator("dt:target")).to_be_visible()
    one.page.close()


def test_claims_are_filtered_by_verdict_and_by_words(browser: Browser, report: Path) -> None:
    one = Opened(browser, report)
    one.page.click(".first a[href='#section-claims']")
    rows = one.page.locator("table.claims tbody tr:visible")
    expect(rows).to_have_count(3)
    one.page.select_option("#filter-verdict", "holds")
    expect(rows).to_have_count(2)
    one.page.fill("#filter-text", "CUBIC cca")
    expect(rows).to_have_count(1)
    expect(one.page.locator("#filtered")).to_have_text("1 of 3 claims")
    one.page.select_option("#filter-verdict", "differs")
    expect(rows).to_have_count(0)
    one.page.close()


def test_colours_of_more_and_less_are_dark_on_a_dark_page(browser: Browser, report: Path) -> None:
    lightest = """() => Math.max(...[...document.querySelectorAll(
        "div[data-chart=changes] svg g.mark-rect.role-mark > path")]
        .map((one) => one.getAttribute("fill")).filter((fill) => fill.startsWith("rgb"))
        .map((fill) => Math.min(...fill.match(/\\d+/g).map(Number))))"""
    for scheme, bright in (("light", True), ("dark", False)):
        one = Opened(browser, report, scheme)
        one.page.click("nav a[href='#section-what-changes']")
        one.page.wait_for_selector("div[data-chart=changes] svg.marks")
        one.drawn()
        one.choose("cca", "scalable")  # which changes nothing much
        assert (one.ask(lightest) > 150) is bright
        one.page.close()


def test_without_javascript_it_is_read_and_opened_all_the_same(
    browser: Browser, report: Path
) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.set_default_timeout(LIMIT_MS)
    page.goto(report.as_uri())
    assert page.locator("table.heat").first.is_visible()
    page.click("section summary >> text=Claims")
    assert page.locator("table.claims").is_visible()
    assert not page.locator("#filter").is_visible()
    page.close()
