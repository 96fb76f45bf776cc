"""An experiment beside the values planted in its runs: sentences, tables, page."""

from __future__ import annotations

import contextlib
import time
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from headgate.experiment.tables import rows_of

from .experiment_sentences import Ends, Moved
from .experiments import SHAPES, plant
from .judge_experiments import PROMISED, Said, judge, look
from .pages import DENIES, denials, run_experiment, without_pictures, write_for_page
from .rates import Rates, check, published

FEW, MANY = 40, 1000
#: Pages that are made in all, and those with pictures.
PAGES, WITH_PICTURES = 4, 1
SINGLE = "With one run of each condition, a change may be chance"


@cache
def few() -> tuple[list[Said], float]:
    start = time.process_time()
    said = [look(seed) for seed in range(FEW)]
    return said, time.process_time() - start


def test_the_experiments_keep_the_rates_that_are_promised() -> None:
    found = Rates()
    for said in few()[0]:
        judge(said, found)
    check(found, PROMISED, 4.0)


def test_the_experiments_take_less_than_ten_seconds() -> None:
    assert few()[1] < 10


def test_every_rate_is_published() -> None:
    assert list(published(PROMISED)) == list(PROMISED)


def test_the_experiments_are_of_every_kind() -> None:
    made = [said.made for said in few()[0]]
    assert {one.shape for one in made} == set(SHAPES)
    assert {1, 2, 3, 5, 8} == {one.replicates for one in made}
    assert {2, 3, 4} <= {len(one.levels["cca"]) for one in made if "cca" in one.levels}
    better = {of.better for one in made for of in one.responses}
    assert better == {"higher", "lower", ""}
    for has in ("has_gaps", "drifts", "same", "pairs"):
        assert sum(bool(getattr(one, has)) for one in made) >= 2, has


def test_no_sentence_asserts_absence() -> None:
    for said in few()[0]:
        sentences = (*said.analysis.sentences, *(one.sentence for one in said.whole.answers))
        assert not any(DENIES.search(one) for one in sentences), sentences


def test_the_best_and_the_worst_are_those_of_the_means() -> None:
    for said in few()[0]:
        means = {
            (r["response"], said.made.describe_row(r)): r for r in rows_of(said.analysis.data[1])
        }
        for one in said.statements:
            if isinstance(one, Ends):
                of = {
                    row["mean"]: name
                    for (response, name), row in means.items()
                    if response == one.response and row["mean"] is not None
                }
                ends = (max, min) if one.word == "highest" else (min, max)
                assert [of[end(of)] for end in ends] == [one.first.condition, one.last.condition]
                for end in (one.first, one.last):
                    row = means[one.response, end.condition]
                    assert end.value == pytest.approx(row["mean"], rel=1e-3)
                    if end.interval is not None:
                        assert end.interval == pytest.approx((row["low"], row["high"]), rel=1e-3)


def test_the_effect_in_a_sentence_is_that_of_the_table() -> None:
    for said in few()[0]:
        effects = {
            (row["response"], row["factors"], row["from"], row["to"]): row
            for row in rows_of(said.analysis.data[2])
        }
        for one in said.statements:
            if not isinstance(one, Moved):
                continue
            shown = [row for key, row in effects.items() if key[0] == one.response and row["shown"]]
            if not one.single:
                main = sum(" x " not in row["factors"] for row in shown)
                assert one.shown == (main, len(shown) - main) or said.made.same
            if one.factor and not one.ways:
                row = effects[one.response, one.factor, one.first, one.last]
                assert one.value == pytest.approx(row["effect"], rel=1e-2)
                assert (one.interval is None) == (row["low"] is None)
                assert bool(one.aliases) == bool(row["confounded_with"])
                assert row["shown"] or one.single or said.made.same


def test_single_runs_and_aliases_have_no_interval_and_it_is_said() -> None:
    singles = aliases = 0
    for said in few()[0]:
        for one in said.statements:
            if isinstance(one, Moved) and one.aliases:
                aliases += 1
                assert one.interval is None
            if isinstance(one, Moved) and said.made.replicates == 1 and one.single:
                singles += 1
                assert one.interval is None
                assert one.shown == (0, 0)
    assert singles > 5
    assert aliases > 2


def test_what_is_random_in_nothing_is_exact() -> None:
    (said, *_) = [said for said in few()[0] if said.made.same]
    for one in said.statements:
        if isinstance(one, Ends):
            best = said.made.means[one.response][said.made.find(one.first.condition)]
            assert one.first.value == pytest.approx(best, rel=1e-3)
            assert one.first.interval is None
            way = np.max if one.word == "highest" else np.min
            assert best == pytest.approx(way(said.made.means[one.response]))


def check_page(seed: int, folder: Path) -> Said:
    """Hold what the command prints, and the page, to what was said; return that."""
    made, runs = plant(seed)
    said = Said(made, made.experiment.analyse(runs))
    found, page = run_experiment(made, runs, folder)
    assert tuple(found["findings"]) == said.analysis.sentences
    for name, table in zip(("means", "effects"), said.analysis.data[1:], strict=True):
        assert found[name] == [_plain(row) for row in rows_of(table)]
    for sentence in (*said.analysis.sentences, *(one.sentence for one in said.whole.answers)):
        assert write_for_page(sentence) in page, sentence
    if said.whole.answers and made.replicates == 1:
        assert SINGLE in page
    assert not denials(page)
    return said


def _plain(row: dict[str, object]) -> dict[str, object]:
    return {
        key: value.item() if isinstance(value, np.generic) else value for key, value in row.items()
    }


@pytest.mark.parametrize("seed", range(PAGES))
def test_the_command_and_the_page_say_the_same(seed: int, tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        if seed >= WITH_PICTURES:
            stack.enter_context(without_pictures())
        check_page(seed, tmp_path)


@pytest.mark.slow
def test_a_thousand_experiments_with_pages_keep_the_rates_that_are_promised(tmp_path: Path) -> None:
    found = Rates()
    for seed in range(MANY):
        folder = tmp_path / str(seed)
        folder.mkdir()
        with without_pictures():
            judge(check_page(seed, folder), found)
    check(found, PROMISED, 2.0)
    for name, share in published(PROMISED).items():
        assert found.share(name) == pytest.approx(share, abs=4 * found.error(name, share) + 5e-4)
