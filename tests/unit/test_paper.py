"""Figures for papers: true sizes, embedded fonts, no overlaps, the data and the caption beside."""

from __future__ import annotations

import base64
import csv
import re
from io import BytesIO, StringIO
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from fontTools.ttLib import TTFont
from matplotlib import pyplot as plt

import headgate
from headgate import Result
from headgate.base.errors import HeadgateError
from headgate.base.level_order import LevelOrder
from headgate.figures import (
    Facets,
    MeansLayout,
    MeasuredTable,
    PaperSize,
    draw_difference,
    draw_means,
    draw_results,
    save_paper_figures,
)
from headgate.figures.paper.draw import draw_figure, use_paper
from headgate.figures.paper.save import render
from headgate.figures.spec.drawing import Drawing, Picture

from .paper_pages import list_faults, read_fonts, read_page_size, read_sizes

MM = 72 / 25.4
#: The comparison of a thesis: three buffers, three round trips, two disciplines, three algorithms.
LEVELS = {
    "buffer": ("0.5 BDP", "1 BDP", "2 BDP"),
    "rtt": ("10 ms", "40 ms", "100 ms"),
    "queue": ("drop_tail", "fq-codel"),
    "cca": ("cubic", "bbr3", "Mine"),
}


def table(replicates: int = 5) -> MeasuredTable:
    """Goodput rises with the buffer by 1 Mbit/s a BDP; the queue is as long as the buffer."""
    rows = [
        (*levels, seed, 5e6 + 1e6 * float(levels[0][:-4]) + 1e4 * seed, 10 * float(levels[0][:-4]))
        for levels in product(*LEVELS.values())
        for seed in range(replicates)
    ]
    names = (*LEVELS, "replicate", "goodput_bps", "queue_packets")
    columns = {name: np.array(of) for name, of in zip(names, zip(*rows, strict=True), strict=True)}
    titles = {
        "goodput_bps": "goodput of all flows (bit/s)",
        "queue_packets": "mean queue (packets)",
    }
    return MeasuredTable(columns, tuple(LEVELS), names[-2:], "replicate", titles)


@pytest.fixture(scope="module")
def runs() -> dict[str, Result]:
    """Two algorithms, three seeds each: two long flows with random loss."""
    return {
        f"{cca}-{seed}": headgate.dumbbell(
            rate="20 Mbit/s", rtt="40 ms", buffer="1 BDP", loss=0.001, flows=[cca, cca],
            measure={"warmup": "1 s"},
        ).run("4 s", seed=seed)
        for cca, seed in product(("cubic", "bbr3"), (1, 2, 3))
    }  # fmt: skip


@pytest.fixture(scope="module")
def drawings(runs: dict[str, Result]) -> dict[str, Drawing]:
    first = {"cubic-1": runs["cubic-1"]}
    single = ("throughput", "rtt", "queue", "topology")
    return {
        **draw_means(table()),
        **draw_means(table(), MeansLayout(facets=Facets(("response",), ("rtt",)))),
        **{name: draw_results(first, name) for name in single},
        "overlay": draw_results(runs, "throughput"),
        "delay": draw_results(runs, "throughput-delay"),
        "use": draw_difference(runs["cubic-1"], runs["bbr3-1"])["use"],
    }


@pytest.mark.parametrize(
    ("paper", "columns", "width_pt"),
    [("ieee", 1, 252.0), ("IEEE", 2, 515.5), ("acm", 1, 240.3), ("acm", 2, 504.4),
     ("88 mm", None, 88 * MM), ("3.5 in", None, 252.0), ("9.5cm", None, 95 * MM)],
)  # fmt: skip
def test_a_page_is_as_wide_as_the_column(paper: str, columns: int | None, width_pt: float) -> None:
    size = PaperSize.of(paper, columns)
    figure = draw_figure(draw_means(table())["means-goodput_bps"], size)
    assert read_page_size(render(figure, "pdf", size))[0] == pytest.approx(width_pt, abs=0.1)
    plt.close(figure)


@pytest.mark.parametrize("points", [7.0, 8.0, 10.0])
def test_every_text_is_as_large_as_asked_in_print(
    drawings: dict[str, Drawing], points: float
) -> None:
    size = PaperSize.of("88 mm", font_size=points)
    for name in ("means-goodput_bps", "throughput", "topology"):
        figure = draw_figure(drawings[name], size)
        assert read_sizes(render(figure, "pdf", size)) == {points}, name
        plt.close(figure)


def test_fonts_are_embedded_and_none_is_type_3(drawings: dict[str, Drawing]) -> None:
    size = PaperSize.of("ieee")
    for name, drawing in drawings.items():
        figure = draw_figure(drawing, size)
        fonts = read_fonts(render(figure, "pdf", size))
        assert fonts, name
        assert all("STIX" in font for font in fonts), name
        assert all("/FontFile2" in font for font in fonts.values()), name
        plt.close(figure)


def test_an_svg_contains_the_letters_that_it_uses(drawings: dict[str, Drawing]) -> None:
    size = PaperSize.of("ieee")
    figure = draw_figure(drawings["throughput"], size)
    svg = render(figure, "svg", size).decode()
    plt.close(figure)
    assert re.search(r'<svg [^>]*width="252pt"', svg)
    (data,) = re.findall(r"src:url\(data:font/ttf;base64,([^)]*)\)", svg)
    with TTFont(BytesIO(base64.b64decode(data))) as font:
        letters = font.getBestCmap()
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert "time (s)" in texts
    assert {ord(letter) for text in texts for letter in text} <= set(letters)


@pytest.mark.parametrize("paper", [("ieee", 1), ("ieee", 2), ("60 mm", None)])
def test_no_text_overlaps_another_or_leaves_the_figure(
    drawings: dict[str, Drawing], paper: tuple[str, int | None]
) -> None:
    size = PaperSize.of(*paper)
    for name, drawing in drawings.items():
        with use_paper(size):
            figure = draw_figure(drawing, size)
            figure.draw_without_rendering()
            assert not list_faults(figure), name
            plt.close(figure)


def test_the_data_beside_a_figure_is_what_it_draws(
    drawings: dict[str, Drawing], tmp_path: Path
) -> None:
    size = PaperSize.of("ieee")
    save_paper_figures(drawings, tmp_path, size)
    for name, drawing in drawings.items():
        rows = list(csv.DictReader(StringIO((tmp_path / f"{name}.csv").read_text())))
        if not isinstance(drawing, Picture):
            assert [row["link"] for row in rows] == [span.link for span in drawing.spans]
            assert [float(row["shown"]) for row in rows] == [span.shown for span in drawing.spans]
            continue
        figure = draw_figure(drawing, size)
        drawn = {
            (round(float(x), 9), round(float(y), 9))
            for ax in figure.axes
            for line in ax.get_lines()
            for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
        }
        plt.close(figure)
        written = {(round(float(row["x"]), 9), round(float(row["y"]), 9)) for row in rows}
        assert written <= drawn, name
        assert len(rows) == sum(
            len(of.x) for panel in drawing.panels for of in (*panel.lines, *panel.levels)
        )


def test_each_figure_has_a_caption_and_the_same_bytes_each_time(
    drawings: dict[str, Drawing], tmp_path: Path
) -> None:
    chosen = {name: drawings[name] for name in ("means-goodput_bps", "use")}
    both = [save_paper_figures(chosen, tmp_path / name, PaperSize.of("acm")) for name in "ab"]
    assert [path.name for path in both[0]] == [
        f"{name}.{form}" for name in chosen for form in ("pdf", "svg", "txt", "csv")
    ]
    assert [path.read_bytes() for path in both[0]] == [path.read_bytes() for path in both[1]]
    caption = (tmp_path / "a" / "means-goodput_bps.txt").read_text()
    assert caption.startswith("Goodput of all flows. Means over 5 replicates; bars are Student's")


def test_means_and_intervals_are_those_of_the_replicates() -> None:
    made = draw_means(table(3), MeansLayout(facets=Facets((), ("queue",))))["means-goodput_bps"]
    assert "Means also average over rtt." in made.caption
    line = next(line for line in made.panels[0].lines if line.name == "cubic")
    assert line.x.tolist() == [0.5, 1.0, 2.0]
    assert line.y == pytest.approx([5.51, 6.01, 7.01])
    assert line.band is not None
    half = 4.302652729911275 * 0.01 / np.sqrt(3)  # Student, 2 degrees of freedom
    assert line.band[1] - line.y == pytest.approx(np.full(3, half))


def test_replicates_that_are_alike_have_no_interval() -> None:
    made = draw_means(table())["means-queue_packets"]
    assert all(line.band is None for panel in made.panels for line in panel.lines)
    assert "All replicates of a condition give the same value." in made.caption


def test_a_grid_has_all_conditions_with_quantities_by_size_and_words_as_listed() -> None:
    made = draw_means(table())["means-goodput_bps"]
    assert made.column_names == ("rtt 10 ms", "rtt 40 ms", "rtt 100 ms")
    assert made.row_names == ("queue drop_tail", "queue fq-codel")
    assert [tick[1] for tick in made.panels[0].ticks] == ["0.5", "1", "2"]
    assert made.panels[0].x == "buffer (BDP)"
    listed = LevelOrder({"queue": ("fq-codel", "drop_tail"), "rtt": ("100 ms", "40 ms", "10 ms")})
    other = MeasuredTable(**{**vars(table()), "order": listed})
    asked = MeansLayout(facets=Facets(("queue", "buffer"), ("rtt",)), x="cca")
    ordered = draw_means(other, asked)["means-goodput_bps"]
    assert ordered.column_names == ("rtt 100 ms", "rtt 40 ms", "rtt 10 ms")
    assert ordered.row_names[:2] == (
        "queue fq-codel, buffer 0.5 BDP",
        "queue fq-codel, buffer 1 BDP",
    )


def test_units_of_one_axis_are_brought_together() -> None:
    columns = {"rtt": np.array(["500 us", "20 ms", "0.1 s"]), "y": np.arange(3.0)}
    made = draw_means(MeasuredTable(columns, ("rtt",), ("y",)))["means-y"]
    assert made.panels[0].x == "rtt (s)"
    assert made.panels[0].lines[0].x == pytest.approx([0.0005, 0.02, 0.1])
    assert made.panels[0].log == "x"


@pytest.mark.parametrize(
    ("layout", "sentence"),
    [
        (MeansLayout(x="rrt"), "x: there is no factor 'rrt'; factors: buffer, rtt, queue, cca"),
        (MeansLayout(lines="rate"), "lines: there is no factor 'rate'"),
        (MeansLayout(responses=("goodput",)), "response: there is no response 'goodput'"),
        (MeansLayout(facets=Facets(rows=("qeue",))), "facet-rows: there is no factor 'qeue'"),
        (MeansLayout(facets=Facets(("rtt",), ("rtt",))), "'rtt' is named twice"),
        (MeansLayout(x="rtt", facets=Facets(("rtt",))), "'rtt' is used twice"),
    ],
)
def test_a_layout_names_what_is_there(layout: MeansLayout, sentence: str) -> None:
    with pytest.raises(HeadgateError) as refused:
        draw_means(table(), layout)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("ieeee",), "paper: 'ieeee' is not ieee, acm, or a width such as '88 mm'"),
        (("88",), "paper: '88' is not"),
        (("88 px",), "paper: '88 px' is not"),
        (("2 m",), "paper: '2 m' is not"),
        (("900 mm",), "paper: '900 mm' is not from 25.4 to 508 mm"),
        (("88 mm", 2), "columns: '88 mm' is already the width"),
        (("ieee", 3), "columns: a figure is 1 or 2 columns wide, not 3"),
        (("ieee", 1, 3.0), "font-size: 3 is not from 5 to 24 points"),
        (("ieee", 1, 8.0, "tall"), "height: 'tall' is not a length such as '88 mm'"),
    ],
)
def test_a_size_is_one_that_prints(arguments: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(HeadgateError) as refused:
        PaperSize.of(*arguments)  # type: ignore[arg-type]
    assert sentence in str(refused.value)


def test_a_font_that_is_not_there_is_refused(drawings: dict[str, Drawing], tmp_path: Path) -> None:
    size = PaperSize.of("ieee", font="No Such Font")
    with pytest.raises(HeadgateError, match="there is no font 'No Such Font' on this machine"):
        save_paper_figures({"use": drawings["use"]}, tmp_path, size)
    assert not any(tmp_path.iterdir())


def test_more_rows_than_a_page_are_refused() -> None:
    layout = MeansLayout(x="buffer", facets=Facets(("queue", "cca", "rtt"), ()))
    made = draw_means(table(), layout)["means-goodput_bps"]
    assert len(made.panels) == 18
    with pytest.raises(HeadgateError, match="18 rows of panels do not fit on a page"):
        draw_figure(made, PaperSize.of("ieee"), "means")


def test_the_example_of_the_guide_is_the_comparison_of_two_algorithms() -> None:
    file = Path(__file__).parents[2] / "examples" / "experiments" / "comparison.toml"
    example = headgate.Experiment.load(file, trust=True)
    assert not example.check()
    assert repr(example).endswith("36 conditions of buffer, rtt, queue, cca, 180 runs)")
