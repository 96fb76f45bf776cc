"""Flows of several senders that share the switch."""

from __future__ import annotations

from dataclasses import replace
from math import isnan, nan
from typing import Any

import numpy as np

from headgate_studies.conform.case import FlowRun, Observation, Subject, run_scenario, within
from headgate_studies.conform.quiche.network import MIB, PAYLOAD, TRANSPORT, ManySenders
from headgate_studies.conform.quiche.suite import MULTI_TEST, Quiche

#: The test cases of this module.
CASES = Quiche()
#: The other algorithm, the MiB of each transfer, and the test.
PAIRS = {
    "bbr": (10, "Bbr2VsBbr1", ""),
    "reno": (10, "Bbr2VsReno", ""),
    "reno-b2rc": (10, "Bbr2VsRenoB2RC", "; option B2RC: no coexistence with Reno"),
    "cubic": (50, "Bbr2VsCubic", ""),
}


def _time_of(size: int) -> float:
    """Return the seconds that a number of bytes takes alone, without headers."""
    return size * 8 / ManySenders().test.bps


def _flow(sender: int, keys: dict[str, Any], size: int, start_s: float) -> dict[str, Any]:
    place = {"source": f"sender{sender}", "receiver": "receiver", "name": f"flow{sender}"}
    return {"kind": "flows", **place, "size": f"{size} B", "start": f"{start_s:.6f} s", **keys}


def _run(flows: list[dict[str, Any]], senders: int, duration_s: float) -> FlowRun:
    return run_scenario(
        {
            "seed": 1,
            "duration": f"{duration_s:.3f} s",
            "network": ManySenders().network(senders),
            "transport": TRANSPORT,
            "traffic": flows,
            "measure": {"series": {"interval": "5 ms"}},
        }
    )


def _complete_in(run: FlowRun, since_s: float, most_s: float, unit: str) -> Observation:
    """Hold if all data of all flows have arrived within a time."""
    flows = run.result.flows
    last_s = float(np.max(flows["start_s"] + flows["fct_receiver_s"]))
    found = within(last_s - since_s, 0, most_s, unit)
    return replace(found, observed="not complete") if isnan(last_s) else found


def _find_tenth(cca: Subject, size: int) -> float:
    """Return when the receiver of a single flow got a tenth of it."""
    run = _run([_flow(0, dict(cca.keys), size, 0)], 2, _time_of(size))
    arrived = run.series("arrived_packets")
    goal = 0.1 * size / PAYLOAD
    return float(run.t_s[int(np.argmax(arrived >= goal))]) if arrived[-1] >= goal else nan


def _beside(cca: Subject, other: dict[str, Any], mebibytes: int) -> Observation:
    size = mebibytes * MIB
    most_s = _time_of(size)
    start_s = _find_tenth(cca, size)
    early = within(start_s, 0, most_s, "s until a tenth of the first")
    if not early.holds:
        return early
    flows = [_flow(0, dict(cca.keys), size, 0), _flow(1, other, size, start_s)]
    run = _run(flows, 2, start_s + 3 * most_s + 1)
    return _complete_in(run, start_s, 3 * most_s, "s from then until both are complete")


@CASES.add("beside-itself", "Bbr2VsBbr2", of=MULTI_TEST)
def _beside_itself(cca: Subject) -> Observation:
    """Two transfers of 10 MiB, the second from a tenth of the first on: both complete in 63 s."""
    return _beside(cca, dict(cca.keys), 10)


def _register_pairs() -> None:
    for name, (mebibytes, test, said) in PAIRS.items():
        other = name.removesuffix("-b2rc")

        def check(cca: Subject, other: str = other, mebibytes: int = mebibytes) -> Observation:
            return _beside(cca, {"cca": other}, mebibytes)

        seconds = 3 * _time_of(mebibytes * MIB)
        CASES.add(
            f"beside-{name}",
            test,
            f"{mebibytes} MiB beside {other}, which starts when a tenth is there: both complete in"
            f" {seconds:.0f} s{said}",
            of=MULTI_TEST,
        )(check)


_register_pairs()


@CASES.add("six", "MultipleBbr2s", of=MULTI_TEST)
def _six(cca: Subject) -> Observation:
    """Six transfers of 10 MiB, 2 s apart, are complete in 1.1 times the sum of their times."""
    count, size, apart_s = 6, 10 * MIB, 2.0
    most_s = 1.1 * count * _time_of(size)
    last_s = apart_s * (count - 1)
    flows = [_flow(i, dict(cca.keys), size, apart_s * i) for i in range(count)]
    run = _run(flows, count, last_s + most_s + 1)
    return _complete_in(run, last_s, most_s, "s from the last start until all are complete")
