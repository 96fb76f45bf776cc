"""Findings of the study of durations: functions that its claims name, and the runs they compare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product

import numpy as np

from headgate import Result
from headgate.claims import Estimate, estimate_share, find_largest
from headgate.lab import Job, Key, NotRunError, Runs, Setup, key_by_labels
from headgate_studies.mesonet import MesoNet
from headgate_studies.nist.responses import TITLES
from headgate_studies.nist_scale.sizes import COUNTS, SECOND, UTILISATION, measure

#: The study's settings; every other setting is MesoNet's.
OF_RUNS = ("experiments", "durations", "sizes", "size")
SHORT, PUBLISHED = "short", "published"
#: Counted over the whole period; other counts are of one interval between samples.
FALLS = "falls"
#: Counts that grow with the time; how many flows are connecting does not.
GROWING = tuple(name for name in COUNTS if name not in ("y1", "connecting"))
NAMES: Mapping[str, str] = {
    UTILISATION: "utilisation of the backbone",
    **{
        name: f"{title.removesuffix(' / interval')} per source and second"
        if name in GROWING
        else title
        for name, title in TITLES.items()
    },
}
STANDARD = "reno"
#: By how much an algorithm must differ from TCP over the published duration to be apart from it.
APART = 0.1


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run; traffic is drawn alike for both durations and every algorithm."""
    own = setup.settings
    common = {name: value for name, value in own.items() if name not in OF_RUNS}
    return key_by_labels(
        Job(
            MesoNet.from_dict(
                {
                    **common,
                    "experiment": experiment,
                    "duration": own["durations"][experiment][length],
                    "size": own["size"] * own["sizes"][experiment],
                    "cca": cca,
                    "seed": seed,
                }
            ).scenario(),
            {"experiment": experiment, "length": length, "cca": cca, "seed": seed},
        )
        for seed, experiment, length, cca in product(
            setup.seeds, own["experiments"], (SHORT, PUBLISHED), setup.ccas
        )
    )


class Durations(Runs):
    """Runs by experiment, length, algorithm and seed."""

    @property
    def experiments(self) -> Sequence[str]:
        """The experiments, such as 1b."""
        experiments: Sequence[str] = self.setup.settings["experiments"]
        return experiments

    @property
    def ccas(self) -> Sequence[str]:
        """The algorithms under each of them."""
        return self.setup.ccas

    @cached_property
    def measured(self) -> Mapping[tuple[str, str, str], Mapping[str, float]]:
        """Every response of an experiment, length and CCA in the second period, mean over seeds."""
        return {
            (experiment, length, cca): self._measure(experiment, length, cca)
            for experiment in self.experiments
            for length in (SHORT, PUBLISHED)
            for cca in self.ccas
        }

    def _measure(self, *key: str) -> Mapping[str, float]:
        found = [measure_rates(self[*key, seed], key[-1]) for seed in self.setup.seeds]
        return {name: float(np.mean([one[name] for one in found])) for name in NAMES}

    def ratio(self, response: str, experiment: str, cca: str) -> float:
        """Return a response of the short run over that of the published duration."""
        return self._divide(response, (experiment, SHORT, cca), (experiment, PUBLISHED, cca))

    def contrast(self, response: str, experiment: str, length: str, cca: str, to: str) -> float:
        """Return one algorithm's response over another's in runs of one length."""
        return self._divide(response, (experiment, length, cca), (experiment, length, to))

    def _divide(
        self, response: str, above: tuple[str, str, str], below: tuple[str, str, str]
    ) -> float:
        one, other = self.measured[above][response], self.measured[below][response]
        return one / other if other > 0 else float("nan")


def measure_rates(result: Result, cca: str) -> dict[str, float]:
    """Return every response of the second period; counts per source and second."""
    start_s, end_s, interval_s = (
        float(result.responses[name][SECOND]) for name in ("start_s", "end_s", "interval_s")
    )
    found = measure(result, cca)
    counted_s = dict.fromkeys(GROWING, interval_s) | {FALLS: end_s - start_s}
    return {**found, **{name: found[name] / time_s for name, time_s in counted_s.items()}}


def farthest(of: Durations, *, response: str) -> Estimate:
    """Find the greatest distance of a short run from the whole one, over experiments and CCAs."""
    apart = {
        f"{experiment}, {cca}": abs(of.ratio(response, experiment, cca) - 1)
        for experiment in of.experiments
        for cca in of.ccas
    }
    there = {name: value for name, value in apart.items() if np.isfinite(value)}
    if not there:
        raise NotRunError("no run has such a flow")
    return find_largest(there, digits=3)


def same_signs(of: Durations) -> Estimate:
    """Count the responses in which a CCA differs from TCP to the same side in the short run."""
    same = list(_compare_signs(of))
    return estimate_share(sum(same), len(same), "contrasts")


def _compare_signs(of: Durations) -> Iterator[bool]:
    for experiment in of.experiments:
        for cca in of.ccas:
            for name in NAMES if cca != STANDARD else ():
                whole, short = (
                    of.contrast(name, experiment, length, cca, STANDARD)
                    for length in (PUBLISHED, SHORT)
                )
                if abs(whole - 1) > APART and np.isfinite(short):
                    yield (whole > 1) == (short > 1)


def contrast_kept(of: Durations, *, response: str, cca: str) -> Estimate:
    """Find how far an algorithm over TCP is, in the short run, from the same over the whole one."""
    apart = {
        experiment: abs(_change(of, response, experiment, cca)) for experiment in of.experiments
    }
    return find_largest(apart, digits=3)


def _change(of: Durations, response: str, experiment: str, cca: str) -> float:
    short, whole = (
        of.contrast(response, experiment, length, cca, STANDARD) for length in (SHORT, PUBLISHED)
    )
    return short / whole - 1
