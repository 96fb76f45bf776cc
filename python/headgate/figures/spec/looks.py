"""The look of each algorithm, the same in every picture: colour, mark and dash.

`looks.toml` fixes the looks of algorithms of the catalogue. A user-defined algorithm gets a look
from a separate range of colours, which follows from its name. Names that are no algorithms, such as
levels of a factor, get looks in their order.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any
from zlib import crc32

from headgate.base import catalog

_TABLE: dict[str, Any] = tomllib.loads(
    resources.files(__package__).joinpath("looks.toml").read_text(encoding="utf-8")
)
#: Lines and points: at least 3 : 1 against white, as WCAG 2.1 asks of graphics (criterion 1.4.11).
#: After Okabe and Ito 2008, without their yellow, orange and sky blue.
LINES: tuple[str, ...] = tuple(_TABLE["colours"].values())
BLACK: str = _TABLE["colours"]["black"]
#: Lines of user-defined algorithms: darker than all others.
OWN = ("#800050", "#1B5E20", "#5A2D82", "#6B4226")
#: The colour of a total, and of what is not compared.
GREY = "#666666"
#: How much whiter a colour is in another run.
PALER = 0.35
#: Marks and dashes, in the notation of Matplotlib.
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":")


@dataclass(frozen=True)
class Look:
    """How a line and its points are drawn; marks and dashes are in the notation of Matplotlib."""

    colour: str
    mark: str = "o"
    dash: str = "-"

    def dashed(self, place: int) -> Look:
        """Return the same look with another dash, to distinguish lines of one algorithm."""
        at = DASHES.index(self.dash) + place
        return Look(self.colour, self.mark, DASHES[at % len(DASHES)])

    def varied(self, place: int) -> Look:
        """Return the look of the algorithm in another run: other dashes, every second paler."""
        tints = [int(self.colour[at : at + 2], 16) for at in (1, 3, 5)]
        pale = "".join(f"{round(tint + PALER * (255 - tint)):02X}" for tint in tints)
        colour = f"#{pale}" if place % 2 else self.colour
        return Look(colour, self.mark, self.dashed(place).dash)


def _read_table() -> dict[str, Look]:
    return {
        name: Look(_TABLE["colours"][colour], mark, dash)
        for name, (colour, mark, dash) in _TABLE["looks"].items()
    }


#: The looks of algorithms of the catalogue, by name.
CCAS: Mapping[str, Look] = _read_table()


def look_at(place: int, dash: int | None = None) -> Look:
    """Return the look of a place in an order; beyond eight, colours repeat with other marks."""
    turn = place // len(LINES)
    return Look(
        LINES[place % len(LINES)],
        MARKS[(place + turn) % len(MARKS)],
        DASHES[(place + turn if dash is None else dash) % len(DASHES)],
    )


def find_looks(names: Iterable[str], *, are_ccas: bool = False) -> dict[str, Look]:
    """Return the look of each name.

    Names beside an algorithm of the catalogue are user-defined algorithms, as all names are if
    `are_ccas`. Other names get looks in their order.
    """
    each = list(dict.fromkeys(names))
    known = _find_ccas(each)
    if not are_ccas and not known:
        return {name: look_at(place) for place, name in enumerate(each)}
    taken = [CCAS[cca].colour for cca in known.values()]
    own = _choose_own([name for name in each if name not in known], taken)
    return {name: CCAS[known[name]] if name in known else own[name] for name in each}


def _find_ccas(names: Sequence[str]) -> dict[str, str]:
    """Return the algorithm of the catalogue that each name or label ("bic (1 BIC)") means.

    A name in another spelling is a user-defined algorithm if the catalogue's is there too.
    """
    found: dict[str, str] = {}
    for name in sorted(names, key=lambda name: name not in CCAS):
        cca = _read_names().get(name.partition(" (")[0].strip().lower())
        if cca is not None and cca not in found.values():
            found[name] = cca
    return found


@cache
def _read_names() -> dict[str, str]:
    """Return every name of each algorithm, without the numbers of the NIST study."""
    return {
        name.lower(): cca.name
        for cca in catalog.ccas()
        for name in cca.names
        if cca.name in CCAS and not name.isdigit()
    }


def _choose_own(names: Sequence[str], taken: Sequence[str]) -> dict[str, Look]:
    """Return looks of user-defined algorithms beside others whose colours are taken.

    The look of a name follows from its checksum. If a picture shows several whose colours or marks
    are equal, those later in the alphabet get the next free ones; after four, also colours of
    algorithms of the catalogue that the picture does not show.
    """
    found: dict[str, Look] = {}
    others = [colour for colour in LINES if colour not in taken]
    for name in sorted(names):
        seed = crc32(name.rpartition(":")[2].encode())
        choices = OWN if len(found) < len(OWN) else (*OWN, *others)
        colour = _take_free(choices, seed, [look.colour for look in found.values()])
        mark = _take_free(MARKS, seed // len(OWN), [look.mark for look in found.values()])
        found[name] = Look(colour, mark, DASHES[seed // len(OWN) // len(MARKS) % len(DASHES)])
    return found


def _take_free(choices: Sequence[str], place: int, taken: Sequence[str]) -> str:
    """Return the choice at a place, or the next of those that are taken least often."""
    least = min(map(taken.count, choices))
    order = [choices[(place + step) % len(choices)] for step in range(len(choices))]
    return next(choice for choice in order if taken.count(choice) == least)
