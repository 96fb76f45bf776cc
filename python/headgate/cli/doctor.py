"""`headgate doctor`: checks of this machine, with a remedy for each failure.

Each check tries the feature itself if that is cheap. Everything needs the engine; only some users
need the rest. Optional libraries take seconds to import, so that by default their metadata are read
instead: whether each library, and each one that it requires, is installed in a suitable version.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from email.parser import HeaderParser
from functools import cache, partial
from importlib import metadata
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headgate.base.errors import HeadgateError
from headgate.base.optional import EXTRAS, advise, import_library
from headgate.base.terminal import echo
from headgate.cli.options import Json

if TYPE_CHECKING:
    from packaging.requirements import Requirement

#: The Rust that builds the engine and compiles algorithms, as in scripts/need-tools.sh.
LEAST_RUST = (1, 85)
LEAST_PYTHON = (3, 11)
#: A study's quick scale needs less than this.
LEAST_MEMORY_BYTES = LEAST_DISK_BYTES = 2_000_000_000
_WAIT_S = 20.0


@dataclass(frozen=True)
class CheckResult:
    """The result of a check, with the purpose of the feature and a remedy."""

    name: str
    works: bool
    detail: str
    remedy: str = ""
    needed: bool = False
    """Whether nothing works without it."""


def doctor(
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="Import the optional libraries too, which finds damaged ones and takes seconds;"
            " by default, their versions and those of their dependencies are compared.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Check this machine, and print a remedy for each feature that does not work.

    Everything needs the engine, pictures and Python; only some tasks need compilers, libraries and
    kernels. The exit code is 2 if one of the first three does not work, and 0 otherwise.
    """
    results = []
    for one in examine(Path(), full=full):
        results.append(one)
        if not as_json:
            word = "works" if one.works else "BROKEN" if one.needed else "missing"
            echo(f"{one.name:16} {word:8} {one.detail}")
            if not one.works and one.remedy:
                echo(f"{'':25} {one.remedy}")
    if as_json:
        echo(json.dumps([asdict(one) for one in results]))
    if any(one.needed and not one.works for one in results):
        raise typer.Exit(2)


def examine(folder: Path, *, full: bool = False) -> Iterator[CheckResult]:
    """Yield the results of all checks, first those that everything needs.

    `folder` is the place of results. With `full`, optional libraries are imported.
    """
    yield _python()
    yield _engine()
    yield _pictures()
    yield from map(partial(_extra, full=full), EXTRAS)
    yield from map(partial(_frame, full=full), FRAMES)
    yield _c_compiler()
    yield _rust()
    yield _browser()
    yield _namespaces()
    yield _tun()
    yield _other_kernel()
    yield _cores()
    yield _memory()
    yield _disk(folder)


def _python() -> CheckResult:
    works = sys.version_info >= LEAST_PYTHON
    version = f"{platform.python_version()}, {sys.executable}"
    return CheckResult("Python", works, version, "install Python 3.11 or newer", needed=True)


def _engine() -> CheckResult:
    """Run a scenario of one second."""
    from headgate.engine.build import dumbbell

    try:
        made = dumbbell(rate="1 Mbit/s", rtt="10 ms", flows=["reno"], measure={"series": "none"})
        hops = made.run("1 s").meta["packet_hops"]
    except (HeadgateError, OSError, ImportError) as error:
        remedy = "run `make setup` in the clone, or install the wheel of this machine again"
        return CheckResult("engine", False, str(error), remedy, needed=True)
    works = hops > 0
    return CheckResult("engine", works, f"a run of 1 s moved {hops} packets", needed=True)


def _pictures() -> CheckResult:
    """Draw a small picture with Matplotlib alone: the modules of `figures` take longer."""
    try:
        from matplotlib.figure import Figure

        figure = Figure()
        figure.add_subplot(xlabel="x").plot([0, 1])
        with BytesIO() as file:
            figure.savefig(file, format="png")
            size = len(file.getvalue())
    except (ImportError, OSError, RuntimeError) as error:
        remedy = "install it again with its dependencies: pip install --force-reinstall headgate"
        return CheckResult("pictures", False, str(error), remedy, needed=True)
    return CheckResult("pictures", size > 0, f"a picture of {size:,} bytes was drawn", needed=True)


#: The purpose of each extra.
PURPOSES: Mapping[str, str] = {
    "analysis": "analyses of tables, sampled designs, equilibria",
    "report": "studies, reports, pictures with values under the pointer",
    "cluster": "runs on a cluster (--cluster)",
    "jit": "your algorithms in Python at full speed (@jit)",
    "studies": "published studies, and test cases of standards (headgate conform)",
}
#: Libraries that a table converts to.
FRAMES = ("pandas", "polars", "xarray")


#: The names of distributions that are not those of their modules.
DISTRIBUTIONS = {"vl_convert": "vl-convert-python"}


def _extra(name: str, *, full: bool = False) -> CheckResult:
    remedy = f"for {PURPOSES[name]}: {advise(name)}"
    return _find_libraries(f"extra {name}", EXTRAS[name], remedy, full=full)


def _frame(name: str, *, full: bool = False) -> CheckResult:
    return _find_libraries(name, [name], f"for to_{name}(): pip install {name}", full=full)


def _find_libraries(name: str, libraries: Iterable[str], remedy: str, *, full: bool) -> CheckResult:
    find = _import if full else _find
    try:
        found = [find(library) for library in libraries]
    except ImportError as error:
        return CheckResult(name, False, str(error), remedy)
    return CheckResult(name, True, ", ".join(found), remedy)


def _import(library: str) -> str:
    """Import a library; return its name and version. Raises ImportError."""
    return f"{library} {import_library(library).__version__}"


def _find(library: str) -> str:
    """Return the name and version of a library whose dependencies are there. Raises ImportError."""
    if find_spec(library) is None:
        raise ImportError(f"No module named {library!r}")
    distribution = DISTRIBUTIONS.get(library, library)
    try:
        _read_metadata(distribution)
    except metadata.PackageNotFoundError:  # a folder on the path, without metadata
        return library
    _check_dependencies(distribution, frozenset(), set())
    return f"{library} {_read_metadata(distribution).version}"


@dataclass(frozen=True)
class _Installed:
    """A distribution: its name with its version, its version, and what it requires."""

    called: str
    version: str
    requires: tuple[Requirement, ...]


@cache
def _read_metadata(name: str) -> _Installed:
    """Read the metadata of a distribution. Raises PackageNotFoundError.

    `importlib` would read the whole description of a distribution, once for each item.
    """
    from packaging.requirements import Requirement

    found = metadata.distribution(name)
    head, _, _ = (found.read_text("METADATA") or "").partition("\n\n")
    said = HeaderParser().parsestr(head) if head else found.metadata
    needed = said.get_all("Requires-Dist") if head else found.requires
    requires = tuple(map(Requirement, needed or ()))
    return _Installed(f"{said['Name']} {said['Version']}", str(said["Version"]), requires)


def _check_dependencies(
    name: str, extras: frozenset[str], seen: set[tuple[str, frozenset[str]]]
) -> None:
    """Raise ImportError if a distribution, or one that it requires, lacks what it requires."""
    of = _read_metadata(name)
    for needed in of.requires:
        marker, key = needed.marker, (needed.name.lower(), frozenset(needed.extras))
        asked = marker is None or any(marker.evaluate({"extra": one}) for one in ("", *extras))
        if not asked or key in seen:
            continue
        seen.add(key)
        says = f"{of.called} requires {needed.name}{needed.specifier}"
        try:
            found = _read_metadata(needed.name)
        except metadata.PackageNotFoundError:
            raise ImportError(f"{says}, which is not installed") from None
        if not needed.specifier.contains(found.version, prereleases=True):
            raise ImportError(f"{says}, and {found.version} is installed")
        _check_dependencies(needed.name, key[1], seen)


def _c_compiler() -> CheckResult:
    compiler = os.environ.get("CC", "cc")
    remedy = "for your algorithms in C: install one, such as Debian's build-essential, or set CC"
    return _program("C compiler", compiler, remedy)


def _rust() -> CheckResult:
    remedy = "for your algorithms in Rust, and to build from source: Rust 1.85+, https://rustup.rs"
    found = _program("Rust", "rustc", remedy)
    version = re.search(r"(\d+)\.(\d+)", found.detail) if found.works else None
    works = version is not None and (int(version[1]), int(version[2])) >= LEAST_RUST
    return CheckResult("Rust", works, found.detail, remedy)


def _program(name: str, command: str, remedy: str) -> CheckResult:
    """Call a program for its version."""
    works, output = _try([*shlex.split(command), "--version"])
    return CheckResult(name, works, output.partition("\n")[0], remedy)


def _browser() -> CheckResult:
    remedy = "for tests of the report's page only: install Chromium"
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    return CheckResult("Chromium", path is not None, path or "no browser is found", remedy)


def _namespaces() -> CheckResult:
    works, output = _try(["unshare", "--user", "--map-root-user", "--net", "true"])
    remedy = (
        "for real programs (headgate emulate): allow them, outside of a container or by"
        " sysctl kernel.unprivileged_userns_clone=1"
    )
    return CheckResult("user namespaces", works, "can be made" if works else output, remedy)


def _tun() -> CheckResult:
    path = Path("/dev/net/tun")
    works = path.exists() and os.access(path, os.R_OK | os.W_OK)
    detail = f"{path} can be opened" if works else f"{path} does not exist, or cannot be opened"
    return CheckResult("TUN", works, detail, "for real programs: modprobe tun")


def _other_kernel() -> CheckResult:
    remedy = "for another kernel in live hosts (--kernel uml): Debian's user-mode-linux"
    return _program("user-mode Linux", "linux.uml", remedy)


def _cores() -> CheckResult:
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return CheckResult("cores", True, f"{count}; a campaign makes as many runs at a time")


def _memory() -> CheckResult:
    from headgate.engine.run.memory import free_bytes

    free = free_bytes()
    remedy = "large networks need more: make fewer runs at a time (--workers 1)"
    if free is None:
        return CheckResult("memory", True, "this system does not report free memory")
    return CheckResult("memory", free >= LEAST_MEMORY_BYTES, f"{free / 1e9:.1f} GB free", remedy)


def _disk(folder: Path) -> CheckResult:
    free = shutil.disk_usage(folder).free
    remedy = f"make room in {folder.resolve()}, or give --out another folder"
    writable = os.access(folder, os.W_OK)
    detail = f"{free / 1e9:.1f} GB free in {folder.resolve()}"
    if not writable:
        detail += ", which cannot be written"
    return CheckResult("disk", writable and free >= LEAST_DISK_BYTES, detail, remedy)


def _try(command: list[str]) -> tuple[bool, str]:
    """Run a command; return whether it worked, and the first line of its output."""
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_WAIT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, f"{command[0]}: {getattr(error, 'strerror', None) or 'no answer'}"
    output = (done.stdout if done.returncode == 0 else done.stderr).strip()
    return done.returncode == 0, output.partition("\n")[0]
