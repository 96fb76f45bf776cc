"""The pictures of the study."""

from __future__ import annotations

from headgate.lab import Picture, Runs, make_possible
from headgate_studies.senders.pictures_alone import (
    courses,
    draw_halved,
    grids,
    phases,
    rate_and_delay,
)
from headgate_studies.senders.pictures_lossy import lossy, models
from headgate_studies.senders.pictures_start import draw_crowded, one_loss
from headgate_studies.senders.pictures_together import (
    fairness,
    newcomers,
    round_trips,
    takes,
    takes_in_crowds,
)


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
