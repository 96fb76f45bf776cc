"""The scenarios of the study: one function for each question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headgate import Scenario
from headgate.lab import Labels, Setup
from headgate_studies.paths import NO_SERIES, draw_starts, flow, path, scale_times, seconds

#: A hundredth of the link is files of two packets at random times.
FILES = {"kind": "poisson", "name": "files", "cca": "reno", "load": 0.01, "size": "2 packets"}
#: Flows of a pair start within this time.
START_S = 2.0
#: Losses of a run with a loss at equal distances, and those before its measured time.
LOSSES, UNMEASURED = 15, 3


def fill(  # noqa: PLR0913 - what a run differs by
    setup: Setup, *, cca: str, flows: int, rtt_ms: int, buffer: float, queue: str, seed: int
) -> Scenario:
    """Let flows of one algorithm fill a buffer."""
    network = {"rate": "20 Mbit/s", "rtt": f"{rtt_ms} ms", "buffer": f"{buffer:g} BDP"}
    named: dict[str, Any] = {"name": "one", "count": flows, "stagger": seconds(START_S / flows)}
    start_s = draw_starts(seed, 1, START_S / flows)[0]
    linux = {**network, "queue": queue, "transport": "linux"}
    return path([flow(cca, start_s, **named), FILES], _times(setup, "queue"), linux, seed=seed)


def compete(  # noqa: PLR0913 - what a run differs by
    setup: Setup,
    *,
    cca: str,
    c: float,
    flows: int,
    rate_mbps: int,
    rtt_ms: int,
    buffer: float,
    seed: int,
) -> Scenario:
    """Let flows of an algorithm share a link with as many flows of Reno."""
    network = {"rate": f"{rate_mbps} Mbit/s", "rtt": f"{rtt_ms} ms", "buffer": f"{buffer:g} BDP"}
    params = {"c": c} if cca == "cubic" else {}
    first_s, second_s = draw_starts(seed, 2, START_S / flows)
    many: dict[str, Any] = {"count": flows, "stagger": seconds(START_S / flows)}
    one = flow(cca, first_s, params=params, name="one", **many)
    pair = [one, flow("reno", second_s, name="other", **many)]
    linux = {**network, "transport": "linux"}
    return path([*pair, FILES], _times(setup, "share"), linux, seed=seed)


def lose_at_random(  # noqa: PLR0913 - what a run differs by
    setup: Setup, *, cca: str, rate_mbps: int, rtt_ms: int, loss: float, seed: int
) -> Scenario:
    """Let a flow use a fast and long path that loses packets at random."""
    network = {"rate": f"{rate_mbps} Mbit/s", "rtt": f"{rtt_ms} ms", "buffer": "1 BDP"}
    lossy = {**network, "loss": loss, "transport": "linux"}
    return path([flow(cca, name="one")], _times(setup, "loss"), lossy, seed=seed)


def join(  # noqa: PLR0913 - what a run differs by
    setup: Setup, *, cca: str, convergence: str, place: str, buffer: float, seed: int
) -> Scenario:
    """Let a flow join an established one of the same algorithm."""
    params = {"fast_convergence": convergence} if cca == "cubic" else {}
    joins_s = setup.settings["join"]["joins_s"] + draw_starts(seed, 1, 5.0)[0]
    pair = [flow(cca, params=params, name="other"), flow(cca, joins_s, params=params, name="one")]
    network = {**setup.settings["places"][place], "buffer": f"{buffer:g} BDP"}
    linux = {**network, "transport": "linux"}
    return path([*pair, FILES], _times(setup, "join"), linux, "1 s", seed)


def differ(  # noqa: PLR0913 - what a run differs by
    setup: Setup, *, flows: int, short_ms: int, long_ms: int, line: str, seed: int
) -> Scenario:
    """Let CUBIC flows with a short and a long round trip share a link."""
    network = setup.settings["lines"][line]
    part = "tests" if "packets" in network["buffer"] else "trips"
    first_s, second_s = draw_starts(seed, 2, START_S / flows)
    many: dict[str, Any] = {"count": flows, "stagger": seconds(START_S / flows)}
    one = flow("cubic", first_s, name="one", rtt=f"{long_ms} ms", **many)
    pair = [one, flow("cubic", second_s, name="other", rtt=f"{short_ms} ms", **many)]
    linux = {"rtt": f"{short_ms} ms", **network, "transport": "linux"}
    return path([*pair, FILES], _times(setup, part), linux, seed=seed)


def windows(setup: Setup) -> Iterator[Labels]:
    """Give every cell of the RFC's tables that the scale includes."""
    for row in setup.settings["windows"]:
        for cca in ("reno", "hstcp", "cubic"):
            if row["p"] >= setup.settings["least_p"]:
                yield {"cca": cca, "rtt_ms": row["rtt_ms"], "p": row["p"], "window": row[cca]}


def lose_regularly(setup: Setup, *, cca: str, rtt_ms: int, p: float, window: int) -> Scenario:
    """Lose each 1/p-th packet of a flow on a path that never limits it."""
    rtt_s = rtt_ms / 1e3
    between_s = rtt_s / (p * window)
    network = {
        "rate": setup.settings["unlimited"],
        "rtt": f"{rtt_ms} ms",
        "lose": [round(n / p) for n in range(1, 4 * LOSSES)],
        "transport": {"initial_ssthresh": f"{window} packets"},
    }
    params = {"variant": "rfc"} if cca == "cubic" else {}
    times = (seconds(LOSSES * between_s), seconds(UNMEASURED * between_s))
    return path([flow(cca, params=params, name="one")], times, network, NO_SERIES)


def _times(setup: Setup, part: str) -> tuple[str, str]:
    return scale_times(setup.settings[part], setup.settings["size"])
