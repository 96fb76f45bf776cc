"""The scenarios: two flows share a queue, as a row of the publication says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headgate import Scenario
from headgate.lab import Labels, Setup
from headgate_studies.l4s_tests.published import Row, checked_rows, read_rows
from headgate_studies.paths import NO_SERIES, draw_starts, flow, path, scale_times

#: The form of a row without Prague.
NO_FORM = "none"
#: The ping begins this long before the flows.
PING_FIRST_S = 5.0
PING_EVERY_S = 0.05


def fairness_rows(setup: Setup) -> Iterator[Labels]:
    """Give the rows of scenario 1 with each form of Prague."""
    return _forms_of(setup, "fairness")


def shared_rows(setup: Setup) -> Iterator[Labels]:
    """Give the rows of scenario 6 with each form of Prague."""
    return _forms_of(setup, "shared")


def drop_tail_rows(setup: Setup) -> Iterator[Labels]:
    """Give the rows of the drop-tail queue, with the Prague of the tests."""
    rows = (one for one in _forms_of(setup, "fairness") if "-pfifo-" in str(one["row"]))
    return (one for one in rows if one["form"] in {"tested", NO_FORM})


def _forms_of(setup: Setup, part: str) -> Iterator[Labels]:
    for row in checked_rows(part):
        if part == "shared" or row.rate_mbps in setup.settings["rates_mbps"]:
            for form in setup.settings["forms"] if row.has_prague else (NO_FORM,):
                yield {"row": row.row, "form": form}


def share_queue(setup: Setup, *, row: str, form: str, seed: int) -> Scenario:
    """Let the two flows of a row share its queue beside a ping."""
    published, settings = read_rows()[row], setup.settings
    ping_s, *starts_s = draw_starts(seed, 3, 1.0)
    params = settings["forms"].get(form, {})
    flows = [
        _make_flow(published, place, params, PING_FIRST_S + settings["start_s"] * start_s, settings)
        for place, start_s in enumerate(starts_s)
    ]
    shortest_ms = min(published.flows[1], published.flows[3])
    queue = settings["queues"][published.queue]
    network = {
        "rate": f"{published.rate_mbps} Mbit/s",
        "rtt": f"{shortest_ms} ms",
        "host_rate": "10 Gbit/s",
        "queue": queue["queue"],
        "buffer": _size_buffer(published, queue),
        "transport": {**settings["transport"], "ecn": "on"},
    }
    times = scale_times(settings[published.part], settings["size"])
    ping = _ping(settings["ping"], PING_EVERY_S * ping_s)
    return path([*flows, ping], times, network, NO_SERIES, seed)


def delay_acks(setup: Setup, *, row: str, form: str, seed: int) -> Scenario:
    """Do the same while each ACK is delayed at random, and ACKs keep their order."""
    made = share_queue(setup, row=row, form=form, seed=seed).to_dict()
    late = {"name": "jitter", "distribution": "uniform", **setup.settings["timers"]}
    made["network"]["reverse"] = {"impairments": [late]}
    return Scenario.model_validate(made)


def _make_flow(
    row: Row, place: int, params: dict[str, Any], start_s: float, settings: Any
) -> dict[str, Any]:
    cca, rtt_ms = row.flows[2 * place], row.flows[2 * place + 1]
    own = params if cca == "prague" else {}
    capable = "on" if row.ecn or place == 0 else "off"
    transport = {**settings["transport"], "ecn": capable}
    name = ("one", "other")[place]
    return flow(str(cca), start_s, params=own, name=name, rtt=f"{rtt_ms} ms", transport=transport)


def _size_buffer(row: Row, queue: Any) -> str:
    """Return the buffer; that of pfifo grows with the rate."""
    if "packets_per_mbps" in queue:
        return f"{queue['packets_per_mbps'] * row.rate_mbps} packets"
    return str(queue["buffer"])


def _ping(given: Any, start_s: float) -> dict[str, Any]:
    params = {"rate_mbps": given["rate_mbps"]}
    return flow("constant", start_s, params=params, name="ping", transport=given["transport"])
