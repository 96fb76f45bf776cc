"""Libraries that Headgate works without: what needs one says so in a sentence."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from headgate.base.errors import MissingLibraryError

_ANALYSIS = ("pydoe", "scipy", "statsmodels")
#: The modules that each extra of pyproject.toml brings.
EXTRAS: Mapping[str, tuple[str, ...]] = {
    "analysis": _ANALYSIS,
    "report": ("altair", "vl_convert", *_ANALYSIS),
    "cluster": ("dask_jobqueue", "distributed"),
    "jit": ("numba",),
    "studies": ("headgate_studies",),
}


def require(extra: str, what: str) -> None:
    """Raise MissingLibraryError if a library of the extra, which `what` needs, is missing."""
    missing = find_missing(extra)
    if missing:
        raise MissingLibraryError(
            f"{what} needs {missing[0]}, which is not installed; {advise(extra)}"
        )


def find_missing(extra: str) -> tuple[str, ...]:
    """Return the libraries of an extra that are not installed."""
    return tuple(library for library in EXTRAS[extra] if find_spec(library) is None)


def advise(extra: str) -> str:
    """Say how to install an extra."""
    return f"pip install 'headgate[{extra}]'"


def import_library(name: str) -> ModuleType:
    """Import a library; Ctrl-C does what it did before.

    dask_jobqueue installs a handler that ends the program with exit code 0 and without a word.
    """
    handler = signal.getsignal(signal.SIGINT)
    try:
        return import_module(name)
    finally:
        if signal.getsignal(signal.SIGINT) is not handler:
            signal.signal(signal.SIGINT, handler)


def load_library(name: str, purpose: str) -> ModuleType:
    """Import a library. Raises MissingLibraryError where it is not installed.

    `purpose` begins the sentence ("`to_pandas()`").
    """
    try:
        return import_library(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != name.partition(".")[0]:
            raise
        raise MissingLibraryError(
            f"{purpose} needs {name}, which is not installed; pip install {name}"
        ) from None
