"""The amount sent for files of random size, and the load that results."""

import math
from typing import Any

import numpy as np
import pytest

from headgate.scenario import Sizes

from .scenarios import DUMBBELL, scenario

SIZES = [
    {"kind": "exponential", "mean": "0.3 packets"},
    {"kind": "exponential", "mean": "3 packets"},
    {"kind": "exponential", "mean": "400 B"},
    {"kind": "pareto", "mean": "0.5 packets", "shape": 2.5},
    {"kind": "pareto", "mean": "2 packets", "shape": 4.0},
    {"kind": "pareto", "mean": "30 packets", "shape": 3.0},
]


def drawn(size: Sizes, count: int = 2_000_000) -> np.ndarray[Any, Any]:
    """Sizes as the engine draws them: by the inverse of their distribution, to whole packets."""
    plan, at = size.plan(1460), (np.arange(count) + 0.5) / count
    if plan["kind"] == "exponential":
        exact = -plan["mean_packets"] * np.log(at)
    else:
        least = plan["mean_packets"] * (plan["shape"] - 1) / plan["shape"]
        exact = least * at ** (-1 / plan["shape"])
    return np.maximum(np.floor(exact + 0.5), 1)


@pytest.mark.parametrize("given", SIZES, ids=str)
def test_the_mean_sent_is_that_of_the_sizes_drawn(given: dict[str, Any]) -> None:
    size = Sizes.model_validate(given)
    assert size.mean_sent(1460) == pytest.approx(drawn(size).mean(), rel=2e-3)


def test_large_sizes_send_their_mean() -> None:
    for given in (
        {"kind": "exponential", "mean": "5000 packets"},
        {"kind": "pareto", "mean": "50000 packets", "shape": 1.5},
        {"kind": "pareto", "mean": "1e9 packets", "shape": 1000},
    ):
        size = Sizes.model_validate(given)
        assert size.mean_sent(1460) == pytest.approx(float(size.mean.value), rel=1e-3)


def test_a_fixed_size_is_rounded_up_as_that_of_a_flow() -> None:
    for text, packets in (("500 B", 1), ("1461 B", 2), ("3 packets", 3), ("2.5 packets", 3)):
        size = Sizes.model_validate(text)
        assert size.plan(1460) == {"kind": "fixed", "packets": packets}
        assert size.mean_sent(1460) == packets


@pytest.mark.parametrize("size", ["300 B", {"kind": "exponential", "mean": "0.4 packets"}])
def test_the_load_offered_is_the_load_asked_for(size: object) -> None:
    poisson = {"kind": "poisson", "cca": "reno", "load": 0.5, "size": size, "stop": "20 s"}
    run = scenario({**DUMBBELL, "rate": "20 Mbit/s"}, poisson, duration="20 s").run()
    offered = run.flows["size_packets"].sum() * 1500 * 8 / 20 / 20e6
    many = len(run.flows)
    assert offered == pytest.approx(0.5, rel=5 / math.sqrt(many))
