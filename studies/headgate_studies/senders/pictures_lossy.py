"""Pictures of random loss: all laws together, and each law beside what is expected of it."""

from __future__ import annotations

import numpy as np

from headgate import catalog, parse_rate
from headgate.figures import Curve, CurvePanel, draw_curves
from headgate.lab import Picture, Runs
from headgate_studies.paths import bdp_packets
from headgate_studies.senders import measures, theory
from headgate_studies.senders.jobs import TCP

ROUND_TRIP_S = 0.1
RESPONSE = "response function"


def lossy(runs: Runs) -> Picture:
    """Draw utilisation against loss, all laws."""
    panels = []
    for rate in theory.RANDOM_LOSS:
        losses = measures.losses(runs, rate)
        drawn = {
            catalog.label(law): _utilisation_curve(runs, rate, law, losses)
            for law in runs.setup.laws
        }
        model = theory.RANDOM_LOSS[rate][TCP]
        kept = [p for p in losses if p in model]
        drawn["derived, Reno"] = Curve(kept, [model[p] for p in kept], theory=True)
        panels.append(CurvePanel(rate, "random loss", "utilisation", drawn, "xy", high=1.4))
    return Picture(
        "random-loss",
        "Random loss",
        "One flow, 100 ms, buffer 1 BDP, mean over replicates; dashed: the round-by-round model of"
        " Reno, 1.3/sqrt(p). The next picture and the tables below hold every law to its model.",
        draw_curves(panels, panel_in=(5.6, 4.8)),
    )


def _utilisation_curve(
    runs: Runs, rate: str, law: str, losses: list[float], *, points: bool = False
) -> Curve:
    used = [float(np.mean(measures.lossy(runs, rate, law, p))) for p in losses]
    return Curve(losses, used, marks=not points, points=points)


def models(runs: Runs) -> Picture:
    """Draw each law beside its model and its response function."""
    modelled = {law for tables in theory.RANDOM_LOSS.values() for law in tables}
    panels = [_beside_model(runs, law) for law in runs.setup.laws if law in modelled]
    return Picture(
        "random-loss-models",
        "Random loss: each law beside what is expected of it",
        "One flow, 100 ms, buffer 1 BDP; dots: mean over replicates; dashed: the round-by-round"
        " model (of Westwood+ an upper bound); line: the response function, where the law has one"
        " of the loss alone, over the path's window.",
        draw_curves(panels, columns=4, panel_in=(2.9, 2.4)),
    )


def _beside_model(runs: Runs, law: str) -> CurvePanel:
    drawn: dict[str, Curve] = {}
    for rate, tables in theory.RANDOM_LOSS.items():
        drawn[rate] = _utilisation_curve(runs, rate, law, measures.losses(runs, rate), points=True)
        if law in tables:
            drawn[f"derived, {rate}"] = Curve(
                list(tables[law]), list(tables[law].values()), theory=True
            )
    if law in theory.RESPONSES:
        drawn[RESPONSE] = _response(runs, law)
    return CurvePanel(
        catalog.label(law), "random loss", "utilisation", drawn, "xy", low=5e-4, high=2
    )


def _response(runs: Runs, law: str) -> Curve:
    """Return the response function over the window of either path, as one broken line."""
    x: list[float] = []
    y: list[float] = []
    for rate in theory.RANDOM_LOSS:
        run_at = measures.losses(runs, rate)
        losses = np.geomspace(min(run_at), max(run_at), 60)
        window = theory.RESPONSES[law](losses) / bdp_packets(parse_rate(rate), ROUND_TRIP_S)
        x += [*losses, np.nan]
        y += [*np.minimum(window, 1.0), np.nan]
    return Curve(x, y)
