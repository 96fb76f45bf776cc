"""The state of a campaign, read from the files in its folder, from any terminal or machine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from headgate.base.errors import StoreError
from headgate.base.process import is_dead
from headgate.lab.campaign import (
    Campaign,
    CampaignRecord,
    End,
    Failure,
    list_campaigns,
    read_failures,
)
from headgate.lab.leases import SILENT_S, Lease, Leases
from headgate.lab.records import Clock
from headgate.lab.store import FIGURES, Summary, summary

#: The largest number of folders that an error lists.
MOST_FOLDERS = 8
State = Literal[End, "running", "silent"]


@dataclass(frozen=True)
class View:
    """A campaign at one moment. Rates are means of wall time since its start."""

    title: str
    state: State
    total: int
    found: int
    done: int
    packet_hops: int
    cpu_s: float
    elapsed_s: float
    hops_per_s: float
    eta_s: float | None
    running: tuple[Lease, ...]
    failed: tuple[Failure, ...]
    figures: tuple[dict[str, Any], ...]

    def as_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        return asdict(self)


class Watcher:
    """Reads a folder repeatedly; finished runs are read once."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self._clock = Clock(store)
        self._summaries: dict[str, Summary] = {}

    def look(self) -> View:
        """Return the state of the campaigns in the folder. Raises StoreError if there is none."""
        campaign, asked = self._find_campaigns()
        runs = {run for each in asked for run in each.runs}
        there = runs & {path.name for path in (self.store / "runs").glob("[!.]*")}
        new = there - {run for each in asked for run in each.found}
        leases = [lease for lease in Leases(self.store).all() if lease.run_id in runs - there]
        failed = [item for run, item in read_failures(self.store).items() if run in runs - there]
        ended = campaign.ended
        state: State = ended.how if ended else self._alive(asked, leases)
        until_s = ended.at_s if ended else self._clock.now_s()
        elapsed_s = max(until_s - min(each.begun_s for each in asked), 1e-9)
        for run in there - self._summaries.keys():
            self._summaries[run] = summary(self.store / "runs" / run)
        made = {run: self._summaries[run] for run in sorted(there)}
        hops = sum(made[run].packet_hops for run in new)
        hops += sum(lease.packet_hops for lease in leases)
        due = {run: amount for each in asked for run, amount in each.due_hops.items()}
        made_hops = sum(due.get(run, 0.0) for run in (*new, *(item.run_id for item in failed)))
        made_hops += sum(lease.share * due.get(lease.run_id, 0.0) for lease in leases)
        left = (sum(due.values()) - made_hops) / made_hops if made_hops > 0 else None
        return View(
            title=asked[-1].title,
            state=state,
            total=len(runs),
            found=len(there) - len(new),
            done=len(there),
            packet_hops=hops,
            cpu_s=sum(made[run].cpu_s for run in new),
            elapsed_s=elapsed_s,
            hops_per_s=hops / elapsed_s,
            eta_s=elapsed_s * left if left is not None and state == "running" else None,
            running=tuple(sorted(leases, key=lambda lease: lease.since_s)),
            failed=tuple(failed),
            figures=tuple(_figures(made.values())),
        )

    def _find_campaigns(self) -> tuple[Campaign, list[CampaignRecord]]:
        known = [(each, asked) for each in list_campaigns(self.store) if (asked := each.asked)]
        known.sort(key=lambda pair: pair[1].begun_s)
        if not known:
            found = ", ".join(map(str, find_campaign_folders(self.store)))
            nearby = f"campaigns nearby: {found}" if found else "there is none in out/ either"
            raise StoreError(f"{self.store}: there is no campaign here; {nearby}")
        chosen = [pair for pair in known if pair[0].wanted and not _gone(pair[1])] or known[-1:]
        return chosen[-1][0], [asked for _, asked in chosen]

    def _alive(self, asked: Sequence[CampaignRecord], leases: Sequence[Lease]) -> State:
        if leases:
            return "running"
        newest_s = max((each.begun_s for each in asked), default=0.0)
        newest_s = max(newest_s, (self.store / "runs").stat().st_mtime)
        quiet = self._clock.now_s() - newest_s > SILENT_S
        return "silent" if quiet or all(map(_gone, asked)) else "running"


def find_campaign_folders(near: Path) -> list[Path]:
    """List the folders of campaigns in a folder, beside it, and in out/, the newest first."""
    places = [near, near.parent, Path("out")]
    folders = {
        path.resolve(): path
        for place in places
        if place.is_dir()
        for path in sorted(place.iterdir())
        if path.is_dir() and list_campaigns(path)
    }
    newest = sorted(folders.values(), key=lambda path: -path.stat().st_mtime)
    return newest[:MOST_FOLDERS]


def _gone(asked: CampaignRecord) -> bool:
    return is_dead(asked.owner)


def _figures(summaries: Iterable[Summary]) -> list[dict[str, Any]]:
    """Return means of responses by algorithm, or by the first label if there is no algorithm."""
    groups = defaultdict(list)
    for one in summaries:
        if one.labels:
            label = "cca" if "cca" in one.labels else next(iter(one.labels))
            groups[label, one.labels[label]].append(one.figures)
    ordered = sorted(groups.items(), key=lambda group: tuple(map(str, group[0])))
    return [{label: value, "runs": len(of)} | _means(of) for (label, value), of in ordered]


def _means(figures: Sequence[dict[str, tuple[float, int]]]) -> dict[str, float | None]:
    means = {}
    own = dict.fromkeys(name for one in figures for name in one)
    for name in sorted(own, key=lambda name: [*FIGURES].index(name) if name in FIGURES else 0):
        known = [one[name] for one in figures if name in one]
        count = sum(number for _, number in known)
        mean = sum(total for total, _ in known) / count if count else None
        means[FIGURES.get(name, name)] = mean
    return means
