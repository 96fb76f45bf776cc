"""Any picture of one result, or of several results together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from headgate.base.errors import HeadgateError
from headgate.base.messages import also
from headgate.data.tables import Table
from headgate.figures.spec.drawing import Drawing
from headgate.figures.spec.facets import AUTOMATIC, Facets
from headgate.figures.spec.kinds import KINDS, Kind
from headgate.figures.spec.run import Run

KEEP_SERIES = 'an experiment keeps them with tables = ["flows", "series"]'


class Tables(Protocol):
    """The drawn result: its tables and its run.json."""

    @property
    def tables(self) -> Mapping[str, Table]:
        """Tables by name."""

    @property
    def meta(self) -> Mapping[str, Any]:
        """The content of run.json."""


def find_kind(name: str) -> Kind:
    """Return the kind of picture of that name. Raises HeadgateError."""
    known = {kind.name: kind for kind in KINDS}
    if name not in known:
        raise HeadgateError(
            f"there is no picture {name!r}; pictures: {', '.join(known)}{also(name, known)}"
        )
    return known[name]


def draw_results(
    results: Mapping[str, Tables], picture: str, facets: Facets = AUTOMATIC
) -> Drawing:
    """Draw a picture of one result, or of several by name, such as "throughput" of all over time.

    Results that an experiment made are arranged by the factors of `facets`. Raises HeadgateError
    if there is no such picture, or the results lack data for it.
    """
    if not isinstance(results, Mapping):
        raise HeadgateError(
            "draw_results takes results by their names, such as {'reno': result}; got"
            f" {type(results).__name__}"
        )
    kind = find_kind(picture)
    runs = [Run(name, result.tables, result.meta) for name, result in results.items()]
    drawing = draw_kind(kind, runs, facets)
    if drawing is None:
        raise HeadgateError(f"{picture}: {find_lack(kind, runs)}")
    return drawing


def draw_every_kind(result: Tables) -> dict[str, Drawing]:
    """Draw every picture that the tables of one result have data for, by name."""
    run = Run("", result.tables, result.meta)
    drawn = {kind.name: kind.draw([run]) for kind in KINDS}
    return {name: drawing for name, drawing in drawn.items() if drawing is not None}


def draw_kind(kind: Kind, runs: Sequence[Run], facets: Facets = AUTOMATIC) -> Drawing | None:
    """Draw one run, or several together; None if they lack data, or the picture shows one run."""
    if len(runs) == 1:
        return kind.draw(runs)
    return kind.compare(runs, facets) if kind.compare else None


def find_lack(kind: Kind, runs: Sequence[Run]) -> str:
    """Return the reason why a picture of these runs cannot be drawn."""
    if len(runs) > 1 and kind.compare is None:
        return "shows one run; give one folder"
    series = kind.overlaid and any("series" not in tuple(run.tables) for run in runs)
    return f"needs {kind.needs}" + f"; {KEEP_SERIES}" * series
