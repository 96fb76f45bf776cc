"""Pictures of the start, of one lost packet, and of crowds."""

from __future__ import annotations

from headgate import catalog
from headgate.figures import Dots, draw_dots
from headgate.lab import Picture, Runs
from headgate.stats import compute_mean_interval
from headgate_studies.paths import goodput_bps, loss_rate
from headgate_studies.senders import measures
from headgate_studies.senders.jobs import TCP

#: What never happened is drawn at the end of the run.
NEVER_S = 240.0


def one_loss(runs: Runs) -> Picture:
    """Draw the times to the full rate, and what is kept after a loss."""
    laws = runs.setup.laws
    named = {
        said: {
            catalog.label(law): Dots.point(min(NEVER_S, measures.full_rate_s(runs, law, threshold)))
            for law in laws
        }
        for said, threshold in (("infinite threshold", "high"), ("100 packets", "low"))
    }
    kept = {catalog.label(law): Dots.point(measures.share_kept(runs, law)) for law in laws}
    back = {
        catalog.label(law): Dots.point(min(NEVER_S, measures.recovery_s(runs, law))) for law in laws
    }
    panels = [
        Dots("Start: to 95 % of the rate", "seconds", named, log=True),
        Dots("Window kept after a loss", "share", {"kept": kept}, 0.5),
        Dots("Loss: back to 95 % of the rate", "seconds", {"back": back}, log=True),
    ]
    return Picture(
        "one-loss",
        "How fast it starts, what it gives up, how soon it has that back",
        "One flow on 100 Mbit/s and 100 ms, a receive window of 1.1 BDP so that nothing overflows,"
        " one packet lost in mid-flow; the last two with a first threshold of 100 packets. The"
        " least time shown is one round trip, the longest the whole run.",
        draw_dots([catalog.label(law) for law in laws], panels),
    )


def draw_crowded(runs: Runs) -> Picture:
    """Draw loss, retransmissions and goodput of forty flows."""
    laws = runs.setup.laws
    done = {law: measures.crowded_runs(runs, law, "high") for law in laws}
    lost, again, rate = (
        {
            catalog.label(law): compute_mean_interval([scale * of(run) for run in each])
            for law, each in done.items()
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
        "Forty flows of one law on 20 Mbit/s and 50 ms, a packet of buffer a flow; mean and 95 %"
        " interval over replicates. Dotted: TCP.",
        draw_dots([catalog.label(law) for law in laws], panels),
    )
