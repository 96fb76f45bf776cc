"""What a study says of itself for its report, and its own pictures."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from headgate.base.plain_text import say_cost
from headgate.design.factor import Factor
from headgate.experiment.conditions import level_name
from headgate.experiment.runnable import Analysis, Listing, Runnable
from headgate.experiment.runs import Runs, Setup
from headgate.experiment.wording import name_levels
from headgate.figures.analysis.phrases import level_words
from headgate.figures.analysis.roles import Roles
from headgate.figures.plots.style import save_figure
from headgate.figures.report.about import FIGURES, About, Listed, Parameter, Shown, write
from headgate.lab.jobs import program
from headgate.plugin.user_code import is_code

#: Defining words that a report prints.
MOST_WORDS = 8


def write_about(  # noqa: PLR0913, PLR0917 - each says one thing of the study
    study: Runnable,
    runs: Runs,
    analysis: Analysis,
    folder: Path,
    scale: str,
    total: tuple[float, int],
) -> None:
    """Draw the study's own pictures, and say what the report is about."""
    for item in analysis.pictures:
        save_figure(item.figure, folder / FIGURES, item.name)
    about = About(
        title=study.title,
        question=study.question,
        table=f"{analysis.data[0].name}.parquet" if analysis.roles else None,
        roles=_roles(analysis, runs.setup),
        design=_design(runs.setup),
        findings=analysis.sentences,
        pictures=tuple(
            Shown(name=p.name, title=p.title, caption=p.caption) for p in analysis.pictures
        ),
        tables=tuple(_plain_table(item) for item in analysis.tables),
        parameters=tuple(_parameters(study, runs.setup)),
        versions=_versions(scale, runs, total),
    )
    write(about, folder)


def _roles(analysis: Analysis, setup: Setup) -> Roles | None:
    if analysis.roles is None:
        return None
    return name_levels(analysis.roles, setup.design.factors, analysis.data[0])


def _plain_table(item: Listing) -> Listed:
    """Return a table with plain numbers in it."""
    rows = [
        [cell.item() if isinstance(cell, np.generic) else cell for cell in row] for row in item.rows
    ]
    return Listed(title=item.title, caption=item.caption, columns=item.columns, rows=rows)


def _design(setup: Setup) -> tuple[str, ...]:
    """Say what the design is, if there is one."""
    design = setup.design
    if not design.factors:
        return ()
    levels = "; ".join(f"{f.name} {f.title}: {describe_levels(f)}" for f in design.factors)
    words = ["".join(sorted(word)) for word in design.words]
    resolution = f"resolution {design.resolution}" if design.resolution else setup.source
    relation = f", I = {' = '.join(words[:MOST_WORDS])}" if words else ""
    return (f"{len(design)} conditions, {resolution}{relation}.", f"Factors: {levels}.")


def describe_levels(factor: Factor) -> str:
    """Write the levels of a factor, each with its words where its title tells them."""
    levels = _list_levels(factor)
    words = level_words(factor.title)
    if words is None or len(levels) != len(words):
        return _join(levels)
    return _join([f"{level} ({said})" for level, said in zip(levels, words, strict=True)])


def _list_levels(factor: Factor) -> list[str]:
    return [_level(level) for level in factor.levels or (factor.low, factor.high)]


def _join(levels: list[str]) -> str:
    *others, last = levels
    return f"{', '.join(others)} or {last}"


def _level(value: Any) -> str:
    """Write a level; code by its name, since its path is that of the user's machine."""
    if isinstance(value, Mapping) or (isinstance(value, str) and is_code(value)):
        return str(level_name(value))
    return f"{value:.6g}" if isinstance(value, float) and value % 1 else str(value)


def _parameters(study: Runnable, setup: Setup) -> Iterator[Parameter]:
    """Yield every setting: its value or its levels, with the mark of its source."""
    levels = {
        f.setting: (f"{f.name} {f.title}", _join(_list_levels(f))) for f in setup.design.factors
    }
    for setting in dict.fromkeys((*levels, *setup.settings)):
        name, value = levels.get(
            setting, (setting.replace("_", " "), str(setup.settings.get(setting)))
        )
        source = study.sources.get(setting)
        told = source.model_dump() if source else {}
        yield Parameter(name=name, value=value, **told)


def _versions(scale: str, runs: Runs, total: tuple[float, int]) -> dict[str, str]:
    """Say what made the runs, and what they cost."""
    said = {
        "headgate": program(),
        "scale": scale,
        "laws": ", ".join(runs.setup.laws),
        "seeds": ", ".join(map(str, runs.setup.seeds)),
        "runs": str(len(runs.results)),
        "cost": say_cost(total[1], total[0]),
    }
    return {what: which for what, which in said.items() if which}
