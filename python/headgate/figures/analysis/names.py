"""What columns are called within a sentence."""

from __future__ import annotations

import re


def short_title(column: str, title: str) -> str:
    """Return a column's title without its code, its unit, or a path before it."""
    plain = title.removeprefix(f"{column} ") if re.search(r"\d", column) else title
    plain = plain.partition(" (")[0].removesuffix(" / interval")
    return (
        plain.rpartition(".")[2].replace("_", " ") if re.fullmatch(r"\w+(\.\w+)+", plain) else plain
    )
