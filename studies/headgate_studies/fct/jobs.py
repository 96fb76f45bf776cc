"""Every run of the study: a base, and every factor varied from it by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from headgate import HeadgateError, Scenario, catalog, dumbbell, parse_rate, parse_time_ps
from headgate.lab import Job, Key, Setup, key_by_labels
from headgate_studies.paths import job

BASE, DATA_CENTRE = "base", "data centre"
#: RCP with the gains of its paper, and with a mean of 30 packets: of no other protocol.
PAPER_GAINS = "rcp, paper's gains"
#: Protocols of every case; a list of settings takes some of them.
BASIC = ("tcp", "xcp", "rcp")
#: How a protocol is made: its algorithm, and what its routers do.
CCAS = {"tcp": "reno", "xcp": "xcp", "rcp": "rcp", PAPER_GAINS: "rcp", "dctcp": "dctcp"}
#: Packets of 1000 B, the first window of ns-2; every host sits on its router.
PAYLOAD_BYTES, HEADER_BYTES = 960, 40
PACKET_BITS = 8 * (PAYLOAD_BYTES + HEADER_BYTES)
#: The receive window, in bandwidth-delay products.
WINDOW_BDP = 4

#: A condition: the settings that differ from the base.
Case = Mapping[str, Any]


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run of a scale; the flows of a case and seed are the same for every protocol.

    Replicates are the outermost loop: a run stopped early covers every case, with fewer replicates.
    """
    return key_by_labels(
        job(_scenario(setup, case, protocol, seed), case=name, protocol=protocol, seed=seed)
        for seed in setup.seeds
        for name, case in cases(setup).items()
        for protocol in protocols(setup, name)
    )


def cases(setup: Setup) -> dict[str, Case]:
    """Return every condition by its name, the base first."""
    own = {**setup.settings["data_centre"], "duration": setup.settings["data_centre_duration"]}
    return {BASE: base(setup), **dict(_vary_factors(setup)), DATA_CENTRE: {**base(setup), **own}}


def base(setup: Setup) -> Case:
    """Return the condition that the others differ from."""
    return {**setup.settings["base"], "duration": setup.settings["duration"]}


def _vary_factors(setup: Setup) -> Iterator[tuple[str, Case]]:
    for factor in ("shape", "rtt", "mean", "load", "rate"):
        for level in setup.settings[f"{factor}s"]:
            yield name_case(factor, level), {**base(setup), factor: level}


def name_case(factor: str, level: object) -> str:
    """Return the name of the case in which one factor has another level."""
    return f"{factor} {level}"


def levels(setup: Setup, factor: str) -> dict[Any, str]:
    """Return the name of the case of every level of a factor, the base's among them, in order."""
    own = setup.settings["base"][factor]
    found = {own: BASE} | {each: name_case(factor, each) for each in setup.settings[f"{factor}s"]}
    return {each: found[each] for each in sorted(found, key=magnitude)}


def magnitude(level: Any) -> float:
    """Return the size of a level of any unit."""
    if not isinstance(level, str):
        return float(level)
    return float(parse_rate(level) if level.endswith("bit/s") else parse_time_ps(level))


def protocols(setup: Setup, case: str) -> tuple[str, ...]:
    """Return the protocols of a case whose algorithms are in the catalogue."""
    known = {cca.name for cca in catalog.ccas()}
    wanted = tuple(setup.settings["protocols"])
    for protocol in wanted:
        if protocol not in BASIC:
            raise HeadgateError(f"{protocol!r} is not a protocol here; it is {', '.join(BASIC)}")
    if case.startswith("mean "):
        wanted = tuple(p for p in wanted if p == "rcp")
    if case == BASE and "rcp" in wanted:
        wanted += (PAPER_GAINS,)
    if case == DATA_CENTRE and "tcp" in wanted:
        wanted += ("dctcp",)
    return tuple(p for p in wanted if CCAS[p] in known)


def _scenario(setup: Setup, case: Case, protocol: str, seed: int) -> Scenario:
    size = {"kind": "pareto", "mean": f"{case['mean']} packets", "shape": case["shape"]}
    flows = {"kind": "poisson", "name": "flows", "cca": CCAS[protocol], "load": case["load"]}
    window = WINDOW_BDP * bdp_packets(case)
    return dumbbell(
        rate=case["rate"],
        rtt=case["rtt"],
        access="direct",
        flows=[{**flows, "size": size}],
        transport={
            "preset": "ns2",
            "segment": f"{PAYLOAD_BYTES} B",
            "header": f"{HEADER_BYTES} B",
            "receive_window": f"{max(1, round(window))} packets",
        },
        measure={"series": "none"},
        duration=case["duration"],
        seed=seed,
        **_port(setup, case, protocol),
    )


def _port(setup: Setup, case: Case, protocol: str) -> Mapping[str, Any]:
    match protocol:
        case "xcp":
            return {"buffer": "1 BDP", "feedback": {"name": "xcp", "first_interval": "drawn"}}
        case "rcp" | "rcp, paper's gains":
            gains = setup.settings["gains" if protocol == "rcp" else "paper_gains"]
            # The scripts assume 200 ms at first, which no router of a data centre would.
            first = {"start_rtt": case["rtt"]} if "mark" in case else {}
            router = {"name": "rcp", "first_interval": "drawn", **gains, **first}
            return {"buffer": "infinite", "feedback": router}
        case "dctcp":
            return {"buffer": "1 BDP", "queue": {"name": "threshold", "mark": case["mark"]}}
    return {"buffer": "1 BDP"}


def packets_per_s(case: Case) -> float:
    """Return how many packets a second the link sends."""
    return parse_rate(case["rate"]) / PACKET_BITS


def rtt_s(case: Case) -> float:
    """Return the propagation round trip."""
    return parse_time_ps(case["rtt"]) / 1e12


def bdp_packets(case: Case) -> float:
    """Return the bandwidth-delay product."""
    return packets_per_s(case) * rtt_s(case)
