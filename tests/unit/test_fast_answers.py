"""Answers come soon: long steps are done once, or not at all."""

import gc
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import vl_convert
from matplotlib import pyplot as plt
from matplotlib.text import Text

from headgate.figures.analysis.whole import analyse_table
from headgate.figures.plots import style, text_drawing, text_layouts
from headgate.figures.plots.palette import SIGNED, SIGNED_SCALE, VERDICT, Diverging
from headgate.figures.report import page

from .made_reports import roles, table


def test_the_script_of_pages_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    bundle: Any = vl_convert.javascript_bundle
    monkeypatch.setattr(
        vl_convert, "javascript_bundle", lambda **version: made.append(version) or bundle(**version)
    )
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    first = page._bundle()
    assert page._bundle() == first
    assert len(made) == 1
    (kept,) = (tmp_path / "cache").rglob("*.js")
    assert kept.read_bytes() == first.encode()
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))  # no folder can be made there
    assert page._bundle() == first
    assert len(made) == 2


#: Pictures with many labels, formulas, several lines, rotated texts and colour bars.
KINDS = ("changes", "main-effects", "ten-steps", "clusters", "correlations", "ranks")


def draw() -> dict[str, bytes]:
    """Draw the first picture of each kind in both formats."""
    rows = table()
    found = analyse_table({name: [row[name] for row in rows] for name in rows[0]}, roles())
    made = {one.kind.name: one for one in reversed(found.made) if not one.reason}
    drawn = {}
    for kind in KINDS:
        name, figure = next(iter(made[kind].figures()))
        drawn |= {f"{name}.{form}": style.image(figure, form) for form in ("png", "svg")}
        plt.close(figure)
    return drawn


def test_what_is_measured_once_is_drawn_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    fast = draw()
    assert Text._get_layout.__module__ == Text.__module__  # type: ignore[attr-defined]
    monkeypatch.setattr(style, "lay_out_once", nullcontext)
    monkeypatch.setattr(style, "_place_empty_labels", lambda _: None)
    monkeypatch.setattr(text_drawing, "_DRAWS_LETTERS", False)
    slow = draw()
    assert len(fast) == 2 * len(KINDS)
    assert [name for name in slow if slow[name] != fast[name]] == []


def test_each_text_is_measured_once_a_format(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[Any] = Counter()
    compute: Any = Text._get_layout  # type: ignore[attr-defined]

    def count(text: Text, renderer: Any) -> Any:
        asked[text_layouts._describe(text, renderer)] += 1
        return compute(text, renderer)

    monkeypatch.setattr(Text, "_get_layout", count)
    figure, ax = plt.subplots()
    ax.set_xticks(range(20), [f"label {n}" for n in range(20)], rotation=90)
    style.image(figure, "png")
    assert set(asked.values()) == {1}
    assert sum("label" in str(key) for key in asked) == 20
    plt.close(figure)


@pytest.mark.skipif(not text_drawing._DRAWS_LETTERS, reason="this Matplotlib draws whole lines")
def test_each_letter_is_drawn_once() -> None:
    text_drawing._draw_letter.cache_clear()
    figure, ax = plt.subplots()
    ax.set_axis_off()
    ax.text(0.5, 0.5, "baobab", antialiased=True)
    first = style.image(figure, "png")
    drawn = text_drawing._draw_letter.cache_info().misses
    assert 3 <= drawn <= 6  # the same letter at another place within a pixel is another one
    assert style.image(figure, "png") == first
    assert text_drawing._draw_letter.cache_info().misses == drawn
    plt.close(figure)


@pytest.mark.parametrize(
    "kind", [{}, {"rotation": 40}, {"antialiased": False}, {"fontfeatures": ["-kern"]}]
)
def test_a_text_is_drawn_as_by_matplotlib(
    kind: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    figure, ax = plt.subplots()
    ax.text(0.2, 0.5, "AVA 10\N{SUPERSCRIPT TWO} \N{BLACK UP-POINTING TRIANGLE}\ncubic", **kind)
    fast = style.image(figure, "png")
    monkeypatch.setattr(text_drawing, "_DRAWS_LETTERS", False)
    assert style.image(figure, "png") == fast
    plt.close(figure)


def test_matplotlib_without_the_method_draws_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_layouts, "_METHOD", "_no_such_method")
    figure, _ = plt.subplots()
    assert style.image(figure, "png")
    plt.close(figure)


@pytest.mark.parametrize("colours", [VERDICT, SIGNED])
def test_colours_from_a_table_are_those_of_the_map(colours: Diverging) -> None:
    values = [*np.linspace(-1.2, 1.2, 4001), 0.5, -0.25, np.nan, np.inf, -np.inf]
    for value in values:
        assert colours.colour(float(value)) == tuple(map(float, colours.map(SIGNED_SCALE(value))))


def test_a_second_scale_is_drawn() -> None:
    figure, ax = plt.subplots()
    ax.secondary_yaxis("right", functions=(np.negative, np.negative))
    assert style.image(figure, "png")
    plt.close(figure)


def test_the_collector_is_as_before_after_drawing() -> None:
    of_tests = gc.get_threshold()
    before = (700, 10, 10)
    try:
        gc.set_threshold(*before)  # a campaign's worker may have run in this process
        with style.collect_seldom():
            assert gc.get_threshold() != before
        assert gc.get_threshold() == before
        assert gc.get_freeze_count() == 0
    finally:
        gc.set_threshold(*of_tests)
