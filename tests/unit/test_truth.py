"""What the analysis of a table says, beside what was planted in it: signs, stars, intervals, words.

Two hundred tables by default, 5,000 of them as `slow`. The rates are in docs/reference/power.md.
"""

from __future__ import annotations

import html
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate.analysis import Frame
from headgate.analysis.effect_sentences import sentences
from headgate.analysis.main_effects import MainEffects
from headgate.analysis.part import Part
from headgate.analysis.roles import Roles
from headgate.cli import analyse as command
from headgate.report.about import About, write
from headgate.report.make import make

from .planted_factors import Planted, plant

FEW, MANY = 200, 5000
PAGES = 20
POWER = Path(__file__).parents[2] / "docs" / "reference" / "power.md"
#: What the documentation prints, in its order.
PROMISED = (
    "starred without an effect", "two stars without an effect", "interaction starred without one",
    "named and false", "starred at three standard errors", "sign is right",
    "highest level is among those named", "effect within its interval", "mean within its interval",
)  # fmt: skip
#: Words that would deny an effect; that none is shown may be said.
DENIES = re.compile(r"\bnot moved\b|\bno effect\b(?! (on|can|is shown)\b)|does not (affect|depend)|"
                    r"\bhas no\b|\bunaffected\b|\bnever\b", re.IGNORECASE)  # fmt: skip


@dataclass
class Said:
    """One table, what the analysis says of it as JSON and as text, and the fit behind both."""

    made: Planted
    found: MainEffects
    records: dict[str, dict[str, Any]]
    answer: str


@dataclass
class Rates:
    """Counts of what came true among how many."""

    counts: dict[str, list[int]] = field(default_factory=dict)

    def add(self, name: str, hit: bool) -> None:
        of = self.counts.setdefault(name, [0, 0])
        of[0] += bool(hit)
        of[1] += 1

    def share(self, name: str) -> float:
        hits, of = self.counts[name]
        return hits / of

    def error(self, name: str, share: float) -> float:
        return float(np.sqrt(share * (1 - share) / self.counts[name][1]))


def look(seed: int) -> Said:
    made = plant(seed)
    roles = Roles(
        responses=("y",), factors=tuple(made.factors), replicate="seed" if made.seeds else None
    )
    found = Part(Frame.of(made.columns()), roles).main_effects
    records = {one["factor"]: one for one in command._records(found, roles)}
    return Said(made, found, records, " ".join(sentences(found)))


@cache
def few() -> tuple[list[Said], float]:
    start = time.process_time()
    said = [look(seed) for seed in range(FEW)]
    return said, time.process_time() - start


def rates(tables: Iterator[Said] | list[Said]) -> Rates:
    found = Rates()
    for said in tables:
        _judge(said, found)
    return found


def _judge(said: Said, found: Rates) -> None:
    made = said.made
    for name, one in said.records.items():
        twins = name in made.copies or name in made.copies.values()
        if not twins and not one["confounded_with"]:
            true = dict(zip(made.labels[name], made.main(name).tolist(), strict=True))
            _judge_test(said, name, one, true, found)
            _judge_size(said, one, true, found)
    for pair in said.found.interactions("y"):
        planted = tuple(sorted(pair.factors)) in made.pairs
        if not planted:
            found.add("interaction starred without one", bool(pair.stars))
        if said.found.is_named(pair.factors, "y"):
            found.add("named and false", not planted)


def _judge_test(
    said: Said, name: str, one: dict[str, Any], true: dict[str, float], found: Rates
) -> None:
    """Count stars, names and the highest level."""
    zero = not any(true.values())
    if zero and one["p"] is not None:
        found.add("starred without an effect", one["stars"])
        found.add("two stars without an effect", one["stars"] == "**")
    if one["named"]:
        found.add("named and false", zero)
    if name in said.made.at_three and _is_plain(said, one):
        found.add("starred at three standard errors", one["stars"])
    if one["stars"] and not zero:
        best = max(true, key=true.__getitem__)
        found.add("highest level is among those named", best in one["highest"].split("; "))


def _judge_size(said: Said, one: dict[str, Any], true: dict[str, float], found: Rates) -> None:
    """Count intervals that hold the truth, and signs that have it."""
    for level in one["levels"]:
        if level["low"] is not None and not said.made.seeds:
            low, high = level["low"] - 20, level["high"] - 20
            found.add("mean within its interval", low <= true[level["level"]] <= high)
    if one["effect_low"] is None:
        return
    change = true[one["high"]] - true[one["low"]]
    found.add("effect within its interval", one["effect_low"] <= change <= one["effect_high"])
    if one["sign"] and change:
        found.add("sign is right", (one["sign"] == "+") == (change > 0))


def _is_plain(said: Said, one: dict[str, Any]) -> bool:
    """Say whether the planted size is as many standard errors as it was planted with."""
    whole = said.made.shape != "unbalanced" and not one["left_out"]
    return whole and one["model"] == "interactions" and one["error_df"] >= 10


def check(found: Rates, wide: float) -> None:
    """Hold the rates to what is promised; `wide` is how many standard errors chance may take."""
    star = "starred without an effect"
    assert found.share(star) == pytest.approx(0.05, abs=max(0.01, wide * found.error(star, 0.05)))
    false = "named and false"
    assert found.share(false) <= 0.05 + wide * found.error(false, 0.05)
    assert found.share("starred at three standard errors") >= 0.8
    for name in ("mean within its interval", "effect within its interval"):
        assert found.share(name) == pytest.approx(
            0.95, abs=max(0.02, wide * found.error(name, 0.95))
        ), name
    assert found.share("sign is right") >= 0.99
    assert found.share("highest level is among those named") >= 0.95


def test_two_hundred_tables_keep_the_rates_that_are_promised() -> None:
    check(rates(few()[0]), 3.5)


def test_two_hundred_tables_take_less_than_a_minute() -> None:
    assert few()[1] < 60


@pytest.mark.slow
def test_five_thousand_tables_keep_the_rates_that_are_promised() -> None:
    found = rates(look(seed) for seed in range(MANY))
    for name, (hits, of) in found.counts.items():
        print(f"{name}: {hits} of {of}, {hits / of:.4f}")
    check(found, 0.0)
    for name, share in published().items():
        assert found.share(name) == pytest.approx(share, abs=4 * found.error(name, share) + 5e-4)


def published() -> dict[str, float]:
    """Return the rates that docs/reference/power.md prints."""
    rows = [line.strip("| ").split(" | ") for line in POWER.read_text().splitlines()]
    return {row[0]: float(row[2]) for row in rows if row[0] in PROMISED}


def test_every_rate_is_published() -> None:
    assert list(published()) == list(PROMISED)
    assert set(PROMISED) == set(rates(few()[0]).counts)


def test_no_sentence_asserts_absence() -> None:
    for said in few()[0]:
        assert not DENIES.search(said.answer), said.answer


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
            shown = re.search(rf"(with|on|of) {name}\b", said.answer.split("No effect")[0])
            assert bool(shown) >= one["named"], (name, said.answer)


def test_where_no_error_is_known_it_says_that_there_is_no_interval() -> None:
    kinds = set()
    for said in few()[0]:
        for one in said.records.values():
            kinds.add(one["model"])
            if one["model"] != "interactions":
                assert all(level["low"] is None for level in one["levels"])
                assert one["effect_low"] is None
                assert "no interval can be given" in one["answer"]
    assert kinds == {"interactions", "main effects"}


def test_copies_and_aliases_are_not_told_apart_and_said_to_be() -> None:
    copies = aliases = 0
    for said in few()[0]:
        for name, of in said.made.copies.items():
            copies += 1
            for one in (said.records[name], said.records[of]):
                assert not one["stars"]
                assert one["effect_low"] is None
            assert "always change together in this table" in said.answer
        for name, others in said.made.aliases.items():
            one = said.records[name]
            if one["confounded_with"] and name not in said.made.copies.values():
                aliases += 1
                assert not one["stars"]
                assert f"The effect of {name} on y cannot be told from that of" in said.answer
                assert set(one["confounded_with"].split(" x ")) <= {*others, *said.made.factors}
    assert copies > 5
    assert aliases > 5


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
        frame = pd.DataFrame(made.columns())
        frame["y"] = pd.to_numeric(frame["y"], errors="coerce")
        frame = frame.dropna()
        names = [f"C({name}, Sum)" for name in made.factors]
        blocks = " + C(seed, Sum)" if made.seeds else ""
        fit = ols(f"y ~ ({' + '.join(names)})**2{blocks}", frame).fit()
        if fit.df_model + 1 < fit.model.exog.shape[1]:
            continue  # cells are missing: statsmodels then tests other contrasts
        table = anova_lm(fit, typ=2)
        for name, code in zip(made.factors, names, strict=True):
            one = said.records[name]
            assert one["df"] == table.loc[code, "df"]
            assert one["f"] == pytest.approx(table.loc[code, "F"], rel=1e-9, abs=1e-9)
            assert one["p"] == pytest.approx(table.loc[code, "PR(>F)"], rel=1e-9, abs=1e-9)
            if len(one["levels"]) == 2 and said.found.tested(name, "y").may_interact:
                key = next(k for k in fit.params.index if k.startswith(code) and ":" not in k)
                assert abs(one["effect"]) == pytest.approx(2 * abs(fit.params[key]), abs=1e-9)
        for pair in said.found.interactions("y"):
            code = ":".join(f"C({name}, Sum)" for name in pair.factors)
            assert pair.p == pytest.approx(table.loc[code, "PR(>F)"], rel=1e-9, abs=1e-9)
        compared += 1
        if compared == 50:
            return
    raise AssertionError(f"only {compared} tables could be compared")


def page_of(seed: int, folder: Path) -> tuple[Said, str]:
    """Return what is said of a table, and the text of its page."""
    said = look(seed)
    made = said.made
    made.write(folder / "t.csv")
    roles = Roles(
        responses=("y",), factors=tuple(made.factors), replicate="seed" if made.seeds else None
    )
    write(About(title="t", question="what acts on y?", table="t.csv", roles=roles), folder)
    page = make(folder, workers=1).read_text(encoding="utf-8")
    body = re.sub(r"<(script|style).*?</\1>", " ", page, flags=re.S)
    text = html.unescape(re.sub(r"<[^>]+>", "", body))
    return said, " ".join(text.split())


@pytest.mark.parametrize("seed", range(PAGES))
def test_the_page_says_what_the_json_says(seed: int, tmp_path: Path) -> None:
    said, text = page_of(seed, tmp_path)
    assert " ".join(said.answer.split()) in text
    assert not DENIES.search(text.partition("Glossary")[0].partition("Method")[0])
    stars = (tmp_path / "tables" / "main-effects.csv").read_text(encoding="utf-8").splitlines()
    place = stars[0].split(",").index("stars")
    printed = {line.split(",")[0]: line.split(",")[place] for line in stars[1:]}
    assert printed == {name: one["stars"] for name, one in said.records.items()}


@pytest.mark.slow
def test_five_thousand_pages_say_what_the_json_says(tmp_path: Path) -> None:
    for seed in range(PAGES, MANY):
        folder = tmp_path / str(seed)
        folder.mkdir()
        said, text = page_of(seed, folder)
        assert " ".join(said.answer.split()) in text, seed
