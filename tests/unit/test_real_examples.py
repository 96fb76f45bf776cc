"""Examples with real programs, at their smallest; each says what it lacks."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.hosts import require_hosts

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "real"
TUTORIAL = ROOT / "docs" / "tutorial" / "real-page.md"
ANSWER = re.compile(r"\w+: [\d.]+ Mbit/s \([\d.]+ MB\), RTT [\d.]+ ms, \d+ of \d+ packets lost\n")


def run(name: str, folder: Path, *words: str) -> str:
    """Run an example in a folder; give what it printed."""
    require_hosts()
    given = [sys.executable, str(EXAMPLES / name), *words]
    # the examples import a file beside them, which a safe path would hide
    env = {key: value for key, value in os.environ.items() if key != "PYTHONSAFEPATH"}
    done = subprocess.run(given, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_answer(said: str, name: str, folder: Path) -> None:
    """Look at what an example of a transfer says and draws."""
    assert ANSWER.fullmatch(said), said
    rate_mbps = float(said.split()[1])
    assert said.startswith(f"{name}:")
    assert 1 < rate_mbps < 20
    assert 40 <= float(said.partition("RTT ")[2].split()[0]) < 150
    assert (folder / "out" / f"{name}.png").stat().st_size > 10_000


@pytest.mark.slow
def test_a_page_loads_over_4g(tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("curl loads the page (Debian: apt-get install curl)")
    said = run("page_load.py", tmp_path, "20").splitlines()
    assert [line.partition(":")[0] for line in said] == [
        "alone, drop-tail",
        "beside 500 users, drop-tail",
        "beside 500 users, FQ-CoDel",
    ]
    # 576 kB at no more than what an LTE cell of 10 MHz gives one phone, some 35 Mbit/s
    for line in said:
        assert float(line.split("median ")[1].split()[0]) > 8 * 576e3 / 35e6
    assert (tmp_path / "out" / "page-load.png").stat().st_size > 10_000


def test_commands_of_the_tutorial_run_as_they_are_printed(tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("curl loads the page (Debian: apt-get install curl)")
    require_hosts()
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    commands = "\n".join(re.findall(r"```sh\n(.*?)```", TUTORIAL.read_text(), re.DOTALL))
    assert "page_load.py" in commands
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    small = commands.replace("page_load.py", "page_load.py 12")
    words = ["bash", "-ec", small]
    env = {**os.environ, "PATH": path}
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Flows of real packets" in done.stdout
    assert (tmp_path / "out" / "page" / "run.json").is_file()


@pytest.mark.slow
def test_iperf3(tmp_path: Path) -> None:
    if shutil.which("iperf3") is None:
        pytest.skip("iperf3 is missing (Debian: apt-get install iperf3)")
    check_answer(run("iperf3_run.py", tmp_path, "4"), "iperf3", tmp_path)


@pytest.mark.slow
def test_aioquic(tmp_path: Path) -> None:
    if importlib.util.find_spec("aioquic") is None:
        pytest.skip("aioquic is missing (pip install -r examples/real/requirements.txt)")
    check_answer(run("aioquic_run.py", tmp_path, "2"), "aioquic", tmp_path)


@pytest.mark.slow
def test_kernel_tcp_and_quinn_share_a_link(tmp_path: Path) -> None:
    for program in ("cargo", "curl"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is missing")
    *runs, answer = run("kernel_and_quic.py", tmp_path, "2", "8").splitlines()
    assert len(runs) == 2
    for line in runs:
        tcp, quic = map(float, re.findall(r"([\d.]+)(?:,| Mbit/s)", line))
        assert 0.7 * 20 < tcp + quic < 20  # headers, and the loss of the first seconds
    assert re.fullmatch(
        r"share of kernel TCP \(\w+\): 0\.\d\d \(95 % interval .*, 2 runs\)", answer
    )
    assert (tmp_path / "out" / "kernel-and-quic.png").stat().st_size > 10_000


@pytest.mark.slow
def test_quinn(tmp_path: Path) -> None:
    if shutil.which("cargo") is None:
        pytest.skip("cargo is missing, which builds quinn (https://rustup.rs)")
    check_answer(run("quinn_run.py", tmp_path, "4"), "quinn", tmp_path)
