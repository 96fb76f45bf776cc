"""Responses of the busiest link state whether they compare different links."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headgate import Experiment
from headgate.experiment.findings import sentences
from headgate.experiment.measures import find
from headgate.experiment.responses import Response, find_busiest
from headgate.experiment.tables import MeasuredRuns

from .planted_experiment import measured

WORDS = ("mean_wait_s", "goodput_bps", "loss_rate")
TEXT = """
replicates = 2
responses = ["mean_wait_s", "goodput_bps", "loss_rate"]
[factors]
"network.reverse.rate" = ["100 kbit/s", "5 Mbit/s"]
[scenario]
duration = "4 s"
network = { kind = "dumbbell", rate = "5 Mbit/s", rtt = "40 ms", buffer = "50 packets" }
[[scenario.traffic]]
kind = "flows"
cca = "cubic"
[[scenario.traffic]]
kind = "poisson"
cca = "cubic"
load = 0.05
size = "3 packets"
"""


def planted(links: list[list[str]], words: tuple[str, ...] = WORDS) -> MeasuredRuns:
    """An experiment with two conditions, whose runs have these busiest links."""
    responses = tuple(
        Response(word, of.sql, unit=of.unit, better=of.better)
        for word in words
        for of in [find(word)]
    )
    plants = {one.name: (lambda _, k: 1.0 + k, one.better) for one in responses}
    found = measured({"rate": ("1 Mbit/s", "2 Mbit/s")}, plants, replicates=len(links[0]))
    return replace(found, responses=responses, busiest=np.array(links, dtype=object))


def select(lines: Iterable[str]) -> list[str]:
    return [one for one in lines if re.match(r"In \d+ of \d+ \w+ the busiest link is", one)]


def said(found: MeasuredRuns) -> list[str]:
    return select(sentences(found))


def test_different_links_are_named_with_a_response_of_one() -> None:
    assert said(planted([["a", "a"], ["b", "b"]])) == [
        "In 1 of 2 conditions the busiest link is a, in the others b: mean_wait_s, loss_rate then"
        ' compare different links. For one link, write {name = "mean_wait_s", sql = "SELECT'
        ' mean_wait_s FROM ports WHERE link = \'a\'", unit = "s", better = "lower"}.'
    ]
    (text,) = said(planted([["a", "a", "b"], ["c", "c", "c"]]))
    assert text.startswith("In 3 of 6 runs the busiest link is c, in 2 a, in 1 b: mean_wait_s,")


def test_one_link_and_responses_of_all_flows_give_no_sentence() -> None:
    assert not said(planted([["a", "a"], ["a", ""]]))
    assert not said(planted([["a", "a"], ["b", "b"]], ("goodput_bps",)))
    assert not said(replace(planted([["a", "a"], ["b", "b"]]), busiest=None))


@pytest.mark.parametrize("periods", ["", 'periods = ["first", "second"]\n'])
def test_the_written_response_measures_one_link(tmp_path: Path, periods: str) -> None:
    words = TEXT if not periods else TEXT.replace('"goodput_bps", ', "")
    text = periods + words + "[scenario.measure]\nperiods = 2\n" * bool(periods)
    file = tmp_path / "x.toml"
    file.write_text(text)
    done = Experiment.load(file).run(tmp_path / "out", workers=1)
    (line,) = select(done.findings)
    assert line.startswith("In 1 of 2 conditions the busiest link is bottleneck")
    written = re.search(r"write (\{.+\})\.$", line)
    assert written is not None
    one = tomllib.loads(f"response = {written[1]}")["response"]
    assert one["name"] == "mean_wait_s"
    file.write_text(re.sub(r"responses = .*", f"responses = [{written[1]}]", text))
    again = Experiment.load(file).run(tmp_path / "again", workers=1)
    assert not select(again.findings)
    assert len(again.runs) == len(done.runs)


def test_a_run_keeps_the_name_of_its_busiest_link(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(TEXT)
    experiment = Experiment.load(tmp_path / "x.toml")
    result = experiment.definition.base.run()
    utilisation = dict(zip(result.ports["link"], result.ports["utilisation"], strict=True))
    name = max(utilisation, key=utilisation.__getitem__)
    assert find_busiest(result, 0) == name
    kept = experiment.keep(result)
    assert not tuple(kept.tables)
    assert find_busiest(kept, 0) == name
