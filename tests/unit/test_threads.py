"""Threads of a run: the same result, from Python, in a campaign, and after it was stopped."""

from pathlib import Path

import numpy as np
import pytest

from headgate import Scenario
from headgate.base.errors import HeadgateError, InterruptedRunError
from headgate.engine.api import simulate
from headgate.engine.run.options import RunOptions
from headgate.engine.run.progress import Progress, StopRunError
from headgate.lab.processes import ThreadShares
from headgate.lab.worker import read_threads


def backbone(cca: str = "cubic") -> Scenario:
    """Make a network of many routers."""
    return Scenario.from_dict(
        {
            "duration": "2 s",
            "network": {"kind": "abilene", "rate": "0.96 Gbit/s"},
            "transport": {"preset": "mesonet", "recovery": "sack"},
            "traffic": [
                {"kind": "web", "cca": cca, "users": 900, "think": "1 s", "size": "60 packets"}
            ],
            "measure": {"warmup": "0.5 s"},
        }
    )


def test_any_number_of_threads_gives_the_same_tables() -> None:
    alone = backbone().run()
    for threads in (2, 3):
        team = backbone().run(threads=threads)
        assert team.meta["digest"] == alone.meta["digest"]
        for name, table in alone.tables.items():
            for column in table.columns:
                np.testing.assert_array_equal(team.tables[name][column], table[column], column)


def test_a_run_goes_on_with_another_number_of_threads(tmp_path: Path) -> None:
    def stop(now: Progress) -> None:
        if now.time_s > 0.7:
            raise StopRunError

    with pytest.raises(InterruptedRunError):
        simulate(backbone(), tmp_path, stop, options=RunOptions(threads=3))
    resumed = simulate(backbone(), tmp_path, options=RunOptions(threads=2))
    assert resumed.meta["resumed"]
    assert resumed.meta["digest"] == backbone().run().meta["digest"]


def test_runs_share_the_cores_that_no_run_uses() -> None:
    shares = ThreadShares(cores=5)
    seen = []
    with shares.run():
        seen.append(read_threads(shares.file)())
        with shares.run():
            seen.append(read_threads(shares.file)())
    seen.append(read_threads(shares.file)())
    assert seen == [5, 2, 5]
    fixed = ThreadShares(cores=5, fixed=3)
    assert read_threads(fixed.file)() == 3
    shares.close()
    fixed.close()
    assert read_threads(shares.file)() == 1, "a run whose campaign is gone uses one thread"


@pytest.mark.parametrize("threads", [0, -1, 2.5, True, "two", None])
def test_a_wrong_number_of_threads_is_a_sentence(threads: object) -> None:
    says = f"threads: {threads!r} is not allowed; it must be a whole number from 1 on"
    with pytest.raises(HeadgateError) as error:
        backbone().run(threads=threads)  # type: ignore[arg-type]
    assert str(error.value) == says
    with pytest.raises(HeadgateError):
        list(backbone().stream(threads=threads))  # type: ignore[arg-type]
