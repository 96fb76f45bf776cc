"""Runs a study from its plan to its report, and judges its claims."""

import json
import math
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from headgate.errors import FluidWarning
from headgate.plots.style import save
from headgate.report.about import CLAIMS, About, Listed, Parameter, Shown, write
from headgate.report.make import PAGE, make
from headgate.report.sections import FIGURES
from headgate.run.folder import write_bytes, write_table
from headgate.run.plan import program
from headgate.run.pool import Pool
from headgate.run.standing import shown
from headgate.run.store import Store
from headgate.studies.claims import Finding, Judged, Verdict, judge
from headgate.studies.runs import Runs, Setup
from headgate.studies.settings import changed
from headgate.studies.study import Analysis, Listing, Study, load, scale_name

OTHER = Finding(ours=math.nan, note="the settings are not those that the claims are about")
#: Defining words that a report prints.
MOST_WORDS = 8


@dataclass(frozen=True)
class Own:
    """What the user brings: laws that are compared with the others, and settings, as texts.

    With other settings the runs are no longer those of the claims: none is judged.
    """

    laws: Sequence[str] = ()
    settings: Sequence[str] = ()


NOTHING = Own()


@dataclass(frozen=True)
class Outcome:
    """What a study gave: the judged claims, the findings, and what they cost."""

    study: str
    scale: str
    claims: tuple[Judged, ...]
    sentences: tuple[str, ...]
    cpu_s: float
    packet_hops: int
    wall_s: float
    report: Path

    def as_json(self) -> dict[str, object]:
        """Return the object that `--json` prints."""
        return {
            "study": self.study,
            "claims": [claim.model_dump(mode="json") for claim in self.claims],
            "cpu_s": self.cpu_s,
            "packet_hops": self.packet_hops,
        }


def run_study(
    name: str,
    scale: str,
    workers: int | None = None,
    out: Path | None = None,
    own: Own = NOTHING,
) -> Outcome:
    """Run what the store at `out` lacks, analyse, judge, draw, and write the report."""
    started_s = time.monotonic()
    study, folder = load(name), out or Path("out") / name
    setup = study.setup(study.scale(scale), own.laws)
    setup = replace(setup, settings=changed(setup.settings, own.settings))
    runs, total = _run(study, setup, workers, folder)
    analysis = _analysed(study, runs)
    if own.settings:
        analysis = replace(analysis, findings=dict.fromkeys((c.id for c in study.claims), OTHER))
    judged = tuple(judge(c, analysis.findings, scale_name(scale)) for c in study.claims)
    analysis = replace(analysis, sentences=(*analysis.sentences, tally(judged)))
    outcome = Outcome(
        name, scale, judged, analysis.sentences, *total, time.monotonic() - started_s,
        folder / PAGE,
    )  # fmt: skip
    write_bytes(folder / CLAIMS, json.dumps(outcome.as_json(), indent=1).encode())
    for data in analysis.data:
        write_table(folder / f"{data.name}.parquet", data)
    said = " ".join((scale, *(f"--set {text}" for text in own.settings)))
    _report(study, setup, analysis, folder, _versions(said, setup, runs, total))
    return outcome


def _run(
    study: Study, setup: Setup, workers: int | None, folder: Path
) -> tuple[Runs, tuple[float, int]]:
    jobs = study.jobs(setup)
    store = Store(folder)
    for copied in ("study.toml", "claims.toml"):
        write_bytes(store.folder / copied, (study.folder / copied).read_bytes())
    with shown(study.plan.name) as show:
        Pool(store, workers, study.keep).run(list(jobs.values()), show, study.plan.name)
    results = {key: store.read(job) for key, job in jobs.items()}
    cost = (
        sum(r.meta["cpu_s"] for r in results.values()),
        sum(r.meta["packet_hops"] for r in results.values()),
    )
    return Runs(setup, results), cost


def _analysed(study: Study, runs: Runs) -> Analysis:
    """Analyse; what a fluid run warns of is for the study to say."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FluidWarning)
        return study.analyse(runs)


def tally(judged: Sequence[Judged]) -> str:
    """Say how many claims got which verdict."""
    counts = Counter(claim.verdict.value for claim in judged)
    said = ", ".join(f"{word} {counts[word]}" for word in Verdict if counts[word])
    return f"Claims of the source, {len(judged)} in all: {said}."


def _report(
    study: Study, setup: Setup, analysis: Analysis, folder: Path, versions: dict[str, str]
) -> None:
    """Draw the study's own pictures, say what the report is about, and make it."""
    for item in analysis.pictures:
        save(item.figure, folder / FIGURES, item.name)
    about = About(
        title=study.plan.title,
        question=study.plan.question,
        table=f"{analysis.data[0].name}.parquet" if analysis.roles else None,
        roles=analysis.roles,
        design=_design(setup),
        findings=analysis.sentences,
        pictures=tuple(
            Shown(name=p.name, title=p.title, caption=p.caption) for p in analysis.pictures
        ),
        tables=tuple(_listed(item) for item in analysis.tables),
        parameters=tuple(_parameters(study, setup)),
        versions=versions,
    )
    write(about, folder)
    make(folder)


def _listed(item: Listing) -> Listed:
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
    levels = "; ".join(f"{f.name} {f.title}: {f.low} or {f.high}" for f in design.factors)
    words = ["".join(sorted(word)) for word in design.words]
    resolution = f"resolution {design.resolution}" if design.resolution else "full factorial"
    relation = f", I = {' = '.join(words[:MOST_WORDS])}" if words else ""
    return (f"{len(design)} conditions, {resolution}{relation}.", f"Factors: {levels}.")


def _parameters(study: Study, setup: Setup) -> Iterator[Parameter]:
    """Yield every setting: its value or its levels, with the mark of its source."""
    levels = {
        f.setting: (f"{f.name} {f.title}", f"{f.low} or {f.high}") for f in setup.design.factors
    }
    for setting in dict.fromkeys((*levels, *setup.settings)):
        name, value = levels.get(
            setting, (setting.replace("_", " "), str(setup.settings.get(setting)))
        )
        source = study.plan.sources.get(setting)
        told = source.model_dump() if source else {}
        yield Parameter(name=name, value=value, **told)


def _versions(scale: str, setup: Setup, runs: Runs, total: tuple[float, int]) -> dict[str, str]:
    """Say what made the runs, and what they cost."""
    return {
        "headgate": program(),
        "scale": scale,
        "laws": ", ".join(setup.laws),
        "seeds": ", ".join(map(str, setup.seeds)),
        "runs": str(len(runs.results)),
        "cost": f"{total[1]:,} packet-hops in {total[0]:.0f} CPU seconds",
    }
