"""Warn of a round trip that the delays of the path do not make up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from headgate.base.units import format_time_ps
from headgate.scenario.networks.dumbbell import Dumbbell
from headgate.scenario.networks.layout import Demand

if TYPE_CHECKING:
    from headgate.scenario.spec import ScenarioSpec

Plan = Mapping[str, Any]

#: Largest difference between the key and the delays, as a share of the key.
_TOLERATED = 0.1


def warn_of_round_trip(scenario: ScenarioSpec, plan: Plan) -> Iterator[str]:
    """Warn of a dumbbell whose course or reverse direction sets other delays than its `rtt`."""
    network = scenario.network
    if not isinstance(network, Dumbbell):
        return
    links, duration_ps = plan["links"], plan["duration_ps"]
    hosts_ps = 0 if network.access == "direct" else 4 * plan["edges"][0]["delay_ps"]
    made_ps = hosts_ps + sum(_mean_delay(link, duration_ps) for link in links)
    if abs(made_ps - network.rtt) <= _TOLERATED * network.rtt:
        return
    own, agreed = format_time_ps(network.rtt), _find_agreed(scenario, network, made_ps)
    counts_bdp = network.buffer.unit.startswith("BDP")
    remedies = [] if agreed is None else [f'rtt = "{_write(agreed)}", with which they agree']
    remedies += ["the buffer in packets"] if counts_bdp else []
    yield (
        f"network.rtt: rtt is {own}, but the delays of the path make it {_write(made_ps)}"
        + (f"; a BDP counts {own}" if counts_bdp else "")
        + (f"; write {', or '.join(remedies)}" if remedies else "")
    )


def _mean_delay(link: Mapping[str, Any], duration_ps: int) -> float:
    """Return the mean delay of a link over the run, ps."""
    steps = [(0, link["delay_ps"])]
    steps += [(one["at_ps"], one["delay_ps"]) for one in link.get("delays", ())]
    ends = [*(at_ps for at_ps, _ in steps[1:]), duration_ps]
    spans = ((end - at_ps) * delay for (at_ps, delay), end in zip(steps, ends, strict=True))
    return float(sum(spans) / duration_ps)


def _find_agreed(scenario: ScenarioSpec, network: Dumbbell, made_ps: float) -> float | None:
    """Return the `rtt` that equals the round trip of its path, which is linear in it.

    None if there is none: `rtt` of single traffic may set the delay of the middle.
    """
    first, other = (_lay_out(scenario, network, times * network.rtt) for times in (1, 2))
    slope = (other - first) / network.rtt
    if slope > 0.99:
        return None
    agreed = (made_ps - slope * network.rtt) / (1 - slope)
    there = made_ps - first + _lay_out(scenario, network, round(agreed))
    return agreed if abs(there - agreed) <= _TOLERATED * agreed else None


def _lay_out(scenario: ScenarioSpec, network: Dumbbell, rtt_ps: int) -> int:
    """Return the first round trip of the path for a value of `rtt`, ps."""
    groups = enumerate(scenario.traffic)
    own = tuple(one for n, group in groups for one in group.own_rtts_ps(f"traffic[{n}]"))
    demand = Demand(scenario.transport.packet_bytes, 1, own, scenario.duration)
    layout = network.model_copy(update={"rtt": rtt_ps}).layout(demand)
    hosts_ps = 4 * layout.edges[0].delay_ps if layout.edges else 0
    return hosts_ps + sum(link.delay_ps for link in layout.links)


def _write(time_ps: float) -> str:
    """Write a time with three digits."""
    return format_time_ps(int(float(f"{time_ps:.3g}")))
