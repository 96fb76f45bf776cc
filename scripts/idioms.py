"""Count idioms that make prose hard to read, and fail if their number grows.

Prose is the Markdown pages, the comments of Rust, and the comments, docstrings and messages of
Python and TOML. `scripts/idioms.json` holds the number of each idiom. Lower it when you rewrite
prose: `python scripts/idioms.py --hold` writes the current numbers.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HELD = Path(__file__).with_suffix(".json")

#: The start of a sentence, a clause or a comment.
START = r"(?:(?<=[.:;!?] )|(?<=\n)|(?<=// )|(?<=/// )|(?<=\"\"\")|(?<=, )|(?<=# ))"
#: An object that makes the verb "have" the only verb.
OBJECT = r"(?:an?|the|no|its|their|one|two|three|some|all|more|several|many|as|other|only|\d|any)"

IDIOMS = {
    "free relative clause": rf"{START}(?:[Ww]hat|[Ww]ho|[Ww]hoever|[Ww]hatever)\b"
    r"(?! (?:is|are|does|do|would|happens|if|can|should)\b[^.]*\?)",
    "where": r"\b[Ww]here\b",
    "have as the only verb": rf"\b(?:have|has|had)\b {OBJECT}\b",
    "stands": r"\b(?:stands?|stood)\b",
    "tell": r"\b(?:tells?|told)\b",
    "of one's own": r"\b(?:one's own|of (?:its|their|one's|his|your|our) own)\b",
    "in hand, is over": r"\b(?:so many|in hand|at hand|a \w+ more|(?:is|are|was|were) over)\b",
    "besides, perhaps": r"\b(?:[Bb]esides|[Aa]new|[Pp]erhaps|comes? to|came to|for ever)\b",
}
#: Files whose words are not prose of this project.
OMITTED = re.compile(r"scripts/idioms\.py|.*/results/|docs/reference/generated/")


def main() -> None:
    """Compare the counts with those held. Exits with 1 if an idiom became more frequent."""
    found = count_idioms(list_files())
    if "--hold" in sys.argv[1:]:
        HELD.write_text(json.dumps(found, indent=2) + "\n")
        return
    held = json.loads(HELD.read_text())
    more = [
        f"'{name}': {count}, {held[name]} held"
        for name, count in found.items()
        if count > held[name]
    ]
    if more:
        sys.exit(f"idioms became more frequent ({'; '.join(more)}); see CONTRIBUTING.md, Style")


def list_files() -> list[Path]:
    """Return the files under version control that contain prose."""
    listed = subprocess.run(
        ["git", "ls-files", "*.md", "*.rs", "*.py", "*.toml"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.split("\n") if name and not OMITTED.match(name)]


def count_idioms(files: Iterable[Path]) -> dict[str, int]:
    """Return the number of occurrences of each idiom in the prose of files."""
    counts: Counter[str] = Counter()
    for file in files:
        text = read_prose(file)
        counts.update({name: len(re.findall(pattern, text)) for name, pattern in IDIOMS.items()})
    return {name: counts[name] for name in IDIOMS}


def read_prose(file: Path) -> str:
    """Return the text of a file; of Rust only the comments."""
    text = file.read_text(encoding="utf-8", errors="replace")
    return "\n".join(re.findall(r"//[/!]?.*", text)) if file.suffix == ".rs" else text


if __name__ == "__main__":
    main()
