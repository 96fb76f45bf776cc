"""What the study found of flows that share a path."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from headgate.claims import Estimate, estimate_mean, format_values
from headgate.lab import Runs
from headgate_studies.senders import together
from headgate_studies.senders.jobs import LEAST_FAIR, MOST_FAIR, TCP

Left = dict[str, NDArray[np.float64]]


def _left(runs: Runs) -> Left:
    """Return what each law leaves to TCP, by replicate."""
    laws = runs.setup.has(*MOST_FAIR, *LEAST_FAIR, "hstcp")
    return {law: np.array(together.tcp_share(runs, law)) for law in laws}


def _margin(runs: Runs, of: Callable[[Left], float]) -> Estimate:
    """Return a margin of the means, with the interval of the replicates' own margins."""
    left = _left(runs)
    means = {law: np.array([each.mean()]) for law, each in left.items()}
    count = len(left["hstcp"])
    own = [of({law: each[i : i + 1] for law, each in left.items()}) for i in range(count)]
    said = format_values({law: float(mean[0]) for law, mean in means.items()})
    return estimate_mean(own, said).model_copy(update={"ours": of(means)})


def _most(left: Left, laws: tuple[str, ...]) -> float:
    return max(float(left[law][0]) for law in laws)


def _fewest(left: Left, laws: tuple[str, ...]) -> float:
    return min(float(left[law][0]) for law in laws)


def fair_margin(runs: Runs, *, law: str) -> Estimate:
    """Compare what a law leaves to TCP with the most that the least fair leave."""
    return _margin(runs, lambda left: float(left[law][0]) - _most(left, LEAST_FAIR))


def unfair_margin(runs: Runs, *, law: str) -> Estimate:
    """Compare the least that the most fair leave to TCP with what a law leaves."""
    return _margin(runs, lambda left: _fewest(left, MOST_FAIR) - float(left[law][0]))


def hstcp_margin(runs: Runs) -> Estimate:
    """Find the smaller margin by which HSTCP lies above one group and below the other."""

    def margin(left: Left) -> float:
        own = float(left["hstcp"][0])
        return min(own - _most(left, LEAST_FAIR), _fewest(left, MOST_FAIR) - own)

    return _margin(runs, margin)


def threshold_effect(runs: Runs, *, law: str, sign: int) -> Estimate:
    """Compare what is left to TCP with a high first threshold and with a low one."""
    runs.setup.has(law)
    high, low = together.tcp_share(runs, law), together.tcp_left_low(runs, law)
    said = f"{np.mean(high):.3f} with an infinite threshold, {np.mean(low):.3f} with 100 packets"
    return estimate_mean([sign * (a - b) for a, b in zip(high, low, strict=True)], said)


def newcomer_margin(runs: Runs, *, law: str) -> Estimate:
    """Compare a newcomer's share beside a flow of its law with that beside TCP's."""
    runs.setup.has(law)
    tcp, own = (together.newcomer_share(runs, each, each) for each in (TCP, law))
    said = f"{np.mean(own):.3f}, of TCP {np.mean(tcp):.3f}"
    return estimate_mean([a - b for a, b in zip(tcp, own, strict=True)], said)
