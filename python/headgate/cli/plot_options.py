"""Options of `headgate plot`: several runs in one picture, grids by factors, figures for papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from headgate.base.errors import HeadgateError
from headgate.base.terminal import echo
from headgate.cli.options import split_names

if TYPE_CHECKING:
    from headgate.figures.paper.size import PaperSize
    from headgate.figures.spec.drawing import Drawing
    from headgate.figures.spec.facets import Facets
    from headgate.figures.spec.kinds import Kind
    from headgate.figures.spec.means import MeansLayout
    from headgate.figures.spec.run import Run

#: The picture of an experiment's responses, and that of a network.
MEANS, TOPOLOGY = "means", "topology"
#: Formats of figures for papers, and those written by default.
PAPER_FORMATS, PAPER_DEFAULT = ("pdf", "svg", "png"), ("pdf", "svg")

Overlay = Annotated[
    bool,
    typer.Option(
        "--overlay",
        help="Draw all runs over time in one picture: a line for each run or algorithm; the mean"
        " with a 95 % band for replicates.",
    ),
]
Minus = Annotated[
    Path | None,
    typer.Option(
        metavar="RUN", help="Draw the map of the network with the change from this run to DIR."
    ),
]
FacetRows = Annotated[
    str | None,
    typer.Option(
        metavar="FACTOR,...",
        help="Factors of an experiment whose levels are rows of panels; 'response' puts responses"
        " below one another.",
    ),
]
FacetColumns = Annotated[
    str | None,
    typer.Option(metavar="FACTOR,...", help="Factors whose levels are columns of panels."),
]
ResponseNames = Annotated[
    str, typer.Option(metavar="NAME,...", help="Draw only the means of these responses.")
]
AxisFactor = Annotated[
    str | None, typer.Option("--x", metavar="FACTOR", help="The factor on the axis of means.")
]
LineFactor = Annotated[
    str | None,
    typer.Option(metavar="FACTOR", help="The factor whose levels are lines of means."),
]
IntervalForm = Annotated[
    Literal["bars", "bands", "none"],
    typer.Option(help="How the 95 % intervals of means are drawn."),
]
PaperName = Annotated[
    str | None,
    typer.Option(
        metavar="ieee|acm|WIDTH",
        help="Write figures for a paper, as PDF and SVG with embedded fonts, at the width of its"
        " column or at a width such as '88 mm'; with caption and data.",
    ),
]
PaperColumns = Annotated[
    int | None, typer.Option(metavar="1|2", help="Columns of the paper that a figure spans.")
]
FontSize = Annotated[
    float | None,
    typer.Option(metavar="POINTS", help="Size of all text in print; by default 8 points."),
]
Height = Annotated[
    str | None,
    typer.Option(metavar="LENGTH", help="Height of a figure for a paper, such as '60 mm'."),
]
Font = Annotated[
    str | None,
    typer.Option(metavar="FAMILY", help="Font of figures for papers; by default one like Times."),
]


def split(names: str | None) -> tuple[str, ...] | None:
    """Return the names of a list, None if it is not given; "" means none."""
    return None if names is None else split_names(names)


@dataclass(frozen=True)
class Asked:
    """The pictures and layouts that the command line asks for."""

    only: str
    overlay: bool
    minus: Path | None
    facet_rows: str | None
    facet_columns: str | None
    response: str
    x: str | None
    lines: str | None
    intervals: Literal["bars", "bands", "none"]

    @property
    def names(self) -> list[str]:
        """The pictures of --only; none means all."""
        return [name.strip() for name in self.only.split(",")] if self.only else []

    @property
    def facets(self) -> Facets:
        """The factors of rows and columns."""
        from headgate.figures.spec.facets import Facets

        return Facets(split(self.facet_rows), split(self.facet_columns))

    @property
    def layout(self) -> MeansLayout:
        """The layout of means."""
        from headgate.figures.spec.means import MeansLayout

        return MeansLayout(
            self.x, self.lines, split(self.response) or (), self.facets, self.intervals
        )

    def draws_means(self, *, for_paper: bool) -> bool:
        """Whether the responses of an experiment are drawn."""
        if self.names:
            return MEANS in self.names
        return for_paper and not self.overlay and self.minus is None

    def check(self, folders: Sequence[Path], *, for_paper: bool) -> None:
        """Raise HeadgateError for options that exclude each other, or that nothing uses."""
        of_means = {"--response": self.response, "--x": self.x, "--lines": self.lines}
        given = [option for option, value in of_means.items() if value]
        given += ["--intervals"] if self.intervals != "bars" else []
        if given and not self.draws_means(for_paper=for_paper):
            raise HeadgateError(f"{given[0]}: it is about means; add --only means or --paper")
        if self.minus is not None:
            if self.overlay or self.names not in ([], [TOPOLOGY]):
                raise HeadgateError("--minus: it draws the topology; leave out other pictures")
            if len(folders) != 1:
                raise HeadgateError("--minus: name one run, and after --minus the one to subtract")
        if MEANS in self.names and len(folders) > 1:
            raise HeadgateError("means: give one folder of an experiment")


def read_size(
    paper: str | None,
    columns: int | None,
    font_size: float | None,
    height: str | None,
    font: str | None,
) -> PaperSize | None:
    """Return the size of figures for a paper; None without --paper. Raises HeadgateError."""
    if paper is not None:
        from headgate.figures.paper.size import PaperSize

        return PaperSize.of(paper, columns, font_size, height, font)
    options = {"columns": columns, "font-size": font_size, "height": height, "font": font}
    for name, value in options.items():
        if value is not None:
            raise HeadgateError(f"--{name}: it is about figures for papers; add --paper")
    return None


def is_run_folder(folder: Path) -> bool:
    """Return whether a folder holds a finished run."""
    from headgate.data.folder import RUN_FILE

    return (folder / RUN_FILE).is_file()


def lacks_flows(folder: Path) -> bool:
    """Return whether a folder is an experiment's whose runs keep no flows."""
    from headgate.data.folder import find_run, find_runs

    if is_run_folder(folder):
        return False
    return any("flows" not in tuple(find_run(place)[0]) for place in find_runs(folder)[:1])


def draw_asked(  # noqa: PLR0913 - the command's options and its runs
    asked: Asked, kinds: Sequence[Kind], runs: Sequence[Run], folders: Sequence[Path],
    others: Sequence[Run], *, for_paper: bool,
) -> dict[str, Drawing]:  # fmt: skip
    """Draw what the command line asks for. Raises HeadgateError if data are missing."""
    if asked.minus is not None:
        return dict(_draw_difference(asked.minus, runs, others))
    drawings: dict[str, Drawing] = {}
    if asked.draws_means(for_paper=for_paper) and len(folders) == 1:
        drawings |= _draw_means(asked, folders[0])
    if not runs:
        return _require(drawings)
    if asked.overlay and len(runs) == 1:
        raise HeadgateError("--overlay: name at least two runs, or the folder of an experiment")
    if asked.facets.named and len(runs) == 1:
        raise HeadgateError("--facet-rows and --facet-columns need the folder of an experiment")
    return _require(drawings | _draw_runs(asked, kinds, runs))


def _draw_runs(asked: Asked, kinds: Sequence[Kind], runs: Sequence[Run]) -> dict[str, Drawing]:
    from headgate.figures.spec.means import RESPONSE
    from headgate.figures.spec.results import draw_kind, find_lack

    drawings: dict[str, Drawing] = {}
    facets = asked.facets.without(RESPONSE) if len(runs) > 1 else asked.facets
    for kind in kinds:
        several = len(runs) > 1
        if several and kind.overlaid != asked.overlay and not (asked.names and asked.overlay):
            if asked.names:
                hint = "; --overlay draws several" * kind.overlaid
                raise HeadgateError(f"plot {kind.name}: shows one run; give one folder{hint}")
            continue
        drawing = draw_kind(kind, runs, facets)
        if drawing is not None:
            drawings[kind.name] = drawing
        elif asked.names:
            raise HeadgateError(f"plot {kind.name}: {find_lack(kind, runs)}")
        elif not several and "measure.series." in kind.needs and "series" in runs[0].tables:
            echo(f"{kind.name} is not drawn, since it {find_lack(kind, runs)}", error=True)
    return drawings


def _require(drawings: dict[str, Drawing]) -> dict[str, Drawing]:
    if not drawings:
        raise HeadgateError(
            "plot: these runs contain no data for any picture; --list explains what each needs"
        )
    return drawings


def _draw_means(asked: Asked, folder: Path) -> Mapping[str, Drawing]:
    from headgate.experiment.plotted import read_measured
    from headgate.figures.spec.means import draw_means

    table = read_measured(folder)
    if table is None:
        if MEANS in asked.names:
            raise HeadgateError(f"plot means: {folder} is not the folder of a finished experiment")
        return {}
    return draw_means(table, asked.layout)


def _draw_difference(
    minus: Path, runs: Sequence[Run], others: Sequence[Run]
) -> Mapping[str, Drawing]:
    from headgate.figures.spec.difference import subtract_runs

    for option, each in (("plot", runs), (f"--minus {minus}", others)):
        if len(each) != 1:
            raise HeadgateError(f"{option}: the map shows one run; name the folder of a run")
    drawn = subtract_runs(runs[0], others[0])
    return {f"{TOPOLOGY}-change-of-{name}": one for name, one in drawn.items()}
