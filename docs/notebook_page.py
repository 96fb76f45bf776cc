"""The executed notebook as a page: its cells, each followed by its output."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parent / "notebooks" / "first.ipynb"


def notebook() -> str:
    """Write the committed notebook as Markdown, with pictures and tables as HTML."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return "\n".join(line for cell in cells for line in _cell(cell))


def _cell(cell: Mapping[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield f"{source}\n"
        return
    yield f"```python\n{source}\n```\n"
    for output in cell["outputs"]:
        yield from _output(output)


def _output(output: Mapping[str, Any]) -> Iterator[str]:
    """Return HTML if available, otherwise text."""
    data = output.get("data", {"text/plain": output.get("text", "")})
    if "text/html" in data:
        html = "".join(data["text/html"])
        yield f'```{{raw}} html\n<div class="notebook-output">{html}</div>\n```\n'
    else:
        yield f"```text\n{''.join(data['text/plain']).rstrip()}\n```\n"
