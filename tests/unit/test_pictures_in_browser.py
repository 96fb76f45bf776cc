"""The page of a run's pictures in a real browser: all are drawn, values show, nothing is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

import headgate
from headgate.data.tables import Table, Words
from headgate.figures.report.pictures import write_pictures
from headgate.figures.spec.kinds import KINDS
from headgate.figures.spec.run import Run

from .opened_reports import Opened, open_browser
from .test_time_sequence import LOSS

STRIKE = "</ScRiPt><img src=x onerror='window.struck=1'>{{window.struck=1}} \u2028"


def make_live_tables() -> dict[str, Table]:
    """Give the additional table of a run in real time: a flow of real packets."""
    seconds = np.arange(4.0)
    flows = {
        "protocol": Words.of(["tcp"]), "from_host": Words.of([STRIKE]), "to_host": Words.of(["b"]),
        "source_port": np.array([8000]), "destination_port": np.array([40000]),
        "sent_bytes": np.array([4_000_000]),
    }  # fmt: skip
    series = {
        "flow": np.zeros(4, np.int64), "t_s": seconds, "interval_s": np.ones(4),
        "delivered_packets": np.full(4, 700), "delivered_payload_bytes": np.full(4, 1_000_000),
        "mean_delay_s": np.full(4, 0.012),
    }  # fmt: skip
    late = {
        "t_s": seconds, "written_packets": np.full(4, 700),
        "max_lateness_s": np.full(4, 1e-3), "mean_lateness_s": np.full(4, 1e-4),
    }  # fmt: skip
    named: dict[str, dict[str, Any]] = {
        "live_flows": flows,
        "live_series": series,
        "live_seconds": late,
    }
    return {name: Table(name, columns) for name, columns in named.items()}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    yield from open_browser()


@pytest.fixture(scope="module")
def page_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every kind of picture, of a run with a hostile flow name and 20,000 rows a series."""
    size = {"kind": "pareto", "mean": "20 packets", "shape": 1.5}
    result = headgate.dumbbell(
        rate="20 Mbit/s", rtt="20 ms", buffer="1 BDP",
        flows=[{"name": STRIKE, "cca": "reno"}, "cubic",
               {"kind": "poisson", "cca": "reno", "arrivals": "20 flows/s", "size": size}],
        measure={"warmup": "1 s", "series": {"interval": "200 us"}},
    ).run("4 s")  # fmt: skip
    tables = {**result.tables, **make_live_tables()}
    run = Run(STRIKE, tables, result.meta, trace_one=lambda: replace(LOSS, flow=STRIKE))
    drawings = {kind.name: kind.draw([run]) for kind in KINDS}
    whole = {name: drawing for name, drawing in drawings.items() if drawing is not None}
    assert len(whole) == len(KINDS)
    return write_pictures(tmp_path_factory.mktemp("page") / "pictures.html", STRIKE, whole)


@pytest.fixture(params=[1400, 390])
def opened(browser: Browser, page_path: Path, request: pytest.FixtureRequest) -> Iterator[Opened]:
    one = Opened(browser, page_path, width=request.param)
    yield one
    one.page.close()


def test_every_picture_is_drawn_and_nothing_is_asked(opened: Opened) -> None:
    page = opened.page
    assert page.locator("section").count() == len(KINDS)
    places = page.locator("div.chart").count()
    assert page.locator("div.chart canvas").count() == places
    heights = page.locator("div.chart canvas").evaluate_all("all => all.map(c => c.clientHeight)")
    assert min(heights) > 100
    assert not opened.trouble
    assert not opened.struck
    width = opened.ask("() => [document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1]


def test_a_pointer_reads_the_value_of_the_queue(opened: Opened) -> None:
    page = opened.page
    canvas = page.locator('[data-chart="queue-0"] canvas')
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    tooltip = page.locator("#vg-tooltip-element.visible")
    for step in range(10, 80):
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] * step / 100
        page.mouse.move(x, y)
        if tooltip.count():
            break
    said = tooltip.inner_text()
    assert "queue (packets)" in said
    assert "wait (ms)" in said
