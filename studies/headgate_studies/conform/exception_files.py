"""Exception files: cases that an algorithm rightly meets otherwise, one file for each case.

A file states what the case expects and what each variant was observed to do instead, as
`headgate conform --json` prints them. It applies only while the run gives exactly these values, so
that it cannot hide a change. With `status = "open"` the failure is not explained yet: the case
still fails, and the reason is printed with it.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from headgate import HeadgateError

#: Folder of the files.
FOLDER = Path(__file__).parent / "exceptions"


class ExceptionFile(BaseModel):
    """One file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    case: str
    algorithm: str
    status: Literal["exception", "open"] = "exception"
    expected: str
    observed: dict[str, str] = Field(min_length=1)
    """By variant; one that is missing meets the case."""
    reason: str = Field(min_length=20)
    source: str = Field(min_length=5)

    def covers(self, variant: str, expected: str, observed: str) -> bool:
        """Whether it is about what a variant was expected and observed to do."""
        return self.expected == expected and self.observed.get(variant) == observed


def read_file(path: Path) -> ExceptionFile:
    """Read a file. Raises HeadgateError."""
    try:
        found = ExceptionFile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValidationError, tomllib.TOMLDecodeError) as error:
        raise HeadgateError(f"{path.name}: {error}") from None
    if path.stem != found.case:
        raise HeadgateError(
            f"{path.name}: is about {found.case}; its name must be that of the case"
        )
    return found


def read_folder(folder: Path) -> dict[tuple[str, str], ExceptionFile]:
    """Read all files of a folder, by case and algorithm. Raises HeadgateError."""
    files = [read_file(path) for path in sorted(folder.glob("*.toml"))]
    return {(one.case, one.algorithm): one for one in files}


@cache
def shipped() -> dict[tuple[str, str], ExceptionFile]:
    """Return the files of this package."""
    return read_folder(FOLDER)
