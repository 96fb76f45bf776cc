"""`headgate analyse`: main effects of any table of runs."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headgate.base.errors import AnalysisError, StoreError, explain_os
from headgate.base.terminal import echo
from headgate.cli.options import Json, split_names

if TYPE_CHECKING:
    from headgate.figures.analysis import MainEffects
    from headgate.figures.analysis.frame import Frame
    from headgate.figures.analysis.read import TextForm
    from headgate.figures.analysis.roles import Roles
    from headgate.stats.effects import LevelMean

#: Significant digits of means: the usual number, and that of a double, where means differ little.
FEWEST_DIGITS, MOST_DIGITS = 4, 15


class Model(Enum):
    """The model that tests an effect."""

    INTERACTIONS = "interactions"
    MAIN_EFFECTS = "main-effects"
    ONE_WAY = "one-way"


def analyse(  # noqa: PLR0913, PLR0917 - one for each option
    file: Annotated[
        Path, typer.Argument(help="CSV (or other text) or Parquet, a row per run.", metavar="FILE")
    ],
    responses: Annotated[
        str,
        typer.Option(
            metavar="Y1,Y2,...",
            help="Columns that were measured (required); quote a name with a comma: 'rtt,\"loss,"
            " late\"'.",
        ),
    ] = "",
    factors: Annotated[
        str, typer.Option(metavar="X1,X2,...", help="Columns that were varied.")
    ] = "",
    design: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="Design in TOML that the rows are runs of, for surfaces and sensitivity, instead"
            " of --factors.",
        ),
    ] = "",
    lower: Annotated[
        str,
        typer.Option(
            metavar="Y1,Y2,...", help="With --design: responses that are better when lower."
        ),
    ] = "",
    by: Annotated[
        str,
        typer.Option(
            metavar="A,B,...", help="Label columns; each combination is analysed separately."
        ),
    ] = "",
    cca: Annotated[
        str | None,
        typer.Option(help="Column of algorithms that the report compares.", metavar="COLUMN"),
    ] = None,
    condition: Annotated[
        str,
        typer.Option(
            metavar="A,B,...",
            help="With --out: columns that name a condition; by default the factors.",
        ),
    ] = "",
    replicate: Annotated[
        str | None,
        typer.Option(
            help="Column of seeds: runs with the same seed share the traffic.",
            metavar="COLUMN",
        ),
    ] = None,
    before: Annotated[
        str | None,
        typer.Option(help="The algorithm to compare the others with.", metavar="CCA"),
    ] = None,
    model: Annotated[
        Model | None,
        typer.Option(
            help="Test by a model with interactions, one without, or factor by factor.",
            show_default=Model.INTERACTIONS.value,
        ),
    ] = None,
    title: Annotated[
        str,
        typer.Option(
            help="With --out: title of the report; by default the file's name.", metavar="TEXT"
        ),
    ] = "",
    question: Annotated[
        str,
        typer.Option(help="With --out: question that the report answers.", metavar="TEXT"),
    ] = "",
    decimal: Annotated[
        str, typer.Option(help="Decimal mark of a text file: a point or a comma.", metavar="MARK")
    ] = ".",
    missing: Annotated[
        str,
        typer.Option(
            help="Words of a text file that mean a missing value, in any column.",
            metavar="A,B,...",
        ),
    ] = "",
    encoding: Annotated[
        str,
        typer.Option(
            help="Encoding of a text file, such as cp1252; by default UTF-8.", metavar="NAME"
        ),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the report: page, pictures, tables.", metavar="DIR"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Find which factors affect which responses, in any table of runs.

    One model contains all factors and the interactions of two (type II F tests). With --model
    one-way, each factor is tested alone, as in NIST's Dataplot. The levels of a factor are two or
    more numbers or words. Numbers with at most 1.5 rows per level are tested along a straight
    line, except by one-way. An empty cell is a missing value; in a response, NA and infinite
    numbers are missing too. Omitted rows are counted. Commas, semicolons, tabs, vertical bars or
    spaces separate the cells of a text file.
    """
    from headgate.figures.analysis.frame import Frame
    from headgate.figures.analysis.notes import write_notes
    from headgate.figures.analysis.part import PeriodAnalysis
    from headgate.figures.analysis.read import TextForm
    from headgate.figures.analysis.roles import Roles

    if out is None:
        of_report = {"--title": title, "--question": question, "--condition": condition}
        _refuse(of_report, "only the report (--out) uses it")
    form = TextForm(decimal, split_names(missing), encoding)
    frame = Frame.of(file, form)
    _require_columns(frame, {"--responses": responses, "--factors": factors or design})
    if design:
        from headgate.cli.analyse_design import analyse_design

        of_factors = {
            "--factors": factors, "--by": by, "--cca": cca, "--condition": condition,
            "--replicate": replicate, "--before": before, "--model": model,
        }  # fmt: skip
        _refuse(of_factors, "the --design names the factors and the analysis; leave it out")
        analyse_design(
            design, frame, split_names(responses), split_names(lower),
            out=out, title=title, question=question, as_json=as_json,
        )  # fmt: skip
        return
    _refuse({"--lower": lower}, "only the analysis of a --design uses it")
    labels = split_names(by)
    frame.require(*filter(None, (cca, replicate)), *split_names(condition))
    roles = Roles(
        responses=split_names(responses),
        factors=split_names(factors),
        condition=split_names(condition),
        cca=cca,
        before=before,
        replicate=replicate,
        period=_period(labels) if out else None,
        method=(model or Model.INTERACTIONS).value,
    )
    roles.check(frame)
    found = PeriodAnalysis(frame, roles).effects(labels)
    for note in write_notes(frame, found.factors, found.responses, labels, replicate):
        echo(f"Note: {note}", error=as_json)
    if as_json:
        echo(*json.dumps(_records(found, roles), indent=1).split("\n"))
    else:
        _show(found, roles)
    if out:
        made = _report(file, form, roles, out, title, question)
        echo(f"Report: {made}", error=as_json)


def _require_columns(frame: Frame, named: Mapping[str, str]) -> None:
    """Raise AnalysisError if an option names no column; the error lists the columns."""
    from headgate.figures.analysis.unnamed_columns import list_columns

    needed = {
        "--responses": "name the columns that were measured",
        "--factors": "name the columns that were varied, or give the --design",
    }
    for option, advice in needed.items():
        if not split_names(named[option]):
            raise AnalysisError(
                f"{option}: {advice}; columns of {frame.name}: {list_columns(frame)}"
            )


def _refuse(options: Mapping[str, object], reason: str) -> None:
    """Raise AnalysisError if one of the options is given."""
    if given := next((name for name, value in options.items() if value), ""):
        raise AnalysisError(f"{given}: {reason}")


def _records(found: MainEffects, roles: Roles) -> list[dict[str, Any]]:
    """Return an object for each factor and response, with levels, interactions and sentences."""
    from headgate.figures.analysis.effect_sentences import write_by_response

    sentences = {g: write_by_response(found, g, roles.before_level) for g in found.table.groups}
    return [
        {key: _plain(value) for key, value in record.items()} for record in found.records(sentences)
    ]


def _plain(value: Any) -> Any:
    """Replace numbers that JSON cannot express by null."""
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _show(found: MainEffects, roles: Roles) -> None:
    """Print levels, then for each group effects, Psi, means, and the answer."""
    from headgate.figures.analysis.effect_sentences import write_sentences

    echo(*found.levels())
    for group in found.table.groups:
        for name, value in zip(found.by, group, strict=True):
            echo(f"{name} {value}")
        echo(_line("", found.factors, found))
        for response in found.responses:
            effects = found.of_response(response, group)
            echo(_line(response, [e.sign + e.stars if e.stars else "." for e in effects], found))
        psi = found.psi(group).values()
        echo(_line("Psi x 100", [f"{100 * share:.0f}" for share in psi], found))
        echo(*_means(found, group))
        echo(*(f"Answer: {one}" for one in write_sentences(found, {}, group, roles.before_level)))
    echo(
        "** p < 0.01, * p < 0.05; + the response rises from each level to the next, \N{MINUS SIGN}"
        " it falls; brackets are 95 % intervals"
    )
    echo(
        "an answer names effects with p < 0.05 after a correction for all tests above (Holm); an"
        " effect that is not shown may still exist"
    )


def _means(found: MainEffects, group: tuple[str, ...]) -> Iterator[str]:
    """Yield the means at the levels of each factor with a shown effect."""
    for response in found.responses:
        for effect in found.of_response(response, group):
            if effect.stars:
                digits = _count_digits(effect.levels)
                means = ", ".join(_mean(one, digits) for one in effect.levels)
                line = "ends of the straight line of" if effect.is_line else "mean"
                yield f"{line} {response} by {effect.factor}: {means}"


def _count_digits(levels: Sequence[LevelMean]) -> int:
    """Return the significant digits with which the means of levels differ visibly."""
    means = [one.mean for one in levels if math.isfinite(one.mean)]
    range_ = max(means, default=0.0) - min(means, default=0.0)
    if not range_ > 0:
        return FEWEST_DIGITS
    largest = max(map(abs, means))
    return min(MOST_DIGITS, max(FEWEST_DIGITS, 2 + math.ceil(math.log10(largest / range_))))


def _mean(one: LevelMean, digits: int) -> str:
    known = math.isfinite(one.low)
    ends = f" ({one.low:.{digits}g} to {one.high:.{digits}g})" if known else ""
    return f"{one.level}: {one.mean:.{digits}g}{ends}"


def _line(title: str, cells: Iterable[str], found: MainEffects) -> str:
    wide = max(len(name) for name in (*found.responses, "Psi x 100"))
    each = max(3, *(len(name) for name in found.factors))
    return " ".join([f"{title:<{wide}}", *(f"{cell:>{each}}" for cell in cells)])


def _period(by: tuple[str, ...]) -> str | None:
    """Return the label of the parts of a report. Raises AnalysisError for several labels."""
    from headgate.figures.analysis import AnalysisError

    if len(by) > 1:
        raise AnalysisError(f"--by: a report (--out) takes one label; got {', '.join(by)}")
    return by[0] if by else None


def _report(  # noqa: PLR0913, PLR0917 - the inputs of a report
    file: Path,
    form: TextForm,
    roles: Roles,
    out: Path,
    title: str,
    question: str,
) -> Path:
    """Copy the table into the folder, describe it, and make the report."""
    from headgate.figures.report.about import About, write
    from headgate.figures.report.make import make

    try:
        out.mkdir(parents=True, exist_ok=True)
        if file.resolve() != (out / file.name).resolve():
            shutil.copyfile(file, out / file.name)
    except OSError as error:
        raise StoreError(f"{out}: cannot be written ({explain_os(error)})") from None
    about = About(
        title=title or file.name, question=question, table=file.name, roles=roles,
        decimal=form.decimal, missing=form.missing, encoding=form.encoding,
    )  # fmt: skip
    write(about, out)
    return make(out)
