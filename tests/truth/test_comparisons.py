"""Experiments that compare algorithms, beside the values planted in each of their periods."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path

import pytest

from headgate.figures.analysis.answer import cca_title

from .comparisons import DESIGNS, plant
from .judge_comparisons import PROMISED, Said, judge, look, read_headline
from .pages import DENIES, denials, join, run_experiment, without_pictures, write_for_page
from .rates import Rates, check, published

FEW, MANY = 40, 1000
PAGES = 3
#: Of many experiments, every one of these is made with its page.
EVERY = 20


@cache
def few() -> tuple[list[Said], float]:
    start = time.process_time()
    said = [look(seed) for seed in range(FEW)]
    return said, time.process_time() - start


def test_the_comparisons_keep_the_rates_that_are_promised() -> None:
    found = Rates()
    for said in few()[0]:
        judge(said, found)
    check(found, PROMISED, 4.0)


def test_every_rate_is_published() -> None:
    assert list(published(PROMISED)) == list(PROMISED)


def test_the_comparisons_are_of_every_kind() -> None:
    made = [said.made for said in few()[0]]
    files = [one.experiment.definition.file for one in made]
    assert {one.design or one.kind for one in files} == {
        one.get("design", one.get("kind")) for one in DESIGNS
    }
    assert {2, 3, 5} == {one.replicates for one in made}
    for has in ("switched", "congestion"):
        assert sum(bool(getattr(one, has)) for one in files) > 5, has
        assert sum(not getattr(one, has) for one in files) > 5, has
    assert sum(bool(one.pairs) for one in made) > 10


def test_the_headline_counts_what_the_answers_state() -> None:
    """Each algorithm's counts follow from its changes and reversals, recounted here."""
    for said in few()[0]:
        roles, counted = said.whole.roles, read_headline(said.headline)
        for answer in said.whole.answers[:4]:
            ways: dict[str, set[str]] = {}
            for place, of in answer.changes.items():
                for name, change in of.items():
                    up = change.share > 0
                    worse = up == (roles.worse[name] == "more")
                    ways.setdefault(name, set()).add("worse" if worse else "better")
                for name in answer.reversals[place]:
                    ways.setdefault(name, set()).update({"worse", "better"})
            better, worse = (
                sum(of == {word} for of in ways.values()) for word in ("better", "worse")
            )
            both = sum(len(of) == 2 for of in ways.values())
            text = counted[cca_title(answer.cca)]
            assert (f"{better} better" in text) == (better > 0), said.headline
            assert (f"{worse} worse" in text) == (worse > 0), said.headline
            assert (f"{both} better or worse depending" in text) == (both > 0), said.headline


def test_the_headline_names_the_measures_the_period_and_what_is_replaced() -> None:
    for said in few()[0]:
        before = cca_title(str(said.whole.roles.before))
        begin = f"In period 2 of 3, of 4 measures, compared with {before}, "
        assert said.headline.startswith(begin)
        assert " is shown to make " in said.headline


def test_a_deployment_is_named_by_its_share() -> None:
    (said, *_) = [one for one in few()[0] if one.made.experiment.definition.file.switched]
    sentences = [one.sentence for one in said.whole.answers if " % " in one.cca]
    assert sentences
    for one in sentences:
        assert one.startswith(("If 25 % of the users used ", "If 50 % of the users used "))


def test_no_sentence_asserts_absence() -> None:
    for said in few()[0]:
        assert not any(DENIES.search(one) for one in said.analysis.sentences)


def check_page(seed: int, folder: Path) -> Said:
    """Hold what the command prints, and the page, to what was said; return that."""
    made, runs = plant(seed)
    said = Said(made, made.experiment.analyse(runs))
    found, page = run_experiment(made, runs, folder)
    assert tuple(found["findings"]) == said.analysis.sentences
    for sentence in said.analysis.sentences[: 1 + len(said.whole.answers)]:
        assert write_for_page(sentence) in page, sentence
    assert page.index(join(said.headline)) < page.index("Five questions")
    assert not denials(page)
    return said


@pytest.mark.parametrize("seed", range(PAGES))
def test_the_command_and_the_page_say_the_same(seed: int, tmp_path: Path) -> None:
    with without_pictures():
        check_page(seed, tmp_path)


@pytest.mark.slow
def test_a_thousand_comparisons_keep_the_rates_that_are_promised(tmp_path: Path) -> None:
    found = Rates()
    for seed in range(MANY):
        judge(look(seed), found)
        if seed % EVERY == 0:
            folder = tmp_path / str(seed)
            folder.mkdir()
            with without_pictures():
                check_page(seed, folder)
    check(found, PROMISED, 2.0)
    for name, share in published(PROMISED).items():
        assert found.share(name) == pytest.approx(share, abs=4 * found.error(name, share) + 5e-4)
