"""Run the documentation's notebook in a kernel: docs/notebooks/first.py becomes first.ipynb.

The source is Python in cells (`# %%`, as Jupytext, Spyder and VS Code have them).
"""

import re
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

SOURCE = Path(__file__).parents[1] / "docs" / "notebooks" / "first.py"
_HEAD = re.compile(r"^# %%(?P<markdown> \[markdown\])?\n", re.MULTILINE)


def read_notebook(source: Path) -> nbformat.NotebookNode:
    """Read the cells of a source; none has been run."""
    text = source.read_text(encoding="utf-8")
    heads = list(_HEAD.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    cells = []
    for number, (head, end) in enumerate(zip(heads, ends, strict=True)):
        body = text[head.end() : end].strip()
        if head["markdown"]:
            cell = new_markdown_cell(re.sub(r"^# ?", "", body, flags=re.MULTILINE))
        else:
            cell = new_code_cell(body)
        cell["id"] = f"cell-{number}"
        cells.append(cell)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def run_notebook(source: Path) -> nbformat.NotebookNode:
    """Run the cells of a source one after the other, in a folder that is gone afterwards."""
    notebook = read_notebook(source)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook, timeout=300, record_timing=False, resources={"metadata": {"path": folder}}
        )
        client.execute()
    for cell in notebook.cells:
        cell.get("metadata", {}).clear()
    notebook.metadata.pop("language_info", None)
    return notebook


if __name__ == "__main__":
    nbformat.write(run_notebook(SOURCE), SOURCE.with_suffix(".ipynb"))
    print(SOURCE.with_suffix(".ipynb"))  # noqa: T201 - what it has written
