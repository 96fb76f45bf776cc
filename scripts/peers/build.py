"""Builds the programs of this folder, and names what is missing."""

import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
NS3_MODULES: tuple[str, ...] = ("core", "network", "internet", "applications", "point-to-point")
NS3_MODULES += ("nix-vector-routing", "traffic-control", "stats", "config-store", "mobility")
HTSIM = "https://github.com/Broadcom/csg-htsim"
#: A program of the path, and the Debian package that has it.
TOOLS = {"g++": "g++", "make": "make", "pkg-config": "pkg-config", "ns": "ns2"}


def missing(htsim: Path | None) -> list[str]:
    """Name what has to be installed first."""
    found = [
        f"{tool}: apt-get install {package}"
        for tool, package in TOOLS.items()
        if not shutil.which(tool)
    ]
    if shutil.which("pkg-config") and not _has_ns3():
        found.append("ns-3: apt-get install ns3 libns3-dev")
    if htsim and not (htsim / "sim" / "tcp.cpp").exists():
        found.append(f"htsim: git clone {HTSIM} {htsim}")
    return found


def _has_ns3() -> bool:
    done = subprocess.run(["pkg-config", "--exists", "ns3-internet"], check=False)
    return done.returncode == 0


def ns3_version() -> str:
    """Return the version of the installed ns-3."""
    return _output("pkg-config", "--modversion", "ns3-internet")


def build(out: Path, htsim: Path | None) -> None:
    """Compile the two programs for ns-3 and, if its sources are given, the one for htsim."""
    out.mkdir(parents=True, exist_ok=True)
    # The order of `pkg-config --libs` does not link, so only the folders are taken from it.
    include, libraries = (
        _output("pkg-config", f"--variable={name}", "ns3-core") for name in ("includedir", "libdir")
    )
    flags = (f"-I{include}", f"-L{libraries}", *(f"-lns3-{name}" for name in NS3_MODULES))
    for name in ("ns3_speed", "ns3_agree"):
        source = str(HERE / f"{name}.cc")
        _run("g++", "-O3", "-std=c++17", source, "-o", str(out / name), *flags)
    if htsim:
        _run("make", "-C", str(htsim / "sim"), "libhtsim.a")
        sources = (str(HERE / "htsim_speed.cpp"), str(htsim / "sim" / "libhtsim.a"))
        headers = f"-I{htsim / 'sim'}"
        _run("g++", "-O3", "-std=c++14", headers, *sources, "-o", str(out / "htsim_speed"))


def _run(*command: str) -> None:
    subprocess.run(command, check=True)


def _output(*command: str) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
