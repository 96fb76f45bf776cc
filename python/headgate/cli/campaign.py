"""Options and output of the commands that run campaigns."""

import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headgate.base.messages import count_others
from headgate.base.terminal import echo

if TYPE_CHECKING:
    from headgate.base.console import PlainConsole
    from headgate.claims.verdicts import JudgedClaim
    from headgate.experiment.recall import Answer
    from headgate.experiment.runner import StudyOutcome, StudyRun
    from headgate.lab.cost import CostEstimate
    from headgate.lab.shard import Shard
    from headgate.lab.workers import WorkerPool

Workers = Annotated[
    int | None, typer.Option(min=1, help="Parallel runs; by default one per core.", metavar="N")
]
ThreadsEach = Annotated[
    int | None,
    typer.Option(
        "--threads",
        min=1,
        metavar="N",
        help="Threads of each run; by default, runs share the free cores.",
    ),
]
Clustered = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="WHERE",
        help="Workers of Dask.distributed instead of this machine's cores: a scheduler's address,"
        " its file, or a profile in TOML. All workers need the folder on a shared file system.",
    ),
]
Results = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder of stored results: its runs are reused, and new runs and findings are stored"
        " there for others.",
    ),
]
ShardOf = Annotated[
    str | None,
    typer.Option(
        "--shard",
        metavar="I/N",
        help="Run only the I-th of N parts, and analyse nothing; such as 1/4.",
    ),
]
StopAfter = Annotated[
    str | None,
    typer.Option(
        "--stop-after",
        metavar="TIME",
        help="Stop after this wall time, such as '2 h', as Ctrl-C does; the same command resumes.",
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Estimate time and memory, and run nothing: from finished runs, or else upper limits"
        " by the rates of links and the offered traffic.",
    ),
]
Pilots = Annotated[
    bool,
    typer.Option(
        "--pilots",
        help="With --dry-run: estimate from short pilot runs, which takes minutes.",
    ),
]
#: The width of output to a file or a pipe.
PLAIN_WIDTH = 110
#: The largest number of printed rows of means; the file contains all.
MOST_ROWS = 24
SHADES = {"holds": "green", "differs": "red", "corrected": "blue", "undecided": "yellow"}


@contextmanager
def stopping_after(time: str | None) -> Iterator[None]:
    """Stop the block after this wall time, as Ctrl-C does. Raises HeadgateError."""
    import _thread
    from threading import Timer

    from headgate.base.errors import HeadgateError, UnitError
    from headgate.base.units import parse_time_ps

    if time is None:
        yield
        return
    try:
        timer = Timer(parse_time_ps(time) / 1e12, _thread.interrupt_main)
    except UnitError as error:
        raise HeadgateError(f"--stop-after: {error}") from None
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def show_cost(asked: "StudyRun", workers: int | None, *, pilots: bool, as_json: bool) -> None:
    """Print the estimated cost of a campaign."""
    from headgate.base.progress import clock
    from headgate.experiment import runner

    cost = runner.cost(asked, workers, pilots=pilots)
    if as_json:
        echo(json.dumps(cost.as_json()))
        return
    there = f", and {cost.found} that are stored already" if cost.found else ""
    most = "at most " if cost.basis == "plans" else ""
    echo(f"runs:         {cost.runs}{there}")
    echo(f"packet-hops:  {most}{cost.packet_hops:.4g}")
    echo(f"CPU time:     {most}{clock(cost.cpu_s)} ({cost.cpu_s / 3600:.4g} hours)")
    echo(f"wall time:    {most}{clock(cost.wall_s)} with {cost.workers} runs at a time")
    echo(f"memory:       {cost.memory_bytes / 1e9:.2f} GB with {cost.workers} runs at a time")
    echo(_say_basis(cost))


def _say_basis(cost: "CostEstimate") -> str:
    """Return the sentence on what an estimate rests on."""
    from headgate.lab.cost import HOPS_PER_CPU_S

    if not cost.runs:
        return "Nothing is left to run."
    if cost.basis == "plans":
        return (
            "Nothing was run: these are upper limits by the rates of links, by the files that users"
            f" and arrivals offer, and by {HOPS_PER_CPU_S / 1e6:.0f} million packet-hops per CPU"
            " second. They do not include the start of each run, the analyses and the pictures,"
            " which take longer than small runs. --pilots measures the cost by short runs on this"
            " machine."
        )
    if cost.basis == "runs":
        return f"Estimated from the cost of {cost.found} finished runs; nothing was run."
    trust = f"{cost.whole_pilots} of them ran to their end; expect errors of up to 25 %."
    if not cost.whole_pilots:
        trust = "none of them ran to its end, so late events in a run are not included."
    return f"Estimated from {cost.pilots} pilot runs on this machine; {trust}"


def read_shard(text: str | None) -> "Shard | None":
    """Read --shard. Raises HeadgateError."""
    from headgate.lab.shard import Shard

    return None if text is None else Shard.read(text)


def run_shard(asked: "StudyRun", shard: "Shard", pool: "WorkerPool", as_json: bool) -> None:
    """Run a part of a campaign, and print the number of runs. Raises HeadgateError."""
    from headgate.experiment import runner

    count, folder = runner.run_shard(asked, shard, pool), asked.folder
    if as_json:
        echo(json.dumps({"shard": str(shard), "runs": count, "folder": str(folder)}))
        return
    echo(
        f"Shard {shard}: its {count} runs are in {folder / 'runs'}. After all shards, the same"
        " command without --shard analyses them."
    )


def answer_campaign(
    asked: "StudyRun", pool: "WorkerPool", as_json: bool, *, means: bool = True
) -> "Answer":
    """Make the missing runs, print the answer, and then draw and write the report. Return it.

    If nothing has changed since the same command, its answer is printed again. Raises
    HeadgateError.
    """
    from headgate.experiment import runner
    from headgate.experiment.recall import Answer, recall, remember

    def show(outcome: "StudyOutcome") -> None:
        if not as_json:
            show_answer(Answer.of(outcome), means)

    answer = recall(asked)
    if answer is None:
        answer = Answer.of(runner.run_study(asked, pool, show))
        remember(asked, answer)
    elif not as_json:
        show_answer(answer, means)
    echo(json.dumps(answer.as_json()) if as_json else say_report(answer))
    return answer


def show_answer(outcome: "Answer", means: bool) -> None:
    """Print the means of an experiment if wanted, the findings, the claims, and the cost."""
    from rich.table import Table
    from rich.text import Text

    from headgate.base.plain_text import say_cost

    printed, bullets = console(), Table.grid(padding=(0, 1))
    if means and (table := outcome.tables.get("means")):
        print_means(printed, table)
    for sentence in outcome.sentences:
        bullets.add_row(" \N{BULLET}", Text(sentence))
    printed.print("\nFindings", style="bold")
    printed.print(bullets)
    printed.print()
    if outcome.claims:
        print_claims(printed, [(outcome.study, claim) for claim in outcome.claims])
    rate = outcome.packet_hops / outcome.cpu_s / 1e6 if outcome.cpu_s else math.nan
    printed.print(
        f"\n{say_cost(outcome.packet_hops, outcome.cpu_s)} ({rate:.1f} million per CPU second)",
    )
    sys.stdout.flush()  # a pipe shows it before the report is drawn


def say_report(outcome: "Answer") -> str:
    """Return the line with the path of the report, or with the missing libraries."""
    if outcome.report is not None:
        unchanged = " (nothing has changed since it was made)" if outcome.is_known else ""
        return f"Report: {outcome.report}{unchanged}"
    from headgate.base.optional import advise

    return f"Tables: {outcome.folder}. For a report: {advise('report')}"


def print_claims(console: "PlainConsole", claims: Sequence[tuple[str, "JudgedClaim"]]) -> None:
    """Print a table of judged claims."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    several = len({name for name, _ in claims}) > 1
    table = Table(box=box.SIMPLE_HEAD, title_justify="left")
    heads = ("claim", "tolerance", "found", "95 % CI", "detectable")
    for column in (*(("study",) if several else ()), *heads):
        table.add_column(column, overflow="fold", no_wrap=column == "tolerance")
    table.add_column("verdict", no_wrap=True)
    for name, claim in claims:
        verdict = Text(claim.verdict, style=SHADES.get(claim.verdict, "dim"))
        cells = (
            claim.id,
            claim.tolerance or "",
            "" if claim.ours is None else f"{claim.ours:.3g}",
            "" if claim.ci is None else f"{claim.ci[0]:.3g} to {claim.ci[1]:.3g}",
            "" if claim.detectable is None else f"{claim.detectable:.2g}",
        )
        table.add_row(*((name,) if several else ()), *cells, verdict)
    console.print(table)


def print_reasons(console: "PlainConsole", claims: Sequence[tuple[str, "JudgedClaim"]]) -> None:
    """Print the reasons of claims that do not hold, which do not fit into the table."""
    from headgate.claims.verdicts import ORIGINS, Verdict

    for verdict in (Verdict.DIFFERS, Verdict.UNDECIDED, Verdict.CORRECTED, Verdict.NOT_CHECKABLE):
        chosen = [(name, claim) for name, claim in claims if claim.verdict == verdict]
        if chosen:
            console.print(f"{verdict.capitalize()}:")
        for name, claim in chosen:
            place = f" [in {ORIGINS[claim.whose]}]" if claim.whose else ""
            reason = claim.reason or "no reason is given"
            console.print(f"  {name} {claim.id}{place}: {reason}", markup=False, soft_wrap=True)


def print_means(printed: "PlainConsole", means: "Sequence[Mapping[str, Any]]") -> None:
    """Print a table of means with intervals, in readable units."""
    from rich import box
    from rich.table import Table

    shown = Table(box=box.SIMPLE_HEAD)
    columns = list(means[0])
    levels = columns[: columns.index("response")]
    for column in (*levels, "response", "mean", "95 % interval", "unit", "runs"):
        side: Any = "left" if column in levels else "right"
        shown.add_column(column, overflow="fold", justify=side, no_wrap=column == "response")
    for row in means[:MOST_ROWS]:
        cells = [row[name] for name in levels]
        shown.add_row(*map(str, (*cells, row["response"], *_measured(row), row["replicates"])))
    printed.print(shown)
    if len(means) > MOST_ROWS:
        printed.print(f"... and {count_others(len(means) - MOST_ROWS, 'row')} in means.parquet")


def _measured(row: "Mapping[str, Any]") -> tuple[str, str, str]:
    """Write mean, interval and unit."""
    from headgate.base.units import format_figure, readable

    if row["mean"] is None:
        return "", "", row["unit"]
    factor, unit = readable(row["unit"], abs(row["mean"]))
    interval = ""
    if row["low"] is not None:
        interval = " to ".join(format_figure(row[end] * factor) for end in ("low", "high"))
    return format_figure(row["mean"] * factor), interval, "" if unit == "1" else unit


def console() -> "PlainConsole":
    """Return the console for tables, as wide as the terminal if there is one."""
    from headgate.base.console import PlainConsole

    return PlainConsole(width=None if sys.stdout.isatty() else PLAIN_WIDTH)
