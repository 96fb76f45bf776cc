"""Surfaces, screening and sensitivity designs beside the values planted in their runs."""

from __future__ import annotations

import contextlib
import re
import time
from functools import cache
from pathlib import Path

import pytest

from headgate.experiment.tables import rows_of

from .designs import KINDS, plant_design
from .judge_designs import PROMISED, Said, judge, judge_comparisons, look
from .pages import DENIES, denials, run_experiment, without_pictures, write_for_page
from .rates import Rates, check, published

FEW, MANY = 48, 600
#: Pages that are made in all, and those with pictures.
PAGES, WITH_PICTURES = 6, 1
NUMBER = r"[+-]?[\d.]+(?:e[+-]?\d+)?"


@cache
def few() -> tuple[list[Said], float]:
    start = time.process_time()
    said = [look(seed) for seed in range(FEW)]
    return said, time.process_time() - start


def test_the_designs_keep_the_rates_that_are_promised() -> None:
    found = Rates()
    for seed, said in enumerate(few()[0]):
        judge(said, found)
        judge_comparisons(seed, found)
    check(found, PROMISED, 4.0)


def test_the_designs_take_less_than_half_a_minute() -> None:
    assert few()[1] < 30


def test_every_rate_is_published() -> None:
    assert list(published(PROMISED)) == list(PROMISED)


def test_the_designs_are_of_every_kind() -> None:
    made = [said.made for said in few()[0]]
    assert {one.kind for one in made} == set(KINDS)
    flat = [one.is_flat(response.name) for one in made for response in one.responses]
    assert 3 <= sum(flat) < len(flat) / 2
    edges = [row["at_edge"] for said in few()[0] for row in _rows(said, "optimum")]
    assert {0, 1} == set(edges)


def _rows(said: Said, name: str) -> list[dict[str, object]]:
    tables = {table.name: table for table in said.analysis.data}
    return list(rows_of(tables[name])) if name in tables else []


def test_no_sentence_asserts_absence() -> None:
    for said in few()[0]:
        assert not any(DENIES.search(one) for one in said.sentences), said.sentences


def test_the_optimum_in_a_sentence_is_that_of_the_table() -> None:
    stated = 0
    for said in few()[0]:
        rows = _rows(said, "optimum")
        for sentence in said.sentences:
            if "on the fitted surface with" not in sentence:
                continue
            stated += 1
            levels = [row for row in rows if f"{row['factor']} {row['level']}" in sentence]
            responses = {row["response"] for row in levels}
            assert len(levels) >= len(said.made.names)
            (row,) = [r for r in levels if r["factor"] == said.made.names[0]][:1]
            assert row["p"] is not None
            assert any(row["p"] < 0.05 for row in rows if row["response"] in responses)
            edge = "at the edge of the region" in sentence
            assert edge in {bool(row["at_edge"]) for row in levels}
            low, high = re.findall(rf"95 % interval ({NUMBER}) to ({NUMBER})", sentence)[0]
            assert float(low) < float(high)
    assert stated > 10


def test_the_most_sensitive_factors_in_a_sentence_are_those_of_the_table() -> None:
    for said in few()[0]:
        rows = _rows(said, "sensitivity")
        for sentence in said.sentences:
            match = re.search(r"depends most on (.+?)(?:, which cannot be disting.*?)?:", sentence)
            if match is None:
                continue
            named = set(re.split(r", | or ", match[1]))
            tied = {
                frozenset(
                    str(r["factor"])
                    for r in rows
                    if r["response"] == response and r["may_be_largest"]
                )
                for response in {r["response"] for r in rows}
            }
            assert frozenset(named) in tied, sentence
            assert ("which cannot be distinguished" in sentence) == (len(named) > 1)


def check_page(seed: int, folder: Path) -> Said:
    """Hold what the command prints, and the page, to what was said; return that."""
    made, runs = plant_design(seed)
    said = Said(made, made.experiment.measure(runs), made.experiment.analyse(runs))
    found, page = run_experiment(made, runs, folder)
    assert tuple(found["findings"]) == said.sentences
    for sentence in said.sentences:
        assert write_for_page(sentence) in page, sentence
    assert not denials(page)
    return said


@pytest.mark.parametrize("seed", range(PAGES))
def test_the_command_and_the_page_say_the_same(seed: int, tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        if seed >= WITH_PICTURES:
            stack.enter_context(without_pictures())
        check_page(seed, tmp_path)


@pytest.mark.slow
def test_hundreds_of_designs_with_pages_keep_the_rates_that_are_promised(tmp_path: Path) -> None:
    found = Rates()
    for seed in range(MANY):
        folder = tmp_path / str(seed)
        folder.mkdir()
        with without_pictures():
            judge(check_page(seed, folder), found)
        judge_comparisons(seed, found)
    check(found, PROMISED, 2.0)
    for name, share in published(PROMISED).items():
        assert found.share(name) == pytest.approx(share, abs=4 * found.error(name, share) + 5e-4)
