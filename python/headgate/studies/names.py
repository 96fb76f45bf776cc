"""The names of the studies, which are those of their folders."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
SPEC = "study.toml"


def names() -> list[str]:
    """Return the names of the studies that the package has."""
    return sorted(path.parent.name.replace("_", "-") for path in FOLDER.glob(f"*/{SPEC}"))
