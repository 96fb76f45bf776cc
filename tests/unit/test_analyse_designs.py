"""`headgate analyse --design`: runs of designs that another program made."""

import csv
import json
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import headgate as package
from headgate.base.errors import AnalysisError
from headgate.cli.main import app
from headgate.design.factor import Factor
from headgate.design.generate import MadeDesign, load_design
from headgate.experiment.design_runs import read_design_runs
from headgate.figures.analysis.frame import Frame

from .test_surfaces import TREB, read


def headgate(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=True)


def write_runs(made: MadeDesign, path: Path, responses: dict[str, list[float]]) -> Path:
    """Write the sheet of a design with responses in its order."""
    rows = [line for line in made.csv().splitlines() if not line.startswith("#")]
    table = list(csv.DictReader(rows))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*table[0], *responses])
        writer.writeheader()
        for place, row in enumerate(table):
            writer.writerow(row | {name: of[place] for name, of in responses.items()})
    return path


def make_treb(folder: Path) -> Path:
    file = folder / "treb.toml"
    factors = {"A": "4..8", "B": "10..20", "C": "2..3"}
    options = [part for n, of in factors.items() for part in ("--factor", f"{n}={n}:{of}")]
    assert headgate("design", "new", file, "--kind", "box-behnken", *options).exit_code == 0
    return file


def write_treb(file: Path, path: Path) -> Path:
    """Write the runs of R's package `rsm`, and three centre points, in the order of the design."""
    known = {tuple((row[:3] - [6, 15, 2.5]) / [2, 5, 0.5]): row[3] for row in read(TREB)[:12]}
    made, centres = load_design(file), [88.0, 91.0, 91.0]
    y = [known.get(row.coded) or centres.pop() for row in made.sheet.rows]
    return write_runs(made, path, {"y": y})


def test_a_box_behnken_table_has_the_surface_of_rsm(tmp_path: Path) -> None:
    file = make_treb(tmp_path)
    table = write_treb(file, tmp_path / "y.csv")
    done = headgate("analyse", table, "--design", file, "--responses", "y", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    terms = {row["term"]: row for row in found["surface"]}
    assert terms["A x B"]["coefficient"] == pytest.approx(-6.25)
    assert terms["B^2"]["error"] == pytest.approx(1.05376, abs=5e-6)
    assert terms["B^2"]["p"] == pytest.approx(0.2487686, abs=5e-7)
    still = [row["stationary_coded"] for row in found["optimum"]]
    assert still == pytest.approx([0.9236846, -1.7161183, -2.7698217], abs=5e-8)
    assert found["findings"][0].startswith("y is highest on the fitted surface with A 7.3")
    lower = headgate("analyse", table, "--design", file, "--responses", "y", "--lower", "y")
    assert "Answer: y is lowest on the fitted surface with A 4," in lower.output


def test_a_page_of_a_design_has_its_pictures(tmp_path: Path) -> None:
    file = tmp_path / "d.toml"
    factors = [part for n in "abcd" for part in ("--factor", f"{n}={n}:0..10")]
    headgate("design", "new", file, "--kind", "definitive-screening", *factors)
    made = load_design(file)
    y = [3 * r.coded[0] + 2 * r.coded[0] ** 2 + 0.01 * i for i, r in enumerate(made.sheet.rows)]
    table = write_runs(made, tmp_path / "y.csv", {"y": y})
    out = tmp_path / "out"
    done = headgate("analyse", table, "--design", file, "--responses", "y", "--out", out)
    assert done.exit_code == 0, done.output
    assert "y is moved most by a: from 0 to 10 it changes by +" in done.output
    assert "y also shows curvature in a" in done.output
    page = (out / "report.html").read_text()
    assert "curvature in a" in page
    assert (out / "figures" / "effects-y.png").is_file()
    assert (out / "second_order.parquet").is_file()


def analyse_noisy(folder: Path, kind: str, size: str, y: Callable[..., float]) -> str:
    """Return what is printed on a design of three factors with the response y and noise."""
    file, rng = folder / f"{kind}.toml", np.random.default_rng(3)
    factors = [part for n in "abc" for part in ("--factor", f"{n}={n}:0..10")]
    assert headgate("design", "new", file, "--kind", kind, *size.split(), *factors).exit_code == 0
    made = load_design(file)
    values = [y(*row.coded) + float(rng.normal()) for row in made.sheet.rows]
    table = write_runs(made, folder / "y.csv", {"y": values})
    done = headgate("analyse", table, "--design", file, "--responses", "y")
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def test_a_second_order_term_of_another_factor_makes_names_uncertain(tmp_path: Path) -> None:
    """The square of c is no candidate, since its main effect is zero; a x b does not exist."""

    def bent(a: float, b: float, c: float) -> float:
        return 30 * (a - 0.3) ** 2 + 20 * (b + 0.3) ** 2 + 20 * c**2

    said = analyse_noisy(tmp_path, "definitive-screening", "", bent)
    assert "also shows" not in said
    assert (
        "y also depends on second-order terms. The squares and products of the factors that are"
        " shown do not explain them, so that no term is certain. Curvature in a and b"
    ) in said
    assert "may be among them." in said


@pytest.mark.parametrize(
    ("kind", "size"), [("morris", "--trajectories 8"), ("saltelli", "--samples 32")]
)
def test_single_runs_of_noise_show_no_sensitivity(tmp_path: Path, kind: str, size: str) -> None:
    said = analyse_noisy(tmp_path, kind, size, lambda *_: 0.0)
    assert (
        "Answer: y: no effect can be distinguished from the noise of runs, because each point was"
        " run once; add replicates."
    ) in said
    assert "depends most" not in said
    said = analyse_noisy(tmp_path, kind, size, lambda a, b, c: 4 * (a + b * c))
    assert "y depends most on a" in said


def test_noise_is_mistaken_for_a_sensitivity_in_one_of_twenty_tables(tmp_path: Path) -> None:
    file, rng = tmp_path / "m.toml", np.random.default_rng(1)
    factors = [part for n in "abc" for part in ("--factor", f"{n}={n}:0..10")]
    headgate("design", "new", file, "--kind", "morris", "--trajectories", "8", *factors)
    made = load_design(file)
    frame = Frame.of(write_runs(made, tmp_path / "y.csv", {"y": [0.0] * len(made.sheet.rows)}))
    found = read_design_runs(made, frame, ("y",), ())
    assert found.design is not None
    p = [
        found.design.compute_model_p(found.coded, rng.normal(size=len(found.coded)))
        for _ in range(400)
    ]
    assert np.mean(np.array(p) < 0.05) == pytest.approx(0.05, abs=0.03)


def test_a_morris_table_ranks_its_factors(tmp_path: Path) -> None:
    file = tmp_path / "m.toml"
    factors = [part for n in "abc" for part in ("--factor", f"{n}={n}:0..10")]
    headgate("design", "new", file, "--kind", "morris", "--trajectories", "8", *factors)
    made = load_design(file)
    y = [5 * row.coded[1] + row.coded[0] for row in made.sheet.rows]
    table = write_runs(made, tmp_path / "y.csv", {"y": y})
    done = headgate("analyse", table, "--design", file, "--responses", "y")
    assert "y depends most on b: over the range of b it changes by 10 on average" in done.output
    assert "the noise of runs is part of it" in done.output


@pytest.mark.parametrize(
    ("change", "options", "says"),
    [
        (("standard", "place"), (), "there is no column 'standard'"),
        (("\n1,", "\n1,99"), (), "is no run of the design; it must be 1 to 12, or 0"),
        (("", ""), ("--factors", "A"), "--factors: the --design names the factors"),
        (("", ""), ("--lower", "z"), "lower: z is none of the responses y"),
    ],
)
def test_tables_that_do_not_fit_are_refused(
    tmp_path: Path, change: tuple[str, str], options: tuple[str, ...], says: str
) -> None:
    file = make_treb(tmp_path)
    made = load_design(file)
    table = write_runs(made, tmp_path / "y.csv", {"y": [float(i) for i in range(15)]})
    text = table.read_text().replace("\r", "")
    table.write_text(text.replace(*change, 1) if change[0] else text)
    done = headgate("analyse", table, "--design", file, "--responses", "y", *options)
    assert says in f"{done.output}{done.exception}"
    assert done.exit_code != 0


def write_levels(made: MadeDesign, path: Path, levels: Callable[[Factor, float], object]) -> Path:
    """Write the runs of a design with a response, and the levels of the factors in a notation."""
    names = [factor.name for factor in made.design.factors]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["standard", *names, "y"])
        for number, row in enumerate(made.sheet.rows):
            pairs = zip(made.design.factors, row.coded, strict=True)
            writer.writerow([row.standard, *(levels(*pair) for pair in pairs), number])
    return path


def read_table(made: MadeDesign, table: Path) -> None:
    read_design_runs(made, Frame.of(table), ["y"])


@pytest.mark.parametrize(
    "levels",
    [
        lambda _, coded: f"{coded:g}",
        lambda factor, coded: factor.level(coded),
        lambda factor, coded: factor.describe(coded),
        lambda *_: "",
    ],
    ids=["coded", "levels", "rounded", "empty"],
)
def test_levels_of_a_table_are_coded_or_those_of_the_design(
    tmp_path: Path, levels: Callable[[Factor, float], object]
) -> None:
    made = load_design(make_treb(tmp_path))
    read_table(made, write_levels(made, tmp_path / "t.csv", levels))


def test_a_table_of_other_runs_is_refused_with_the_first_row(tmp_path: Path) -> None:
    made = load_design(make_treb(tmp_path))
    table = write_levels(made, tmp_path / "t.csv", lambda _, coded: f"{coded:g}")
    head, *rows = table.read_text().splitlines()
    cells = [row.split(",") for row in rows]
    first = next(i for i, row in enumerate(cells) if row[1] != row[2])
    factor = made.design.factors[0]
    place, a, b = cells[first][:3]
    expected = (
        f"line {first + 2}: A is {b}, and standard {place} of the design means {a}"
        f" ({factor.describe(float(a))}); give the design that made the table"
    )
    swapped = [",".join([row[0], row[2], row[1], *row[3:]]) for row in cells]
    table.write_text("\n".join([head, *swapped]))
    with pytest.raises(AnalysisError, match=re.escape(expected)):
        read_table(made, table)


def test_a_design_of_another_seed_does_not_fit_the_table(tmp_path: Path) -> None:
    files = [tmp_path / f"{seed}.toml" for seed in (1, 2)]
    for seed, file in enumerate(files, 1):
        factors = [part for n in "abc" for part in ("--factor", f"{n}={n}:0..10")]
        headgate("design", "new", file, "--kind", "morris", "--seed", seed, *factors)
    one, other = map(load_design, files)
    for levels in (lambda _, coded: f"{coded:g}", lambda factor, coded: factor.level(coded)):
        table = write_levels(one, tmp_path / "t.csv", levels)
        read_table(one, table)
        with pytest.raises(AnalysisError, match=r"line \d+: [abc] is .+ of the design means"):
            read_table(other, table)


def test_other_designs_need_factors(tmp_path: Path) -> None:
    table = tmp_path / "y.csv"
    rows = ["standard,y", *(f"{i},{i}" for i, _ in enumerate(product("ab", repeat=3), 1))]
    table.write_text("\n".join(rows))
    done = headgate("analyse", table, "--design", "2^3", "--responses", "y")
    assert "a two-level design needs no special analysis" in f"{done.output}{done.exception}"
    none = headgate("analyse", table, "--responses", "y")
    assert "--factors: name the columns that were varied" in f"{none.output}{none.exception}"


def test_two_ways_make_a_page_and_no_run_is_left_out_in_silence(tmp_path: Path) -> None:
    file = make_treb(tmp_path)
    made = load_design(file)
    coded = np.array([row.coded for row in made.sheet.rows])
    noise = np.random.default_rng(2).normal(scale=0.1, size=len(coded))
    low = 5 + ((coded - 0.2) ** 2).sum(axis=1) + noise
    high = 9 - (coded**2).sum(axis=1) + noise
    table = write_runs(
        made, tmp_path / "y.csv", {"delay [ms]": list(low), "rate [Mbit/s]": list(high)}
    )
    lines = table.read_text().splitlines()
    lines[1] = lines[1].rpartition(",")[0] + ","
    absent = lines.pop(2).split(",")[1]
    table.write_text("\n".join(lines) + "\n")
    options = [
        "--responses",
        "delay [ms],rate [Mbit/s]",
        "--lower",
        "delay [ms]",
        "--out",
        tmp_path / "out",
    ]
    done = headgate("analyse", table, "--design", file, *options)
    assert done.exit_code == 0, done.output
    assert "left out of the analyses of that response: rate [Mbit/s] 1 of 14." in done.output
    gap = f"1 of 15 runs of the design is not in the table: standard {absent}."
    assert gap in done.output
    assert gap in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    at_centre = (coded == 0).all(axis=1)
    assert "# A: A = 4 (-1), 8 (1)\n" in made.csv()
    kept = [i for i in range(len(coded)) if at_centre[i] and i not in {0, 1}]
    assert f"{np.mean(high[kept]):.4g}, the mean of {len(kept)} runs" in done.output
    assert "lacks fit" not in done.output


def test_repeated_centre_points_show_that_a_surface_lacks_fit(tmp_path: Path) -> None:
    file = make_treb(tmp_path)
    made = load_design(file)
    coded = np.array([row.coded for row in made.sheet.rows])
    noise = np.random.default_rng(2).normal(scale=0.01, size=len(coded))
    y = 9 - (coded**2).sum(axis=1) + coded[:, 0] * coded[:, 1] ** 2 + noise
    table = write_runs(made, tmp_path / "y.csv", {"y": list(y)})
    done = headgate("analyse", table, "--design", file, "--responses", "y")
    assert "the model lacks fit (p < 0.01)" in done.output


def test_python_gives_what_the_command_prints(tmp_path: Path) -> None:
    file = make_treb(tmp_path)
    table = write_treb(file, tmp_path / "y.csv")
    done = headgate("analyse", table, "--design", file, "--responses", "y", "--json")
    printed = json.loads(done.stdout)
    columns = {name: np.array(of) for name, of in _columns(table).items()}
    for design, given in ((file, table), (str(file), columns), (load_design(file), str(table))):
        found = package.analyse_design(design, given, ["y"])
        assert list(found.sentences) == printed["findings"]
        assert found.tables.keys() == printed.keys() - {"findings"}
        assert len(found.tables["surface"]) == len(printed["surface"]) == 10
    assert list(found.draw()) == ["surface-y", "means-y", "effects-y", "residuals-runs", "power"]
    with pytest.raises(AnalysisError, match="lower: z is none of the responses y"):
        package.analyse_design(file, table, ["y"], ["z"])


def _columns(table: Path) -> dict[str, list[str]]:
    with table.open() as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in rows[0]}
