"""What a shell completes beside commands, options and paths: names that the program knows."""

from __future__ import annotations

from collections.abc import Iterable


def studies(incomplete: str) -> list[str]:
    """Return the names of studies that begin so."""
    from headgate.studies.study import names

    return _beginning(incomplete, ["list", *names()])


def cards(incomplete: str) -> list[str]:
    """Return the names of the catalogue that begin so."""
    from headgate import catalog

    return _beginning(incomplete, (card.name for card in catalog.list_everything()))


def tables(incomplete: str) -> list[str]:
    """Return the tables of results that begin so; behind a dot, the columns."""
    from headgate.columns import EVERY_TABLE

    table, dot, _ = incomplete.partition(".")
    columns = EVERY_TABLE.get(table, ()) if dot else ()
    return _beginning(incomplete, [*EVERY_TABLE, *(f"{table}.{c.name}" for c in columns)])


def forms(incomplete: str) -> list[str]:
    """Return the forms of TOML that begin so."""
    from headgate.schemas import FORMS

    return _beginning(incomplete, FORMS)


def templates(incomplete: str) -> list[str]:
    """Return the templates of `headgate init` that begin so."""
    from headgate.templates import KINDS

    return _beginning(incomplete, KINDS)


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]
