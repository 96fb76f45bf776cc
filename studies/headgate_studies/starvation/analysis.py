"""The sentences, the table and the picture of the report, and the data of the runs."""

import numpy as np

from headgate import Table, catalog
from headgate.figures import Heat, draw_heat
from headgate.lab import Listing, Picture, Runs
from headgate_studies.designed import tidy
from headgate_studies.paths import utilisation
from headgate_studies.starvation.findings import (
    STARVED,
    delay_range_s,
    first_starving_ms,
    mean_ratio,
)


def data(runs: Runs) -> tuple[Table, ...]:
    """Return the measures of every run, one table a part."""
    return tidy(runs, {"utilisation": utilisation})


def _in_order(runs: Runs) -> list[str]:
    """Return the algorithms from the one with the least delay range on."""
    rate = runs.setup.settings["rates_mbps"][-1]
    return sorted(runs.setup.ccas, key=lambda cca: delay_range_s(runs, cca, rate))


def sentences(runs: Runs) -> tuple[str, ...]:
    """State which algorithms starve, and from which jitter on."""
    settings, said = runs.setup.settings, []
    for rate in settings["rates_mbps"]:
        first = {
            cca: min(first_starving_ms(runs, cca, rate, side) for side in settings["sides"])
            for cca in _in_order(runs)
        }
        starving = [f"{cca} from {ms:g} ms on" for cca, ms in first.items() if np.isfinite(ms)]
        said.append(
            f"At {rate} Mbit/s and 40 ms a flow gets less than a tenth of the other's rate with"
            f" {', '.join(starving) or 'no algorithm'};"
            f" {len(first) - len(starving)} of {len(first)} algorithms do not starve a flow."
        )
    return tuple(said)


def tables(runs: Runs) -> tuple[Listing, ...]:
    """Return the delay range and the first jitter that starves a flow, for each algorithm."""
    settings = runs.setup.settings
    rows = [
        (
            cca,
            rate,
            1e3 * delay_range_s(runs, cca, rate),
            *(f"{first_starving_ms(runs, cca, rate, side):g}" for side in settings["sides"]),
        )
        for rate in settings["rates_mbps"]
        for cca in _in_order(runs)
    ]
    columns = ("cca", "Mbit/s", "range (ms)", *(f"jitter of {s} (ms)" for s in settings["sides"]))
    caption = (
        "Range of the queueing delay of one flow, and the least jitter at which the other flow gets"
        f" {STARVED:g} times as much; inf: no tested jitter."
    )
    return (Listing("Delay range and starvation", caption, columns, rows),)


def pictures(runs: Runs) -> tuple[Picture, ...]:
    """Draw the ratio of rates of each algorithm over the jitter."""
    settings, order = runs.setup.settings, _in_order(runs)
    rate = settings["rates_mbps"][-1]
    jitters = [0.0, *settings["jitters_ms"]]
    names = [
        f"{catalog.label(cca)}, range {1e3 * delay_range_s(runs, cca, rate):.3g} ms"
        for cca in order
    ]
    panels = [
        Heat(
            f"Jitter of {side.replace('acks', 'ACKs')}, {rate} Mbit/s",
            np.array([[mean_ratio(runs, cca, rate, side, ms) for ms in jitters] for cca in order]),
            [f"{ms:g} ms" for ms in jitters],
            1.0,
            2 * STARVED,
            "viridis",
            label="rate of one flow over that of the other",
        )
        for side in settings["sides"]
    ]
    caption = (
        f"Rate of the flow that gets more over that of the other, {rate} Mbit/s, 40 ms; one of the"
        " two paths adds the jitter. Rows: the range of the queueing delay of one flow alone, least"
        f" first. From {STARVED:g} on a flow starves."
    )
    drawn = draw_heat(names, panels, "added delay", across=2)
    return (Picture("starvation", "Jitter and starvation", caption, drawn),)
