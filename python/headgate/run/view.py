"""What a campaign's folder says of it, from files only: from another terminal, or machine."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from headgate.errors import StoreError
from headgate.run.campaign import Asked, Campaign, End, Failure, campaigns, failures
from headgate.run.claims import SILENT_S, Claim, Claims
from headgate.run.folder import LABEL_PREFIX, RUN_COLUMN, RUN_FILE, query
from headgate.run.process import dead

#: What is shown of the runs that are there: means over runs and periods, by law.
FIGURES = {
    "y1": "sources sending",
    "y6": "flows per interval",
    "y5": "loss rate",
    "y10": "sent again",
    "y15": "round trip, s",
}
#: Wall time between two computations of these figures.
FIGURES_S = 10.0

State = Literal[End, "running", "silent"]


@dataclass(frozen=True)
class View:
    """A campaign at one moment. Times are of the wall clock; rates are means since it began."""

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
    running: tuple[Claim, ...]
    failed: tuple[Failure, ...]
    figures: tuple[dict[str, Any], ...]

    def as_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        return asdict(self)


class Watcher:
    """Looks at a folder again and again; what is finished is read once."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self._costs: dict[str, tuple[int, float]] = {}
        self._figures: tuple[dict[str, Any], ...] = ()
        self._figured: tuple[int, float] = (0, -math.inf)

    def look(self) -> View:
        """See how the campaigns of the folder stand. Raises StoreError if there is none."""
        campaign, asked = self._asked()
        runs = {run for each in asked for run in each.runs}
        there = runs & {path.name for path in (self.store / "runs").glob("[!.]*")}
        new = there - {run for each in asked for run in each.found}
        claims = [claim for claim in Claims(self.store).all() if claim.run_id in runs - there]
        failed = [item for run, item in failures(self.store).items() if run in runs - there]
        ended = campaign.ended
        state: State = ended.how if ended else self._alive(asked, claims)
        until_s = ended.at_s if ended else time.time()
        elapsed_s = max(until_s - min(each.begun_s for each in asked), 1e-9)
        costs = [self._cost(run) for run in new]
        hops = sum(cost[0] for cost in costs) + sum(claim.packet_hops for claim in claims)
        work = len(new) + len(failed) + sum(claim.share for claim in claims)
        left = len(runs) - len(there) + len(new) - work
        return View(
            title=asked[-1].title,
            state=state,
            total=len(runs),
            found=len(there) - len(new),
            done=len(there),
            packet_hops=hops,
            cpu_s=sum(cost[1] for cost in costs),
            elapsed_s=elapsed_s,
            hops_per_s=hops / elapsed_s,
            eta_s=elapsed_s * left / work if work > 0 and state == "running" else None,
            running=tuple(sorted(claims, key=lambda claim: claim.since_s)),
            failed=tuple(failed),
            figures=self._figures_of(there),
        )

    def _asked(self) -> tuple[Campaign, list[Asked]]:
        """Give the campaigns that go on, or the last one."""
        known = [(each, asked) for each in campaigns(self.store) if (asked := each.asked)]
        if not known:
            raise StoreError(
                f"{self.store}: there is no campaign here; give the folder of a study, such as"
                " out/NAME"
            )
        chosen = [pair for pair in known if pair[0].wanted and not _gone(pair[1])] or known[-1:]
        return chosen[-1][0], [asked for _, asked in chosen]

    def _alive(self, asked: Sequence[Asked], claims: Sequence[Claim]) -> State:
        """Say whether anybody still works for a campaign that has not ended."""
        if claims:
            return "running"
        newest_s = max((each.begun_s for each in asked), default=0.0)
        newest_s = max(newest_s, (self.store / "runs").stat().st_mtime)
        quiet = time.time() - newest_s > SILENT_S
        return "silent" if quiet or all(map(_gone, asked)) else "running"

    def _cost(self, run_id: str) -> tuple[int, float]:
        if run_id not in self._costs:
            path = self.store / "runs" / run_id / RUN_FILE
            try:
                meta = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError):  # damaged: the next start makes it again
                meta = {}
            self._costs[run_id] = (meta.get("packet_hops", 0), meta.get("cpu_s", 0.0))
        return self._costs[run_id]

    def _figures_of(self, there: Collection[str]) -> tuple[dict[str, Any], ...]:
        count, at_s = self._figured
        if len(there) != count and time.monotonic() - at_s > FIGURES_S:
            self._figures = tuple(_figures(self.store, sorted(there)))
            self._figured = len(there), time.monotonic()
        return self._figures


def _gone(asked: Asked) -> bool:
    return dead(asked.owner)


def _figures(store: Path, runs: Sequence[str]) -> list[dict[str, Any]]:
    """Give means of responses by law, or by the first label where there is no law."""
    import duckdb

    files = [str(store / "runs" / run / "responses.parquet") for run in runs]
    source = f"read_parquet({files!r}, union_by_name = true)"
    try:
        columns = [row["column_name"] for row in query(f"DESCRIBE SELECT * FROM {source}")]
        labels = [name for name in columns if name.startswith(LABEL_PREFIX)]
        law = LABEL_PREFIX + "law"
        label = law if law in labels else labels[0]
        means = [f'avg({name}) AS "{says}"' for name, says in FIGURES.items() if name in columns]
        listed = ", ".join([f"count(DISTINCT {RUN_COLUMN}) AS runs", *means])
        name = label.removeprefix(LABEL_PREFIX)
        rows = query(f'SELECT "{label}" AS "{name}", {listed} FROM {source} GROUP BY 1 ORDER BY 1')
    except (duckdb.Error, IndexError):  # one is being removed, or none has labels: figures can wait
        return []
    return [{key: _number(value) for key, value in row.items()} for row in rows]


def _number(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
