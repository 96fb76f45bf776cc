"""The rate of the stream beside each number of flows, and its distance from the published one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from headgate import Result
from headgate.claims import Estimate, estimate_mean
from headgate.lab import Runs
from headgate_studies.scream_tests.published import read_rates

#: A rate is that of the publication if it is within this share of it.
CLOSE = 0.1
#: The program logs the bytes of RTP; on the line there are headers of UDP, IPv4 and Ethernet.
RTP_BYTES, LINE_BYTES = 1372, 1414


def rates_mbps(result: Result) -> NDArray[np.float64]:
    """Return the rate of the stream's RTP packets beside 0 to 4 flows."""
    received_bps = np.asarray(result.tables["media"]["received_bps"], float)
    return received_bps * RTP_BYTES / LINE_BYTES / 1e6


def replicate_rates(runs: Runs, *begin: str | int) -> NDArray[np.float64]:
    """Return the rates of each replicate, one row each; `begin` is the key without the seed."""
    return np.array([rates_mbps(result) for result in runs.replicates(*begin)])


def find_rate(runs: Runs, *, frames: str, rtt: int, flows: int, form: str = "today") -> Estimate:
    """Return the rate of the program's stream beside some flows."""
    found = replicate_rates(runs, "steps", frames, rtt, form)
    return estimate_mean(found[:, flows].tolist())


def rows(runs: Runs, form: str) -> Iterator[tuple[str, int, list[int], NDArray[np.float64]]]:
    """Give kind of frames, round trip, published and replicated rates of what this scale ran."""
    for frames, by_rtt in read_rates().items():
        for rtt_ms, published in by_rtt.items():
            if ("steps", frames, rtt_ms, form, runs.setup.seeds[0]) in runs.results:
                yield (
                    frames,
                    rtt_ms,
                    published,
                    replicate_rates(runs, "steps", frames, rtt_ms, form),
                )


def ratios(runs: Runs, frames: str, form: str) -> NDArray[np.float64]:
    """Return simulated over published rates, one row each round trip."""
    return np.array(
        [
            ours.mean(axis=0) / published
            for of, _, published, ours in rows(runs, form)
            if of == frames
        ]
    )


def changed_ratios(runs: Runs, change: str) -> NDArray[np.float64]:
    """Return simulated over published rates after a change, one row each round trip."""
    published = read_rates()["fixed"]
    return np.array(
        [
            replicate_rates(runs, "causes", change, rtt_ms).mean(axis=0) / published[rtt_ms]
            for rtt_ms in runs.setup.settings["changed_rtts_ms"]
            if ("causes", change, rtt_ms, runs.setup.seeds[0]) in runs.results
        ]
    )


def marked_shares(result: Result) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the marked shares of the stream's packets and of all others at the bottleneck."""
    media, links = result.tables["media"], result.tables["links"]
    way = np.flatnonzero(links["link"] == links["link"][np.argmax(links["marks"])])
    own, sent = (np.asarray(media[name], float) for name in ("packets_marked", "packets_sent"))
    marks, arrivals = (np.asarray(links[name][way], float) for name in ("marks", "arrivals"))
    return own / sent, (marks - own) / np.maximum(arrivals - sent, 1)
