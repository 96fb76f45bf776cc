"""`Experiment(...)` in Python: forms of levels and responses, and the options of `run`."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate import Experiment, HeadgateError, StoreError, read
from headgate.engine.api import Result

BASE = {
    "duration": "1 s",
    "network": {"kind": "dumbbell", "rate": "5 Mbit/s", "rtt": "20 ms"},
    "traffic": [{"kind": "flows", "cca": "reno"}],
    "measure": {"series": "none"},
}
COUNT = "traffic.0.count"


def flows(result: Result, factor: float = 1.0) -> float:
    """Number of flows.

    More of the documentation.
    """
    return factor * len(result.flows["cca"])


class Counter:
    """Counts flows."""

    def __call__(self, result: Result) -> float:
        return flows(result)


def make(levels: Any = (1, 2), responses: Any = ("goodput_bps",)) -> Experiment:
    return Experiment(BASE, {COUNT: levels}, responses=responses)


@pytest.mark.parametrize(
    "levels",
    [
        (1, 2, 3),
        range(1, 4),
        np.array([1, 2, 3]),
        np.arange(1, 4, dtype=np.uint8),
        [np.int64(1), np.int64(2), 3],
        {"levels": np.array([1, 2, 3])},
    ],
    ids=repr,
)
def test_levels_may_be_any_sequence(levels: Any) -> None:
    made = make(levels)
    assert made.definition.levels == {"count": (1, 2, 3)}
    assert made.check() == []


@pytest.mark.parametrize(
    ("levels", "says"),
    [
        ((i for i in (1, 2)), f"factors.{COUNT}: generator is not a list of levels"),
        ({1, 2}, f"factors.{COUNT}: set is not a list of levels"),
        ("2", "write a list of levels"),
        (2, "write a list of levels"),
        (np.array(2), "write a list of levels"),
    ],
)
def test_other_levels_are_refused(levels: Any, says: str) -> None:
    with pytest.raises(HeadgateError, match=says):
        make(levels)


def test_factors_are_a_dict() -> None:
    with pytest.raises(HeadgateError, match=r"factors: \['cca'\] is not a dict"):
        Experiment(BASE, ["cca"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("responses", "says"),
    [
        ("goodput_bps", "responses: 'goodput_bps' is not a list; write one"),
        (flows, "responses: <function flows at .*> is not a list"),
        (None, "responses: None is not a list"),
        ({"goodput_bps"}, "responses: {'goodput_bps'} is not a list"),
        ([functools.partial(flows)], r"responses: functools.partial\(.*\) is without a name"),
        ([Counter()], "is without a name; write a dict, such as {'flows': function}"),
        ([lambda _: 1.0], "is without a name"),
        ([flows, flows], "'flows' is listed twice"),
        ([3], "3 is not a response"),
    ],
)
def test_other_responses_are_refused(responses: Any, says: str) -> None:
    with pytest.raises(HeadgateError, match=says):
        make(responses=responses)


def test_functions_are_named_by_themselves_or_by_a_dict(tmp_path: Path) -> None:
    listed = make(responses=["goodput_bps", flows]).definition.responses
    assert [(one.name, one.title) for one in listed][1] == ("flows", "Number of flows")
    named = make(
        responses={
            "two": functools.partial(flows, factor=2.0), "one": Counter(), "own": flows,
            "goodput_bps": {}, "again": "goodput_bps",
        }
    )  # fmt: skip
    assert [one.title for one in named.definition.responses][:3] == ["", "", "Number of flows"]
    runs = named.run(tmp_path / "out", workers=1).runs
    assert runs["one"].tolist() == runs["own"].tolist() == [1, 2]
    assert runs["two"].tolist() == [2, 4]
    assert runs["again"].tolist() == runs["goodput_bps"].tolist()


def test_until_is_decided_or_none(tmp_path: Path) -> None:
    with pytest.raises(HeadgateError, match="until: 'x' is not allowed; write 'decided' or None"):
        make().run(tmp_path / "out", until="x")  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()


def test_the_folder_of_an_experiment_is_read_by_what_the_error_says(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    first = make().run(folder, workers=1)
    with pytest.raises(StoreError, match="this folder contains many runs") as error:
        read(folder)
    said = str(error.value)
    assert f"read one of the folders in {folder / 'runs'}, a table such as" in said
    assert (folder / "runs.parquet").is_file()
    (call,) = re.findall(r"Experiment\.load\(.+\)\.run\(.+?\)", said)
    runs = {path: path.stat().st_mtime_ns for path in folder.glob("runs/*/run.json")}
    again = eval(call, {"Experiment": Experiment})
    assert again.runs["goodput_bps"].tolist() == first.runs["goodput_bps"].tolist()
    assert runs == {path: path.stat().st_mtime_ns for path in folder.glob("runs/*/run.json")}
    (folder / "experiment.toml").unlink()
    with pytest.raises(StoreError, match=r"read one of the folders in .+/runs$"):
        read(folder)
