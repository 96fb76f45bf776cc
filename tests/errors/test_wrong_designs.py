"""Designs that cannot be made: one sentence each, with the place, the value and what is allowed."""

from pathlib import Path

import pytest

from .command import headgate

TWO = '[factors.a]\nlow = 1\nhigh = 2\n[factors.b]\nlow = "x"\nhigh = "y"\n'
NUMBERS = "[factors.a]\nlow = 1\nhigh = 2\n[factors.b]\nlow = 3\nhigh = 5\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "factors: this key is required"),
        ("[factors]\n", "there are no factors; write at least one [factors.NAME]"),
        ("title = \n", "this is not TOML"),
        ("[factors.a]\nlow = 1\n", "factors.a.high: this key is required unless levels are given"),
        ("[factors.a]\nlow = 1\nhigh = 1\n", "factors.a.high: 1 occurs twice; each level"),
        ("[factors.a]\nlow = 1\nhigh = 1.0\n", "factors.a.high: 1 occurs twice; each level"),
        ("[factors.a]\nlevels = [1, 2, 1]\n", "factors.a.levels: 1 occurs twice; each level"),
        ("[factors.a]\nlevels = [1, 2]\nlow = 1\n", "give either levels, or low and high"),
        ("[factors.a]\nlow = 1\nhgh = 2\n", "this is not a key here; did you mean 'high'?"),
        ("kind = 'factorial'\n" + TWO, "kind: 'factorial' is not allowed"),
        ("kind = 'sobol'\n" + TWO, "runs: this key is required for the kind sobol"),
        ("kind = 'sobol'\nruns = 5\n" + TWO, "runs = 5: a Sobol sequence"),
        ("kind = 'sobol'\nruns = 4\ndesign = '2^2'\n" + TWO, "design: is for the kind two-level"),
        ("design = '2^(6-1)'\n" + TWO, "a design of 6 factors needs 6, not 2"),
        ("plan = '2^2'\n" + TWO, "plan: this key is now 'design'; write design = '2^2'"),
        ("design = '2^2'\nruns = 4\n" + TWO, "design: give one of design, generators and runs"),
        ("runs = 3\n" + TWO, "runs = 3: a two-level fraction needs a power of two"),
        ("generators = {b = 'c'}\n" + TWO, "generator b = 'c': c is not a factor"),
        ("generators = 'minimum aberration'\n" + TWO, "runs: this key is required for generators"),
        ("centre_points = 1\n" + TWO, "factor b: there is no level between 'x' and 'y'"),
        ("blocks = ['c']\n" + TWO, "blocks: 'c': 'c' is not a factor"),
        ("foldover = ['c']\n" + TWO, "foldover: 'c' is not a factor"),
        ("[factors.'a b']\nlow = 1\nhigh = 2\n", "'a b' is not a factor name"),
        (
            "[factors.a]\nsetting='x'\nlow=1\nhigh=2\n[factors.b]\nsetting='x'\nlow=1\nhigh=2\n",
            "factors: b and a both set x",
        ),
        ("[factors.a]\nlevels = [1, 2, 3]\n", "factors.a.levels: a two-level design needs two"),
        ("kind = 'ccd'\n" + TWO, "factors.b: a central composite design needs low"),
        ("kind = 'ccd'\nalpha = 0.5\n" + NUMBERS, "alpha: 0.5 is not between 1 and 10"),
        ("kind = 'ccd'\nshape = 'round'\n" + NUMBERS, "shape: 'round' is not allowed"),
        ("kind = 'ccd'\nruns = 9\n" + NUMBERS, "runs: is for the kind two-level or d-optimal or"),
        ("kind = 'bbd'\n" + NUMBERS, "a Box-Behnken design takes 3 to 7 factors, not 2"),
        ("kind = 'dsd'\n[factors.a]\nlevels = ['x', 'y', 'z']\n", "a definitive screening"),
        ("kind = 'd-optimal'\n" + TWO, "runs: this key is required for the kind d-optimal"),
        (
            "kind = 'd-optimal'\nruns = 3\n" + NUMBERS,
            "6 coefficients; write at least",
        ),
        (
            "kind = 'd-optimal'\nruns = 6\nconstraints = ['a + c < 2']\n" + NUMBERS,
            "constraints: 'a + c < 2': c is not a factor with numbers; these are a, b",
        ),
        (
            "kind = 'd-optimal'\nruns = 6\nmodel = ['a a a a']\n" + NUMBERS,
            "a term consists of 1",
        ),
        ("kind = 'morris'\ngrid_levels = 3\n" + NUMBERS, "grid_levels = 3: Morris' grid needs an"),
        (
            "kind = 'morris'\ncentre_points = 2\n" + NUMBERS,
            "a morris design takes no centre points",
        ),
        ("kind = 'saltelli'\n" + NUMBERS, "samples: this key is required for the kind saltelli"),
        ("kind = 'saltelli'\nsamples = 9\n" + NUMBERS, "samples = 9: a Sobol sequence is balanced"),
    ],
)
def test_wrong_design_files(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "design.toml"
    file.write_text(text)
    done = headgate("design", "show", file)
    assert done.exit_code == 2
    assert done.sentence.startswith(f"headgate: {file}: ")
    assert said in done.sentence


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--factors", "0"], "there are no factors"),
        (["--factor", "rate"], "--factor rate: write NAME=PATH:LOW..HIGH"),
        (["--factor", "a=b:1..2", "--factors", "3"], "--factors: give --factor for each"),
        (["--factors", "6", "--generators", "F"], "--generators F: write NAME=PRODUCT"),
        (["--factors", "5", "--design", "2^(6-1)"], "a design of 6 factors needs 6, not 5"),
        (["--factors", "3", "--kind", "full"], "kind: 'full' is not allowed"),
    ],
)
def test_wrong_options(arguments: list[str], said: str, tmp_path: Path) -> None:
    done = headgate("design", "new", tmp_path / "d.toml", *arguments)
    assert done.exit_code == 2
    assert said in done.sentence
    assert not list(tmp_path.iterdir())


def test_a_scenario_that_lacks_the_path(tmp_path: Path) -> None:
    first = Path(__file__).parents[2] / "examples" / "first.toml"
    factor = "speed=network.speed:1 Mbit/s..2 Mbit/s"
    done = headgate("design", "new", tmp_path / "d.toml", "--scenario", first, "--factor", factor)
    assert done.exit_code == 2
    assert "factor speed, network.speed = '1 Mbit/s'" in done.sentence
    assert "this is not a key here" in done.sentence


@pytest.mark.parametrize("source", ["no.toml", "2^(3-3)", "2^(20-12", "2^20-12)", "."])
def test_sources_that_are_no_design(source: str) -> None:
    done = headgate("design", "show", source)
    assert done.exit_code == 2
    assert source in done.sentence


def test_a_new_design_without_factors(tmp_path: Path) -> None:
    done = headgate("design", "new", tmp_path / "none.toml")
    assert done.exit_code == 2
    assert "headgate: design new: there are no factors; give --factor" in done.sentence
    assert not (tmp_path / "none.toml").exists()
