"""From a seed to a scenario: within what is allowed, or, in one of four, a little beyond."""

import copy
from typing import Any, NamedTuple

from .draw import PS_PER_S, Draw, Scenario, picoseconds
from .networks import network
from .options import transport
from .traffic import add_bursts, add_matrix, add_media, add_mixes, add_on_off, traffic

#: Values that nobody should write, one of each type of TOML.
WILD: tuple[Any, ...] = (
    "", "\x00", "💥 s", "../../etc/passwd", "reno", "infinite", "nan", "inf", "-5 s", "1e400 s",
    "1e-400 s", "0 bit/s", "9e18 ps", "9223372036854775807 ps", "18446744073709551616 ps",
    "1 BDP", "0 packets", "1 packets", "0.0000001 packets", "1e30 packets", "1e30 B",
    "4294967294 packets", "4294967295 packets", -1, 0, 1, 2**63, 2**64, -(2**63), 1e308,
    float("inf"), float("nan"),
    True, [], {}, [[]], ["a", "a", "a"],
)  # fmt: skip


class Made(NamedTuple):
    """A scenario as a user could write it."""

    scenario: Scenario
    mutated: bool


def make(seed: int) -> Made:
    draw = Draw(seed)
    duration_s = draw.of(0.01, 0.1, 0.5, 1, 2, 5, 20)
    net = network(draw, duration_s)
    scenario: Scenario = {
        "seed": draw.of(0, 1, 2**63 - 1, draw.randrange(2**62)),
        "duration": picoseconds(duration_s),
        "network": net,
        **({"transport": transport(draw)} if draw.maybe(0.5) else {}),
        "traffic": [
            without_none(traffic(draw, net, duration_s, f"t{n}"))
            for n in range(draw.of(1, 1, 1, 2, 3, 6))
        ],
        "measure": measure(draw, duration_s),
    }
    add_on_off(Draw(f"on and off {seed}"), scenario, duration_s)
    add_bursts(Draw(f"bursts {seed}"), scenario, duration_s)
    add_matrix(Draw(f"matrix {seed}"), scenario, duration_s)
    add_mixes(Draw(f"mixes {seed}"), scenario)
    add_media(Draw(f"media {seed}"), scenario, duration_s)
    scenario = copy.deepcopy(scenario)  # parts of it are drawn from constants
    mutated = draw.maybe(0.25)
    if mutated:
        for _ in range(draw.of(1, 1, 2, 3)):
            mutate(draw, scenario)
    return Made(scenario, mutated)


def without_none(group: Scenario) -> Scenario:
    return {key: value for key, value in group.items() if value is not None}


def measure(draw: Draw, duration_s: float) -> dict[str, Any]:
    drawn: dict[str, Any] = {}
    warmup_s = draw.uniform(0, 0.9) * duration_s if draw.maybe(0.4) else 0.0
    if warmup_s:
        drawn["warmup"] = picoseconds(warmup_s)
    if draw.maybe(0.3):
        drawn["periods"] = draw.of(1, 2, 3, 7)
    period_s = (duration_s - warmup_s) / drawn.get("periods", 1)
    drawn["interval"] = picoseconds(draw.magnitude(max(period_s * 1e-3, 2 / PS_PER_S), period_s))
    if draw.maybe(0.2):
        drawn["flows"] = "none"
    if draw.maybe(0.2):
        drawn["series"] = "none"
    elif draw.maybe(0.5):
        interval = picoseconds(draw.magnitude(duration_s * 1e-3, duration_s))
        ports = draw.of(["*"], ["r*"])
        drawn["series"] = {"interval": interval, "ports": ports, "most": draw.of(1, 16, 1000)}
    return drawn


def places(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """List the paths to everything in a tree of tables and lists."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    found = []
    for key, value in items:
        found.append((*path, key))
        if isinstance(value, dict | list):
            found += places(value, (*path, key))
    return found


def parent(tree: Any, path: tuple[Any, ...]) -> Any:
    for key in path[:-1]:
        tree = tree[key]
    return tree


def mutate(draw: Draw, scenario: Scenario) -> None:
    """Put something wild in a place, leave a key out, or add one."""
    path = draw.choice(places(scenario))
    table, wild = parent(scenario, path), copy.deepcopy(draw.choice(WILD))
    what = draw.random()
    if what < 0.7 or not isinstance(table, dict):
        table[path[-1]] = wild
    elif what < 0.85:
        del table[path[-1]]
    else:
        table[draw.of("foo", "rate", "kind", "name", "params", "loss")] = wild
