"""Wrong files and folders: flow lists, graphs, stores, a full disk. Nothing finished is lost."""

import resource
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from headgate import Result

from .command import headgate
from .test_wrong_scenarios import GOOD

HEADGATE = Path(sys.executable).with_name("headgate")

REPLAY = """
[network]
kind = "dumbbell"
rate = "10 Mbit/s"
rtt = "40 ms"

[[traffic]]
kind = "replay"
cca = "reno"
file = "{file}"
"""


def scenario(folder: Path, text: str = GOOD) -> Path:
    path = folder / "s.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("f.csv", "start_s,bytes\n0,1\n", "no column 'bytes'; did you mean 'size_bytes'?"),
        ("f.csv", "size_packets\n1\n", "a flow list has start_s"),
        ("f.csv", "start_s,size_packets,size_bytes\n0,1,1\n", "one of size_packets, size_bytes"),
        ("f.csv", "start_s,size_packets\n", "the flow list is empty"),
        ("f.csv", "start_s,size_packets\n0,1\n1,0\n", "line 3 has size_packets = 0; it must"),
        (
            "f.csv",
            "start_s,size_packets\n-1,5\n",
            "has start_s = -1; it must be a number of at least 0",
        ),
        ("f.csv", "start_s,size_packets\n1,5\nnoon,6\n", "line 3 has start_s = 'noon'; it must be"),
        ("f.csv", "start_s,size_packets\n\n3,5\n\n2,\n", "line 5 has no size_packets; it must be"),
        ("f.csv", "start_s,size_packets\n,5\n", "line 2 has no start_s; it must be a number"),
        (
            "f.csv",
            "start_s;size_packets\n0,5;5\n",
            "= '0,5'; it must be a number of at least 0; wri",
        ),
        ("f.csv", "start_s,size_packets\n0,5,5\n", "3 cells in line 2 and 2 in its header; write"),
        ("f.csv", "start_s,size_packets\n2024-03-01,5\n", "this is a date or a time of day"),
        ("f.csv", "start_s,size_packets\n0,inf\n", "line 2 has size_packets = 'inf'"),
        ("f.csv", "start_s,size_packets,rtt\n0,5,1\n", "column 'rtt'; did you mean 'rtt_s'?"),
        ("f.csv", "start_s,size_packets,tos\n0,5,1\n", "no column 'tos'; the columns are start_s,"),
        (
            "f.csv",
            "start_s,size_packets,rtt_s\n0,5,2\n0,5,x\n",
            "line 3 has rtt_s = 'x'; it must be",
        ),
        ("f.csv", "start_s,size_packets,cca\n0,5,reno\n0,5,renoo\n", "line 3 has cca = 'renoo': "),
        ("f.csv", "start_s,size_packets,cca\n0,5,renoo\n", "did you mean 'reno'?"),
        ("f.csv", "start_s,size_packets,cca\n0,5,reno\n1,5,\n", "line 3 has no cca"),
        ("f.csv", "start_s,size_packets,source\n0,5,top\n", "'top' is not a router here"),
        (
            "f.csv",
            "start_s,size_packets,source\n0,5,left\n\n0,5,top\n",
            "line 4 has source = 'top'",
        ),
        ("f.csv", "", "is empty; its first line must name the columns"),
        ("f.csv", "start_s,size_packets,start_s\n", "has two columns 'start_s'"),
        ("f.parquet", "PAR1 but not really", "cannot be read; it is not a Parquet file"),
    ],
)
def test_flow_lists(name: str, text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    done = headgate("check", scenario(tmp_path, REPLAY.format(file=name)))
    assert done.exit_code == 2
    assert done.sentence.startswith("headgate: traffic[0].file: ")
    assert says in done.sentence


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("g.graphml", "<graphml", "is not GraphML"),
        ("g.json", "{", "is not node-link JSON"),
        ("g.json", '{"nodes": [], "edges": []}', "at least two routers"),
        (
            "g.json",
            '{"nodes": [{"id": "a"}, {"id": "b"}], "edges": [{"source": "a", "target": "b"}]}',
            "link a-b has no rate",
        ),
        (
            "g.json",
            '{"nodes": [{"id": "a"}, {"id": "b"}], '
            '"edges": [{"source": "a", "target": "b", "rate": 5, "delay": "1 ms"}]}',
            "5 has no unit",
        ),
    ],
)
def test_graphs(name: str, text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    path = scenario(
        tmp_path, f'[network]\nkind = "graph"\nfile = "{name}"\n' + GOOD.split('1 BDP"\n')[1]
    )
    done = headgate("check", path)
    assert done.exit_code == 2
    assert done.sentence.startswith("headgate: network")
    assert says in done.sentence


def test_an_unreachable_router(tmp_path: Path) -> None:
    text = """
[network]
kind = "graph"
rate = "10 Mbit/s"
delay = "1 ms"
routers = [{name = "a"}, {name = "b"}, {name = "c"}]
links = [{ends = ["a", "b"]}]

[[traffic]]
kind = "flows"
cca = "reno"
source = "a"
receiver = "c"
"""
    done = headgate("check", scenario(tmp_path, text))
    assert done.exit_code == 2
    assert done.sentence == "headgate: traffic[0]: no route leads from 'a' to 'c'"


def parquet(folder: Path, select: str) -> Path:
    duckdb.sql(f"COPY (SELECT {select}) TO '{folder / 'f.parquet'}'")
    return scenario(folder, REPLAY.format(file="f.parquet"))


@pytest.mark.parametrize(
    ("select", "says"),
    [
        ("0 AS start_s, NULL::BIGINT AS size_bytes", "row 1 has no size_bytes; it must be"),
        ("DATE '2024-03-01' AS start_s, 5 AS size_bytes", "start_s has the type DATE; it must be"),
        ("true AS start_s, 5 AS size_bytes", "start_s has the type BOOLEAN; it must be a number"),
        ("'x' AS start_s, 5 AS size_bytes", "row 1 has start_s = 'x'"),
    ],
)
def test_flow_lists_in_parquet(select: str, says: str, tmp_path: Path) -> None:
    done = headgate("check", parquet(tmp_path, select))
    assert done.exit_code == 2
    assert says in done.sentence


def test_columns_of_every_kind_of_number(tmp_path: Path) -> None:
    select = "0.5::DECIMAL(5,2) AS start_s, 5::UTINYINT AS size_packets, NULL::DOUBLE AS rtt_s"
    assert headgate("check", parquet(tmp_path, select)).exit_code == 0


COURSE = """
duration = "5 s"
[network]
kind = "dumbbell"
rtt = "40 ms"
course = "c.csv"
[[traffic]]
kind = "flows"
cca = "reno"
"""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("time_s,rate_bps\n0,1e6\n1,\n", "line 3 has no rate_bps; it must be from 1 bit/s"),
        ("time_s,rate_bps\n0,1e6\n\n1,fast\n", "line 4 has rate_bps = 'fast'; it must be from"),
        ("time_s,rate_bps\n1,1e6\n", "line 2 has time_s = 1; a course begins at 0"),
        ("time_s,rate_bps\n0,1e6\n2,1e6\n2,2e6\n", "line 4 has time_s = 2 after 2; the times"),
        ("time_s,rate_bps\n0,1e6\n,2e6\n", "line 3 has no time_s; it must be a number of sec"),
        ("time_s,rate_bps,delay\n0,1e6,0.1\n", "no column 'delay'; did you mean 'delay_s'?"),
        ("time_s,rate_bps\n0,0\n", "line 2 has rate_bps = 0; it must be from 1 bit/s to 1e14 "),
        ("time_s,rate_bps\n0,0\n", "write an outage in the scenario: outages = [{ start = "),
        ("time_s,rate_bps,loss\n0,1e6,2\n", "has loss = 2; it must be a probability from 0 to 1"),
        ("time_s\n0\n", "must have the column time_s and at least one of rate_bps"),
        ("time_s,rate_bps\n", "has no row"),
    ],
)
def test_courses(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(text)
    done = headgate("check", scenario(tmp_path, COURSE))
    assert done.exit_code == 2
    assert done.sentence.startswith("headgate: network.course: ")
    assert says in done.sentence


def finished(folder: Path) -> Path:
    out = folder / "run"
    assert headgate("run", scenario(folder), "--out", out).exit_code == 0
    return out


def test_a_truncated_store_says_what_to_do(tmp_path: Path) -> None:
    out = finished(tmp_path)
    flows = out / "flows.parquet"
    flows.write_bytes(flows.read_bytes()[:-20])
    done = headgate("run", scenario(tmp_path), "--out", out)
    assert done.exit_code == 2
    assert "flows.parquet: its checksum does not fit" in done.sentence
    assert "remove" in done.sentence
    assert (out / "ports.parquet").is_file()


@pytest.mark.parametrize("text", ["{", "", "[]", "7", "null", '{"checksums": []}', "[" * 100_000])
def test_a_damaged_run_json(text: str, tmp_path: Path) -> None:
    out = finished(tmp_path)
    (out / "run.json").write_text(text)
    done = headgate("run", scenario(tmp_path), "--out", out)
    assert done.exit_code == 2
    assert "run.json: " in done.sentence
    assert "run again" in done.sentence


def test_another_scenario_does_not_overwrite_a_finished_run(tmp_path: Path) -> None:
    out = finished(tmp_path)
    done = headgate("run", scenario(tmp_path), "--out", out, "--seed", "9")
    assert done.exit_code == 2
    assert "choose another folder" in done.sentence
    assert Result.read(out).meta["seed"] == 1


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = headgate("run", scenario(tmp_path), "--out", tmp_path / "file" / "run")
    assert done.exit_code == 2
    assert "cannot be written" in done.sentence


def limit_files_to_2_kb() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


def test_a_full_disk_keeps_finished_runs(tmp_path: Path) -> None:
    out = finished(tmp_path)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    done = subprocess.run(
        [HEADGATE, "run", scenario(tmp_path), "--seed", "2", "--out", tmp_path / "other"],
        check=False,
        capture_output=True,
        text=True,
        preexec_fn=limit_files_to_2_kb,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "cannot be written" in done.stderr.splitlines()[-1]
    assert not (tmp_path / "other" / "run.json").exists()
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_a_disk_that_fills_up_leaves_no_half_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("headgate.base.files.os.fsync", no_space)
    out = tmp_path / "run"
    done = headgate("run", scenario(tmp_path), "--out", out)
    assert done.exit_code == 2
    assert "cannot be written: No space left on device" in done.sentence
    assert not out.exists()


def test_a_snapshot_of_another_scenario(tmp_path: Path) -> None:
    out = tmp_path / "run"
    out.mkdir()
    (out / "snapshot.bin").write_bytes(b'{"identity": "other", "cpu_s": 1.0}\nstate')
    done = headgate("run", scenario(tmp_path), "--out", out)
    assert done.exit_code == 2
    assert "belongs to another scenario" in done.sentence
    assert (out / "snapshot.bin").is_file()


@pytest.mark.parametrize("head", [b"nonsense", b"7\n", b"[]\n", b"{}\n", b'{"cpu_s": "x"}\n'])
def test_a_damaged_snapshot(head: bytes, tmp_path: Path) -> None:
    out = tmp_path / "run"
    out.mkdir()
    (out / "snapshot.bin").write_bytes(head)
    done = headgate("run", scenario(tmp_path), "--out", out)
    assert done.exit_code == 2
    assert "remove it and run again" in done.sentence


def test_a_folder_without_a_run(tmp_path: Path) -> None:
    done = headgate("plot", tmp_path)
    assert done.exit_code == 2
    assert "contains no finished run" in done.sentence


def test_unknown_names_of_the_other_commands() -> None:
    for arguments in (("catalog", "renoo"), ("describe", "flow"), ("describe", "flows.x")):
        done = headgate(*arguments)
        assert done.exit_code == 2
        assert done.sentence
