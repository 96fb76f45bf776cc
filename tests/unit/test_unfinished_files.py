"""Mean completion times leave unfinished files out: an experiment says so if these are many."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headgate import Experiment, Scenario
from headgate.experiment import findings
from headgate.experiment.unfinished import UNFINISHED, compute_share, count_unfinished

from .planted_experiment import measured

#: Downloads that offer twice the rate of the link.
DOWNLOADS = {"kind": "poisson", "cca": "reno", "load": 2.0, "size": "100 packets"}
OVERLOAD = {
    "duration": "20 s",
    "network": {"kind": "dumbbell", "rate": "12 Mbit/s", "rtt": "20 ms", "buffer": "1 BDP"},
    "measure": {"warmup": "5 s"},
    "traffic": [DOWNLOADS, {"kind": "flows", "cca": "cubic", "count": 1}],
}


def test_files_are_counted_that_are_open_at_the_end() -> None:
    result = Scenario.from_dict(OVERLOAD).run(seed=1)
    flows = result.flows
    after = flows["active_s"] > 0
    files = after & (flows["size_packets"] == 100)
    done = files & np.isfinite(flows["fct_receiver_s"])
    assert count_unfinished(result) == (files.sum() - done.sum(), files.sum())
    most = 20 * 12e6 / (100 * 8 * 1460)  # files that the link can send in the run
    assert compute_share([count_unfinished(result)]) >= 1 - most / files.sum()


def test_recorded_counts_are_taken() -> None:
    result = Scenario.from_dict(OVERLOAD | {"duration": "6 s"}).run()
    result.meta[UNFINISHED] = [3, 4]
    assert count_unfinished(result) == (3, 4)


@pytest.mark.parametrize(
    ("replicates", "share"),
    [([], 0.0), ([(0, 0)], 0.0), ([(1, 4), (3, 4)], 0.5), ([(1, 1), (0, 3)], 0.25)],
)
def test_the_share_is_that_of_all_replicates(
    replicates: list[tuple[int, int]], share: float
) -> None:
    assert compute_share(replicates) == share


def test_an_experiment_names_the_conditions_with_many_unfinished_files(tmp_path: Path) -> None:
    base = Scenario.from_dict({**OVERLOAD, "traffic": [DOWNLOADS]})
    experiment = Experiment(
        base, {"traffic.0.load": [0.3, 2.0]}, responses=["afct_s", "goodput_bps"], replicates=2
    )
    found = experiment.run(tmp_path / "out")
    (said,) = [one for one in found.findings if "unfinished" in one]
    assert said.startswith(
        "Under 1 of 2 conditions more than 5 % of the files are unfinished at the end of the runs ("
    )
    assert "% with load 2): afct_s leaves them out and so may be too low." in said
    again = experiment.run(tmp_path / "out")  # from what runs recorded
    assert said in again.findings


@pytest.mark.parametrize(("share", "says"), [(0.05, False), (0.051, True)])
def test_few_unfinished_files_are_not_mentioned(share: float, says: bool) -> None:
    runs = measured({"cca": ("reno", "bbr3")}, {"afct_s": (lambda *_: 1.0, "lower")}, replicates=2)
    timed = replace(runs.responses[0], sql="SELECT avg(fct_receiver_s) FROM flows")
    found = replace(runs, responses=(timed,), unfinished=(0.0, share))
    assert any("unfinished" in one for one in findings.sentences(found)) == says
    whole = findings.sentences(replace(found, unfinished=(0.0, 1.0)))
    assert any("(100 % with cca bbr3)" in one for one in whole)
    other = replace(runs.responses[0], sql="SELECT sum(goodput_bps) FROM flows")
    assert not any(
        "unfinished" in one for one in findings.sentences(replace(found, responses=(other,)))
    )
