"""The errors of Headgate. A message is one sentence: place, value, remedy."""

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager


class HeadgateError(Exception):
    """A mistake that the user can correct. A command prints it and exits with `exit_code`."""

    exit_code = 2

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that the command line prints; line ends of other libraries are removed."""
        return (join_lines(str(self)),)


class ScenarioError(HeadgateError):
    """An invalid scenario; `place` is the path of the key, such as `traffic[0].cca`."""

    def __init__(self, place: str, sentence: str) -> None:
        self.place = place
        self.sentence = sentence
        super().__init__(f"{place}: {sentence}" if place else sentence)


class UnitError(HeadgateError, ValueError):
    """A quantity without a unit, or with an unsuitable one."""


class CatalogError(HeadgateError, ValueError):
    """An algorithm, device or parameter that is not in the catalogue."""


class CcaError(HeadgateError):
    """User-defined code that is invalid or that fails; `place` is its file, and the line."""

    def __init__(self, place: str, sentence: str) -> None:
        self.place = place
        self.sentence = sentence
        super().__init__(f"{place}: {sentence}")


class UntrustedCcaError(CcaError):
    """User-defined code that only a file names, and that the user has not allowed to run."""


class AnalysisError(HeadgateError):
    """A table that cannot be analysed in the requested way."""


class StoreError(HeadgateError):
    """A file or folder of results that cannot be read or written."""


class NotStoredError(StoreError):
    """A stored run that lacks a requested table or column."""


class MissingLibraryError(HeadgateError, ImportError):
    """A required library is not installed."""


class EngineMissingError(HeadgateError):
    """The compiled engine is missing."""


class HeadgateWarning(UserWarning):
    """A caution about a result."""


class FluidWarning(HeadgateWarning):
    """A fluid model that differs from packets here, as `headgate study fluid-check` measured."""


class SchemeWarning(HeadgateWarning):
    """Senders without the router feedback or marks they need, or feedback without effect."""


class FailedRunsError(HeadgateError):
    """Runs of a campaign failed; the others are stored. Each failure is one line of the message."""

    exit_code = 1

    def __init__(self, sentence: str, *failures: str) -> None:
        self.sentence, self.failures = sentence, failures
        super().__init__("\n  ".join([sentence, *failures]))

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that the command line prints."""
        return (join_lines(self.sentence), *(f"  {join_lines(one)}" for one in self.failures))


class CrashedRunError(HeadgateError):
    """A run crashed its process."""


class InterruptedRunError(HeadgateError):
    """The user stopped a run; its state is stored, so that it can be resumed."""

    exit_code = 1


#: Remedies for errors of the operating system.
_REMEDIES: dict[type[OSError], str] = {
    FileExistsError: "there is a file of that name; choose another",
    NotADirectoryError: "there is a file in place of a folder on that path; choose another",
    IsADirectoryError: "there is a folder of that name; give a file",
    PermissionError: "permission denied; choose a folder that you may write to",
}


def join_lines(text: str) -> str:
    """Return a message as one line."""
    return re.sub(r"\s*[\r\n]+\s*", " ", text.strip())


def explain_os(error: OSError) -> str:
    """Return why a file or folder cannot be written, and the remedy if there is one."""
    return _REMEDIES.get(type(error)) or error.strerror or str(error)


@contextmanager
def report_unwritable(place: object) -> Iterator[None]:
    """Raise StoreError with the reason if a file or folder cannot be written in the block."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{place}: cannot be written: {explain_os(error)}") from None


def explain_library(error: Exception) -> str:
    """Return the first line of a library's error; for a full disk the message of the system."""
    text = str(error)
    full = os.strerror(errno.ENOSPC)  # DuckDB wraps it in another error
    return full if full in text else text.splitlines()[0].rstrip(".")
