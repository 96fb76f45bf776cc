"""Every error that a user can meet, each of them one sentence: place, value, remedy."""


class HeadgateError(Exception):
    """Something the user can put right. The command line prints it and ends with `exit_code`."""

    exit_code = 2


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
    """A user's own law or queue discipline that cannot be taken, or that fails.

    `place` is its file, and the line.
    """

    def __init__(self, place: str, sentence: str) -> None:
        self.place = place
        self.sentence = sentence
        super().__init__(f"{place}: {sentence}")


class UntrustedLawError(LawError):
    """Own code that only a file names, of which the user has not said that it may run."""


class AnalysisError(HeadgateError):
    """A table that cannot be analysed as it was asked."""


class StoreError(HeadgateError):
    """A file or folder of results that cannot be read or written."""


class MissingLibraryError(HeadgateError, ImportError):
    """A library that was asked for is not installed."""


class EngineMissingError(HeadgateError):
    """The compiled engine is not there."""


class HeadgateWarning(UserWarning):
    """What a user should know about a result that is there all the same."""


class FluidWarning(HeadgateWarning):
    """A fluid model where packets do otherwise; `headgate study fluid-check` has measured it."""


class SchemeWarning(HeadgateWarning):
    """Senders without the routers or marks they need, or routers whose scheme nobody speaks."""


class FailedRunsError(HeadgateError):
    """Runs of a campaign failed; the others are stored."""

    exit_code = 1


class CrashedRunError(HeadgateError):
    """A run took the process down that it was in."""


class InterruptedRunError(HeadgateError):
    """The user stopped a run; what it needs to go on is kept."""

    exit_code = 1


#: What to do about an error of the operating system, where there is one thing to do.
_REMEDIES: dict[type[OSError], str] = {
    FileExistsError: "there is a file of that name; choose another",
    NotADirectoryError: "there is a file in place of a folder on that path; choose another",
    IsADirectoryError: "there is a folder of that name; give a file",
    PermissionError: "permission denied; choose a folder of your own",
}


def explain_os(error: OSError) -> str:
    """Say why a file or folder cannot be written, and what to do about it where that is known."""
    return _REMEDIES.get(type(error)) or error.strerror or str(error)
