"""The analysis of experiments 1a and 1b, in which all sources use one algorithm.

An algorithm is safe if under heavy congestion no response that harms the network is worse than
under TCP by more than the source's filter of 10 %, with the whole 95 % interval over conditions.
"""

import math
from collections.abc import Iterator

import numpy as np

from headgate.claims import Estimate, estimate_mean_ratio
from headgate.lab import Analysis, Listing, Runs
from headgate_studies.designed import Designed
from headgate_studies.nist.responses import BEFORE, SAFETY, TITLES, WORSE, responses, roles
from headgate_studies.nist.summary import ALIKE, CONDITIONS, DELAY_CCAS, Experiment, sentences

SOURCE = {True: "safe", False: "not: loses and resends more, connects more, completes fewer"}


def prepare(runs: Runs) -> Experiment:
    """Measure the responses of finished runs."""
    return Experiment(Designed(runs.setup, runs.results), roles(runs.setup.design), responses)


def analyse(experiment: Experiment) -> Analysis:
    """Give the table that the report analyses, and what is said of it."""
    return Analysis(
        sentences=(say_safety(experiment), *sentences(experiment)),
        tables=(compare_safety(experiment),),
        data=(experiment.table,),
        roles=experiment.roles,
    )


def compare_safety(of: Experiment) -> Listing:
    """Return a row for each algorithm: the source's verdict, and responses worse than under TCP."""
    rows: list[tuple[object, ...]] = [
        (cca, SOURCE[cca not in DELAY_CCAS], _say(of, dict(find_worse(of, cca))))
        for cca in of.ccas
        if cca != BEFORE
    ]
    return Listing(
        "Which algorithms are safe",
        "Everyone's TCP replaced, heavily congested conditions, second period: responses worse than"
        f" under TCP by more than {ALIKE:.0%} with its whole 95 % interval over conditions.",
        ("cca", "the source", "worse here, over TCP's"),
        rows,
    )


def find_worse(of: Experiment, cca: str) -> Iterator[tuple[str, Estimate]]:
    """Yield the responses that are worse under an algorithm than under TCP, with their ratios."""
    for response in SAFETY:
        pairs = [(of.mean(response, cca, c), of.mean(response, BEFORE, c)) for c in of.heavy]
        ratios = [own / tcp for own, tcp in pairs if own > 0 and tcp > 0]
        if not ratios:
            continue
        found = estimate_mean_ratio(ratios, CONDITIONS)
        if found.ci and _is_worse(found.ci, WORSE[response]):
            yield response, found


def _is_worse(interval: tuple[float, float], way: str) -> bool:
    low, high = np.log(interval)
    far = math.log(1 + ALIKE)
    return bool(low > far if way == "more" else high < -far)


def say_safety(of: Experiment) -> str:
    """Say which algorithms are safe here, and which the source found so."""
    source = "The source: all but FAST and FAST-AT."
    if not _can_tell(of):
        return f"Which algorithms are safe is undecided with one condition. {source}"
    others = [cca for cca in of.ccas if cca != BEFORE]
    unsafe = {cca for cca in others if any(True for _ in find_worse(of, cca))}
    safe, not_safe = ([cca for cca in others if (cca in unsafe) == flag] for flag in (False, True))
    return (
        f"Safe under heavy congestion, nothing worse than under TCP by 10 %: {_join(safe)}; not:"
        f" {_join(not_safe)}. {source}"
    )


def _can_tell(of: Experiment) -> bool:
    return len(of.heavy) > 1


def _say(of: Experiment, worse: dict[str, Estimate]) -> str:
    if not worse:
        return "nothing" if _can_tell(of) else "undecided with one condition"
    return "; ".join(f"{TITLES[name]} {found.ours:.2f}" for name, found in worse.items())


def _join(ccas: list[str]) -> str:
    return ", ".join(ccas) or "none"
