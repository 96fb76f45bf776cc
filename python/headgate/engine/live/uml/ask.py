"""Asks the first process inside for something, once it is there: what it is, or to halt."""

from __future__ import annotations

import sys

from headgate.engine.live.uml.stand_in import ask


def main() -> None:
    """Print the answer."""
    sys.stdout.write(ask({"asks": sys.argv[2]}).decode())
