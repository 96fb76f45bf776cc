"""Writes figures for papers: PDF and SVG, the caption, and the plotted data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from headgate.base.files import write_bytes
from headgate.base.terminal import echo
from headgate.figures.paper.data import write_caption, write_csv
from headgate.figures.paper.draw import draw_figure, use_paper
from headgate.figures.paper.fonts import embed_font, find_font
from headgate.figures.paper.size import PaperSize
from headgate.figures.spec.drawing import Drawing

FORMATS = ("pdf", "svg")
#: Dots per inch of a PNG, and of clouds of points within a PDF.
DPI = 300
#: The same figure is the same bytes each time: no date.
_METADATA: Mapping[str, dict[str, Any]] = {
    "pdf": {"CreationDate": None, "Creator": "Headgate"},
    "svg": {"Date": None, "Creator": "Headgate"},
    "png": {},
}


def save_paper_figures(
    drawings: Mapping[str, Drawing],
    folder: str | Path,
    size: PaperSize,
    formats: Sequence[str] = FORMATS,
) -> list[Path]:
    """Write each drawing into the folder, with its caption (.txt) and its data (.csv).

    Return the paths. Raises HeadgateError if the font cannot be embedded, or if a grid does not fit
    on a page; StoreError if the folder cannot be written.
    """
    find_font(size.font)
    paths: list[Path] = []
    for name, drawing in drawings.items():
        figure = draw_figure(drawing, size, name)
        try:
            files = {form: render(figure, form, size) for form in formats}
        finally:
            plt.close(figure)
        files |= {"txt": write_caption(drawing).encode(), "csv": write_csv(drawing).encode()}
        for form, data in files.items():
            path = Path(folder) / f"{name}.{form}"
            write_bytes(path, data)
            paths.append(path)
    return paths


def plot_for_paper(
    drawings: Mapping[str, Drawing], folder: str | Path, paper: PaperSize | str
) -> None:
    """Write figures for a paper, and print the paths of the PDFs. Raises HeadgateError."""
    size = PaperSize.of(paper) if isinstance(paper, str) else paper
    paths = save_paper_figures(drawings, folder, size)
    echo(*(str(path) for path in paths if path.suffix == ".pdf"))


def render(figure: Figure, form: str, size: PaperSize) -> bytes:
    """Return a figure as PDF, SVG or PNG, exactly as large as it is to be printed."""
    with use_paper(size), BytesIO() as file:
        figure.savefig(file, format=form, dpi=DPI, metadata=_METADATA[form])
        data = file.getvalue()
    return embed_font(data, size.font) if form == "svg" else data
