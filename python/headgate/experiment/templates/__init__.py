"""Files to begin with: scenarios with comments, a law, an experiment. Each runs as written."""

from __future__ import annotations

import re
from pathlib import Path

from headgate.base.errors import HeadgateError, StoreError
from headgate.base.files import write_bytes
from headgate.base.messages import hint
from headgate.experiment.templates import experiment as template

FOLDER = Path(__file__).parent
#: What `headgate init --from` takes; the first unless it is given.
KINDS = ("dumbbell", "web", "abilene", "own-law", "experiment")
#: What a template calls itself, the folder of its results, and the law beside it.
_FILE, _OUT, _LAW = "FILE", "OUT", "own_law.py"
#: What a template says of commands.
_COMMANDS = re.compile(r"^#   (headgate .*?) {2,}(\S.*)$", re.MULTILINE)


def write(kind: str, file: Path | None = None) -> list[Path]:
    """Write a template, as KIND.toml unless given; return its files, the TOML first.

    Raises HeadgateError for another kind, or where a file is there already or cannot be written.
    """
    if kind not in KINDS:
        says = hint(kind, KINDS, f"templates: {', '.join(KINDS)}")
        raise HeadgateError(f"--from {kind}: there is no template {kind!r}; {says}")
    path = file or Path(f"{kind}.toml")
    if path.suffix != ".toml":
        beside = "; its law is written beside it" if kind == "own-law" else ""
        toml = path.with_suffix(".toml")
        raise HeadgateError(f"{path}: a scenario is TOML; write {toml}{beside}")
    if kind == "experiment":
        template.write(path)
        return [path]
    return _write_all(_texts(kind, path))


def _texts(kind: str, path: Path) -> dict[Path, str]:
    """Return the files of a template, and what is to stand in them."""
    said = (FOLDER / f"{kind}.toml").read_text(encoding="utf-8")
    text = _align(said.replace(_FILE, path.name).replace(_OUT, f"out/{path.stem}"))
    if kind != "own-law":
        return {path: text}
    law = path.with_name(f"{re.sub(r'[^0-9A-Za-z_]', '_', path.stem)}.py")
    code = (FOLDER / _LAW).read_text(encoding="utf-8")
    return {path: text.replace(_LAW, law.name), law: code}


def _align(text: str) -> str:
    """Put what is said of commands into one column, however long the name of the file is."""
    width = max((len(found[1]) for found in _COMMANDS.finditer(text)), default=0)
    return _COMMANDS.sub(lambda found: f"#   {found[1]:<{width}}   {found[2]}", text)


def _write_all(texts: dict[Path, str]) -> list[Path]:
    for path in texts:
        if path.exists():
            raise StoreError(f"{path}: is there already; choose another name")
    for path, text in texts.items():
        write_bytes(path, text.encode())
    return list(texts)
