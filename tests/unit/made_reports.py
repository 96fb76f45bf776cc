"""A folder with a report of a table whose truth is known: three factors, four CCAs, two periods."""

from __future__ import annotations

import csv
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np

from headgate.figures.analysis.roles import Pair, Roles
from headgate.figures.analysis.whole import TableAnalysis
from headgate.figures.report.about import About, Listed, Parameter, write
from headgate.figures.report.make import make

CCAS = ("reno", "ctcp", "fast", "scalable")
FACTORS = ("X1", "X2", "X3")
RESPONSES = ("loss", "delay", "rate", "rate_tcp", "flows", "timeouts")

#: Maps an algorithm, factor, response or condition to its name in a report.
Naming = Callable[[str], str]


def table(called: Naming = str) -> list[dict[str, object]]:
    """Loss grows if X1 is low; FAST then loses three times as much as the others."""
    rng = np.random.default_rng(11)
    rows: list[dict[str, object]] = []
    for signs, cca, period, seed in product(product((-1, 1), repeat=3), CCAS, (1, 2), (1, 2, 3)):
        x1, x2, x3 = signs
        noise = 1 + 0.01 * rng.normal(size=6)
        loss = (2.0 - x1) * (3.0 if cca == "fast" and x1 < 0 else 1.0)
        faster = 1.3 if cca == "ctcp" and x1 > 0 else 1.0
        values = (loss, 10 + 2 * x2, (20 + 5 * x1) * faster, 20 + 5 * x1, 50 + 8 * x3, 3 * loss)
        condition = " ".join(
            f"{f}{'+' if s > 0 else '-'}" for f, s in zip(FACTORS, signs, strict=True)
        )
        rows.append(
            {"condition": called(condition), **dict(zip(map(called, FACTORS), signs, strict=True)),
             "cca": called(cca), "period": period, "seed": seed,
             **dict(zip(map(called, RESPONSES), (noise * values).tolist(), strict=True))}
        )  # fmt: skip
    return rows


def roles(called: Naming = str) -> Roles:
    def several(*names: str) -> tuple[str, ...]:
        return tuple(map(called, names))

    pair = Pair(
        title=called("movies"), own=called("rate"), other=called("rate_tcp"), available=40.0
    )
    return Roles(
        responses=several(*RESPONSES),
        factors=several(*FACTORS),
        condition=("condition",),
        cca="cca",
        replicate="seed",
        period="period",
        before=called("reno"),
        congestion=called("loss"),
        pairs=(pair,),
        titles={called("loss"): called("loss rate"), called("delay"): "queueing delay (s)"},
        worse=dict.fromkeys(several("loss", "delay", "timeouts"), "more"),
        questions={
            "increase": several("rate"),
            "recovery": several("loss", "timeouts"),
            "safety": several("loss", "delay", "flows"),
        },
    )


def no_pictures(whole: TableAnalysis, *_: object) -> dict[str, list[str]]:
    """Draw nothing beside the page: pictures take longer than all else."""
    return {one.name: [] for one in whole.made if not one.reason}


def made_report(folder: Path, called: Naming = str) -> Path:
    """Write the table, say what it is, make the report."""
    rows = table(called)
    with (folder / "runs.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    about = About(
        title=called("A made table"),
        question=called("Does the report state the planted effects?"),
        table="runs.csv",
        roles=roles(called),
        design=(called("three factors"),),
        findings=(called("found"),),
        tables=(Listed(title=called("charts"), columns=(called("a"),), rows=((called("cell"),),)),),
        parameters=(Parameter(name=called("think"), value=called("5 s"), mark="OURS"),),
        versions={called("headgate"): called("1")},
    )
    write(about, folder)
    make(folder)
    return folder
