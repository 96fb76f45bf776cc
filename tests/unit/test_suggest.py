"""Names that may have been meant: case and separators say nothing, and all near ones are said."""

import pytest

from headgate.base.messages import hint, suggest

CCAS = ("bbr", "bbr3", "bic", "cubic", "fast", "fast-at", "reno", "scalable")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("CUBIC", ["cubic"]),
        ("BBR", ["bbr", "bbr3"]),
        ("Fast_AT", ["fast-at"]),
        ("FAST", ["fast", "fast-at"]),
        ("renoo", ["reno"]),
        ("bbr2", ["bbr", "bbr3"]),
        ("scaleable", ["scalable"]),
        ("xyzzy", []),
        ("", []),
        ("-", []),
    ],
)
def test_near_names_the_likeliest_first(word: str, meant: list[str]) -> None:
    assert suggest(word, CCAS) == meant


def test_an_alias_stands_for_its_name_once() -> None:
    aliases = {"bic": "bic", "BIC": "bic", "1": "bic", "newreno": "reno", "reno": "reno"}
    assert suggest("Bic", aliases, aliases) == ["bic"]
    assert suggest("New Reno", aliases, aliases) == ["reno"]


def test_all_near_names_are_one_question() -> None:
    assert hint("bbr2", CCAS, "none") == "did you mean 'bbr' or 'bbr3'?"
    assert hint("ab", ("abc", "abd", "abe"), "") == "did you mean 'abc', 'abd' or 'abe'?"
    assert hint("xyzzy", CCAS, "there are eight") == "there are eight"
