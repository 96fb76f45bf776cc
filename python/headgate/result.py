"""The result of a run: its tables and what they came from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headgate.errors import HeadgateError
from headgate.run.folder import in_hand, stored_run, write_folder
from headgate.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from headgate.scenario import Scenario


class Result:
    """Tables of a run: flows, ports, series, network, responses; `meta` is its run.json.

    A run of packets has `tables["classes"]`, `laws`, `windows`, `links` and `checks` besides.
    """

    def __init__(self, tables: Mapping[str, Table], meta: dict[str, Any]) -> None:
        self.tables = tables
        self.meta = meta

    @property
    def flows(self) -> Table:
        """One row a flow."""
        return self.tables["flows"]

    @property
    def ports(self) -> Table:
        """One row a link."""
        return self.tables["ports"]

    @property
    def series(self) -> Table:
        """Chosen flows and ports over time."""
        return self.tables["series"]

    @property
    def network(self) -> Table:
        """The whole network over time."""
        return self.tables["network"]

    @property
    def responses(self) -> Table:
        """The 22 responses, one row a measurement period."""
        return self.tables["responses"]

    @property
    def scenario(self) -> Scenario:
        """The scenario that was run, with every default filled in."""
        from headgate.scenario import Scenario
        from headgate.scenario.toml import note_laws

        if "scenario" not in self.meta:
            raise HeadgateError("a fluid run has no scenario; meta['fluid'] says what was solved")
        scenario = self.meta["scenario"]
        note_laws(scenario, "a stored run")
        return Scenario.from_dict(scenario)

    @property
    def digest(self) -> str:
        """Fingerprint of everything that happened; equal runs have equal ones."""
        return str(self.meta["digest"])

    def plot(self) -> dict[str, Figure]:
        """Draw windows, queues, throughput, completion times and the utilisation map, by name."""
        from headgate.plots import draw_run

        return draw_run(self)

    def write(self, folder: str | Path) -> Path:
        """Write the run's folder: one Parquet file a table, and run.json."""
        with in_hand(Path(folder)):
            write_folder(Path(folder), self.tables, self.meta)
        return Path(folder)

    @classmethod
    def read(cls, folder: str | Path) -> Result:
        """Read a run's folder; raise StoreError if it is not one, or is damaged."""
        tables, meta = stored_run(Path(folder))
        return cls(dict(tables), meta)

    def __repr__(self) -> str:
        rows = ", ".join(f"{len(table)} {name}" for name, table in self.tables.items())
        return f"Result({rows}; {self.meta['packet_hops']:,} packet-hops)"
