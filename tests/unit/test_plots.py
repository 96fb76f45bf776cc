"""Pictures of a run, from made-up tables; what is drawn is read back from the axes."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot as plt

from headgate import catalog
from headgate.plots import draw_run
from headgate.plots.style import save
from headgate.result import Result
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
    return Table("series", {"of": Words.of(kinds), "name": Words.of(names), "t_s": times} | columns)


def flows() -> Table:
    rng = np.random.default_rng(1)
    sizes = np.ceil(10 * (rng.pareto(1.2, 3000) + 1)).astype(np.uint64)
    laws = rng.choice(["reno", "fast"], 3000)
    times = 0.1 * np.ceil(np.log2(sizes)) * rng.lognormal(0, 0.2, 3000) + sizes / 5000
    times[laws == "fast"] *= 0.8
    return Table("flows", {"law": Words.of(laws), "size_packets": sizes, "fct_sender_s": times})


def ports() -> Table:
    columns = {
        "utilisation": np.array([0.97, 0.03]),
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


def test_empty_tables_have_no_pictures() -> None:
    nothing = {name: Table(name, {c.name: np.array([]) for c in TABLES[name]}) for name in TABLES}
    assert draw_run(Result(nothing, {})) == {}
