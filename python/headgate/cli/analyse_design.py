"""`headgate analyse --design`: runs of a design that another program made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headgate.base.errors import StoreError, explain_os
from headgate.base.terminal import echo

if TYPE_CHECKING:
    from headgate.experiment.design_findings import DesignFindings
    from headgate.figures.analysis.frame import Frame


def analyse_design(  # noqa: PLR0913 - the inputs of a report
    design: str,
    frame: Frame,
    responses: tuple[str, ...],
    lower: tuple[str, ...],
    *,
    out: Path | None,
    title: str,
    question: str,
    as_json: bool,
) -> None:
    """Print what a design shows on each response, and write pictures, tables and a page."""
    from headgate.design.generate import load_design
    from headgate.experiment import design_findings
    from headgate.experiment.tables import rows_of

    made = load_design(design)
    found = design_findings.analyse_design(made, frame, responses, lower)
    notes = [f"Note: {note}" for note in found.notes]
    echo(*notes, error=as_json)
    if as_json:
        record: dict[str, Any] = {"findings": list(found.sentences)}
        record |= {name: list(rows_of(table)) for name, table in found.tables.items()}
        echo(*json.dumps(record, indent=1).split("\n"))
    else:
        echo(*(f"Answer: {one}" for one in found.sentences))
    if out is not None:
        page = _write_report(found, out, title or made.file.title or design, question)
        echo(f"Report: {page}", error=as_json)


def _write_report(found: DesignFindings, out: Path, title: str, question: str) -> Path:
    from headgate.data.parquet import write_table
    from headgate.experiment import findings
    from headgate.experiment.design_findings import EFFECTS
    from headgate.figures.plots.style import save_figure
    from headgate.figures.report.about import FIGURES, About, Listed, Shown, write
    from headgate.figures.report.make import make

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{out}: cannot be written ({explain_os(error)})") from None
    pictures = findings.pictures(found.runs)
    tables = {name: table for name, table in found.tables.items() if name != EFFECTS}
    for one in pictures:
        save_figure(one.figure, out / FIGURES, one.name)
    for name, table in tables.items():
        write_table(out / f"{name}.parquet", table)
    about = About(
        title=title,
        question=question,
        findings=(*found.sentences, *(f"Note: {note}" for note in found.notes)),
        pictures=tuple(Shown(name=p.name, title=p.title, caption=p.caption) for p in pictures),
        tables=tuple(
            Listed(
                title=name.replace("_", " ").capitalize(),
                columns=table.columns,
                rows=tuple(zip(*(table[key].tolist() for key in table.columns), strict=True)),
            )
            for name, table in tables.items()
        ),
    )
    write(about, out)
    return make(out)
