"""Changes of links and pairs: by hand, in a run, and how often chance is listed."""

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate import Experiment, Result, Scenario
from headgate.base.errors import HeadgateError
from headgate.data.tables import Table, Words
from headgate.design.factor import Factor
from headgate.experiment.part_measures import MEASURES, measure_parts
from headgate.experiment.parts import PartChanges
from headgate.experiment.tables import MeasuredRuns

FACTOR = Factor("queue", "", "network.queue", "codel", "red")


def made(values: dict[str, list[list[float]]]) -> PartChanges:
    """Changes of the mean wait of links: values by link, condition and replicate."""
    replicates = len(next(iter(values.values()))[0])
    digests = np.array([[f"{c} {k}" for k in range(replicates)] for c in range(2)])
    coded = np.array([[-1.0], [1.0]])
    seeds = tuple(range(1, replicates + 1))
    found = MeasuredRuns((FACTOR,), coded, seeds, (), {}, digests, True)
    measured = {
        (c, k): {"links": {"mean_wait_s": {link: of[c][k] for link, of in values.items()}}}
        for c in range(2)
        for k in range(replicates)
    }
    return PartChanges(found, measured, ("links",))


def test_an_effect_is_the_mean_of_paired_differences() -> None:
    changes = made({"a-b": [[0.010, 0.020, 0.030], [0.015, 0.026, 0.034]],
                    "b-c": [[0.01, 0.02, 0.03], [0.02, 0.01, 0.03]]}).changes  # fmt: skip
    first = next(change for change in changes if change.part == "a-b")
    # differences 5, 6, 4 ms: mean 5, standard error 1/sqrt(3); t(0.975, 2) = 4.302653
    half = 4.302653e-3 / math.sqrt(3)
    assert first.before == pytest.approx(0.020)
    assert first.effect.effect == pytest.approx(0.005)
    assert first.effect.interval == pytest.approx((0.005 - half, 0.005 + half))
    assert first.share == pytest.approx(0.25)
    (other,) = [change for change in changes if change.part == "b-c"]
    assert (other.effect.effect, other.is_shown) == (pytest.approx(0.0), False)


def test_sentences_count_and_name_the_largest() -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 1e-5, (4, 2, 6))
    base = np.array([0.001, 0.002, 0.003, 0.004])[:, None, None] + noise
    base[3, 1] += 0.002
    base[0, 1] += 0.0005
    count, says = made({f"link{n}": of.tolist() for n, of in enumerate(base)}).sentences()
    assert count == "From queue codel to red, 2 of the 4 links are shown to change."
    begin = "From queue codel to red, the mean wait in the queue changes on 2 of the 4 links"
    pattern = rf"{begin}, most on link3: ([\d.]+) ms to ([\d.]+) ms \(\+[\d.]+ %\)\."
    found = re.fullmatch(pattern, says)
    assert found is not None, says
    assert [float(word) for word in found.groups()] == pytest.approx([4, 6], abs=0.05)
    count, none = made({"x": base[1].tolist()}).sentences()
    assert count == "From queue codel to red, 0 of the 1 links are shown to change."
    assert none == (
        "From queue codel to red, no change of mean wait in the queue is shown on any of the links."
    )


def test_chance_is_rarely_listed() -> None:
    rng = np.random.default_rng(2)
    lists = sum(
        any(change.is_shown for change in made(
            {str(n): rng.normal(1, 0.1, (2, 5)).tolist() for n in range(20)}).changes)
        for _ in range(200)
    )  # fmt: skip
    # With no effect at all, a list is wrong with probability 5 %: 10 of 200, standard deviation 3.1
    assert lists <= 10 + 3.3 * 3.1


def test_pairs_are_means_over_flows() -> None:
    flows = Table("flows", {
        "source": Words.of(["a", "a", "b", "a", "a"]),
        "receiver": Words.of(["b", "b", "a", "b", "b"]),
        "goodput_bps": np.array([1.0, 3.0, 7.0, np.nan, np.nan]),
        "fct_receiver_s": np.array([np.nan, 2.0, np.nan, 4.0, 9.0]),
        "active_s": np.array([1.0, 1.0, 1.0, 1.0, 0.0]),
    })  # fmt: skip
    found = measure_parts(Result({"flows": flows}, {}), ("pairs",))
    assert found["pairs"]["goodput_bps"] == {"a to b": 2.0, "b to a": 7.0}
    assert found["pairs"]["fct_receiver_s"] == {"a to b": 3.0, "b to a": None}


BASE: dict[str, Any] = {
    "duration": "2 s",
    "network": {"kind": "dumbbell", "rate": "5 Mbit/s", "rtt": "20 ms", "buffer": "100 packets"},
    "traffic": [
        {"kind": "flows", "cca": "cubic", "count": 2},
        {"kind": "poisson", "cca": "cubic", "arrivals": "20 flows/s", "size": "10 packets"},
    ],
}


def test_an_experiment_lists_what_changes(tmp_path: Path) -> None:
    experiment = Experiment(
        BASE,
        factors={"network.queue": [{"unset": True}, "codel"]},
        replicates=3,
        responses=["afct_s"],
        parts=["links", "pairs"],
    )
    result = experiment.run(tmp_path, workers=1)
    assert result.parts is not None
    rows = {
        (str(part), str(measure)): (before, effect, shown)
        for part, measure, before, effect, shown in zip(
            *(result.parts[name] for name in ("part", "measure", "before", "effect", "shown")),
            strict=True,
        )
    }
    before, effect, shown = rows["bottleneck", "mean_wait_s"]
    runs = [Scenario.from_dict(BASE).run(seed=seed) for seed in (1, 2, 3)]
    waits = [run.ports["mean_wait_s"][0] for run in runs]
    assert before == pytest.approx(np.mean(waits))
    assert effect < -0.5 * before
    assert shown == 1
    pairs = {part for part, _ in rows if " to " in part}
    assert pairs == {"left to right"}
    assert any("mean wait in the queue changes on" in says for says in result.findings)
    names = set(result.figures())
    assert {"links-mean_wait_s", "pairs-fct_receiver_s"} <= names
    assert (tmp_path / "parts.parquet").is_file()
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Links that change" in page
    assert result.parts.columns[:3] == ("kind", "part", "measure")
    measures = {one.column for of in MEASURES.values() for one in of}
    assert {measure for _, measure in rows} == measures


def test_runs_without_these_measures_are_made_again(tmp_path: Path) -> None:
    keys: dict[str, Any] = {"factors": {"network.queue": [{"unset": True}, "codel"]}}
    assert Experiment(BASE, **keys).run(tmp_path, workers=1).parts is None
    later = Experiment(BASE, **keys, parts=["links"]).run(tmp_path, workers=1)
    assert later.parts is not None
    assert np.isfinite(later.parts["effect"]).all()


def test_tables_that_are_not_kept_have_no_parts() -> None:
    base = {**BASE, "measure": {"flows": "none"}}
    factors = {"network.queue": [{"unset": True}, "codel"]}
    experiment = Experiment(base, factors=factors, responses=["utilisation"], parts=["pairs"])
    with pytest.raises(HeadgateError, match="pairs need the table flows"):
        experiment.check()
    with pytest.raises(HeadgateError, match="'links' or 'pairs'"):
        Experiment(base, factors=factors, parts=["routers"])
