"""The pictures of the study."""

import numpy as np
from numpy.typing import NDArray

from headgate.figures import Curve, CurvePanel, Dots, draw_curves, draw_dots
from headgate.lab import Picture, make_possible
from headgate_studies.flow_level import measures, networks, theory
from headgate_studies.flow_level.findings import KINDS, points
from headgate_studies.flow_level.jobs import DELAYED, LOSSY, NAMES, first_windows
from headgate_studies.flow_level.solutions import Solutions
from headgate_studies.paths import MBPS, PACKET_BITS

Numbers = NDArray[np.float64]
#: How far beside one another marks of one class are.
BESIDE = 0.16


def pictures(made: Solutions) -> tuple[Picture, ...]:
    """Draw every figure of the report; one whose runs this scale lacks is left out."""
    drawn = (_rests, _exponents, _dynamics, _shares, _theorem)
    return make_possible(drawn, made)


def _rests(made: Solutions) -> Picture:
    lossy, over = {}, {}
    for cca in LOSSY:
        exponent, alpha = theory.PRINTED[cca]
        for kind in ("solution", *KINDS):
            x, y = (np.array(column) for column in _average(made, cca, kind))
            name, is_solution = f"{NAMES[cca]}, {kind}", kind == "solution"
            lossy[name] = Curve(x, y, points=not is_solution, theory=is_solution)
            ratio = y * x**exponent / alpha
            over[name] = Curve(x, ratio, points=not is_solution, theory=is_solution)
    delayed = {
        f"{NAMES[cca]}, {kind}": Curve(
            *_average(made, cca, kind), points=packets, theory=not packets
        )
        for cca in DELAYED
        for kind, packets in (("solution", False), ("packets", True))
    }
    loss = "loss probability p"
    panels = [
        CurvePanel("Price: loss", loss, "window (packets)", lossy, "xy"),
        CurvePanel(
            "Price: queueing delay", "queueing delay p (s)", "rate (packets/s)", delayed, "xy"
        ),
        CurvePanel(
            "Over the printed formula", loss, "ratio", over, "x", {"": 1.0}, low=0.9, high=1.16
        ),
    ]
    return Picture(
        "rests",
        "Equilibria: one power of the price for each algorithm",
        "Dashed: solutions of the flow-level equations. Marks: packet runs; periodic: every"
        " (1/p)-th packet is lost, random: packets are lost at random. The window is mean rate"
        " times round trip.",
        draw_curves(panels, columns=3, panel_in=(4.4, 3.8), shared_legend=False),
    )


def _exponents(made: Solutions) -> Picture:
    kinds = {"solution": (*LOSSY, *DELAYED), **dict.fromkeys(KINDS, LOSSY), "packets": DELAYED}
    fits = {
        kind: {NAMES[cca]: theory.power(*points(made, cca, kind)) for cca in ccas}
        for kind, ccas in kinds.items()
    }
    series = {
        kind: {name: (fit.exponent, fit.low, fit.high) for name, fit in by_cca.items()}
        for kind, by_cca in fits.items()
    }
    return Picture(
        "exponents",
        "Exponents of the price at equilibrium",
        "Fitted powers, 95 % intervals. HSTCP's own exponent is 0.835, which the slides round to"
        " 0.84.",
        draw_dots(list(NAMES.values()), [Dots("", "exponent", series)], 6.0),
    )


def _average(made: Solutions, cca: str, kind: str) -> tuple[list[float], list[float]]:
    if cca in DELAYED or kind == "solution":
        return points(made, cca, kind)
    means = measures.means(made, kind, cca)
    return list(means), list(means.values())


def _dynamics(made: Solutions) -> Picture:
    panels = [_approach(made, cca) for cca in LOSSY]
    drawn = {}
    for burstiness, said in (("none", "increases at once"), ("pace", "packets paced")):
        drawn[f"FAST, {said}"] = Curve(*measures.alone(made, burstiness))
        drawn[f"solution, {burstiness}"] = Curve(*made.alone[burstiness], theory=True)
    panels.append(
        CurvePanel("FAST alone", "time (s)", "window (packets)", drawn, "", zoom=(0.0, 8.0))
    )
    return Picture(
        "dynamics",
        "How they come there: dw/dt = kappa (1 - p/U')",
        f"Mean window of {made.setup.settings['approach']['flows']} flows under random losses of"
        f" {made.setup.settings['approach']['loss']:g}, all from one window, and one FAST flow on"
        " 100 Mbit/s and 100 ms with alpha 100. Dashed: the solutions.",
        draw_curves(panels),
    )


def _approach(made: Solutions, cca: str) -> CurvePanel:
    drawn = {}
    for said, first in zip(
        ("from below", "from above"), first_windows(made.setup, cca), strict=True
    ):
        t_s, window = measures.approach(made, cca, first)
        drawn[said] = Curve(t_s[t_s > 0], window[t_s > 0])
        drawn[f"solution, {said}"] = Curve(*made.approaches[cca, first], theory=True)
    return CurvePanel(NAMES[cca], "time (s)", "mean window (packets)", drawn)


def _shares(made: Solutions) -> Picture:
    return Picture(
        "shares",
        "FAST over several bottlenecks",
        "Rates of one flow of each class, in brackets its round trip (and alpha, if it is not 50)."
        " The three of FAST lie on one another: greatest sum of alpha log x, solved in time, by"
        " packets. Reno over the same links, with RED, for comparison.",
        draw_curves([_classes(made, name) for name in networks.ROWS], panel_in=(5.6, 3.6)),
    )


def _classes(made: Solutions, name: str) -> CurvePanel:
    row = networks.ROWS[name]
    drawn = {
        "FAST, greatest utility": made.fairest[name],
        "FAST, solved in time": made.settled[name],
        "FAST by packets": measures.by_class(made, name, "fast"),
        "Reno by packets": measures.by_class(made, name, "reno"),
    }
    places = np.arange(len(row.classes))
    beside = BESIDE * (np.arange(len(drawn)) - (len(drawn) - 1) / 2)
    marks = {
        said: Curve(places + off, rate * PACKET_BITS / MBPS, points=True)
        for off, (said, rate) in zip(beside, drawn.items(), strict=True)
    }
    ticks = {float(i): _name_item(item) for i, item in enumerate(row.classes.items())}
    links = ", ".join(f"{rate:g}" for rate in row.rates_mbps)
    return CurvePanel(f"{row.title}: {links} Mbit/s", "", "rate (Mbit/s)", marks, "", ticks=ticks)


def _name_item(item: tuple[str, networks.Class]) -> str:
    name, one = item
    alpha = "" if one.alpha == networks.ALPHA else f"\nalpha {one.alpha:g}"
    return f"{name}\n{one.rtt_ms:g} ms{alpha}"


def _theorem(made: Solutions) -> Picture:
    rows = np.array([used for used, _ in made.filling])[:, :9]
    drawn = {f"{len(rows)} starts": _join(rows)}
    title = "One link is full after a few updates"
    panels = [
        _distances(made, "one"),
        _distances(made, "uneven"),
        _ratios(made),
        CurvePanel(title, "update", "utilisation", drawn, "", low=0.0, high=1.1),
        _windows(made),
        _apart(made),
    ]
    # Names of panels with a dashed line come first, so that they get solid lines.
    first = [panels[at] for at in (0, 5, 4, 2)]
    order = [name for p in first for name, curve in p.curves.items() if not curve.theory]
    return Picture(
        "theorem",
        "The theorem by experiment",
        "FAST's map from starts of a hundredth of rest to a hundred times it: distance from rest"
        " over updates, with the rate of linear theory (dashed); the greatest ratio of two"
        " distances that follow one another, of each start; utilisation from starts below the"
        " link's rate. By packets: four equal flows with first windows from 10 to 1000 packets,"
        " and their distance from rest with the rate of linear theory (dashed).",
        draw_curves(panels, columns=3, panel_in=(4.0, 3.0), order=order, shared_legend=False),
    )


def _join(rows: Numbers) -> Curve:
    length = rows.shape[1]
    x = np.tile(np.append(np.arange(length, dtype=float), np.nan), len(rows))
    y = np.column_stack([rows, np.full(len(rows), np.nan)]).ravel()
    return Curve(x, y)


def _distances(made: Solutions, name: str) -> CurvePanel:
    found = made.convergence[name]
    shown = made.setup.settings["theorem"]["shown"]
    rows = found.distance[:shown]
    updates = np.arange(rows.shape[1])
    end = float(rows[:, -1].max())
    line = end / found.linear_rate ** (updates[-1] - updates)
    kept = line < 10 * rows.max()
    drawn = {
        f"{shown} starts": _join(rows),
        "linear": Curve(updates[kept], line[kept], theory=True),
    }
    title = f"{networks.EVERY[name].title}: {found.linear_rate:.3f} an update"
    return CurvePanel(title, "update", "distance from rest", drawn, "y")


def _ratios(made: Solutions) -> CurvePanel:
    drawn = {
        networks.EVERY[name].title: Curve(
            np.arange(len(found.worst_ratio)), np.sort(found.worst_ratio)
        )
        for name, found in made.convergence.items()
    }
    title = "Each update brings windows nearer"
    y = "greatest ratio of distances"
    return CurvePanel(title, "starts, sorted", y, drawn, "", {"no nearer": 1.0}, low=0.4, high=1.1)


def _windows(made: Solutions) -> CurvePanel:
    drawn = {name: Curve(*course) for name, course in measures.windows(made).items()}
    title = "By packets, from four windows"
    return CurvePanel(title, "time (s)", "window (packets)", drawn, zoom=(0.0, 8.0))


def _apart(made: Solutions) -> CurvePanel:
    t_s, distance = measures.apart(made)
    derived = measures.derived_factor(made.setup)
    update_s = measures.update_s(made.setup)
    first = int(np.argmax(distance < measures.LINE_FROM))
    line = measures.LINE_FROM * derived ** ((t_s - t_s[first]) / update_s)
    kept = (t_s <= 8) & (distance > 0)
    drawn = {
        "by packets": Curve(t_s[kept], distance[kept]),
        "linear": Curve(t_s[kept], line[kept], theory=True),
    }
    title = f"By packets: {derived:.4g} an update"
    return CurvePanel(title, "time (s)", "distance from rest", drawn, "y", low=1e-3)
