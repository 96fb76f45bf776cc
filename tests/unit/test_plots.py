"""Pictures of a run: they show the measured values, whichever program draws them."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import headgate
from headgate import Result
from headgate.base import catalog
from headgate.data.measures.shown import by_cca
from headgate.data.tables import TABLES, Table
from headgate.figures.plots import draw_run
from headgate.figures.plots.heat import Heat, draw_heat
from headgate.figures.plots.picture import draw_picture
from headgate.figures.plots.style import cca_handles, image, save_figure
from headgate.figures.spec.drawing import Line, Map, Panel, Picture
from headgate.figures.spec.kinds import KINDS
from headgate.figures.spec.run import Run
from headgate.figures.spec.selection import CUT, CUT_AT, HEADROOM, compare, name_cca
from headgate.figures.vega.runs import make_specs

WARMUP_S = 2.0
FLOWS = [{"kind": "flows", "cca": cca, "count": 4, "stagger": "50 ms"} for cca in ("reno", "cubic")]
WEB = {
    "kind": "poisson", "cca": "reno", "arrivals": "60 flows/s",
    "size": {"kind": "pareto", "mean": "60 packets", "shape": 1.5},
}  # fmt: skip


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


def dumbbell(flows: list[Any], duration: str = "6 s", **changes: Any) -> Result:
    measure = changes.pop("measure", {"warmup": "2 s"})
    network = {"rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "1 BDP"} | changes
    return headgate.dumbbell(flows=flows, measure=measure, **network).run(duration)


@pytest.fixture(scope="module")
def many() -> Result:
    """Four flows of each of two algorithms, and files."""
    return dumbbell([*FLOWS, WEB])


@pytest.fixture(scope="module")
def two() -> Result:
    return dumbbell(["reno", "fast"])


def picture(result: Result, kind: str) -> Picture:
    drawing = draw(result, kind)
    assert isinstance(drawing, Picture)
    return drawing


def draw(result: Result, kind: str, *others: Result) -> Any:
    runs = [Run(f"run{i}", r.tables, r.meta) for i, r in enumerate((result, *others))]
    return next(one for one in KINDS if one.name == kind).draw(runs)


def lines_of(drawn: Picture, panel: int = 0) -> dict[str, Line]:
    return {line.name: line for line in drawn.panels[panel].lines}


def sampled(result: Result, name: str, column: str) -> tuple[Any, Any]:
    series = result.series
    rows = (series["name"] == name) & np.isfinite(series[column])
    return series["t_s"][rows], series[column][rows]


# --- what is shown is what was measured -----------------------------------------------------------


def test_windows_and_round_trips_are_those_of_the_series(two: Result) -> None:
    for kind, column, scale in (("cwnd", "cwnd_packets", 1.0), ("rtt", "srtt_s", 1e3)):
        drawn = lines_of(picture(two, kind))
        assert list(drawn) == ["reno", "fast"]
        for name, line in drawn.items():
            t_s, values = sampled(two, name, column)
            known = values > 0
            assert np.array_equal(line.x, t_s[known])
            assert np.allclose(line.y, scale * values[known], rtol=1e-12)


def test_no_round_trip_is_drawn_before_the_first_sample() -> None:
    result = dumbbell(["reno"], "3 s", measure={"series": {"interval": "5 ms"}})
    assert (sampled(result, "reno", "srtt_s")[1] == 0).any()
    assert (lines_of(picture(result, "rtt"))["reno"].y > 40.0).all()


def test_throughput_is_averaged_over_the_interval_that_it_names() -> None:
    result = dumbbell(["reno", "fast"], "30 s")
    drawn = picture(result, "throughput")
    assert "averaged over 0.5 s" in drawn.caption
    t_s, bps = sampled(result, "reno", "arrival_rate_bps")
    line = lines_of(drawn)["reno"]
    assert np.allclose(np.diff(line.x), 0.5)
    fifth = (t_s > 2.01) & (t_s <= 2.51)
    assert fifth.sum() == 5
    assert line.y[np.isclose(line.x, 2.5)] == pytest.approx(1e-6 * bps[fifth].mean())


def test_what_arrives_is_drawn_which_the_link_can_carry() -> None:
    """Without SACK one ACK covers a repaired window: its rate is a multiple of the link's."""
    result = dumbbell(
        ["cubic"], "20 s", transport={"recovery": "newreno"},
        measure={"series": {"interval": "50 ms"}},
    )  # fmt: skip
    _, acknowledged = sampled(result, "cubic", "throughput_bps")
    _, arrived = sampled(result, "cubic", "arrival_rate_bps")
    rate_bps = float(result.ports["rate_bps"][0])
    packet = 8 * 1460 / 0.05  # the rate of one packet in an interval
    assert acknowledged.max() > 1.3 * rate_bps
    assert arrived.max() <= rate_bps * 1460 / 1500 + packet
    line = lines_of(picture(result, "throughput"))["cubic"]
    assert np.nanmax(line.y) <= 1e-6 * rate_bps
    # in all the same arrives as is acknowledged, but for what is under way; more waits while a loss
    # is repaired, so what counts is the least of the last 5 s
    _, total = sampled(result, "cubic", "arrived_packets")
    _, delivered = sampled(result, "cubic", "delivered_packets")
    ahead = (total - delivered)[-100:]
    assert 0 <= ahead.min() <= np.nanmax(result.series["cwnd_packets"])


def test_the_total_is_the_sum_of_the_algorithms(many: Result) -> None:
    drawn = lines_of(picture(many, "throughput"))
    total, reno, cubic = (
        drawn[name]
        for name in (f"total of 8 of {len(many.flows)} flows", *(
            f"{cca}, sum of 4" for cca in ("reno", "cubic")))
    )  # fmt: skip
    late = slice(5, None)
    assert np.allclose(total.y[late], reno.y[late] + cubic.y[late])


def test_what_flows_without_a_series_get_is_seen_in_what_the_link_sends() -> None:
    result = dumbbell([WEB, "reno"])
    drawn = picture(result, "throughput")
    sent = lines_of(drawn)["all that bottleneck sends, with headers"]
    _, bps = sampled(result, "bottleneck", "throughput_bps")
    assert sent.y.mean() == pytest.approx(1e-6 * bps.mean(), rel=0.05)
    assert f"1 of {len(result.flows)} flows have a series" in drawn.caption


def test_files_of_one_size_have_no_picture_by_size() -> None:
    same = {"kind": "poisson", "cca": "reno", "load": 0.2, "size": "10 packets"}
    result = dumbbell([same])
    assert draw(result, "fct-size") is None
    assert len(picture(result, "fct").panels) == 1


def test_the_capacity_follows_the_changes_of_the_rate() -> None:
    changes = [{"at": "3 s", "rate": "5 Mbit/s"}]
    drawn = picture(dumbbell(["reno"], changes=changes), "throughput")
    (level,) = drawn.panels[0].levels
    assert level.name == "rate of bottleneck"
    assert level.x.tolist() == [0.0, 3.0, 6.0]
    assert level.y.tolist() == [20.0, 5.0, 5.0]


def test_the_queue_has_its_buffer_and_is_in_milliseconds_too(two: Result) -> None:
    (panel,) = picture(two, "queue").panels
    _, packets = sampled(two, "bottleneck", "queue_packets")
    queue, drops = panel.lines
    assert np.array_equal(queue.y, packets)
    title, ms_of_packet = panel.right or ("", 0.0)
    assert title == "wait (ms)"
    assert ms_of_packet == pytest.approx(1500 * 8 / 20e6 * 1e3, rel=0.01)
    buffer = float(two.ports["buffer_packets"][0])
    assert [level.y.tolist() for level in panel.levels] == [[buffer, buffer]]
    t_s, total = sampled(two, "bottleneck", "drops")
    assert drops.x.tolist() == t_s[1:][np.diff(total) > 0].tolist()


def test_where_the_rate_changes_the_wait_is_drawn_at_the_rate_of_the_moment() -> None:
    result = dumbbell(["reno"], changes=[{"at": "3 s", "rate": "5 Mbit/s"}])
    packets, wait = picture(result, "queue").panels
    assert packets.right is None
    (queue, *_), (line,) = packets.lines, wait.lines
    full = queue.y > 20
    ms_of_packet = line.y[full] / queue.y[full]
    before = queue.x[full] < 3.0
    assert np.allclose(ms_of_packet[before], 0.6, rtol=0.01)
    assert np.allclose(ms_of_packet[~before], 2.4, rtol=0.01)


def test_the_warm_up_is_shaded_in_every_course(many: Result) -> None:
    for kind in ("throughput", "rtt", "cwnd", "queue"):
        assert {panel.warmup_s for panel in picture(many, kind).panels} == {WARMUP_S}
    figure = draw_run(many)["cwnd"]
    assert "warm-up" in figure.axes[0].get_legend_handles_labels()[1]


def test_completion_times_are_their_distribution() -> None:
    result = dumbbell([WEB], "8 s", rate="100 Mbit/s")
    drawn = picture(result, "fct")
    flows = result.flows.where(result.flows["active_s"] > 0)
    assert f"{by_cca(result.tables)[0]['finished']:,} flows under way after the" in drawn.caption
    done = np.isfinite(flows["fct_sender_s"]) & (flows["size_packets"] > 0)
    assert [panel.title.split(":")[0] for panel in drawn.panels] == [
        "1 to 100 packets", "more than 100 packets",
    ]  # fmt: skip
    counts = [int(panel.title.split()[-2]) for panel in drawn.panels]
    assert sum(counts) == done.sum()
    large = done & (flows["size_packets"] > 100)
    line = drawn.panels[-1].lines[0]
    assert np.array_equal(line.x[1:], np.sort(flows["fct_sender_s"][large]))
    assert np.allclose(line.y, np.arange(large.sum() + 1) / large.sum())


def test_medians_over_size_are_those_of_their_bins(many: Result) -> None:
    points, line = picture(many, "fct-size").panels[0].lines
    assert line.band is not None
    inside = (points.x >= 10**1.5) & (points.x < 10 ** (10 / 6))
    middle = np.exp(np.log(points.x[inside]).mean())
    at = np.flatnonzero(np.isclose(line.x, middle))
    assert line.y[at] == pytest.approx(np.median(points.y[inside]))


def test_the_network_shows_use_and_loss() -> None:
    result = dumbbell(["reno"], loss=0.01)
    drawn = draw(result, "topology")
    assert isinstance(drawn, Map)
    spans = {span.link: span for span in drawn.spans}
    ports = result.ports
    lost = float(ports["drops"][0] + ports["lost"][0])
    assert lost > 0
    came = float(ports["drops"][0] + ports["departures"][0])
    assert spans["bottleneck"].loss == pytest.approx(lost / came)
    assert spans["bottleneck"].utilisation == ports["utilisation"][0]
    assert spans["bottleneck"].ends == ((0.0, 0.0), (0.5, 0.0))
    assert spans["bottleneck.reverse"].ends == ((1.0, 0.0), (0.5, 0.0))


# --- throughput against delay ---------------------------------------------------------------------


def test_a_point_is_what_an_algorithm_got_in_a_run() -> None:
    runs = [dumbbell(["reno", "fast"], f"{seconds} s") for seconds in (5, 6, 7)]
    (panel,) = draw(*[runs[0], "throughput-delay"], *runs[1:]).panels
    assert panel.reverse_x
    assert panel.x.startswith("95th percentile of the smoothed RTT, ms")
    points, edge = panel.lines[:2]
    assert points.each == ("run0", "run1", "run2")
    for place, result in enumerate(runs):
        t_s, srtt_s = sampled(result, "reno", "srtt_s")
        assert points.x[place] == pytest.approx(1e3 * np.percentile(srtt_s[t_s > WARMUP_S], 95))
        assert points.y[place] == pytest.approx(1e-6 * result.flows["goodput_bps"][0])
    cloud = np.stack([points.x, points.y])
    offset = np.stack([edge.x, edge.y]) - cloud.mean(axis=1)[:, None]
    distance = np.einsum("ik,ij,jk->k", offset, np.linalg.inv(np.cov(cloud)), offset)
    assert np.allclose(distance, 1.0)  # one standard deviation everywhere (Mahalanobis)


def test_without_samples_the_delay_is_the_mean_and_says_so() -> None:
    result = dumbbell(FLOWS, measure={"warmup": "2 s", "series": "none"})
    (panel,) = picture(result, "throughput-delay").panels
    assert panel.x.startswith("mean RTT")
    flows = result.flows
    rtts_s = flows["mean_rtt_s"][flows["cca"] == "cubic"]
    cubic = panel.lines[1]
    assert cubic.x[0] == pytest.approx(1e3 * np.nanmean(rtts_s))


def test_files_do_not_count_beside_endless_flows(many: Result) -> None:
    drawn = picture(many, "throughput-delay")
    flows = many.flows
    endless = ~(np.asarray(flows["size_packets"], float) > 0)
    for line in drawn.panels[0].lines:
        own = flows["goodput_bps"][endless & (flows["cca"] == line.name)]
        assert line.y == pytest.approx([1e-6 * own.mean()])
    files = int((~endless).sum())
    assert files > 100
    assert f"{files:,} flows of given size are left out; fct shows these." in drawn.caption


def test_runs_that_are_alike_are_said_to_be(two: Result) -> None:
    drawn = draw(two, "throughput-delay", two, two)
    assert "nothing in them is random" in drawn.caption


def test_runs_of_other_conditions_are_said_to_be(two: Result) -> None:
    drawn = draw(two, "throughput-delay", dumbbell(["reno", "fast"], rtt="20 ms"))
    assert "2 different conditions" in drawn.caption


# --- selection of flows and ports -----------------------------------------------------------------


def test_of_many_flows_each_algorithm_has_a_panel_and_flows_from_least_to_most() -> None:
    crowd = [{"kind": "flows", "cca": cca, "count": 8} for cca in ("reno", "cubic")]
    result = dumbbell(crowd, "4 s", measure={"series": {"most": 16}})
    drawn = picture(result, "cwnd")
    assert [panel.title for panel in drawn.panels] == [
        f"{cca}: mean of 8 flows (thick), 5 of them (thin)" for cca in ("reno", "cubic")
    ]
    assert "at evenly spaced throughput ranks" in drawn.caption
    *thin, mean = drawn.panels[0].lines
    own = [str(n) for n in result.flows["traffic"][result.flows["cca"] == "reno"]]
    means = {name: sampled(result, name, "throughput_bps")[1].mean() for name in own}
    ranked = sorted(own, key=lambda name: means[name])
    assert {line.name for line in thin} == {ranked[i] for i in (0, 2, 4, 5, 7)}
    every = np.array([sampled(result, name, "cwnd_packets")[1][-1] for name in own])
    assert mean.y[-1] == pytest.approx(every.mean())


def test_flows_without_a_series_are_counted() -> None:
    crowd = [{"kind": "flows", "cca": "reno", "count": 6}]
    drawn = picture(dumbbell(crowd, "3 s", measure={"series": {"most": 4}}), "rtt")
    assert "4 of 6 flows have a series" in drawn.caption


def test_ports_that_lose_or_wait_most_are_drawn() -> None:
    lot = headgate.load(Path(__file__).parents[2] / "examples/parking_lot.toml")
    changed = lot.replaced({"network.hops": 3, "measure": {"series": {"ports": ["*"]}}})
    result = changed.run("8 s")
    drawn = picture(result, "queue")
    ports = result.ports
    order = np.lexsort((-ports["mean_wait_s"], -ports["loss_rate"]))
    worst = [str(name) for name in ports["link"][order][:4]]
    assert [panel.title.split(":")[0] for panel in drawn.panels] == worst
    assert drawn.title == "Queue of the 4 of 6 ports with the most loss or waiting"


def test_a_peak_of_the_warm_up_does_not_flatten_the_rest_and_is_said_to_be_cut() -> None:
    def limits(first: float) -> tuple[Any, str]:
        line = Line("flow", np.array([1.0, 3.0, 4.0]), np.array([first, 10.0, 8.0]))
        (panel,), said = compare([Panel("", "time (s)", "packets", (line,), warmup_s=WARMUP_S)])
        return panel.y_range, said

    assert limits(100.0) == (pytest.approx((0.0, HEADROOM * CUT_AT * 10.0)), CUT)
    assert limits(20.0) == (pytest.approx((0.0, HEADROOM * 20.0)), "")


def test_a_hundred_thousand_points_are_thinned_to_their_extremes_and_it_is_said() -> None:
    measure = {"series": {"interval": "100 us"}}
    result = dumbbell(["reno"], "10 s", measure=measure)
    drawn = picture(result, "queue")
    line = drawn.panels[0].lines[0]
    t_s, packets = sampled(result, "bottleneck", "queue_packets")
    assert len(packets) == 100_001
    assert len(line.x) <= 2000
    assert f"{len(line.x):,} of 100,001 points" in drawn.caption
    assert line.y.max() == packets.max()
    assert line.y.min() == packets.min()
    assert {*zip(line.x, line.y, strict=True)} <= {*zip(t_s, packets, strict=True)}
    # Nothing that was drawn from all points would show is farther than a stretch away.
    for place in np.linspace(0, 99_000, 50).astype(int):
        stretch = packets[place : place + 1000]
        near = (line.x >= t_s[place] - 0.02) & (line.x <= t_s[place + 999] + 0.02)
        assert line.y[near].max() >= stretch.max()
        assert line.y[near].min() <= stretch.min()


# --- how it is drawn ------------------------------------------------------------------------------


def drawn_lines(figure: Figure) -> dict[str, Any]:
    return {str(line.get_label()): line for ax in figure.axes for line in ax.get_lines()}


def test_matplotlib_draws_the_numbers_of_the_picture(two: Result) -> None:
    drawn = drawn_lines(draw_run(two)["cwnd"])
    for name, line in lines_of(picture(two, "cwnd")).items():
        assert np.array_equal(drawn[name].get_xdata(), line.x)
        assert np.array_equal(drawn[name].get_ydata(), line.y)


def rows_of(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [row for rows in spec["datasets"].values() for row in rows]


def test_vega_draws_the_numbers_of_the_picture(two: Result) -> None:
    drawn = picture(two, "queue")
    (spec,) = make_specs(drawn)
    own = [row for row in rows_of(spec) if row.get("name") == "queue"]
    (line, *_), (_, factor) = drawn.panels[0].lines, drawn.panels[0].right or ("", 0.0)
    assert np.allclose([row["y"] for row in own], line.y, rtol=1e-4)
    assert np.allclose([row["x"] for row in own], line.x, rtol=1e-4)
    assert np.allclose([row["right"] for row in own], factor * line.y, rtol=1e-4)


def test_vega_draws_every_link_with_its_numbers(two: Result) -> None:
    (spec,) = make_specs(draw(two, "topology"))
    links = {row["link"]: row for row in rows_of(spec) if "link" in row}
    ports = two.ports
    assert list(map(str, sorted(ports["link"]))) == sorted(links)
    assert links["bottleneck"]["use"] == pytest.approx(ports["utilisation"][0], rel=1e-4)
    assert links["bottleneck"]["rate"] == 20.0


def test_every_picture_has_axes_with_units(many: Result) -> None:
    units = ("(s)", "(ms)", "(packets)", "(Mbit/s)", "ms (less is to the right)", "of flows")
    for kind in KINDS:
        drawing = draw(many, kind.name)
        for panel in drawing.panels if isinstance(drawing, Picture) else ():
            assert panel.x.endswith(units)
            assert panel.y.endswith(units)


#: The first takes a traced run, the second a run in real time.
OTHER_RUNS = ("time-sequence", "real-packets")


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS if kind.name not in OTHER_RUNS])
def test_no_legend_covers_an_axis(many: Result, kind: str) -> None:
    figure = draw_run(many)[kind]
    image(figure, "png")
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert not any(box.overlaps(ax.patch.get_window_extent()) for ax in figure.axes)
    assert 0 <= box.x0 < box.x1 <= figure.bbox.x1


def test_algorithms_are_called_by_their_names_and_beside_nists_figures_as_there_too(
    many: Result,
) -> None:
    assert set(drawn_lines(draw_run(many)["throughput-delay"])) >= {"reno", "cubic"}
    assert [name_cca(cca) for cca in ("own/cca.py:Mine", "")] == ["Mine", "algorithm not kept"]
    assert [handle.get_label() for handle in cca_handles(["fast", "a.py:Mine"])] == ["fast", "Mine"]
    assert catalog.label_as_nist("fast") == "fast (3 FAST)"
    assert (catalog.label_as_nist("vegas"), catalog.label_as_nist("FAST-AT beside TCP")) == (
        "vegas",
        "FAST-AT beside TCP",
    )


def test_figures_are_written_as_png_and_svg(two: Result, tmp_path: Path) -> None:
    for name, figure in draw_run(two).items():
        paths = save_figure(figure, tmp_path, name)
        assert [path.suffix for path in paths] == [".png", ".svg"]
        assert all(path.stat().st_size > 3000 for path in paths)


def test_empty_tables_have_no_pictures() -> None:
    nothing = {name: Table(name, {c.name: np.array([]) for c in TABLES[name]}) for name in TABLES}
    assert draw_run(Result(nothing, {})) == {}


@pytest.mark.parametrize("kind", ["throughput", "rtt", "cwnd"])
def test_panels_over_time_share_it(kind: str) -> None:
    """Flows that begin late share the time axis of the panel above, in files and on the page."""
    late = [{"cca": "reno", "count": 5}, {"cca": "cubic", "count": 5, "start": "1 s"}]
    flows = [{"kind": "flows", **group} for group in late]
    drawn = picture(dumbbell(flows, "3 s", measure={}), kind)
    assert len(drawn.panels) > 1
    assert len({panel.lines[0].x[0] for panel in drawn.panels}) > 1
    shown = {ax.get_xlim() for ax in draw_picture(drawn).axes[: len(drawn.panels)]}
    assert len(shown) == 1
    low, high = shown.pop()
    assert low <= min(line.x[0] for panel in drawn.panels for line in panel.lines)
    for spec in make_specs(drawn):
        assert find_domain(spec) == [low, high]


def find_domain(spec: Mapping[str, Any]) -> Any:
    return spec["layer"][0]["encoding"]["x"]["scale"]["domain"]


def test_an_algorithm_has_one_colour_and_one_dash_in_every_picture(two: Result) -> None:
    looks = {
        (line.name, line.look)
        for kind in ("throughput", "rtt", "cwnd")
        for line in picture(two, kind).panels[0].lines
        if line.look is not None
    }
    assert len(looks) == 2
    assert len({look.dash for _, look in looks}) == 2


def test_the_page_explains_the_shading(two: Result) -> None:
    (spec,) = make_specs(picture(two, "cwnd"))
    fill = spec["layer"][0]["encoding"]["fill"]
    assert fill["scale"]["domain"] == ["warm-up"]
    assert fill["legend"] is not None


def test_a_value_that_rounds_to_zero_has_no_sign_in_a_heat_map() -> None:
    panel = Heat("", np.array([[-0.001, -0.6]]), ["x", "y"], -1.0, 1.0)
    figure = draw_heat(["a"], [panel])
    assert [text.get_text() for text in figure.axes[0].texts] == ["0", "-1"]
