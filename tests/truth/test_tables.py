"""The analysis of a table, beside the values planted in it: signs, stars, intervals, words.

Tables and experiments are 200 by default, with pages for 20; `slow` are 5,000 with pages. The rates
are in docs/reference/power.md.
"""

from __future__ import annotations

import contextlib
import io
import time
from functools import cache
from pathlib import Path

import pytest

from headgate.cli import analyse as command

from .judge_tables import PROMISED, Said, judge, look
from .pages import DENIES, answer_of, denials, join, page_of_table, without_pictures
from .rates import Rates, check, published
from .table_sentences import read
from .tables import Planted

FEW, MANY = 160, 5000
#: Pages that are made in all, and those with pictures.
PAGES, WITH_PICTURES = 16, 4


@cache
def few() -> tuple[list[Said], float]:
    start = time.process_time()
    said = [look(seed) for seed in range(FEW)]
    return said, time.process_time() - start


def rates() -> Rates:
    found = Rates()
    for said in few()[0]:
        judge(said, found)
    return found


def test_the_tables_keep_the_rates_that_are_promised() -> None:
    check(rates(), PROMISED, 3.5)


def test_the_tables_take_less_than_half_a_minute() -> None:
    assert few()[1] < 30


def test_a_sentence_names_the_levels_whose_mean_is_unknown() -> None:
    """The highest mean is that of a level that was never run with some levels of the others."""
    said = look(1171)
    extremes = [one for statement in said.statements for one in statement.extremes]
    assert {one.at for one in extremes} == {"bbr3", "cubic", "htcp", "reno"}
    assert {one.unknown for one in extremes} == {(said.made.labels["x2"][3],)}


def test_every_rate_is_published() -> None:
    assert list(published(PROMISED)) == list(PROMISED)


def test_the_tables_are_of_every_kind() -> None:
    """Two to eight factors with two to six levels, gaps, copies, algorithms, replicates or none."""
    made = [said.made for said in few()[0]]
    assert {len(one.factors) for one in made} == set(range(2, 9))
    assert {len(of) for one in made for of in one.labels.values()} == set(range(2, 7))
    labels = {label for one in made for of in one.labels.values() for label in of}
    assert {"6.1", "6.10", "NA", "Low", "low", "10"} <= labels
    assert {one.shape for one in made} == {
        "balanced", "unbalanced", "fraction", "one run each", "with holes",
    }  # fmt: skip
    for has in (
        [one for one in made if one.copies],
        [one for one in made if one.aliases],
        [one for one in made if one.cca],
        [one for one in made if one.seeds],
        [one for one in made if one.empty],
        [one for one in made if "NA" in one.y],
        [one for one in made if any(_turns(one, *pair) for pair in one.pairs)],
    ):
        assert len(has) >= 3


def _turns(made: Planted, factor: str, other: str) -> bool:
    """Say whether a factor raises y at one level of another, and lowers it at a second one."""
    first, *_, last = made.labels[factor]
    changes = [
        made.at(factor, last, other, at) - made.at(factor, first, other, at)
        for at in made.labels[other]
    ]
    return min(changes) < 0 < max(changes)


def test_no_sentence_asserts_absence() -> None:
    for said in few()[0]:
        assert not DENIES.search(said.answer), said.answer


def test_every_factor_is_spoken_of_and_every_named_effect_stated() -> None:
    for said in few()[0]:
        spoken = {name for one in said.statements for name in one.factors}
        assert spoken >= set(said.made.factors) or _has_no_error(said), said.answer
        stated = {one.factors for one in said.statements if one.kind == "effect"}
        assert stated == {(name,) for name, one in said.records.items() if one["named"]}
        pairs = {one.factors for one in said.statements if one.kind == "dependence"}
        assert pairs == {
            pair.factors
            for pair in said.found.interactions("y")
            if said.found.is_named(pair.factors, "y")
        }


def _has_no_error(said: Said) -> bool:
    """Say whether nothing can be shown, so that no factor is listed."""
    return {one["model"] for one in said.records.values()} == {"no error"}


def test_sentences_have_the_figures_of_the_json() -> None:
    """Figures are rounded to four digits."""
    for said in few()[0]:
        for one in said.statements:
            for change in one.changes if one.kind == "effect" else ():
                means = {of["level"]: of["mean"] for of in said.records[one.factors[0]]["levels"]}
                size = means[change.last] - means[change.first]
                assert change.value == pytest.approx(size, rel=1e-3, abs=1e-9), said.answer


def test_the_terminal_prints_the_signs_and_the_answer_of_the_json() -> None:
    for said in few()[0]:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            command._show(said.found, said.made.roles)
        lines = printed.getvalue().splitlines()
        names = said.found.factors
        at = next(i for i, line in enumerate(lines) if line.split() == list(names))
        marks = [one["sign"] + one["stars"] or "." for one in said.records.values()]
        assert lines[at + 1].split() == ["y", *marks]
        assert f"Answer: {said.answer}" in lines


def test_signs_stars_intervals_and_words_say_the_same() -> None:
    for said in few()[0]:
        for name, one in said.records.items():
            assert said.answer == one["answer"]
            levels = one["levels"]
            if one["sign"]:
                means = [level["mean"] for level in levels]
                up = one["sign"] == "+"
                assert said.made.ordered[name]
                assert one["stars"]
                assert means == sorted(means, reverse=not up)
                assert one["effect_low"] is None or (one["effect_low"] > 0) == up
                assert one["effect_high"] is None or (one["effect_high"] > 0) == up
            if one["effect_low"] is not None and one["stars"]:
                assert not one["effect_low"] <= 0 <= one["effect_high"] or len(levels) > 2
            plain = one["p_equal_weights"] is None
            if one["effect_low"] is not None and len(levels) == 2 and plain and not one["stars"]:
                assert one["effect_low"] <= 0 <= one["effect_high"]


def test_where_no_error_is_known_it_says_that_there_is_no_interval() -> None:
    kinds = set()
    for said in few()[0]:
        for one in said.records.values():
            kinds.add(one["model"])
            if one["model"] != "interactions":
                assert all(level["low"] is None for level in one["levels"])
                assert one["effect_low"] is None
                assert "no intervals" in one["answer"]
    assert {"interactions", "main effects"} <= kinds


def test_copies_and_aliases_are_not_told_apart_and_said_to_be() -> None:
    copies = aliases = 0
    for said in few()[0]:
        for name, of in said.made.copies.items():
            copies += 1
            for one in (said.records[name], said.records[of]):
                assert not one["stars"]
                assert one["effect_low"] is None
            assert _is_said_to_be_a_copy(said, name, of)
        for name, others in said.made.aliases.items():
            one = said.records[name]
            if one["confounded_with"] and name not in said.made.copies.values():
                aliases += 1
                assert not one["stars"]
                assert f"The effect of {name} on y cannot be separated from that of" in said.answer
                assert set(one["confounded_with"].split(" x ")) <= {*others, *said.made.factors}
    assert copies > 5
    assert aliases > 5


def _is_said_to_be_a_copy(said: Said, name: str, of: str) -> bool:
    """Return whether two factors are stated to change together, or to be indistinguishable."""
    kinds = {one.factors: one.kind for one in said.statements}
    confounded = {kinds.get((name,)), kinds.get((of,))} == {"confounded"}
    return "always change together" in said.answer or confounded


def test_rows_without_a_level_are_left_out_and_counted() -> None:
    for said in few()[0]:
        missing = {row for _, row in said.made.empty}
        missing |= {row for row, value in enumerate(said.made.y) if value == "NA"}
        assert {one["left_out"] for one in said.records.values()} == {len(missing)}


def test_effects_and_p_values_are_those_of_statsmodels_type_two() -> None:
    """Fifty tables, the unbalanced ones among them, with interactions and gaps."""
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    compared = 0
    for said in few()[0]:
        made = said.made
        whole = {one["model"] for one in said.records.values()} == {"interactions"}
        if not whole or made.copies or any(o["confounded_with"] for o in said.records.values()):
            continue
        if said.found.models[(), "y"].fitted.spread:
            continue  # tests/unit/test_unequal_spread.py compares these
        frame = pd.DataFrame(made.columns()).replace("", None)
        frame["y"] = pd.to_numeric(frame["y"], errors="coerce")
        frame = frame.dropna()
        names = {name: f"C({name}, Sum)" for name in said.found.factors}
        blocks = " + C(seed, Sum)" if made.seeds else ""
        fit = ols(f"y ~ ({' + '.join(names.values())})**2{blocks}", frame).fit()
        if fit.df_model + 1 < fit.model.exog.shape[1]:
            continue  # cells are missing: statsmodels then tests other contrasts
        table = anova_lm(fit, typ=2)
        for name, code in names.items():
            one = said.records[name]
            assert one["df"] == table.loc[code, "df"]
            assert one["f"] == pytest.approx(table.loc[code, "F"], rel=1e-9, abs=1e-9)
            assert one["p"] == pytest.approx(table.loc[code, "PR(>F)"], rel=1e-9, abs=1e-9)
            if len(one["levels"]) == 2 and said.found.tested(name, "y").may_interact:
                key = next(k for k in fit.params.index if k.startswith(code) and ":" not in k)
                assert abs(one["effect"]) == pytest.approx(2 * abs(fit.params[key]), abs=1e-9)
        for pair in said.found.interactions("y"):
            code = ":".join(names[name] for name in pair.factors)
            assert pair.p == pytest.approx(table.loc[code, "PR(>F)"], rel=1e-9, abs=1e-9)
        compared += 1
        if compared == 50:
            return
    raise AssertionError(f"only {compared} tables could be compared")


def check_page(said: Said, folder: Path) -> None:
    """Hold the text and the tables of a page to the JSON, and its answer to the readers."""
    page = page_of_table(said.made, folder)
    assert read(answer_of(page)) == said.statements, said.answer
    assert join(said.answer) in page
    assert not denials(page)
    lines = (folder / "tables" / "main-effects.csv").read_text(encoding="utf-8").splitlines()
    place = lines[0].split(",").index("stars")
    printed = {line.split(",")[0]: line.split(",")[place] for line in lines[1:]}
    assert printed == {name: one["stars"] for name, one in said.records.items()}


@pytest.mark.parametrize("seed", range(PAGES))
def test_the_page_says_what_the_json_says(seed: int, tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        if seed >= WITH_PICTURES:
            stack.enter_context(without_pictures())
        check_page(look(seed), tmp_path)


@pytest.mark.slow
def test_thousands_of_tables_with_pages_keep_the_rates_that_are_promised(tmp_path: Path) -> None:
    found = Rates()
    for seed in range(MANY):
        said = look(seed)
        judge(said, found)
        folder = tmp_path / str(seed)
        folder.mkdir()
        with without_pictures():
            check_page(said, folder)
    check(found, PROMISED, 2.0)
    for name, share in published(PROMISED).items():
        assert found.share(name) == pytest.approx(share, abs=4 * found.error(name, share) + 5e-4)
