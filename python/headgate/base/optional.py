"""Optional libraries: a feature whose library is missing raises a clear error."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from headgate.base.errors import MissingLibraryError

_ANALYSIS = ("pydoe", "scipy", "statsmodels")
#: The modules that each extra of pyproject.toml installs.
EXTRAS: Mapping[str, tuple[str, ...]] = {
    "analysis": _ANALYSIS,
    "report": ("altair", "vl_convert", *_ANALYSIS),
    "cluster": ("dask_jobqueue", "distributed"),
    "jit": ("numba",),
    "studies": ("headgate_studies",),
}


def require(extra: str, user: str) -> None:
    """Raise MissingLibraryError if a library of the extra is missing that `user` needs."""
    missing = find_missing(extra)
    if missing:
        says = f"needs {missing[0]}, which is not installed; {advise(extra)}"
        raise MissingLibraryError(f"{user} {says}")


def find_missing(extra: str) -> tuple[str, ...]:
    """Return the libraries of an extra that are not installed."""
    return tuple(library for library in EXTRAS[extra] if find_spec(library) is None)


def advise(extra: str) -> str:
    """Return the command that installs an extra."""
    return f"pip install 'headgate[{extra}]'"


def import_library(name: str) -> ModuleType:
    """Import a library and restore the handler of Ctrl-C, which dask_jobqueue replaces."""
    handler = signal.getsignal(signal.SIGINT)
    try:
        return import_module(name)
    finally:
        if signal.getsignal(signal.SIGINT) is not handler:
            signal.signal(signal.SIGINT, handler)


def load_library(name: str, purpose: str) -> ModuleType:
    """Import a library, or raise MissingLibraryError, whose message begins with `purpose`."""
    try:
        return import_library(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != name.partition(".")[0]:
            raise
        raise MissingLibraryError(
            f"{purpose} needs {name}, which is not installed; pip install {name}"
        ) from None
