"""Pictures of a run, from made-up tables; what is drawn is read back from the axes."""

from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from headgate import Result, catalog
from headgate.plots import draw_run
from headgate.plots.style import image, save, subplots, use_style
from headgate.tables import TABLES, Table, Words

BUFFER_PACKETS = 60.0


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


def series() -> Table:
    t_s = np.arange(0, 60, 0.1)
    saw = 60 + (t_s * 5) % 60
    rows = []
    for name, shift in (("reno", 0.0), ("fast", 20.0)):
        rows.append(("flow", name, t_s, saw + shift, np.full_like(t_s, np.nan), 1e5 * saw))
    rows.append(("port", "bottleneck", t_s, np.full_like(t_s, np.nan), saw % 60, 2e5 * saw))
    kinds, names, times, cwnd, queue, rate = (
        np.concatenate([np.full(len(t_s), row[i]) if i < 2 else row[i] for row in rows])
        for i in range(6)
    )
    columns = {"cwnd_packets": cwnd, "queue_packets": queue, "throughput_bps": rate}
    columns["drops"] = np.where(np.isfinite(queue), times // 10, np.nan)
    return Table("series", {"of": Words.of(kinds), "name": Words.of(names), "t_s": times} | columns)


def flows() -> Table:
    rng = np.random.default_rng(1)
    sizes = np.ceil(10 * (rng.pareto(1.2, 3000) + 1)).astype(np.uint64)
    laws = rng.choice(["reno", "fast"], 3000)
    times = 0.1 * np.ceil(np.log2(sizes)) * rng.lognormal(0, 0.2, 3000) + sizes / 5000
    times[laws == "fast"] *= 0.8
    words = {"law": Words.of(laws), "traffic": Words.of(laws)}
    return Table("flows", {**words, "size_packets": sizes, "fct_sender_s": times})


def ports() -> Table:
    columns = {
        "utilisation": np.array([0.97, 0.03]),
        "rate_bps": np.array([20e6, 20e6]),
        "buffer_packets": np.array([BUFFER_PACKETS, BUFFER_PACKETS]),
    }
    words = {
        "link": Words.of(["bottleneck", "bottleneck.reverse"]),
        "from": Words.of(["left", "right"]),
        "to": Words.of(["right", "left"]),
    }
    return Table("ports", words | columns)


@pytest.fixture(scope="module")
def run() -> Result:
    return Result({"series": series(), "flows": flows(), "ports": ports()}, {"packet_hops": 1})


def test_every_picture_has_axes_with_units(run: Result) -> None:
    figures = draw_run(run)
    assert set(figures) == {"cwnd", "queue", "throughput", "fct", "utilisation"}
    labels = {name: figure.axes[0].get_ylabel() for name, figure in figures.items()}
    assert labels["cwnd"] == "congestion window (packets)"
    assert labels["throughput"] == "throughput (Mbit/s)"
    assert labels["fct"] == "flow completion time (s)"


def test_lines_show_the_data(run: Result) -> None:
    figure = draw_run(run)["cwnd"]
    drawn = {line.get_label(): line.get_ydata() for line in figure.axes[0].get_lines()}
    series = run.series
    for name in ("reno", "fast"):
        assert np.array_equal(drawn[name], series["cwnd_packets"][series["name"] == name])


def test_laws_are_called_as_in_the_nist_study_too(run: Result) -> None:
    _, names = draw_run(run)["fct"].axes[0].get_legend_handles_labels()
    assert set(names) == {catalog.label(law) for law in np.unique(run.flows["law"])}
    assert catalog.label("fast") == "fast (3 FAST)"
    assert (catalog.label("vegas"), catalog.label("FAST-AT beside TCP")) == (
        "vegas",
        "FAST-AT beside TCP",
    )


def test_buffer_is_marked(run: Result) -> None:
    heights = [line.get_ydata() for line in draw_run(run)["queue"].axes[0].get_lines()]
    assert any(np.all(np.asarray(height) == BUFFER_PACKETS) for height in heights)


def test_figures_are_written_as_png_and_svg(run: Result, tmp_path: Path) -> None:
    for name, figure in draw_run(run).items():
        paths = save(figure, tmp_path, name)
        assert [path.suffix for path in paths] == [".png", ".svg"]
        assert all(path.stat().st_size > 3000 for path in paths)


def test_a_figure_is_drawn_the_same_whatever_the_settings_are_by_then() -> None:
    def drawn() -> bytes:
        with use_style():
            figure, axes = subplots(1, 1, (4.0, 3.0))
            axes[0].plot([1, 10, 100])
            axes[0].set_yscale("log")
        return image(figure, "svg")

    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": None, "grid.color": "#ff0000"}):
        first = drawn()
    assert b"<text" in first
    assert b"#ff0000" not in first
    assert drawn() == first


def test_empty_tables_have_no_pictures() -> None:
    nothing = {name: Table(name, {c.name: np.array([]) for c in TABLES[name]}) for name in TABLES}
    assert draw_run(Result(nothing, {})) == {}


# --- many flows, many ports -----------------------------------------------------------------------


def crowd(flows: int = 20, ports: int = 6) -> Result:
    """Half the flows are of one law, half of another; the fifth port drops, the sixth holds."""
    t_s = np.arange(1.0, 11.0)
    parts = []
    for i in range(flows):
        level = 10.0 + i
        parts.append(("flow", f"f{i}", level, np.nan, np.nan, 1e6 * level))
    for i in range(ports):
        queue, drops = (50.0 if i == 5 else 1.0 + i / 10), (9.0 if i == 4 else 0.0)
        parts.append(("port", f"p{i}", np.nan, queue, drops, 1e8))
    columns = [np.repeat([part[i] for part in parts], len(t_s)) for i in range(6)]
    kinds, names, cwnd, queue, drops, rate = columns
    series = Table(
        "series",
        {
            "of": Words.of(kinds), "name": Words.of(names), "t_s": np.tile(t_s, len(parts)),
            "cwnd_packets": cwnd, "queue_packets": queue, "drops": drops, "throughput_bps": rate,
        },
    )  # fmt: skip
    laws = ["reno" if i < flows // 2 else "bic" for i in range(flows)]
    blank = np.full(flows, np.nan)
    words = {"law": Words.of(laws), "traffic": Words.of([f"f{i}" for i in range(flows)])}
    names = [f"p{i}" for i in range(ports)]
    return Result(
        {
            "series": series,
            "flows": Table("flows", {**words, "size_packets": blank, "fct_sender_s": blank}),
            "ports": Table(
                "ports",
                {
                    "link": Words.of(names), "from": Words.of(names), "to": Words.of(names),
                    "utilisation": np.ones(ports), "buffer_packets": np.full(ports, np.inf),
                    "rate_bps": np.full(ports, 1e8),
                },
            ),
        },
        {},
    )  # fmt: skip


def lines_of(figure: Figure) -> dict[str, list[float]]:
    lines = figure.axes[0].get_lines()
    return {str(one.get_label()): np.asarray(one.get_ydata()).tolist() for one in lines}


def test_of_many_flows_each_law_is_drawn() -> None:
    drawn = lines_of(draw_run(crowd())["cwnd"])
    assert set(drawn) == {f"{catalog.label(law)}, mean of 10" for law in ("reno", "bic")}
    assert drawn[f"{catalog.label('reno')}, mean of 10"] == [14.5] * 10
    assert drawn[f"{catalog.label('bic')}, mean of 10"] == [24.5] * 10


def test_throughput_has_its_total_its_capacity_and_its_interval() -> None:
    figure = draw_run(crowd(ports=1))["throughput"]
    drawn = lines_of(figure)
    assert drawn["total of 20"] == [sum(range(10, 30))] * 10
    assert drawn[f"{catalog.label('bic')}, sum of 10"] == [sum(range(20, 30))] * 10
    assert [100.0, 100.0] in drawn.values()
    assert "rate of p0" in [text.get_text() for text in figure.axes[0].texts]
    title = figure.axes[0].get_title(loc="left")
    assert title == "Throughput: payload acknowledged, each point over 1 s"


def test_two_flows_have_a_total_of_both(run: Result) -> None:
    drawn = lines_of(draw_run(run)["throughput"])
    both = np.array(drawn["reno"]) + np.array(drawn["fast"])
    assert np.allclose(drawn["total of 2"], both)


def test_ports_that_drop_or_hold_most_are_drawn() -> None:
    figure = draw_run(crowd())["queue"]
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert [title.split()[2] for title in titles] == ["p4", "p5", "p3", "p2"]
    assert "the 4 of 6 that drop or hold most" in titles[0]


def test_flows_whose_law_nobody_kept_are_the_largest() -> None:
    result = crowd()
    result.tables["flows"] = result.flows.where(np.zeros(20, dtype=bool))
    figure = draw_run(result)["cwnd"]
    assert set(lines_of(figure)) == {f"f{i}" for i in range(12, 20)}
    assert "the 8 largest of 20" in figure.axes[0].get_title(loc="left")
