"""Reads the measurements and makes the tables of docs/reference/peers.md."""

import csv
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from .cases import LONG, ORACLES, SHORT, Case, kernel_figures

DATA = ORACLES / "peers"
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "peers.md"
PROGRAMS = ("headgate", "ns-3", "ns-2")
NAMES = {"headgate": "Headgate", "ns-3": "ns-3", "ns-2": "ns-2", "htsim": "htsim"}
#: Column of the figures, its name in the table, and how a value is written.
FIGURES = (
    ("goodput_mbps", "goodput in Mbit/s", "{:.2f}"),
    ("mean_queue", "mean queue in packets", "{:.1f}"),
    ("retransmissions", "retransmissions", "{:.0f}"),
)


def _is_drop_tail(case: Case, *, bbr: bool) -> bool:
    return case.queue == "fifo" and ("bbr" in case.ccas) == bbr


GROUPS = {
    "Reno and CUBIC, drop-tail": [case for case in LONG if _is_drop_tail(case, bbr=False)],
    "CUBIC, CoDel and FQ-CoDel": [case for case in LONG if case.queue != "fifo"],
    "BBR, drop-tail": [case for case in LONG if _is_drop_tail(case, bbr=True)],
}


@dataclass(frozen=True)
class Agreement:
    """Relative differences from the kernel, of one figure in one program."""

    cases: int
    median: float
    worst: float


def read(name: str, folder: Path = DATA) -> list[dict[str, str]]:
    """Read a file of measurements."""
    with (folder / name).open() as file:
        return list(csv.DictReader(file))


def program_figures(rows: Iterable[dict[str, str]]) -> dict[tuple[str, str], dict[str, float]]:
    """Give the means over repeats by program and case, under the names of the kernel's figures."""
    groups: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        groups[row["program"], row["case"]].append(row)
    return {key: _summarise(mine) for key, mine in groups.items()}


def _summarise(rows: list[dict[str, str]]) -> dict[str, float]:
    if rows[0]["finished_ms"]:
        return {"finished_ms": mean(float(row["finished_ms"]) for row in rows)}
    repeats = len({row["repeat"] for row in rows})
    flows: dict[str, float] = defaultdict(float)
    for row in rows:
        flows[row["flow"]] += float(row["goodput_mbps"]) / repeats
    goodputs = {f"goodput_mbps_{flow}": goodput for flow, goodput in flows.items()}
    return goodputs | {
        "goodput_mbps": sum(flows.values()),
        "mean_queue": mean(float(row["mean_queue"]) for row in rows),
        "retransmissions": sum(float(row["retransmissions"]) for row in rows) / repeats,
    }


def differences(
    cases: Iterable[Case], found: dict[tuple[str, str], dict[str, float]], program: str, figure: str
) -> list[float]:
    """Give each relative difference from the kernel; a pair has a goodput for each flow."""
    return [
        abs(found[program, case.name][name] - theirs) / theirs
        for case in cases
        if (program, case.name) in found
        for name, theirs in kernel_figures(case).items()
        if name.startswith(figure)
    ]


def agreement(each: list[float]) -> Agreement | None:
    """Sum differences up; None without any."""
    return Agreement(len(each), median(each), max(each)) if each else None


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _percent(found: Agreement | None) -> str:
    return f"{found.median:.1%}; {found.worst:.1%}".replace("%", " %") if found else "not available"


def agreement_table(rows: list[dict[str, str]]) -> str:
    """Make the table of medians and worst differences."""
    found = program_figures(rows)
    lines = [_row("cases", "figure", *(NAMES[name] for name in PROGRAMS)), _row(*["---"] * 5)]
    groups = {f"all {len(LONG)}": list(LONG)} | GROUPS
    for name, cases in groups.items():
        label = name if name.startswith("all") else f"{name} ({len(cases)})"
        for figure, title, _ in FIGURES:
            each = [agreement(differences(cases, found, program, figure)) for program in PROGRAMS]
            if name.startswith("all"):
                each[-1] = None
            lines.append(_row(label, title.split(" in ")[0], *map(_percent, each)))
    each = [agreement(differences(SHORT, found, program, "finished_ms")) for program in PROGRAMS]
    lines.append(_row(f"Reno, sized flows ({len(SHORT)})", "completion time", *map(_percent, each)))
    return "\n".join(lines)


def case_table(rows: list[dict[str, str]]) -> str:
    """Make the table of every case: the kernel, then each program."""
    found = program_figures(rows)
    heads = [title for _, title, _ in FIGURES]
    lines = [_row("case", *heads), _row(*["---"] * 4)]
    for case in LONG:
        theirs = kernel_figures(case)
        cells = []
        for figure, _, form in FIGURES:
            names = [name for name in theirs if name.startswith(figure)]
            all_of = [theirs, *(found.get((program, case.name)) for program in PROGRAMS)]
            cells.append("; ".join(_cell(figures, names, form) for figures in all_of))
        lines.append(_row(f"`{case.name}`", *cells))
    return "\n".join(lines)


def _cell(figures: dict[str, float] | None, names: list[str], form: str) -> str:
    return " + ".join(form.format(figures[name]) for name in names) if figures else "-"


def completion_table(rows: list[dict[str, str]]) -> str:
    """Make the table of completion times."""
    found = program_figures(rows)
    lines = [_row("segments", "Linux", *(NAMES[name] for name in PROGRAMS)), _row(*["---"] * 5)]
    for case in SHORT:
        theirs = kernel_figures(case)["finished_ms"]
        mine = (found[program, case.name]["finished_ms"] for program in PROGRAMS)
        lines.append(_row(str(case.segments), *(f"{ms:.1f} ms" for ms in (theirs, *mine))))
    return "\n".join(lines)


def speed_table(rows: list[dict[str, str]]) -> str:
    """Make the table of packet-hops per CPU second, from each program's least CPU time."""
    runs: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        runs[row["program"]].append(row)
    rates = {name: _best(mine) for name, mine in runs.items()}
    fastest = rates["headgate"][1]
    head = ("program", "simulated", "runs", "packet-hops", "least CPU time")
    lines = [_row(*head, "packet-hops per CPU second", "of Headgate's rate"), _row(*["---"] * 7)]
    for name, (least, rate, hops) in rates.items():
        ratio = "1" if name == "headgate" else f"1/{fastest / rate:.3g}"
        size = f"{hops / 1e6:.2f} million"
        speed = f"{rate / 1e6:.2f} million"
        seconds = f"{runs[name][0]['simulated_s']} s"
        number = str(len(runs[name]))
        cells = (NAMES[name], seconds, number, size, f"{least:.2f} s", speed, ratio)
        lines.append(_row(*cells))
    return "\n".join(lines)


def _best(rows: list[dict[str, str]]) -> tuple[float, float, float]:
    hops = float(rows[0]["packet_hops"])
    least = min(float(row["cpu_s"]) for row in rows)
    return least, hops / least, hops


def tables() -> dict[str, str]:
    """Make every table of the page, by the name in its marks."""
    agreed = read("agreement.csv")
    return {
        "speed": speed_table(read("speed.csv")),
        "agreement": agreement_table(agreed),
        "cases": case_table(agreed),
        "completion": completion_table(agreed),
    }


def renew(page: str) -> str:
    """Put the tables between their marks into the text of a page."""
    for name, table in tables().items():
        before, begin, rest = page.partition(f"<!-- {name} -->\n\n")
        _, end, after = rest.partition("\n\n<!-- end -->")
        page = before + begin + table + end + after
    return page
