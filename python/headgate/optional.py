"""Libraries that Headgate works without: what needs one says so in a sentence."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from headgate.errors import MissingLibraryError


def load_library(name: str, purpose: str, install: str = "") -> ModuleType:
    """Import a library; raise MissingLibraryError where it is not installed.

    `purpose` begins the sentence ("`to_pandas()`"); `install` is what pip is told, unless the name.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != name.partition(".")[0]:
            raise
        raise MissingLibraryError(
            f"{purpose} needs {name}, which is not installed; pip install {install or name}"
        ) from None
