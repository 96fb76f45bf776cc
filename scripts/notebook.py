"""Make notebooks from Python in cells (`# %%`, as Jupytext, Spyder and VS Code have them).

docs/notebooks/first.py becomes first.ipynb, executed. Each examples/exercises/*.py becomes two
notebooks that are not executed: an exercise, with the cells `# %% [task]`, and in `solutions` the
same with the cells `# %% [solution]` instead.
"""

import re
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "docs" / "notebooks" / "first.py"
EXERCISES = tuple(sorted((ROOT / "examples" / "exercises").glob("*.py")))
#: Kinds of cells that only one of the two notebooks of an exercise contains.
TASK, SOLUTION = "task", "solution"
_HEAD = re.compile(r"^# %%(?: \[(?P<kind>\w+)\])?\n", re.MULTILINE)


def read_notebook(source: Path, omit: str = "") -> nbformat.NotebookNode:
    """Read the cells of a source except those of a kind; none has been run."""
    text = source.read_text(encoding="utf-8")
    heads = list(_HEAD.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    cells = []
    for head, end in zip(heads, ends, strict=True):
        if head["kind"] and head["kind"] == omit:
            continue
        body = text[head.end() : end].strip()
        if head["kind"] == "markdown":
            cell = new_markdown_cell(re.sub(r"^# ?", "", body, flags=re.MULTILINE))
        else:
            cell = new_code_cell(body)
        cell["id"] = f"cell-{len(cells)}"
        cells.append(cell)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def run_notebook(source: Path, omit: str = "") -> nbformat.NotebookNode:
    """Run the cells of a source one after the other, in a folder that is gone afterwards."""
    notebook = read_notebook(source, omit)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook, timeout=300, record_timing=False, resources={"metadata": {"path": folder}}
        )
        client.execute()
    for cell in notebook.cells:
        cell.get("metadata", {}).clear()
    notebook.metadata.pop("language_info", None)
    return notebook


def exercise_files(source: Path) -> dict[Path, str]:
    """Return the two notebooks of an exercise, and the kind of cells that each omits."""
    name = source.with_suffix(".ipynb").name
    return {source.parent / name: SOLUTION, source.parent / "solutions" / name: TASK}


def write(notebook: nbformat.NotebookNode, path: Path) -> None:
    """Write a notebook, and print its path."""
    path.parent.mkdir(exist_ok=True)
    nbformat.write(notebook, path)
    print(path)  # noqa: T201 - what it has written


if __name__ == "__main__":
    for exercise in EXERCISES:
        for file, omitted in exercise_files(exercise).items():
            write(read_notebook(exercise, omitted), file)
    write(run_notebook(SOURCE), SOURCE.with_suffix(".ipynb"))
