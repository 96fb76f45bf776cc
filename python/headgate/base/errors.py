"""Every error that a user can meet, each of them one sentence: place, value, remedy."""

import errno
import os
import re


class HeadgateError(Exception):
    """Something the user can correct. The command line prints it and ends with `exit_code`."""

    exit_code = 2

    @property
    def lines(self) -> tuple[str, ...]:
        """What the command line prints; a message of another library may have several lines."""
        return (join_lines(str(self)),)


class ScenarioError(HeadgateError):
    """A wrong scenario; `place` is the path of the key, such as `traffic[0].law`."""

    def __init__(self, place: str, sentence: str) -> None:
        self.place = place
        self.sentence = sentence
        super().__init__(f"{place}: {sentence}" if place else sentence)


class UnitError(HeadgateError, ValueError):
    """A quantity without a unit, or with one that does not fit."""


class CatalogError(HeadgateError, ValueError):
    """A law, or a parameter of a law, that is not in the catalogue."""


class LawError(HeadgateError):
    """A law or queue discipline of the user's own that cannot be used, or that fails.

    `place` is its file, and the line.
    """

    def __init__(self, place: str, sentence: str) -> None:
        self.place = place
        self.sentence = sentence
        super().__init__(f"{place}: {sentence}")


class UntrustedLawError(LawError):
    """Own code that only a file names, and that the user has not allowed to run."""


class AnalysisError(HeadgateError):
    """A table that cannot be analysed in the requested way."""


class StoreError(HeadgateError):
    """A file or folder of results that cannot be read or written."""


class NotStoredError(StoreError):
    """A stored run without a table or column that is now asked of it."""


class MissingLibraryError(HeadgateError, ImportError):
    """A library that is needed is not installed."""


class EngineMissingError(HeadgateError):
    """The compiled engine is missing."""


class HeadgateWarning(UserWarning):
    """Something that a user should know about a result."""


class FluidWarning(HeadgateWarning):
    """A fluid model where packets behave differently, as `headgate study fluid-check` measured."""


class SchemeWarning(HeadgateWarning):
    """Senders without the routers or marks they need, or feedback and flows without effect."""


class FailedRunsError(HeadgateError):
    """Runs of a campaign failed; the others are stored. Each failure has a line of the message."""

    exit_code = 1

    def __init__(self, sentence: str, *failures: str) -> None:
        self.sentence, self.failures = sentence, failures
        super().__init__("\n  ".join([sentence, *failures]))

    @property
    def lines(self) -> tuple[str, ...]:
        """What the command line prints."""
        return (join_lines(self.sentence), *(f"  {join_lines(one)}" for one in self.failures))


class CrashedRunError(HeadgateError):
    """A run crashed the process that it ran in."""


class InterruptedRunError(HeadgateError):
    """The user stopped a run; its state is stored, so that it can be resumed."""

    exit_code = 1


#: What to do about an error of the operating system, where there is one thing to do.
_REMEDIES: dict[type[OSError], str] = {
    FileExistsError: "there is a file of that name; choose another",
    NotADirectoryError: "there is a file in place of a folder on that path; choose another",
    IsADirectoryError: "there is a folder of that name; give a file",
    PermissionError: "permission denied; choose a folder of your own",
}


def join_lines(text: str) -> str:
    """Return a message in one line: a library's, or that of a user's code, may have several."""
    return re.sub(r"\s*[\r\n]+\s*", " ", text.strip())


def explain_os(error: OSError) -> str:
    """Return why a file or folder cannot be written, and the remedy where there is one."""
    return _REMEDIES.get(type(error)) or error.strerror or str(error)


def explain_library(error: Exception) -> str:
    """Return the first line of a library's error; of a full disk what the system says of it."""
    text = str(error)
    full = os.strerror(errno.ENOSPC)  # DuckDB wraps it in an object of its own
    return full if full in text else text.splitlines()[0].rstrip(".")
