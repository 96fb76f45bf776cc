"""The pictures of the study: all of them, and those of starts, crowds and random loss."""

import numpy as np

from headgate import catalog, parse_rate
from headgate.figures import Curve, CurvePanel, Dots, draw_curves, draw_dots
from headgate.lab import Picture, Runs, make_possible
from headgate.stats import compute_mean_interval
from headgate_studies.paths import bdp_packets, goodput_bps, loss_rate
from headgate_studies.senders import measures, theory
from headgate_studies.senders.jobs import TCP
from headgate_studies.senders.pictures_alone import (
    courses,
    draw_halved,
    grids,
    phases,
    rate_and_delay,
)
from headgate_studies.senders.pictures_together import (
    fairness,
    newcomers,
    round_trips,
    takes,
    takes_in_crowds,
)

#: Events that never happened are drawn at the end of the run.
NEVER_S = 240.0
ROUND_TRIP_S = 0.1
RESPONSE = "response function"


def pictures(runs: Runs) -> tuple[Picture, ...]:
    """Draw every figure of the report; one whose runs this scale lacks is left out."""
    made = (
        takes,
        takes_in_crowds,
        fairness,
        newcomers,
        round_trips,
        courses,
        phases,
        one_loss,
        draw_halved,
        rate_and_delay,
        *grids(runs),
        lossy,
        models,
        draw_crowded,
    )
    return make_possible(made, runs)


def one_loss(runs: Runs) -> Picture:
    """Draw the times to the full rate, and what is kept after a loss."""
    ccas = runs.setup.ccas
    named = {
        said: {
            catalog.label(cca): Dots.point(min(NEVER_S, measures.full_rate_s(runs, cca, threshold)))
            for cca in ccas
        }
        for said, threshold in (("infinite threshold", "high"), ("100 packets", "low"))
    }
    kept = {catalog.label(cca): Dots.point(measures.share_kept(runs, cca)) for cca in ccas}
    back = {
        catalog.label(cca): Dots.point(min(NEVER_S, measures.recovery_s(runs, cca))) for cca in ccas
    }
    panels = [
        Dots("Start: to 95 % of the rate", "seconds", named, log=True),
        Dots("Window kept after a loss", "share", {"kept": kept}, 0.5),
        Dots("Loss: back to 95 % of the rate", "seconds", {"back": back}, log=True),
    ]
    return Picture(
        "one-loss",
        "Time to start, reduction after a loss, and time to recover",
        "One flow on 100 Mbit/s and 100 ms, a receive window of 1.1 BDP so that nothing overflows,"
        " one packet lost in mid-flow; the last two with a first threshold of 100 packets. The"
        " least time shown is one round trip, the longest the whole run.",
        draw_dots([catalog.label(cca) for cca in ccas], panels),
    )


def draw_crowded(runs: Runs) -> Picture:
    """Draw loss, retransmissions and goodput of forty flows."""
    ccas = runs.setup.ccas
    done = {cca: measures.crowded_runs(runs, cca, "high") for cca in ccas}
    lost, again, rate = (
        {
            catalog.label(cca): compute_mean_interval([scale * of(run) for run in each])
            for cca, each in done.items()
        }
        for scale, of in ((100, loss_rate), (100, measures.share_resent), (1e-6, goodput_bps))
    )
    tcp = catalog.label(TCP)
    panels = [
        Dots("Loss at the buffer", "%", {"loss": lost}, lost[tcp][0]),
        Dots("Packets sent again", "%", {"again": again}, again[tcp][0]),
        Dots("Goodput of all forty", "Mbit/s", {"goodput": rate}, rate[tcp][0]),
    ]
    return Picture(
        "crowded",
        "Heavy congestion",
        "Forty flows of one algorithm on 20 Mbit/s and 50 ms, a packet of buffer a flow; mean and"
        " 95 % interval over replicates. Dotted: TCP.",
        draw_dots([catalog.label(cca) for cca in ccas], panels),
    )


def lossy(runs: Runs) -> Picture:
    """Draw utilisation against loss, all algorithms."""
    panels = []
    for rate in theory.RANDOM_LOSS:
        losses = measures.losses(runs, rate)
        drawn = {
            catalog.label(cca): _utilisation_curve(runs, rate, cca, losses)
            for cca in runs.setup.ccas
        }
        model = theory.RANDOM_LOSS[rate][TCP]
        kept = [p for p in losses if p in model]
        drawn["derived, Reno"] = Curve(kept, [model[p] for p in kept], theory=True)
        panels.append(CurvePanel(rate, "random loss", "utilisation", drawn, "xy", high=1.4))
    return Picture(
        "random-loss",
        "Random loss",
        "One flow, 100 ms, buffer 1 BDP, mean over replicates; dashed: the round-by-round model of"
        " Reno, 1.3/sqrt(p). The next picture and the tables below hold every algorithm to its"
        " model.",
        draw_curves(panels, panel_in=(5.6, 4.8)),
    )


def _utilisation_curve(
    runs: Runs, rate: str, cca: str, losses: list[float], *, points: bool = False
) -> Curve:
    used = [float(np.mean(measures.lossy(runs, rate, cca, p))) for p in losses]
    return Curve(losses, used, marks=not points, points=points)


def models(runs: Runs) -> Picture:
    """Draw each algorithm beside its model and its response function."""
    modelled = {cca for tables in theory.RANDOM_LOSS.values() for cca in tables}
    panels = [_beside_model(runs, cca) for cca in runs.setup.ccas if cca in modelled]
    return Picture(
        "random-loss-models",
        "Random loss: each algorithm beside what is expected of it",
        "One flow, 100 ms, buffer 1 BDP; dots: mean over replicates; dashed: the round-by-round"
        " model (of Westwood+ an upper bound); line: the response function over the path's window,"
        " for algorithms whose response depends on the loss alone.",
        draw_curves(panels, columns=4, panel_in=(2.9, 2.4)),
    )


def _beside_model(runs: Runs, cca: str) -> CurvePanel:
    drawn: dict[str, Curve] = {}
    for rate, tables in theory.RANDOM_LOSS.items():
        drawn[rate] = _utilisation_curve(runs, rate, cca, measures.losses(runs, rate), points=True)
        if cca in tables:
            drawn[f"derived, {rate}"] = Curve(
                list(tables[cca]), list(tables[cca].values()), theory=True
            )
    if cca in theory.RESPONSES:
        drawn[RESPONSE] = _response(runs, cca)
    return CurvePanel(
        catalog.label(cca), "random loss", "utilisation", drawn, "xy", low=5e-4, high=2
    )


def _response(runs: Runs, cca: str) -> Curve:
    """Return the response function over the window of either path, as one broken line."""
    x: list[float] = []
    y: list[float] = []
    for rate in theory.RANDOM_LOSS:
        run_at = measures.losses(runs, rate)
        losses = np.geomspace(min(run_at), max(run_at), 60)
        window = theory.RESPONSES[cca](losses) / bdp_packets(parse_rate(rate), ROUND_TRIP_S)
        x += [*losses, np.nan]
        y += [*np.minimum(window, 1.0), np.nan]
    return Curve(x, y)
