"""Pictures of several runs: over time, by condition, and as a difference on the map."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import headgate
from headgate import Result
from headgate.base.errors import HeadgateError
from headgate.base.level_order import LevelOrder
from headgate.figures import Facets, draw_difference, draw_results
from headgate.figures.plots.network import find_colours
from headgate.figures.plots.palette import SIGNED, VERDICT
from headgate.figures.spec.comparisons import draw_tradeoff
from headgate.figures.spec.completion import draw_completion
from headgate.figures.spec.drawing import Picture
from headgate.figures.spec.facets import AUTOMATIC
from headgate.figures.spec.looks import CCAS
from headgate.figures.spec.over_time import overlay_throughput
from headgate.figures.spec.run import Run
from headgate.figures.vega.runs import make_specs

RATE_BPS = 20e6
#: Student's t, 97.5 %, two degrees of freedom.
T2 = 4.302652729911275


def run(cca: str, seed: int, **changes: Any) -> Result:
    network = {"rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "0.5 BDP", "loss": 0.002} | changes
    return headgate.dumbbell(
        flows=[cca, cca], measure={"warmup": "1 s", "series": {"interval": "100 ms"}}, **network
    ).run("5 s", seed=seed)


@pytest.fixture(scope="module")
def seeds() -> dict[str, Result]:
    return {f"{cca}-{seed}": run(cca, seed) for cca, seed in product(("cubic", "reno"), (1, 2, 3))}


def picture(drawing: Any) -> Picture:
    assert isinstance(drawing, Picture)
    return drawing


def arrivals(result: Result) -> tuple[Any, Any]:
    """Sum the arrivals of both flows (bit/s) at each time."""
    flows = result.series["of"] == "flow"
    t_s, place = np.unique(result.series["t_s"][flows], return_inverse=True)
    return t_s, np.bincount(place, np.nan_to_num(result.series["arrival_rate_bps"][flows]))


def test_an_outage_that_all_runs_share_is_shaded() -> None:
    down = {"network.outages": [{"start": "2 s", "duration": "300 ms"}]}
    base = headgate.dumbbell(
        flows=["cubic"], rate="5 Mbit/s", rtt="40 ms", duration="3 s",
        measure={"series": {"interval": "100 ms"}},
    )  # fmt: skip
    runs = {"a": base.replaced(down).run(), "b": base.replaced({**down, "cca": "reno"}).run()}
    assert picture(draw_results(runs, "throughput")).panels[0].outages == ((2.0, 2.3),)
    runs["c"] = base.replaced({"cca": "bbr3"}).run()
    assert picture(draw_results(runs, "throughput")).panels[0].outages == ()


def test_replicates_are_a_mean_with_students_band_in_the_algorithms_look(
    seeds: dict[str, Result],
) -> None:
    made = picture(draw_results(seeds, "throughput"))
    (panel,) = made.panels
    assert [line.name for line in panel.lines] == ["cubic", "reno"]
    assert [line.look for line in panel.lines] == [CCAS["cubic"], CCAS["reno"]]
    line = panel.lines[0]
    each = [arrivals(seeds[f"cubic-{seed}"]) for seed in (1, 2, 3)]
    at = 3.0
    values = np.array([1e-6 * bps[np.isclose(t_s, at)][0] for t_s, bps in each])
    here = np.flatnonzero(np.isclose(line.x, at))
    assert line.y[here] == pytest.approx([values.mean()])
    assert line.band is not None
    half = T2 * values.std(ddof=1) / np.sqrt(3)
    assert (line.band[1] - line.y)[here] == pytest.approx([half])
    assert "means over 3 replicates" in made.caption


def test_what_arrives_never_exceeds_the_rate_of_the_link(seeds: dict[str, Result]) -> None:
    for name, result in seeds.items():
        drawn = picture(draw_results({name: result}, "throughput"))
        assert (drawn.panels[0].lines[0].y <= 1e-6 * RATE_BPS).all()
        acknowledged = result.series["throughput_bps"]
        assert np.nanmax(acknowledged) > 0
    overlaid = picture(draw_results(seeds, "throughput"))
    assert all((line.y <= 1e-6 * RATE_BPS).all() for line in overlaid.panels[0].lines)
    assert overlaid.panels[0].levels[0].y.tolist() == [20.0, 20.0]


def test_runs_of_one_algorithm_keep_its_colour_and_differ_in_dash() -> None:
    both = {"shallow": run("cubic", 1), "deep": run("cubic", 1, buffer="4 BDP")}
    for kind in ("throughput", "rtt", "cwnd", "queue"):
        lines = picture(draw_results(both, kind)).panels[0].lines
        assert [line.name for line in lines] == ["shallow", "deep"]
        first, second = (line.look for line in lines)
        assert first == CCAS["cubic"]
        assert second is not None
        assert second.mark == CCAS["cubic"].mark
        assert second.dash != CCAS["cubic"].dash


def test_a_picture_of_one_run_alone_is_not_drawn_of_several(seeds: dict[str, Result]) -> None:
    with pytest.raises(HeadgateError, match="topology: shows one run"):
        draw_results(seeds, "topology")
    with pytest.raises(HeadgateError, match="there is no picture 'thruput'; pictures: throughput"):
        draw_results(seeds, "thruput")
    bare = {name: Result({"flows": one.flows}, one.meta) for name, one in seeds.items()}
    with pytest.raises(HeadgateError, match='keeps them with tables = \\["flows", "series"\\]'):
        draw_results(bare, "rtt")


def labelled(results: dict[tuple[str, str, int], Result]) -> list[Run]:
    """Give results the labels of an experiment on buffer and algorithm."""
    order = LevelOrder({"buffer": ("2 BDP", "0.5 BDP"), "cca": ("reno", "cubic")})
    return [
        Run(f"{buffer}-{cca}-{seed}", one.tables,
            {**one.meta, "labels": {"buffer": buffer, "cca": cca, "seed": seed}}, order=order)
        for (buffer, cca, seed), one in results.items()
    ]  # fmt: skip


@pytest.fixture(scope="module")
def conditions() -> list[Run]:
    files = {"kind": "poisson", "arrivals": "40 flows/s", "size": "20 packets"}

    def make(buffer: str, cca: str, seed: int) -> Result:
        return headgate.dumbbell(
            rate="20 Mbit/s", rtt="40 ms", buffer=buffer,
            flows=[{"kind": "flows", "cca": cca}, {**files, "cca": cca}],
            measure={"warmup": "0.5 s", "series": {"interval": "100 ms"}},
        ).run("3 s", seed=seed)  # fmt: skip

    every = product(("0.5 BDP", "2 BDP"), ("cubic", "reno"), (1, 2, 3))
    return labelled({one: make(*one) for one in every})


def test_conditions_have_panels_in_the_order_of_the_file(conditions: list[Run]) -> None:
    for draw in (draw_tradeoff, draw_completion, overlay_throughput):
        made = picture(draw(conditions, AUTOMATIC))
        assert made.column_names == ("buffer 2 BDP", "buffer 0.5 BDP")
        for panel in made.panels:
            assert {line.name for line in panel.lines if line.listed} == {"cubic", "reno"}
            for line in panel.lines:
                assert line.look == CCAS[line.name]


def test_completion_times_of_conditions_are_not_mixed(conditions: list[Run]) -> None:
    made = picture(draw_completion(conditions, AUTOMATIC))
    for panel, buffer in zip(made.panels, ("2 BDP", "0.5 BDP"), strict=True):
        own = [one for one in conditions if one.meta["labels"]["buffer"] == buffer]
        for line in panel.lines:
            flows = [one.tables["flows"] for one in own if one.meta["labels"]["cca"] == line.name]
            times = np.concatenate([
                np.asarray(t["fct_sender_s"])[
                    (np.asarray(t["size_packets"]) > 0) & (np.asarray(t["active_s"]) > 0)
                ]
                for t in flows
            ])  # fmt: skip
            assert np.array_equal(line.x[1:], np.sort(times[np.isfinite(times)]))


def test_replicates_are_averaged_over_combined_conditions_before_their_interval(
    conditions: list[Run],
) -> None:
    made = picture(overlay_throughput(conditions, Facets((), ())))
    assert "Each panel combines all levels of buffer." in made.caption
    assert "means over 3 replicates" in made.caption
    line = next(line for line in made.panels[0].lines if line.name == "cubic")
    at = int(np.flatnonzero(np.isclose(line.x, 2.0))[0])
    by_seed = []
    for seed in (1, 2, 3):
        own = [o for o in conditions if (o.meta["labels"]["cca"], o.meta["labels"]["seed"]) ==
               ("cubic", seed)]  # fmt: skip
        each = [picture(overlay_throughput([o, o], AUTOMATIC)).panels[0].lines[0] for o in own]
        by_seed.append(np.mean([of.y[np.isclose(of.x, 2.0)][0] for of in each]))
    assert line.y[at] == pytest.approx(np.mean(by_seed))
    assert line.band is not None
    assert line.band[1][at] - line.y[at] == pytest.approx(T2 * np.std(by_seed, ddof=1) / np.sqrt(3))


def test_the_difference_of_two_runs_is_that_of_each_link() -> None:
    after, before = run("reno", 1), run("reno", 1, rate="40 Mbit/s", loss=0.0)
    drawn = draw_difference(after, before)
    assert list(drawn) == ["use", "loss"]
    spans = {span.link: span.value for span in drawn["use"].spans}
    use = [dict(zip(r.ports["link"], r.ports["utilisation"], strict=True)) for r in (after, before)]
    for link, value in spans.items():
        assert value == pytest.approx(use[0][link] - use[1][link])
    most = max(abs(value or 0.0) for value in spans.values())
    assert (drawn["use"].scale.low, drawn["use"].scale.high) == pytest.approx((-most, most))
    assert find_colours(drawn["use"].scale)[0] is SIGNED.map
    assert find_colours(drawn["loss"].scale)[0] is VERDICT.map
    assert "Largest change: bottleneck, \N{MINUS SIGN}20 percentage points." in drawn["use"].caption
    (spec,) = make_specs(drawn["use"])
    assert spec["layer"][0]["encoding"]["color"]["scale"]["range"] == list(SIGNED.light)


def test_the_difference_needs_one_network() -> None:
    other = headgate.parking_lot(
        hops=2, rate="20 Mbit/s", rtt="40 ms", buffer="1 BDP", flows=["reno"]
    ).run("1 s")
    with pytest.raises(HeadgateError, match="compare runs of one network"):
        draw_difference(run("reno", 1), other)
    same = draw_difference(run("reno", 1), run("reno", 1))
    assert list(same) == ["use"]
    assert "Nothing changes." in same["use"].caption
