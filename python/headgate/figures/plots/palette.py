"""The colours that mean the same in every picture, drawn by Matplotlib or by Vega."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import matplotlib as mpl
import numpy as np
from matplotlib.colors import Colormap, LinearSegmentedColormap, Normalize, to_hex

from headgate.figures.spec.drawing import Line
from headgate.figures.spec.looks import GREY, LINES, OWN

#: Okabe and Ito 2008, safe for the colour-blind: names other than algorithms, in their order.
ORDER = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#000000")
#: The warm-up; the band around a line; many points; a router's rim.
WARMUP, WARMUP_OPACITY = "#8A97A5", 0.18
#: An outage: darker than the warm-up.
OUTAGE, OUTAGE_OPACITY = "#4A4F55", 0.35
BAND_OPACITY, CLOUD_OPACITY = 0.2, 0.4
EDGE = "#222222"
#: A link's use, from idle to full: grey to dark red, ever darker.
LOAD = ("#B9C1C9", "#E58A4E", "#C8400A", "#5A1200")
#: Replacements on a dark page, whose ground is DARK_GROUND; other colours serve on both.
DARK_GROUND, DARK_INK = "#1C2228", "#E6E9ED"
ON_DARK = {
    "white": DARK_GROUND, "black": DARK_INK, LINES[4]: DARK_INK, LINES[0]: "#4AA8DF",
    GREY: "#A0A8B0", EDGE: DARK_INK,
    **dict(zip(OWN, ("#E58ABF", "#7CC47F", "#B99AE0", "#CFA07E"), strict=True)),
    **dict(zip(LOAD, ("#55606B", "#B3602A", "#F08A4B", "#FFD9BC"), strict=True)),
}  # fmt: skip
#: A significant effect, p < 0.01 and p < 0.05.
STRONG, WEAK = "#0072B2", "#E69F00"
#: Within chance, or without data.
NOTHING = "#F4F4F4"
#: How much of its colour something keeps that is significant and small.
SMALL = 0.25

#: Red, green, blue and opacity, from 0 to 1.
Colour = tuple[float, float, float, float]
STEPS = 33
SIGNED_SCALE = Normalize(-1, 1, clip=True)


@dataclass(frozen=True)
class Diverging:
    """Colours from -1 over none to 1 by equal steps, on white and on a dark page."""

    light: tuple[str, ...]
    dark: tuple[str, ...]
    map: Colormap

    @classmethod
    def of(cls, name: str, dark: Sequence[str]) -> Diverging:
        """Take a map of Matplotlib, and five colours for a dark page, none of them dark."""
        on_dark = LinearSegmentedColormap.from_list("dark", list(dark))
        places = [i / (STEPS - 1) for i in range(STEPS)]
        light = tuple(to_hex(mpl.colormaps[name](at)) for at in places)
        whole = LinearSegmentedColormap.from_list(name, light, N=1025)
        return cls(light, tuple(to_hex(on_dark(at)) for at in places), whole)

    def colour(self, value: float) -> Colour:
        """Return the colour of a value; without a value, the one of the map for that."""
        if math.isnan(value):
            return self._every[-1]
        place = int((min(max(value, -1.0), 1.0) + 1) / 2 * self.map.N)
        return self._every[min(place, self.map.N - 1)]

    @cached_property
    def _every(self) -> list[Colour]:
        """The colours of the map, and at the end the one of a missing value.

        A table of colours takes a hundredth of the time of the map, which is made for arrays.
        """
        places = [*((np.arange(self.map.N) + 0.5) / self.map.N), math.nan]
        return [(float(r), float(g), float(b), float(a)) for r, g, b, a in map(self.map, places)]


#: Better (purple) to worse (orange), as on a report's first screen.
VERDICT = Diverging.of("PuOr_r", ("#d8c6ff", "#8f78d0", "#2a3139", "#c9762b", "#ffcf9e"))
#: Less or opposed (pink) to more or together (green), if neither is better.
SIGNED = Diverging.of("PiYG", ("#ffb3dc", "#c0549a", "#2a3139", "#5f9a2d", "#cdf0a0"))
#: Colours further from none than this are dark: white is written on them.
DARK_FROM = 0.6


def choose_ink(line: Line) -> str:
    """Return the colour of a line; a total is grey."""
    return GREY if line.look is None else line.look.colour


def ink_on_signed(value: float) -> str:
    """Return a readable text colour on the colour of a value."""
    return "white" if abs(value) >= DARK_FROM else "black"
