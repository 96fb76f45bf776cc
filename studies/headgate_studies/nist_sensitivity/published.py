"""The printed results of the source's sensitivity analysis, and the likely response of each row.

Mills, Filliben, Cho, Schwartz, ASME PVP 2011, slides 1(a) to 1(c). The table of stars says which
level of which parameter raises a response in the second period. The source does not name the rows;
they are inferred here from the signs and from the class printed beside them.
"""

from collections.abc import Mapping

#: The name of Psi averaged over kinds of runs in the analyses.
AVERAGE = "weighted average"
FACTORS = tuple(f"X{number}" for number in range(1, 21))


def _row(percent: str) -> dict[str, float]:
    return {f: int(n) / 100 for f, n in zip(FACTORS, percent.split(), strict=True)}


#: Psi, by what it is of and by factor.
PSI: Mapping[str, Mapping[str, float]] = {
    "period 1": _row("95 53 64 50 50 0 67 0 0 17 0 75 67 14 6 44 14 8 0 0"),
    "period 2": _row("94 53 53 42 39 0 61 0 33 14 0 75 64 11 8 31 17 6 0 0"),
    "period 3": _row("97 56 61 42 53 0 69 0 25 17 0 75 67 11 6 28 17 11 0 0"),
    "reno": _row("79 71 56 40 56 0 50 0 4 0 0 21 67 0 0 33 67 4 0 0"),
    "ctcp": _row("79 75 46 44 65 0 60 0 4 0 0 46 67 8 0 31 50 0 0 0"),
    AVERAGE: _row("87 64 55 43 54 0 60 0 12 8 0 54 67 8 3 33 37 5 0 0"),
}
LARGEST = ("X1", "X13", "X2", "X7", "X3", "X5", "X12")
#: The parameters that move the number of sources transmitting (y1).
TRANSMITTING = ("X1", "X4", "X5", "X7", "X12", "X13")


def _cells(text: str) -> dict[str, str]:
    """Read `X1-** X3+*` as the sign and stars of each factor."""
    found = {}
    for cell in text.split():
        factor = cell.rstrip("*+-")
        found[factor] = cell.removeprefix(factor)
    return found


#: Sign and stars of each row of the table of the second period.
STARS: Mapping[str, Mapping[str, str]] = {
    "Y1": _cells("X1-** X3+** X4+* X7-** X12+** X13+** X16+**"),
    "Y2": _cells("X1-** X4+** X5+** X7-** X12+** X13+**"),
    "Y3": _cells("X1+** X2+** X3+** X5-** X7+** X12-** X13-** X17+**"),
    "Y4": _cells("X1-** X2-** X3-** X5+** X7-** X12+** X13+** X15-*"),
    "Y5": _cells("X1+** X3+** X7+** X12-** X13-** X15+** X16+* X17-**"),
    "Y6": _cells("X1-** X2-** X3-** X5+** X7-** X12+** X13+** X16+**"),
    "Y7": _cells("X1+*"),
    "Y8": _cells("X1-** X2-** X3-** X5+** X12+** X13+** X16+**"),
    "Y9": _cells("X1-** X2+** X3+** X12+* X13+*"),
    "Y10": _cells("X1-** X2+** X3+** X7-* X12+** X13+**"),
    "Y11": _cells("X1+** X2-* X4+** X5-** X7-** X12+** X13+**"),
    "Y12": _cells("X1+** X3+** X4+** X5+** X7-** X9-** X12+**"),
    "Y13": _cells("X1+** X3+* X4+* X9+** X10-**"),
    "Y14": _cells("X1+* X4+** X9+** X10-**"),
    "Y15": _cells("X1+** X9+** X10-* X14-*"),
    "Y16": _cells("X1+** X2-** X4-** X7+* X9+** X12-** X14-* X17+** X18-*"),
    "Y17": _cells("X1+** X2-** X4+* X7+** X9+** X12-** X13+** X14-** X16+** X18-*"),
    "Y18": _cells("X1+** X2-** X4-** X7+** X12-** X13-** X16+**"),
}
#: The most likely responses of the thirteen rows that are judged (inferred).
LIKELY: Mapping[str, str] = {
    "Y2": "y1", "Y3": "y11", "Y4": "y5", "Y5": "y12", "Y6": "y13", "Y8": "y14", "Y9": "y15",
    "Y10": "y16", "Y11": "y6", "Y12": "y4", "Y13": "long_DD", "Y14": "long_DF", "Y15": "long_FF",
}  # fmt: skip
