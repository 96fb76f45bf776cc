"""The CPU time of a run of a campaign beside the engine."""

import json
import subprocess
import sys

import pytest

from ..arch.repository import ROOT

pytestmark = pytest.mark.timing

#: CPU seconds beside the engine: of a run, and of a campaign of two workers.
OF_RUN_S, OF_CAMPAIGN_S = 0.008, 3.5


def beside_engine_s(replicates: int) -> float:
    """CPU seconds beside the engine of 40 conditions with runs of 1 s, which take 3 ms each."""
    words = [sys.executable, "-m", "tests.unit.many_runs", str(replicates), "1 s"]
    printed = subprocess.run(words, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    found = json.loads(printed)
    assert found["runs"] == 40 * replicates
    return float(found["all_s"] - found["engine_s"])


def test_a_run_costs_little_beside_the_engine() -> None:
    beside_engine_s(1)  # compiles bytecode
    few_s, many_s = (min(beside_engine_s(n) for _ in range(3)) for n in (1, 11))
    assert few_s <= OF_CAMPAIGN_S + 40 * OF_RUN_S
    assert (many_s - few_s) / 400 <= OF_RUN_S
