"""What works on this machine, and what to do about what does not: `headgate doctor`.

Each check tries the thing itself where that is cheap. Only the engine is needed by everything; the
rest is asked for by those who use it.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from headgate.base.errors import HeadgateError
from headgate.base.optional import EXTRAS, advise, import_library

#: Rust that builds the engine and compiles laws; as in scripts/need-tools.sh.
LEAST_RUST = (1, 85)
LEAST_PYTHON = (3, 11)
#: A study's quick scale stays below these.
LEAST_MEMORY_BYTES = LEAST_DISK_BYTES = 2_000_000_000
_WAIT_S = 20.0


@dataclass(frozen=True)
class Found:
    """What a check came to: what is there, or else what it is needed for and what to do."""

    name: str
    works: bool
    detail: str
    remedy: str = ""
    needed: bool = False
    """Whether nothing works without it."""


def examine(folder: Path) -> Iterator[Found]:
    """Try everything, what all needs first; `folder` is where results would be kept."""
    yield _python()
    yield _engine()
    yield _pictures()
    yield from map(_extra, EXTRAS)
    yield from map(_frame, FRAMES)
    yield _c_compiler()
    yield _rust()
    yield _browser()
    yield _namespaces()
    yield _tun()
    yield _other_kernel()
    yield _cores()
    yield _memory()
    yield _disk(folder)


def _python() -> Found:
    works = sys.version_info >= LEAST_PYTHON
    version = f"{platform.python_version()}, {sys.executable}"
    return Found("Python", works, version, "install Python 3.11 or newer", needed=True)


def _engine() -> Found:
    """Run a scenario of a second."""
    from headgate.engine.build import dumbbell

    try:
        made = dumbbell(rate="1 Mbit/s", rtt="10 ms", flows=["reno"], measure={"series": "none"})
        hops = made.run("1 s").meta["packet_hops"]
    except (HeadgateError, OSError, ImportError) as error:
        remedy = "run `make setup` in the clone, or install the wheel of this machine again"
        return Found("engine", False, str(error), remedy, needed=True)
    works = hops > 0
    return Found("engine", works, f"a run of 1 s moved {hops} packets", needed=True)


def _pictures() -> Found:
    """Draw one."""
    try:
        from headgate.figures.plots.network import topology
        from headgate.figures.plots.style import image

        size = len(image(topology([("a", "b")]), "png"))
    except (ImportError, OSError, RuntimeError) as error:
        remedy = "install it again with what it needs: pip install --force-reinstall headgate"
        return Found("pictures", False, str(error), remedy, needed=True)
    return Found("pictures", size > 0, f"a picture of {size:,} bytes was drawn", needed=True)


#: What each extra is for.
PURPOSES: Mapping[str, str] = {
    "analysis": "analyses of tables, sampled designs, equilibria",
    "report": "studies, reports, pictures with values under the pointer",
    "cluster": "runs on a cluster (--cluster)",
    "jit": "your own laws in Python at full speed (@jit)",
    "studies": "published studies, and test cases of standards (headgate conform)",
}
#: Libraries that take a table.
FRAMES = ("pandas", "polars", "xarray")


def _extra(name: str) -> Found:
    return _load(f"extra {name}", EXTRAS[name], f"for {PURPOSES[name]}: {advise(name)}")


def _frame(name: str) -> Found:
    return _load(name, [name], f"for to_{name}(): pip install {name}")


def _load(name: str, libraries: Iterable[str], remedy: str) -> Found:
    """Import libraries: one that is there may lack what it needs."""
    try:
        loaded = {library: import_library(library) for library in libraries}
    except ImportError as error:
        return Found(name, False, str(error), remedy)
    versions = (f"{library} {module.__version__}" for library, module in loaded.items())
    return Found(name, True, ", ".join(versions), remedy)


def _c_compiler() -> Found:
    compiler = os.environ.get("CC", "cc")
    remedy = "for your own laws in C: install one, such as Debian's build-essential, or set CC"
    return _program("C compiler", compiler, remedy)


def _rust() -> Found:
    remedy = "for your own laws in Rust, and to build from source: Rust 1.85+, https://rustup.rs"
    found = _program("Rust", "rustc", remedy)
    version = re.search(r"(\d+)\.(\d+)", found.detail) if found.works else None
    works = version is not None and (int(version[1]), int(version[2])) >= LEAST_RUST
    return Found("Rust", works, found.detail, remedy)


def _program(name: str, command: str, remedy: str) -> Found:
    """Ask a program for its version."""
    works, said = _try([*shlex.split(command), "--version"])
    return Found(name, works, said.partition("\n")[0], remedy)


def _browser() -> Found:
    remedy = "for tests of the report's page only: install Chromium"
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    return Found("Chromium", path is not None, path or "no browser is found", remedy)


def _namespaces() -> Found:
    works, said = _try(["unshare", "--user", "--map-root-user", "--net", "true"])
    remedy = (
        "for real programs (headgate emulate): allow them, outside of a container or by"
        " sysctl kernel.unprivileged_userns_clone=1"
    )
    return Found("user namespaces", works, "can be made" if works else said, remedy)


def _tun() -> Found:
    path = Path("/dev/net/tun")
    works = path.exists() and os.access(path, os.R_OK | os.W_OK)
    detail = f"{path} can be opened" if works else f"{path} is not there, or cannot be opened"
    return Found("TUN", works, detail, "for real programs: modprobe tun")


def _other_kernel() -> Found:
    remedy = "for another kernel in live hosts (--kernel uml): Debian's user-mode-linux"
    return _program("user-mode Linux", "linux.uml", remedy)


def _cores() -> Found:
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return Found("cores", True, f"{count}; a campaign makes as many runs at a time")


def _memory() -> Found:
    from headgate.engine.run.memory import free_bytes

    free = free_bytes()
    remedy = "large networks need more: make fewer runs at a time (--workers 1)"
    if free is None:
        return Found("memory", True, "this system does not say how much is free")
    return Found("memory", free >= LEAST_MEMORY_BYTES, f"{free / 1e9:.1f} GB free", remedy)


def _disk(folder: Path) -> Found:
    free = shutil.disk_usage(folder).free
    remedy = f"make room in {folder.resolve()}, or give --out another folder"
    writable = os.access(folder, os.W_OK)
    detail = f"{free / 1e9:.1f} GB free in {folder.resolve()}"
    if not writable:
        detail += ", which cannot be written"
    return Found("disk", writable and free >= LEAST_DISK_BYTES, detail, remedy)


def _try(command: list[str]) -> tuple[bool, str]:
    """Run a command; say whether it worked, and what it said."""
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_WAIT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, f"{command[0]}: {getattr(error, 'strerror', None) or 'no answer'}"
    said = (done.stdout if done.returncode == 0 else done.stderr).strip()
    return done.returncode == 0, said.partition("\n")[0]
