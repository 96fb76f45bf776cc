"""User-defined code in shared libraries; C and Rust sources are compiled into a cache folder."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from headgate.base import files
from headgate.base.errors import CcaError
from headgate.plugin.code_files import sha256, shorten_path
from headgate.plugin.interface import LoadedTable, OwnCode, Params, TableHead, struct_of
from headgate.plugin.source import Source

INCLUDE = Path(__file__).parents[1] / "include"
# Contraction would replace two roundings by one, so results would depend on the processor.
_C_FLAGS = ("-std=c11", "-O2", "-ffp-contract=off", "-fPIC", "-shared")
#: Variables of a `make -j` around this program, whose job server a compiler cannot reach.
_OF_MAKE = frozenset({"MAKEFLAGS", "MFLAGS", "CARGO_MAKEFLAGS"})
_RUST_FLAGS = ("--edition=2021", "-Copt-level=3", "-Cpanic=abort", "--error-format=short")


def code_in(source: Source) -> OwnCode:
    """Return the algorithm or the discipline that a file exports."""
    load = partial(_load_library, source)
    return OwnCode(source.interface, source.name, source.file, source.sha256, compiled=load)


def version_in(source: Source) -> int:
    """Return the version of the table that a file exports. Raises CcaError."""
    return int(_open_library(source, TableHead)[0].version)


def cache_folder() -> Path:
    """Return the folder of compiled code, which may be removed at any time."""
    return files.cache_folder("ccas")


def build_library(file: str, text: bytes) -> Path:
    """Return the shared library of a source, compiled if it is not cached. Raises CcaError."""
    if file.endswith(".so"):
        return Path(file)
    if file.endswith(".c"):
        command = [os.environ.get("CC", "cc"), *_C_FLAGS, f"-I{INCLUDE}", file, "-lm", "-o"]
        return _compile_source(command, file, text, ".so")
    prelude, rustc = INCLUDE / "headgate.rs", ("rustc", *_RUST_FLAGS)
    rlib = [*rustc, "--crate-type=rlib", "--crate-name=headgate", str(prelude), "-o"]
    crate = _compile_source(rlib, str(prelude), prelude.read_bytes(), ".rlib", "lib")
    cdylib = [*rustc, "--crate-type=cdylib", f"--extern=headgate={crate}", file, "-o"]
    return _compile_source(cdylib, file, text, ".so")


def _load_library(source: Source, params: Params) -> LoadedTable:
    if params:
        says = f"a compiled {source.interface.noun} takes no arguments; set them in its source"
        raise CcaError(source.label, says)
    return _open_library(source, struct_of(source.interface))


def _open_library(source: Source, kind: type[TableHead]) -> LoadedTable:
    """Load a library; return the table that it exports, and the library. Raises CcaError."""
    try:
        library = ctypes.CDLL(str(build_library(source.file, source.text)))
        return kind.in_dll(library, source.symbol), library
    except OSError as error:
        raise CcaError(source.label, f"cannot be loaded: {error}") from None
    except ValueError:
        says = f"exports no {source.interface.noun} called {source.symbol!r}"
        raise CcaError(source.label, says) from None


def _compile_source(
    command: Sequence[str], file: str, text: bytes, kind: str, prefix: str = ""
) -> Path:
    headers = b"".join(path.read_bytes() for path in sorted(INCLUDE.glob("headgate.*")))
    key = sha256(text, headers, " ".join(command).encode())[:16]
    target = cache_folder() / f"{prefix}{Path(file).stem}-{key}{kind}"
    if target.is_file():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f"{prefix}{os.getpid()}-{target.name}")
    _run([*command, str(draft)], file, target.parent)
    draft.replace(target)
    return target


def _run(command: Sequence[str], file: str, folder: Path) -> None:
    """Run a compiler in a folder that is not the user's: that one could select a toolchain."""
    tool, env = command[0], {k: v for k, v in os.environ.items() if k not in _OF_MAKE}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=folder, env=env
        )
    except OSError as error:
        says = f"cannot be compiled: {tool} cannot be started ({error.strerror}); install it first"
        raise CcaError(shorten_path(file), says) from None
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower()]
        first = (errors or lines or [f"{tool} failed and said nothing"])[0]
        raise CcaError(shorten_path(file), f"cannot be compiled: {first}")
