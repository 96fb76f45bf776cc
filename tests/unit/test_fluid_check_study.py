"""The study of packets against fluid, on its smallest grid; its measures on made-up pairs."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate import Result
from headgate.base import catalog
from headgate.claims.verdicts import judge
from headgate.engine.fluid import Adaptive, solve
from headgate.experiment.runs import Analysis, Runs, Setup
from headgate.experiment.study.study import load
from headgate.figures.plots.style import save_figure
from headgate_studies.fluid_check import compare
from headgate_studies.fluid_check.compare import Comparison, Measured, Pair
from headgate_studies.fluid_check.faces import RED, Cell, Face, cells, faces, start_s
from headgate_studies.fluid_check.findings import explicit_start_ratio, worst_fast_queue

from .made_runs import assert_stored_suffices, results_of

PLANE = {"rates": ["10 Mbit/s"], "rtts_ms": [50], "flows": [1, 10], "buffers": [0.25, 2.0]}
APART = {"rate": "10 Mbit/s", "rtt_ms": 50, "flows": 10, "buffer": 0.25, "spread": 0.1}
LARGE = {"rates": ["100 Mbit/s"], "rtts_ms": [50], "flows": [10], "buffers": [0.5]}


def small() -> Setup:
    study = load("fluid-check")
    setup = study.setup(study.scale("quick"))
    start = {**setup.settings["start"], "rate": "10 Mbit/s", "flows": [1]}
    settings: dict[str, Any] = {**setup.settings, "planes": [PLANE, LARGE], "start": start}
    settings["apart"] = APART
    return replace(setup, settings=settings)


@pytest.fixture(scope="module")
def runs() -> Runs:
    setup = small()
    return Runs(setup, results_of(load("fluid-check").jobs(setup)))


@pytest.fixture(scope="module")
def made(runs: Runs) -> Comparison:
    return Comparison.of(runs)


@pytest.fixture(scope="module")
def analysis(runs: Runs) -> Analysis:
    return load("fluid-check").analyse(runs)


def test_algorithms_are_found_by_their_names() -> None:
    names = {cca.name for cca in catalog.ccas()} & {card.name for card in catalog.models()}
    assert {face.name for face in faces()} == names | {RED}
    assert {"reno", "fast"} <= names


def test_a_scheme_has_its_router_and_both_faces_the_same_numbers() -> None:
    setup, cell = small(), Cell("10 Mbit/s", 50, 10, 2.0)
    for face in faces():
        given, of_sender = face.params(setup, cell), face.sender(setup, cell)
        assert all(of_sender[name] == given[name] for name in of_sender if name in given)
        if catalog.cca(face.cca).family == "explicit":
            assert face.network(setup, cell) == {"feedback": {"name": face.cca}}
            assert not face.starts_slowly


def test_every_claim_is_judged_or_says_why_not(analysis: Analysis) -> None:
    study = load("fluid-check")
    assert set(analysis.findings) == {claim.id for claim in study.claims}
    for claim in study.claims:
        judged = judge(claim, analysis.findings, "quick")
        assert judged.ours is not None or judged.note


def test_stored_columns_suffice_for_the_claims(runs: Runs, tmp_path: Path) -> None:
    assert_stored_suffices(load("fluid-check"), runs, tmp_path)


def test_every_picture_and_table_is_made(analysis: Analysis, tmp_path: Path) -> None:
    names = [picture.name for picture in analysis.pictures]
    assert names == ["map", "throughput", "queue", "loss", "cca-loss"]
    panels = [len(picture.figure.axes) - 1 for picture in analysis.pictures]  # less the bar
    assert min(panels) >= 3
    first = analysis.pictures[0]
    assert all(
        path.stat().st_size > 5000 for path in save_figure(first.figure, tmp_path, first.name)
    )
    assert any("differ by 10 % either way: hstcp" in said for said in analysis.sentences)
    assert len(analysis.tables) == 1 + len(faces())
    assert len(analysis.data[0]) == len(faces()) * len(cells(small()))


def test_one_reno_flow_leaves_a_short_buffer_idle_as_its_sawtooth_says(made: Comparison) -> None:
    """From 0.625 to 1.25 BDP: 0.0703 of 0.6563 BDP round trips are idle; a packet's part more."""
    (pair,) = (p for p in made.pairs if p.face.name == "reno" and p.cell.key[2:] == (1, 0.25))
    assert pair.fluid.throughput == pytest.approx(1.0)
    assert pair.packets.throughput == pytest.approx(1 - 0.0703 / 0.6563, abs=0.03)
    assert "throughput" in pair.wrong
    assert any("in step" in warning for warning in pair.warnings)


def test_fast_keeps_its_packets_by_both(made: Comparison) -> None:
    (pair,) = (p for p in made.pairs if p.face.name == "fast" and p.cell.rate == "100 Mbit/s")
    assert pair.fluid.queue == pytest.approx(pair.cell.buffer_packets / 2, rel=1e-3)
    assert abs(pair.queue_error) < 0.05
    assert pair.warnings == ()


def test_fast_s_queue_is_held_to_n_alpha_by_both(made: Comparison) -> None:
    """A queue that is 30 % too long by packets and by fluid alike is no right one."""
    assert worst_fast_queue(made).ours < 0.05
    wrong = Comparison(made.setup, made.results)
    wrong.pairs = tuple(
        replace(
            pair,
            packets=replace(pair.packets, queue=1.3 * pair.packets.queue),
            fluid=replace(pair.fluid, queue=1.3 * pair.fluid.queue),
        )
        for pair in made.pairs
    )
    assert worst_fast_queue(wrong).ours > 0.25


def test_packets_that_are_late_take_their_run_at_least(made: Comparison) -> None:
    """100 rounds of 50 ms are 5 s: a fluid of 1 s is at least 5 times as early."""
    early = Comparison(made.setup, made.results)
    early.starts = dict.fromkeys(made.starts, (1.0, 1.0))
    assert explicit_start_ratio(early).ours == 1.0
    end_s = start_s(made.setup)
    for fluid_s, ratio in ((end_s / 5, 5.0), (2 * end_s, 1.0)):
        early.starts = {**early.starts, ("vcp", 1): (math.inf, fluid_s)}
        found = explicit_start_ratio(early)
        assert found.ours == pytest.approx(ratio)
        assert f"vcp x 1 not in the {end_s:g} s of its run" in found.note


def test_what_is_not_warned_of_is_right(made: Comparison) -> None:
    quiet = [pair for pair in made.pairs if not pair.warnings]
    assert {"fast"} <= {pair.face.name for pair in quiet}
    for pair in quiet:
        assert pair.wrong == (), str(pair)


def test_fluid_models_of_losses_climb_where_packets_double(made: Comparison) -> None:
    packets_s, fluid_s = made.starts["reno", 1]
    climb_s = (0.95 * 41.7 - 10) * 0.05  # a packet a round trip, or less while there is loss
    assert packets_s < 0.5
    assert climb_s < fluid_s < 2 * climb_s


def pair(fluid: Measured, packets: Measured, name: str = RED) -> Pair:
    face = next(face for face in faces() if face.name == name)
    return Pair(face, Cell("100 Mbit/s", 50, 10, 1.0), packets, fluid, fluid.loss, ())


def measured(throughput: float, queue: float, loss: float) -> Measured:
    return Measured(throughput, queue, loss, 40.0, 0.06)


def test_errors_are_fluid_over_packets_less_one() -> None:
    one = pair(measured(1.0, 30.0, 3e-3), measured(0.8, 40.0, 1e-3))
    assert one.throughput_error == pytest.approx(0.25)
    assert one.queue_error == pytest.approx(-0.25)
    assert one.loss_error == pytest.approx(2.0)
    assert one.loss_factor == pytest.approx(3.0)
    assert one.wrong == ("throughput", "queue", "loss")


def test_a_queue_that_does_not_lengthen_the_round_trip_is_not_worse() -> None:
    """417 packets fill the path: 5 of them are 1.2 % of a round trip, 10 are 2.4 %."""
    near = pair(measured(1.0, 0.0, 1e-3), measured(1.0, 5.0, 1e-3))
    assert near.queue_error == -1.0
    assert near.wrong == ()
    assert pair(measured(1.0, 0.0, 1e-3), measured(1.0, 10.0, 1e-3)).wrong == ("queue",)


def test_losses_that_a_model_does_not_have_are_missed() -> None:
    none = measured(1.0, 100.0, np.nan)
    assert pair(none, measured(1.0, 100.0, 0.02), "fast").wrong == ("loss",)
    assert pair(none, measured(1.0, 100.0, 0.001), "fast").wrong == ()
    assert np.isnan(pair(none, measured(1.0, 100.0, 0.02), "fast").loss_error)


def test_half_the_tolerance_changes_no_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the quick grid throughput keeps to 0.001, a queue to 1 %, losses to 2 %.

    Claims leave 5 % to throughput, 5 to 20 % to queues, 35 % and more to losses.
    """
    study = load("fluid-check")
    setup = study.setup(study.scale("quick"))
    for face in faces():
        for cell in cells(setup):
            once, halved = (
                by_fluid(setup, face, cell, tolerance, monkeypatch) for tolerance in (1e-6, 5e-7)
            )
            assert halved.throughput == pytest.approx(once.throughput, abs=0.001)
            if face.queues:
                assert halved.queue == pytest.approx(once.queue, rel=0.01, abs=0.01)
            if face.lossy:
                assert halved.loss == pytest.approx(once.loss, rel=0.02)


def by_fluid(
    setup: Setup, face: Face, cell: Cell, tolerance: float, monkeypatch: pytest.MonkeyPatch
) -> Measured:
    def solved(*args: Any, **keys: Any) -> Result:
        return solve(*args, **keys, method=Adaptive(tolerance))

    monkeypatch.setattr(compare.fluid, "solve", solved)
    return Measured.by_fluid(compare.solve_cell(setup, face, cell), face)
