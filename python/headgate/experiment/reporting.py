"""The contents of a study's report: its design, parameters and versions, and its own pictures."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from headgate.base.plain_text import say_cost
from headgate.data.tables import Table
from headgate.design.factor import Factor
from headgate.design.factorial import Design
from headgate.experiment.conditions import level_name
from headgate.experiment.runs import Analysis, Listing, Runnable, Runs, Setup
from headgate.figures.analysis.phrases import CODES, level_words
from headgate.figures.analysis.roles import Roles
from headgate.figures.report.about import FIGURES, About, Listed, Parameter, Shown, write
from headgate.lab.jobs import program
from headgate.plugin.user_code import is_code

#: The largest number of defining words in a report.
MOST_WORDS = 8


def write_about(  # noqa: PLR0913, PLR0917 - each argument is one topic of the report
    study: Runnable,
    runs: Runs,
    analysis: Analysis,
    folder: Path,
    scale: str,
    total: tuple[float, int],
) -> None:
    """Draw the study's own pictures, and write the contents of its report."""
    from headgate.figures.plots.style import collect_seldom, save_figure

    with collect_seldom():
        for item in analysis.pictures:
            save_figure(item.figure, folder / FIGURES, item.name)
    roles, design = analysis.roles, runs.setup.design
    about = About(
        title=study.title,
        question=study.question,
        table=f"{analysis.data[0].name}.parquet" if roles else None,
        roles=name_levels(roles, design.factors, analysis.data[0]) if roles else None,
        design=_describe_design(runs.setup),
        findings=analysis.sentences,
        pictures=tuple(
            Shown(name=p.name, title=p.title, caption=p.caption) for p in analysis.pictures
        ),
        tables=tuple(_plain_table(item) for item in analysis.tables),
        parameters=tuple(_parameters(study, runs.setup)),
        versions=_versions(scale, runs, total),
    )
    write(about, folder)


def _plain_table(item: Listing) -> Listed:
    rows = [
        [cell.item() if isinstance(cell, np.generic) else cell for cell in row] for row in item.rows
    ]
    return Listed(title=item.title, caption=item.caption, columns=item.columns, rows=rows)


def _describe_design(setup: Setup) -> tuple[str, ...]:
    """Describe the design, if there is one."""
    design = setup.design
    if not design.factors:
        return ()
    levels = "; ".join(
        f"{' '.join(filter(None, (f.name, f.title)))}: {describe_levels(f)}" for f in design.factors
    )
    words = ["".join(sorted(word)) for word in design.words]
    resolution = f"resolution {design.resolution}" if design.resolution else setup.source
    relation = f", I = {' = '.join(words[:MOST_WORDS])}" if words else ""
    return (f"{len(design)} conditions, {resolution}{relation}.", f"Factors: {levels}.")


def describe_levels(factor: Factor) -> str:
    """Write the levels of a factor, each with its word if the factor's title gives words."""
    levels = _list_levels(factor)
    words = level_words(factor.title)
    if words is None or len(levels) != len(words):
        return _join(levels)
    return _join([f"{level} ({word})" for level, word in zip(levels, words, strict=True)])


def _list_levels(factor: Factor) -> list[str]:
    return [_write_level(level) for level in factor.levels or (factor.low, factor.high)]


def _join(levels: list[str]) -> str:
    *others, last = levels
    return f"{', '.join(others)} or {last}"


def _write_level(value: Any) -> str:
    """Write a level; code by its name, because its path belongs to the user's machine."""
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
        yield Parameter(name=name, value=value, **(source.model_dump() if source else {}))


def _versions(scale: str, runs: Runs, total: tuple[float, int]) -> dict[str, str]:
    """Return the program and the inputs of the runs, and their cost."""
    versions = {
        "headgate": program(),
        "scale": scale,
        "ccas": ", ".join(runs.setup.ccas),
        "seeds": ", ".join(map(str, runs.setup.seeds)),
        "runs": str(len(runs.results)),
        "cost": say_cost(total[1], total[0]),
    }
    return {name: text for name, text in versions.items() if text}


def words_of(factor: Factor) -> tuple[str, ...]:
    """Return words for the low and the high level: its own, by its title, or the levels."""
    title = factor.title or factor.name
    texts = str(factor.low), str(factor.high)
    plain = texts if all(text[:1].isalpha() for text in texts) else None
    return factor.words or level_words(title) or plain or (f"low {title}", f"high {title}")


def name_levels(roles: Roles, factors: Iterable[Factor], table: Table) -> Roles:
    """Return the roles of a table with words for the levels that it codes as -1 and 1."""
    words = {
        factor.name: dict(zip(CODES, words_of(factor), strict=True))
        for factor in factors
        if factor.name in roles.factors and {*map(str, table[factor.name])} <= {*CODES}
    }
    return roles.model_copy(update={"levels": {**words, **roles.levels}})


def describe_condition(design: Design, run: int) -> str:
    """Return a condition of a two-level design in words."""
    signs = design.matrix[run].tolist()
    pairs = zip(design.factors, signs, strict=True)
    return ", ".join(words_of(factor)[sign > 0] for factor, sign in pairs)


def describe_shared_levels(design: Design, runs: Iterable[int]) -> str:
    """Return in words the levels that all of these conditions share."""
    columns = {f: set(design.column(f.name)[list(runs)].tolist()) for f in design.factors}
    return ", ".join(words_of(f)[1 in signs] for f, signs in columns.items() if len(signs) == 1)
