"""Runs a study from its plan to its report, and judges its claims."""

import json
import math
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from headgate import report as pages
from headgate.errors import FluidWarning
from headgate.plots.style import save
from headgate.report.page import findings, paragraph, picture, table, verdict
from headgate.run.folder import write_bytes, write_table
from headgate.run.plan import program
from headgate.run.pool import Pool
from headgate.run.standing import shown
from headgate.run.store import Store
from headgate.studies.claims import Finding, Judged, Verdict, judge
from headgate.studies.runs import Runs, Setup
from headgate.studies.settings import changed
from headgate.studies.study import Analysis, Picture, Study, load, scale_name

OTHER = Finding(ours=math.nan, note="the settings are not those that the claims are about")
CLAIM_COLUMNS = ("claim", "published", "tolerance", "measured as", "ours", "95 % CI", "verdict")


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
    cost = f"{total[1]:,} packet-hops in {total[0]:.0f} CPU seconds"
    said = " ".join((scale, *(f"--set {text}" for text in own.settings)))
    footer = f"headgate {program()}; scale {said}; {len(runs.results)} runs, {cost}."
    analysis = replace(analysis, sentences=(*analysis.sentences, tally(judged)))
    page = _report(study, analysis, judged, folder, footer)
    outcome = Outcome(
        name, scale, judged, analysis.sentences, *total, time.monotonic() - started_s, page
    )
    write_bytes(folder / "claims.json", json.dumps(outcome.as_json(), indent=1).encode())
    for data in analysis.data:
        write_table(folder / f"{data.name}.parquet", data)
    return outcome


def _run(
    study: Study, setup: Setup, workers: int | None, folder: Path
) -> tuple[Runs, tuple[float, int]]:
    jobs = study.jobs(setup)
    store = Store(folder)
    for copied in ("study.toml", "claims.toml"):
        write_bytes(store.folder / copied, (study.folder / copied).read_bytes())
    with shown(study.plan.name) as show:
        Pool(store, workers, study.keep).run(list(jobs.values()), show)
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
    study: Study, analysis: Analysis, judged: tuple[Judged, ...], folder: Path, footer: str
) -> Path:
    """Write the page: findings, the picture that answers the question, claims, then the rest."""
    claims = pages.Section("Claims", table(CLAIM_COLUMNS, [claim_row(claim) for claim in judged]))
    drawn = [_pictured(item, folder / "figures") for item in analysis.pictures]
    found = pages.Section("Findings", findings(analysis.sentences))
    sections = [found, *drawn[:1], claims, *drawn[1:]]
    for part in analysis.tables:
        html = paragraph(part.caption) + table(part.columns, part.rows)
        sections.append(pages.Section(part.title, html))
    return pages.write_page(
        folder / "report.html", study.plan.title, study.plan.question, sections, footer
    )


def _pictured(item: Picture, folder: Path) -> pages.Section:
    paths = save(item.figure, folder, item.name)
    return pages.Section(item.title, picture(paths[0], item.caption))


def claim_row(claim: Judged) -> tuple[object, ...]:
    """Return the row of a claim in the report's table."""
    ci = "" if claim.ci is None else f"{claim.ci[0]:.3g} … {claim.ci[1]:.3g}"
    said = f"{claim.statement} ({claim.source})"
    measured = f"{claim.measure}. {claim.note}".strip() if claim.note else claim.measure
    ours = "" if claim.ours is None else claim.ours
    return (
        said,
        claim.published,
        claim.tolerance or "",
        measured,
        ours,
        ci,
        verdict(claim.verdict),
    )
