"""The closed form for one flow, the answer, and the figure: the parts that TOML cannot express."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from headgate.figures import Curve, CurvePanel, draw_curves
from headgate.lab import MeasuredRuns, Picture


def sawtooth(buffer: Any) -> Any:
    """Return the utilisation by one flow whose window is halved, with a buffer in BDP up to 1."""
    return 0.75 * (1 + buffer) ** 2 / (1 + buffer + buffer**2)


def show(found: Mapping[str, MeasuredRuns]) -> tuple[tuple[str, ...], tuple[Picture, ...]]:
    """Say what BDP/sqrt(n) does, and draw utilisation over buffer and the deviation over n."""
    used = _by_flows(found["few"], "utilisation") | _by_flows(found["many"], "utilisation")
    listed = "; ".join(f"{100 * used[n][1.0]:.1f} % with n = {n}" for n in used)
    lines = {f"n = {n}": Curve([*of], [*of.values()], marks=True) for n, of in used.items()}
    spread = {n: of[1.0] for n, of in _by_flows(found["many"], "spread").items()}
    low, n = np.linspace(0, 1), np.geomspace(min(spread), max(spread))
    root = np.exp(np.mean([np.log(s) + np.log(k) / 2 for k, s in spread.items()])) / np.sqrt(n)
    lines |= {"one": Curve(low, sawtooth(low), theory=True)}
    points = {"n windows": Curve([*spread], [*spread.values()], points=True)}
    points |= {"root": Curve(n, root, theory=True)}
    x, ticks = "buffer / (BDP/sqrt(n))", {float(k): str(k) for k in spread}
    drawn = [CurvePanel("Link with n long-lived flows", x, "utilisation", lines, low=0.72)]
    spread_of_sum = ("Sum of n windows", "n", "standard deviation / mean")
    drawn += [CurvePanel(*spread_of_sum, points, log="x", ticks=ticks)]
    caption = "Dashed: the sawtooth of one flow on the left, 1/sqrt(n) on the right."
    picture = Picture("buffer-sizing", "Buffers and windows", caption, draw_curves(drawn))
    return (f"With a buffer of BDP/sqrt(n) the link is used: {listed}.",), (picture,)


def _by_flows(found: MeasuredRuns, response: str) -> dict[int, dict[float, float]]:
    """Return mean responses by the number of flows and the buffer in units of BDP/sqrt(n)."""
    by: dict[int, dict[float, float]] = {}
    for c, (n, buffer) in enumerate(zip(found.labels["n"], found.labels["buffer"], strict=True)):
        by.setdefault(int(n), {})[float(str(buffer)[:-4])] = found.mean(response, c)[0]
    return by
