"""Shell completion of names: studies, algorithms, tables, forms, templates and pictures."""

from __future__ import annotations

from collections.abc import Iterable

#: Formats of pictures.
FORMATS = ("png", "svg", "html", "pdf")


def studies(incomplete: str) -> list[str]:
    """Return the names of studies with this beginning."""
    from headgate.experiment.packages import find_studies

    return _beginning(incomplete, ["list", *find_studies()])


def cards(incomplete: str) -> list[str]:
    """Return the names of the catalogue with this beginning."""
    from headgate.base import catalog

    return _beginning(incomplete, (card.name for card in catalog.list_everything()))


def tables(incomplete: str) -> list[str]:
    """Return the tables of results with this beginning; after a dot, the columns."""
    from headgate.data.columns import EVERY_TABLE

    table, dot, _ = incomplete.partition(".")
    columns = EVERY_TABLE.get(table, ()) if dot else ()
    return _beginning(incomplete, [*EVERY_TABLE, *(f"{table}.{c.name}" for c in columns)])


def forms(incomplete: str) -> list[str]:
    """Return the forms of TOML with this beginning."""
    from headgate.experiment.schemas.studies import every_form

    return _beginning(incomplete, every_form())


def templates(incomplete: str) -> list[str]:
    """Return the templates of `headgate init` with this beginning."""
    from headgate.experiment.templates import KINDS

    return _beginning(incomplete, KINDS)


def pictures(incomplete: str) -> list[str]:
    """Return the pictures of a run with this beginning, after those in the list."""
    from headgate.figures.spec.kinds import KINDS

    return _after_commas(incomplete, (kind.name for kind in KINDS))


def formats(incomplete: str) -> list[str]:
    """Return the formats of pictures with this beginning, after those in the list."""
    return _after_commas(incomplete, FORMATS)


def scales(incomplete: str) -> list[str]:
    """Return the scales of every study with this beginning."""
    return _beginning(incomplete, ("quick", "standard", "full"))


def tables_of_runs(incomplete: str) -> list[str]:
    """Return the tables of a run with this beginning."""
    from headgate.data.columns import OF_ANY_RUN

    return _beginning(incomplete, OF_ANY_RUN)


def _after_commas(incomplete: str, names: Iterable[str]) -> list[str]:
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in _beginning(last, names)]


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]
