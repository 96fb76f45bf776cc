"""Pictures of flows that share a path: shares, newcomers, round trips."""

import numpy as np

from headgate import catalog
from headgate.figures import Curve, CurvePanel, Dots, Heat, draw_curves, draw_dots, draw_heat
from headgate.lab import Picture, Runs
from headgate.stats import compute_grouped_interval, compute_mean_interval
from headgate_studies.senders import measures
from headgate_studies.senders.jobs import TCP, cells, pair_seeds, replicates

#: A value with the ends of its interval.
Interval = tuple[float, float, float]
#: Colours of shares (orange less than half, violet more) and of widths.
DIVERGING, WIDTHS = "PuOr", "Greys"
WIDE = 0.2


def takes(runs: Runs) -> Picture:
    """Draw the shares of one flow and one of another algorithm."""
    order = _from_most(runs)
    shares = [[measures.share_against(runs, row, column) for column in order] for row in order]
    ends = np.array([[compute_grouped_interval(groups) for groups in row] for row in shares])
    widths = (ends[..., 2] - ends[..., 1]) / 2
    np.fill_diagonal(widths, np.nan)
    names = [catalog.label_as_nist(cca) for cca in order]
    places = ", ".join(f"{rtt} ms and {buffer:g} BDP" for rtt, buffer in cells(runs.setup))
    count = [len(pair_seeds(runs.setup, cca, cca)) for cca in (order[0], TCP)]
    panels = [
        Heat("Share of the row's algorithm (%)", ends[..., 0], names, 0.0, 1.0, DIVERGING, 100.0),
        Heat("Half the width of its 95 % interval (%)", widths, names, 0, WIDE, WIDTHS, 100.0),
    ]
    return Picture(
        "who-takes-what",
        "Who takes what",
        "Share of one flow of the row's algorithm beside one flow of the column's algorithm; mean"
        f" over {places} on {runs.setup.settings['pairs']['rate']}, {min(count)} replicates each,"
        f" {max(count)} with TCP. Rows and columns from the algorithm that takes most to the one"
        " that takes least. Below: how sure that is, from the spread of the replicates.",
        draw_heat(names, panels, "beside a flow of", "a flow of"),
    )


def _from_most(runs: Runs) -> list[str]:
    ccas = runs.setup.ccas
    taken = {
        cca: np.mean([measures.mean_share(runs, cca, other) for other in ccas]) for cca in ccas
    }
    return sorted(ccas, key=lambda cca: -taken[cca])


def takes_in_crowds(runs: Runs) -> Picture:
    """Draw the shares of four flows and four of another algorithm."""
    order = _from_most(runs)
    mean = [[np.mean(measures.crowd_share(runs, row, column)) for column in order] for row in order]
    names = [catalog.label_as_nist(cca) for cca in order]
    title = "Share of four of the row's algorithm (%)"
    return Picture(
        "who-takes-what-in-crowds",
        "Who takes what: four against four",
        "Share of four flows of the row's algorithm beside four of the column's algorithm, 100"
        " Mbit/s, 40 ms, half a BDP; rows and columns as above.",
        draw_heat(
            names,
            [Heat(title, np.array(mean), names, 0.0, 1.0, DIVERGING, 100.0)],
            "beside four flows of",
            "four flows of",
        ),
    )


def fairness(runs: Runs) -> Picture:
    """Draw what each algorithm leaves to TCP."""
    left = {cca: compute_mean_interval(measures.tcp_share(runs, cca)) for cca in runs.setup.ccas}
    low = {cca: compute_mean_interval(measures.tcp_left_low(runs, cca)) for cca in runs.setup.ccas}
    ccas = sorted(left, key=lambda cca: -left[cca][0])
    crowd = {cca: compute_mean_interval(measures.crowd_share(runs, TCP, cca)) for cca in ccas}
    thresholds = {"infinite first threshold": _label_ccas(left), "100 packets": _label_ccas(low)}
    panels = [
        Dots("TCP beside the algorithm, over TCP beside TCP", "ratio of goodput", thresholds, 1.0),
        Dots(
            "Four TCP flows beside four of the algorithm",
            "share of TCP",
            {"share": _label_ccas(crowd)},
            0.5,
        ),
    ]
    return Picture(
        "fairness",
        "What is left to TCP",
        "Mean and 95 % interval over replicates. Left: mean over the cells of the pairs. Right: 100"
        " Mbit/s, 40 ms, half a BDP. From the algorithm that leaves TCP most to the one that leaves"
        " it least.",
        draw_dots([catalog.label_as_nist(cca) for cca in ccas], panels, 4.6),
    )


def _label_ccas(values: dict[str, Interval]) -> dict[str, Interval]:
    return {catalog.label_as_nist(cca): value for cca, value in values.items()}


def newcomers(runs: Runs) -> Picture:
    """Draw what a newcomer gets, and how long it takes to be fair."""
    ccas = runs.setup.ccas
    shares = {
        "of the same algorithm": {
            cca: compute_mean_interval(_shares(runs, cca, cca)) for cca in ccas
        },
        "of TCP": {cca: compute_mean_interval(_shares(runs, cca, TCP)) for cca in ccas},
    }
    order = sorted(ccas, key=lambda cca: -shares["of the same algorithm"][cca][0])
    after = {cca: _fair_after(runs, cca) for cca in ccas}
    panels = [
        Dots(
            "Its first minute",
            "share of the newcomer",
            {said: _label_ccas(each) for said, each in shares.items()},
            0.5,
        ),
        Dots("Until shares are fair", "seconds", {"own algorithm": _label_ccas(after)}),
    ]
    return Picture(
        "newcomers",
        "A newcomer beside an established flow",
        "100 Mbit/s, 40 ms, half a BDP. Left: mean and 95 % interval over replicates. Right: time"
        " until a newcomer of the same algorithm has between 0.4 and 0.6 of ten seconds; mean,"
        f" least and most of the replicates; {measures.watch_time_s(runs):.0f} s: not within the"
        " run.",
        draw_dots([catalog.label_as_nist(cca) for cca in order], panels, 4.6),
    )


def _shares(runs: Runs, cca: str, newcomer: str) -> list[float]:
    return measures.newcomer_share(runs, cca, newcomer)


def _fair_after(runs: Runs, cca: str) -> Interval:
    longest = measures.watch_time_s(runs)
    times = [min(longest, each) for each in measures.fair_after(runs, cca)]
    return float(np.mean(times)), min(times), max(times)


def round_trips(runs: Runs) -> Picture:
    """Draw the ratio of rates over the ratio of round trips."""
    ratios = runs.setup.settings["round_trips"]["ratios"]
    drawn = {
        catalog.label_as_nist(cca): Curve(
            ratios, [_rate_ratio(runs, cca, ratio) for ratio in ratios], marks=True
        )
        for cca in runs.setup.ccas
    }
    drawn["a = 1"] = Curve(ratios, ratios, theory=True)
    panel = CurvePanel(
        "Short against long round trip",
        "ratio of round trips",
        "ratio of rates",
        drawn,
        "xy",
        ticks={ratio: str(ratio) for ratio in ratios},
        levels={"": 1.0},
    )
    return Picture(
        "round-trips",
        "Fairness between round trips",
        "Two flows of an algorithm on 100 Mbit/s, the short round trip 20 ms, a buffer of 40 ms;"
        " geometric mean over replicates. Dotted: equal rates; dashed: rates in inverse proportion"
        " to the empty path's round trips.",
        draw_curves([panel], columns=1, panel_in=(8.2, 5.2)),
    )


def _rate_ratio(runs: Runs, cca: str, ratio: float) -> float:
    seeds = replicates(runs.setup, "round_trips")
    return float(
        np.exp(np.mean([np.log(measures.rate_ratio(runs, cca, ratio, seed)) for seed in seeds]))
    )
