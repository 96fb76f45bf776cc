"""Marks and dashes of Matplotlib as Vega draws them."""

#: Marks without a name in Vega are paths within -1 to 1.
SHAPES = {
    "o": "circle",
    "s": "square",
    "^": "triangle-up",
    "v": "triangle-down",
    "<": "triangle-left",
    ">": "triangle-right",
    "D": "diamond",
    "P": "cross",
    "X": "M-.4,-.8L0,-.4L.4,-.8L.8,-.4L.4,0L.8,.4L.4,.8L0,.4L-.4,.8L-.8,.4L-.4,0L-.8,-.4Z",
    "*": "M0,-1L.22,-.31L.95,-.31L.36,.12L.59,.81L0,.38L-.59,.81L-.36,.12L-.95,-.31L-.22,-.31Z",
}
DASHES = {"-": [1, 0], "--": [6, 3], "-.": [6, 3, 1, 3], ":": [2, 2]}
