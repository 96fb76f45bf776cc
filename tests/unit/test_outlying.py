"""The run that lies far from the model of a table, and the columns that name algorithms."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from headgate.cli.main import app
from headgate.figures.analysis import Frame, Roles, compute_main_effects
from headgate.figures.analysis.part import PeriodAnalysis
from headgate.stats.outlying import find_outlying_run


def make_table(wrong: float = 0.0) -> dict[str, np.ndarray]:
    """Three kernels, two rates and four replicates; run 7 is off by `wrong`."""
    rows = list(product(("6.1", "6.6", "6.10"), ("low", "high"), range(4)))
    kernel = np.array([row[0] for row in rows], dtype=object)
    rate = np.array([row[1] for row in rows], dtype=object)
    noise = np.random.default_rng(4).normal(size=len(rows))
    y = 40 + 4 * (kernel == "6.10") + noise
    y[7] += wrong
    return {"kernel": kernel, "rate": rate, "y": y}


def write(table: dict[str, np.ndarray], path: Path) -> Path:
    lines = [
        ",".join(table),
        *(",".join(map(str, row)) for row in zip(*table.values(), strict=True)),
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_an_outlier_has_the_residual_of_statsmodels() -> None:
    import pandas as pd
    import statsmodels.formula.api as smf

    table = make_table(wrong=12.0)
    fit = compute_main_effects(table, ["kernel", "rate"], ["y"]).models[(), "y"].fitted
    assert fit is not None
    found = find_outlying_run(fit)
    assert found is not None
    assert found.place == 7
    frame = pd.DataFrame(table)
    influence = smf.ols("y ~ C(kernel) * C(rate)", frame).fit().get_influence()
    assert found.distance == pytest.approx(abs(influence.resid_studentized_external[7]))
    others = smf.ols("y ~ C(kernel) * C(rate)", frame.drop(7)).fit()
    assert found.predicted == pytest.approx(float(others.predict(frame.iloc[[7]]).iloc[0]))


def test_no_run_is_an_outlier_by_chance() -> None:
    alarms = 0
    for seed in range(200):
        table = make_table()
        table["y"] = np.random.default_rng(seed).normal(size=len(table["y"]))
        fit = compute_main_effects(table, ["kernel", "rate"], ["y"]).models[(), "y"].fitted
        assert fit is not None
        alarms += find_outlying_run(fit) is not None
    assert alarms <= 2


def test_the_answer_names_an_outlier_and_the_report_accepts_a_factor_of_algorithms(
    tmp_path: Path,
) -> None:
    path = write(make_table(wrong=-12.0), tmp_path / "runs.csv")
    options = ["--factors", "kernel,rate", "--responses", "y", "--cca", "kernel", "--before", "6.1"]
    done = CliRunner().invoke(
        app,
        ["analyse", str(path), *options, "--out", str(tmp_path / "out")],
        catch_exceptions=False,
    )
    assert "One run is an outlier: y is 2" in done.output
    assert "with kernel 6.1, rate high, and the model of the other runs gives " in done.output
    assert "compared with 6.1 (95 % each): 6.10 +" in done.output
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "named twice" not in page
    assert (tmp_path / "out" / "tables" / "outliers.csv").is_file()


def test_a_heading_keeps_the_writing_of_a_label() -> None:
    frame = Frame.of(make_table())
    roles = Roles(responses=("y",), factors=("rate",), period="day")
    assert PeriodAnalysis(frame, roles, "Montag TCP").heading == "Day Montag TCP"
