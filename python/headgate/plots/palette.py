"""The colours that mean the same in every picture, drawn by Matplotlib or by Vega."""

from __future__ import annotations

import matplotlib as mpl
from matplotlib.colors import Colormap, LinearSegmentedColormap, Normalize, to_hex

from headgate.pictures.drawing import Line

#: Okabe and Ito 2008, safe for the colour-blind: laws and other names in their order.
ORDER = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#000000")
GREY = "#666666"
#: Lines and points: at least 3 : 1 against white, as WCAG 2.1 asks of graphics (criterion 1.4.11),
#: so without the yellow, the orange and the sky blue of those; beyond six they repeat, dashed.
LINES = ("#0072B2", "#D55E00", "#009E73", "#C45A9C", "#000000", "#7E6FD0")
#: The start that figures leave out; what is around a line; points that are many; a router's rim.
WARMUP, WARMUP_OPACITY = "#8A97A5", 0.18
BAND_OPACITY, CLOUD_OPACITY = 0.2, 0.4
EDGE = "#222222"
#: A link's use, from idle to full: grey to dark red, ever darker.
LOAD = ("#B9C1C9", "#E58A4E", "#C8400A", "#5A1200")
#: What these are on a dark page, whose ground is DARK_GROUND; others serve on both.
DARK_GROUND, DARK_INK = "#1C2228", "#E6E9ED"
ON_DARK = {
    "white": DARK_GROUND, "black": DARK_INK, LINES[4]: DARK_INK, LINES[0]: "#4AA8DF",
    GREY: "#A0A8B0", EDGE: DARK_INK,
} | dict(zip(LOAD, ("#55606B", "#B3602A", "#F08A4B", "#FFD9BC"), strict=True))  # fmt: skip
#: A significant effect, p < 0.01 and p < 0.05.
STRONG, WEAK = "#0072B2", "#E69F00"
#: What is there and within chance, or not there at all.
NOTHING = "#F4F4F4"
#: How much of its colour something keeps that is significant and small.
SMALL = 0.25

#: From less (purple) over none to more (orange), by equal steps from -1 to 1.
STEPS = 33
SIGNED = tuple(to_hex(mpl.colormaps["PuOr_r"](i / (STEPS - 1))) for i in range(STEPS))
#: The same on a dark page, where none is dark.
_ON_DARK = LinearSegmentedColormap.from_list(
    "dark", ["#d8c6ff", "#8f78d0", "#2a3139", "#c9762b", "#ffcf9e"]
)
SIGNED_DARK = tuple(to_hex(_ON_DARK(i / (STEPS - 1))) for i in range(STEPS))
SIGNED_MAP: Colormap = LinearSegmentedColormap.from_list("signed", SIGNED, N=1025)
SIGNED_SCALE = Normalize(-1, 1, clip=True)
#: Colours further from none than this are dark: white is written on them.
DARK_FROM = 0.6


def choose_ink(line: Line) -> str:
    """Return the colour of a line; a total is grey."""
    return GREY if line.colour is None else LINES[line.colour % len(LINES)]


def signed_colour(value: float) -> tuple[float, float, float, float]:
    """Return the colour of a change or a correlation."""
    red, green, blue, alpha = SIGNED_MAP(SIGNED_SCALE(value))
    return float(red), float(green), float(blue), float(alpha)


def ink_on_signed(value: float) -> str:
    """Return what can be read on the colour of a value."""
    return "white" if abs(value) >= DARK_FROM else "black"
