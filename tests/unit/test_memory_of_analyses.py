"""The memory of an analysis does not grow with the number of runs, whose tables are released."""

import os
import sys
from pathlib import Path

import numpy as np

from headgate import Experiment, Result
from headgate.data.recent import Owner, RecentTables
from headgate.data.tables import Table, Words
from headgate.lab.store import Store

from .taken import taken

#: A question that stored runs do not answer by their records, as `buffer-sizing` asks it.
ASKED = """
replicates = 1
tables = "all"
[responses]
queue = { sql = "SELECT quantile_cont(queue_packets, 0.99) FROM series WHERE of = 'port'" }
spread = { sql = "SELECT stddev(w) FROM (SELECT sum(cwnd_packets) AS w FROM series GROUP BY t_s)" }
[scenario]
duration = "1 s"
network = { kind = "dumbbell", rate = "2 Mbit/s", rtt = "20 ms" }
traffic = [{ kind = "flows", cca = "reno" }]
[factors]
"network.buffer" = BUFFERS
"""
TIMES, FLOWS = 1000, 40
KEPT_BYTES = 20_000_000
#: Reads and measures every run, and keeps few tables, so that a small store is more than these.
ANALYSE = (
    "import sys; from headgate import Experiment; from headgate.data.recent import RECENT;"
    "from headgate.experiment.runner import make_runs; from headgate.lab.workers import ALL_CORES;"
    "RECENT.most_bytes = int(sys.argv[3]); of = Experiment.load(sys.argv[1]);"
    "of.measure(make_runs(of.plan_runs(sys.argv[2]), ALL_CORES)[0])"
)


def make_series(like: Table) -> Table:
    """Make the series of 40 flows and a port: 5 MB."""
    rows = TIMES * (FLOWS + 1)
    names = Words(np.tile(np.arange(FLOWS + 1), TIMES), ["a", *map(str, range(FLOWS))])
    of = Words(np.tile(np.arange(FLOWS + 1) > 0, TIMES), ["port", "flow"])
    columns = {name: np.arange(rows, dtype=float) for name in like}
    columns["t_s"] = np.repeat(np.arange(TIMES) / 10, FLOWS + 1)
    return Table("series", {**columns, "of": of, "name": names})


def make_store(folder: Path, runs: int) -> tuple[Path, Path]:
    """Make an experiment and its finished runs, whose tables are one file on the disk."""
    file, out = folder / "large.toml", folder / "out"
    folder.mkdir()
    buffers = ", ".join(f'"{n + 2} packets"' for n in range(runs))
    file.write_text(ASKED.replace("BUFFERS", f"[{buffers}]"))
    first, *others = Experiment.load(file).plan_runs(out).jobs.values()
    result = first.scenario.run()
    tables = {**result.tables, "series": make_series(result.tables["series"])}
    Store(out).write(first, Result(tables, result.meta))
    for job in others:
        (out / "runs" / job.id).mkdir()
        for path in (out / "runs" / first.id).iterdir():
            os.link(path, out / "runs" / job.id / path.name)
    return file, out


def analyse(folder: Path, runs: int) -> int:
    """Analyse a store; return the peak of memory in bytes."""
    took = taken(sys.executable, "-c", ANALYSE, *make_store(folder, runs), str(KEPT_BYTES))
    assert took.code == 0
    return took.peak_bytes


def test_six_times_as_many_runs_take_no_more_memory(tmp_path: Path) -> None:
    few, many = (analyse(tmp_path / str(runs), runs) for runs in (8, 48))
    series = make_series(Experiment.load(tmp_path / "8/large.toml").definition.base.run().series)
    assert 40 * series.nbytes > 150e6  # the tables of the other runs
    assert many - few < 50e6


def test_recent_tables_stay_and_others_are_read_again() -> None:
    read: list[str] = []

    def get(owner: Owner, name: str, rows: int = 100) -> Table:
        def make() -> Table:
            read.append(name)
            return Table(name, {"x": np.zeros(rows)})

        return recent.get(owner, name, make)

    recent, one, other = RecentTables(most_bytes=2000), Owner(), Owner()
    first = get(one, "a")
    assert get(one, "a") is first
    get(other, "a")
    assert read == ["a", "a"]
    assert get(one, "a") is first  # now the last
    get(one, "b")  # the other's is released
    assert get(one, "a") is first
    get(other, "a")
    assert read == ["a", "a", "b", "a"]
    large = get(one, "large", 10_000)  # is kept alone
    assert get(one, "large") is large
    get(one, "a")
    assert read[-2:] == ["large", "a"]
