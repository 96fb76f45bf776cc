"""Levels whose runs are the same are named, with the conditions, and no others."""

from itertools import product

import numpy as np

from headgate import Experiment
from headgate.design.factor import Factor
from headgate.experiment.same_runs import say_same_runs
from headgate.experiment.tables import MeasuredRuns

ECN = Factor("e", "ECN", "transport.ecn", "off", "ect1", levels=("off", "on", "ect1"))
QUEUE = Factor("q", "Queue", "network.queue", "codel", "red", levels=("codel", "pie", "red"))


def say(*digests: str, factors: tuple[Factor, ...] = (ECN, QUEUE)) -> list[str]:
    """Return the sentences on runs with these digests: a word per condition, a letter per run."""
    levels = [np.linspace(-1, 1, len(factor.levels)) for factor in reversed(factors)]
    coded = np.array([row[::-1] for row in product(*levels)], float)
    runs = np.array([[letter.replace("-", "") for letter in word] for word in digests])
    seeds = tuple(range(1, runs.shape[1] + 1))
    return list(say_same_runs(MeasuredRuns(factors, coded, seeds, (), {}, runs, paired=True)))


def test_runs_that_differ_say_nothing() -> None:
    assert not say("ab", "cd", "ef", "gh", "ij", "kl", "mn", "op", "qr")
    assert not say("ab", "ac", "ad", factors=(ECN,)), "one replicate in common is not enough"
    assert not say("a-", "a-", "b-", factors=(ECN,)), "and missing runs are unknown"


def test_the_only_factor_is_named_with_its_levels() -> None:
    assert say("ab", "ab", "cd", factors=(ECN,)) == [
        "The runs with e off and with e on are the same, packet by packet: this choice changes"
        " nothing."
    ]


def test_conditions_of_the_same_runs_are_counted_and_named() -> None:
    (said,) = say("aa", "aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh")
    assert said.endswith(
        "under 1 of 3 conditions of the other factors (q codel): this choice changes nothing there."
    )
    (said,) = say("aa", "aa", "bb", "cc", "cc", "ee", "ff", "ff", "hh")
    assert said.endswith(
        ", under every condition of the other factors: this choice changes nothing."
    )


def test_many_pairs_are_counted() -> None:
    said = say("a", "a", "a", "b", "b", "b", "c", "c", "c")
    assert len(said) == 3
    four = Factor("e", "E", "e", "a", "d", levels=("a", "b", "c", "d"))
    *named, rest = say("a", "a", "a", "a", factors=(four,))
    assert len(named) == 3
    assert rest == "The same holds for 3 more pairs of levels of e."


def test_an_experiment_whose_factor_has_no_effect_says_so() -> None:
    """ECN changes nothing beside a discipline that only drops."""
    flows = [{"kind": "flows", "cca": "cubic", "count": 2}]
    network = {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "20 ms", "buffer": "1 BDP"}
    jitter = {"impairments": [{"name": "jitter", "mean": "300 us"}]}
    found = Experiment(
        {"duration": "3 s", "network": network | jitter, "traffic": flows},
        factors={"transport.ecn": ["off", "on"], "network.queue": ["codel", "fq-codel"]},
        responses=["mean_wait_s"],
        replicates=2,
    ).run()
    said = [one for one in found.findings if "packet by packet" in one]
    assert len(said) == 1
    assert "under 1 of 2 conditions of the other factors (queue codel)" in said[0]
