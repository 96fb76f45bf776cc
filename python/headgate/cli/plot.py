"""`headgate plot`: the pictures of a run."""

import json
from pathlib import Path
from typing import Annotated

import typer

from headgate.visible import say


def plot(
    folder: Annotated[
        Path, typer.Argument(help="Folder that `headgate run` wrote.", metavar="DIR")
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the paths as one JSON list.")
    ] = False,
) -> None:
    """Draw a run: windows, queues and throughput over time, completion times, utilisation map.

    Each picture is written as PNG and SVG into DIR/figures.
    """
    import matplotlib as mpl

    mpl.use("agg")
    from headgate.build import read
    from headgate.plots.run import draw_run
    from headgate.plots.style import save

    figures = draw_run(read(folder))
    paths = [
        str(p) for name, figure in figures.items() for p in save(figure, folder / "figures", name)
    ]
    say(*([json.dumps(paths)] if as_json else paths))
