"""No circle among the files of a crate."""

import re
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

CRATES = Path(__file__).parents[2] / "crates"
PATH = re.compile(r"\bcrate::((?:[a-z_0-9]+::)*)(\{[^}]*\}|\w+)")


def name_of(file: Path, root: Path) -> str:
    parts = file.relative_to(root).with_suffix("").parts
    return "::".join(parts[:-1] if parts[-1] == "mod" else parts)


def paths_in(text: str, module: str) -> Iterator[str]:
    """Give all that a file names of its crate, outside comments and tests."""
    code = re.sub(r"//.*", "", text.split("#[cfg(test)]", maxsplit=1)[0])
    parent = module.rpartition("::")[0]
    code = code.replace("super::", f"crate::{parent}::" if parent else "crate::")
    for base, last in PATH.findall(code):
        yield from (base + word for word in re.findall(r"\w+", last))


def imports(crate: str) -> Mapping[str, set[str]]:
    """Give the files that each file of a crate names."""
    root = CRATES / crate / "src"
    files = {name_of(f, root): f for f in root.rglob("*.rs") if f.stem not in {"lib", "tests"}}

    def owner(path: str) -> str | None:
        parts = path.split("::")
        names = ("::".join(parts[:end]) for end in range(len(parts), 0, -1))
        return next((name for name in names if name in files), None)

    found = {
        module: {owner(path) for path in paths_in(file.read_text(encoding="utf-8"), module)}
        for module, file in files.items()
    }
    return {module: {it for it in named if it} - {module} for module, named in found.items()}


@pytest.mark.parametrize("crate", sorted(folder.name for folder in CRATES.iterdir()))
def test_no_file_leads_back_to_itself(crate: str) -> None:
    try:
        TopologicalSorter(imports(crate)).prepare()
    except CycleError as error:
        pytest.fail(f"{crate}: {' -> '.join(reversed(error.args[1]))}")
