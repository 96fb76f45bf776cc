"""Runs the command line in this process, and holds every error to one sentence."""

import sys
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from unittest import mock

from headgate.cli.main import main


@dataclass
class Done:
    exit_code: int
    output: str
    errors: str

    @property
    def sentence(self) -> str:
        """The last line on stderr, which is all that an error may say."""
        assert "Traceback" not in self.errors
        said = [line for line in self.errors.splitlines() if line.startswith("headgate: ")]
        assert len(said) == 1, self.errors
        assert self.errors.rstrip().endswith(said[0])
        return said[0]


def headgate(*arguments: str | Path) -> Done:
    out, err = StringIO(), StringIO()
    with (
        mock.patch.object(sys, "argv", ["headgate", *map(str, arguments)]),
        mock.patch.object(sys, "stdout", out),
        mock.patch.object(sys, "stderr", err),
    ):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
    return Done(code, out.getvalue(), err.getvalue())
