"""The player of a run's page: a button and a slider move through all pictures over time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

import headgate
from headgate.figures.report.pictures import write_pictures
from headgate.figures.spec.kinds import KINDS
from headgate.figures.spec.run import Run

from .opened_reports import Opened, open_browser

DURATION_S = 8.0
AT = re.compile(r"([\d.]+) of ([\d.]+) s")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    yield from open_browser()


@pytest.fixture(scope="module")
def result() -> headgate.Result:
    return headgate.dumbbell(
        rate="20 Mbit/s", rtt="20 ms", buffer="1 BDP", flows=["reno", "cubic"],
        measure={"series": {"interval": "100 ms"}},
    ).run(f"{DURATION_S} s")  # fmt: skip


@pytest.fixture(scope="module")
def page_path(tmp_path_factory: pytest.TempPathFactory, result: headgate.Result) -> Path:
    return write_page(tmp_path_factory.mktemp("player"), [Run("run", result.tables, result.meta)])


def write_page(folder: Path, runs: list[Run]) -> Path:
    drawn = {kind.name: kind.draw(runs) for kind in KINDS if len(runs) == 1 or kind.compares}
    whole = {name: drawing for name, drawing in drawn.items() if drawing is not None}
    return write_pictures(folder / "pictures.html", "two flows", whole)


@pytest.fixture(params=[1400, 390])
def opened(browser: Browser, page_path: Path, request: pytest.FixtureRequest) -> Iterator[Opened]:
    one = Opened(browser, page_path, width=request.param)
    yield one
    assert one.trouble == []
    one.page.close()


def time_of(opened: Opened) -> float:
    found = AT.fullmatch(opened.page.inner_text("#at"))
    assert found
    assert float(found[2]) == DURATION_S
    return float(found[1])


def value_of(opened: Opened, caption: str, name: str) -> str:
    tables = opened.page.locator("#values table").filter(has_text=caption)
    row = tables.first.locator("tr").filter(has_text=name)
    return str(row.locator("td.number").inner_text())


def veil_width(opened: Opened, chart: str) -> float:
    """Give the width of what is faded in a picture; 0 if nothing is."""
    box = opened.page.locator(f'[data-chart="{chart}"] div.now').bounding_box()
    return box["width"] if box else 0.0


def plot_width(opened: Opened, chart: str) -> float:
    opened.page.focus("#time")
    opened.page.keyboard.press("Home")
    return veil_width(opened, chart)


def test_a_page_begins_with_the_whole_run(opened: Opened) -> None:
    assert time_of(opened) == DURATION_S
    assert opened.page.locator("div.now:visible").count() == 0
    assert opened.page.inner_text("#play") == "Play"
    width = opened.ask("() => [document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1]


def test_the_slider_works_by_keyboard(opened: Opened) -> None:
    whole = plot_width(opened, "cwnd-0")
    assert time_of(opened) == 0.0
    assert opened.page.locator("div.now:visible").count() == 4
    opened.page.keyboard.press("End")
    assert time_of(opened) == DURATION_S
    assert veil_width(opened, "cwnd-0") == 0.0
    opened.page.keyboard.press("Home")
    for _ in range(50):  # 50 of 500 places
        opened.page.keyboard.press("ArrowRight")
    assert time_of(opened) == pytest.approx(0.8, abs=0.02)
    # the time axis begins at the first sample, 0.1 s
    left = (DURATION_S - 0.8) / (DURATION_S - 0.1)
    assert veil_width(opened, "cwnd-0") == pytest.approx(left * whole, rel=0.04)
    said = opened.page.get_attribute("#time", "aria-valuetext")
    assert said == opened.page.inner_text("#at")


def test_the_values_are_those_of_the_run(opened: Opened, result: headgate.Result) -> None:
    page = opened.page
    page.evaluate(
        "() => { const t = document.getElementById('time'); t.value = 4.05;"
        " t.dispatchEvent(new Event('input')); }"
    )
    series = result.series
    for name in ("reno", "cubic"):
        rows = (series["name"] == name) & (series["t_s"] <= time_of(opened) + 1e-9)
        expected = float(series["cwnd_packets"][rows][-1])
        shown = float(value_of(opened, "congestion window", name).replace(",", ""))
        assert shown == pytest.approx(expected, rel=1e-3)
    rows = (series["of"] == "port") & (series["t_s"] <= time_of(opened) + 1e-9)
    shown = float(value_of(opened, "queue (packets), bottleneck", "queue"))
    assert shown == pytest.approx(float(np.asarray(series["queue_packets"][rows])[-1]), abs=1)
    expect(page.locator("#heard")).to_contain_text("congestion window")


def test_play_moves_by_the_speed_and_pause_stops(opened: Opened) -> None:
    page = opened.page
    page.select_option("#speed", "2")
    page.clock.install()
    page.clock.pause_at(page.evaluate("() => Date.now() + 1000"))
    page.focus("#play")
    page.keyboard.press("Enter")
    assert page.inner_text("#play") == "Pause"
    page.clock.run_for(1000)
    assert time_of(opened) == pytest.approx(2.0, abs=0.1)
    page.keyboard.press("Enter")
    assert page.inner_text("#play") == "Play"
    page.clock.run_for(1000)
    assert time_of(opened) == pytest.approx(2.0, abs=0.1)
    page.focus("#time")
    page.keyboard.press(" ")
    page.clock.run_for(4000)
    assert time_of(opened) == DURATION_S
    assert page.inner_text("#play") == "Play"


def test_reduced_motion_jumps_once_a_second(browser: Browser, page_path: Path) -> None:
    one = Opened(browser, page_path)
    one.page.emulate_media(reduced_motion="reduce")
    one.page.select_option("#speed", "1")
    one.page.clock.install()
    one.page.clock.pause_at(one.page.evaluate("() => Date.now() + 1000"))
    one.page.click("#play")
    one.page.clock.run_for(990)
    assert time_of(one) == 0.0
    one.page.clock.run_for(20)
    assert time_of(one) == pytest.approx(1.0, abs=0.02)
    assert one.trouble == []
    one.page.close()


def test_a_dark_page_keeps_its_time(opened: Opened) -> None:
    opened.page.focus("#time")
    opened.page.keyboard.press("Home")
    opened.page.click("#theme")
    opened.drawn()
    assert time_of(opened) == 0.0
    assert opened.page.locator("div.now:visible").count() == 4
    assert opened.page.locator("#speed option").count() == 16


def test_a_zoomed_picture_keeps_the_line_at_its_time(browser: Browser, page_path: Path) -> None:
    one = Opened(browser, page_path)
    whole = plot_width(one, "cwnd-0")
    one.page.keyboard.press("PageUp")
    before = veil_width(one, "cwnd-0")
    canvas = one.page.locator('[data-chart="cwnd-0"] canvas')
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    # the middle of the picture is dragged to the right by a tenth of it
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    one.page.mouse.move(x, y)
    one.page.mouse.down()
    one.page.mouse.move(x + whole / 10, y, steps=5)
    one.page.mouse.up()
    one.page.wait_for_timeout(100)
    assert veil_width(one, "cwnd-0") == pytest.approx(before - whole / 10, abs=3)
    one.page.close()


def test_a_comparison_of_runs_has_no_player(
    browser: Browser, tmp_path: Path, result: headgate.Result
) -> None:
    runs = [Run(name, result.tables, result.meta) for name in ("one", "two")]
    one = Opened(browser, write_page(tmp_path, runs))
    assert not one.page.locator("#player").is_visible()
    assert not one.page.locator("#values").is_visible()
    assert one.trouble == []
    one.page.close()
