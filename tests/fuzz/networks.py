"""Random networks of every kind."""

from typing import Any

from .draw import Draw, picoseconds
from .options import device, queue

LOSSES = (0.0, 1e-6, 1e-3, 0.01, 0.1, 0.5, 0.9, 0.999999)


def network(draw: Draw, duration_s: float) -> dict[str, Any]:
    kind = draw.choices((dumbbell, parking_lot, four_tier, graph), (45, 15, 6, 34))[0]
    return kind(draw, duration_s)


def changes(draw: Draw, duration_s: float) -> list[dict[str, str]]:
    """Draw rates to come: the first one before the end, others perhaps after it."""
    first_s = draw.uniform(1e-12, 0.999 * duration_s)
    more_s = [draw.uniform(1e-12, 1.1 * duration_s) for _ in range(draw.of(0, 1, 4))]
    moments = sorted({first_s, *more_s})
    return [{"at": picoseconds(at_s), "rate": draw.rate(1e3, 1e8)} for at_s in moments]


def spans(draw: Draw, duration_s: float) -> list[dict[str, Any]]:
    """Draw times within a run, apart from each other; the last one may repeat."""
    edges = sorted(draw.uniform(0, 0.999) * duration_s for _ in range(2 * draw.of(1, 1, 2, 4)))
    drawn: list[dict[str, Any]] = [
        {"start": picoseconds(start), "duration": picoseconds(end - start)}
        for start, end in zip(edges[::2], edges[1::2], strict=True)
        if end > start + 1e-9
    ]
    if drawn and draw.maybe(0.4):
        every = picoseconds(max(1e-5, duration_s * draw.of(0.01, 0.3)))
        drawn[-1] |= {"every": every, "duration": draw.of("1 ps", "1 us")}
    return drawn


def outages(draw: Draw, duration_s: float) -> list[dict[str, Any]]:
    effects = {"queue": ("drop", "keep"), "in_flight": ("deliver", "lose")}
    return [
        span | {key: draw.choice(words) for key, words in effects.items() if draw.maybe(0.7)}
        for span in spans(draw, duration_s)
    ]


def numbers(draw: Draw) -> list[int]:
    return sorted({draw.randint(1, 400) for _ in range(draw.randint(1, 40))})


def at_ports(draw: Draw) -> dict[str, Any]:
    """Draw keys that any network accepts for its ports."""
    drawn: dict[str, Any] = {"buffer": draw.buffer()} if draw.maybe(0.95) else {}
    if draw.maybe(0.5):
        drawn["queue"] = queue(draw)
    if draw.maybe(0.3):
        drawn["feedback"] = device(draw, "feedback")
    return drawn


def impairments(draw: Draw) -> dict[str, Any]:
    """Draw impairments of a link, before its queue and after it."""
    keys = [key for key in ("ingress", "impairments") if draw.maybe(0.1)]
    return {key: [device(draw, "impairment") for _ in range(draw.of(1, 1, 2, 4))] for key in keys}


def by_time(draw: Draw) -> dict[str, Any]:
    """A trace or a course in place of a rate; mostly none."""
    named = [("trace", "4g"), ("trace", "wifi"), ("course", "leo")]
    key, name = draw.choice(named)
    return {key: {"name": name, "seed": draw.randrange(9)}} if draw.maybe(0.06) else {}


def reverse(draw: Draw, duration_s: float) -> dict[str, Any]:
    """Draw the keys that differ in the other direction; mostly none."""
    if draw.maybe(0.9):
        return {}
    drawn: dict[str, Any] = {**impairments(draw), **by_time(draw)}
    if draw.maybe(0.5):
        drawn["delay"] = draw.time(1e-7, 0.2)
    if draw.maybe(0.3):
        drawn["loss"] = draw.choice(LOSSES)
    if draw.maybe(0.3):
        drawn["outages"] = outages(draw, duration_s) if draw.maybe(0.7) else []
    return {"reverse": drawn}


def settle_rate(drawn: dict[str, Any]) -> dict[str, Any]:
    """Leave out the keys that a trace or a course replaces."""
    replaced = {key for by in REPLACED if by in drawn for key in REPLACED[by]}
    return {key: value for key, value in drawn.items() if key not in replaced}


#: Keys that a trace or a course replaces.
REPLACED = {"trace": ("rate", "changes"), "course": ("rate", "changes", "delay", "loss")}


def dumbbell(draw: Draw, duration_s: float) -> dict[str, Any]:
    fastest = draw.of(1e5, 1e6, 1e7, 1e8)
    drawn: dict[str, Any] = {
        "kind": "dumbbell",
        "rate": draw.rate(1e3, fastest),
        "rtt": draw.time(1e-6, 2.0),
        **at_ports(draw),
    }
    if draw.maybe(0.4):
        drawn["loss"] = draw.choice(LOSSES)
    if draw.maybe(0.15):
        drawn["lose"] = numbers(draw)
    if draw.maybe(0.3):
        drawn["changes"] = changes(draw, duration_s)
    if draw.maybe(0.3):
        drawn["access"] = "direct"
    elif draw.maybe(0.3):
        drawn["host_rate"] = draw.rate()
    if draw.maybe(0.15):
        drawn["outages"] = outages(draw, duration_s)
    return settle_rate(drawn | impairments(draw) | by_time(draw) | reverse(draw, duration_s))


def parking_lot(draw: Draw, duration_s: float) -> dict[str, Any]:
    drawn: dict[str, Any] = {
        "kind": "parking_lot",
        "hops": draw.of(1, 2, 3, 8, 20),
        "rate": draw.rate(1e3, 1e8),
        "rtt": draw.time(1e-6, 2.0),
        **at_ports(draw),
    }
    if draw.maybe(0.3):
        drawn["loss"] = draw.choice(LOSSES)
    return drawn


def four_tier(draw: Draw, duration_s: float) -> dict[str, Any]:
    drawn: dict[str, Any] = {
        "kind": draw.of("abilene", "isp"),
        "rate": draw.rate(1e6, 1e9),
        **at_ports(draw),
    }
    if draw.maybe(0.3):
        drawn["delay_multiplier"] = draw.of(1e-9, 0.001, 0.5, 10, 1000)
    if draw.maybe(0.3):
        drawn["host_buffer"] = draw.of("1 packets", "1500 B", "1 ms", "infinite")
    if draw.maybe(0.3):
        drawn["fast_share"] = draw.of(0, 0.5, 1)
    if draw.maybe(0.2):
        drawn["source_shares"] = draw.of({"D": 1, "F": 0, "N": 0}, {"D": 0, "F": 0, "N": 1})
    if draw.maybe(0.2):
        drawn["ratios"] = {"backbone": draw.of(1e-3, 1, 1e6), "N": draw.of(1e-9, 1)}
    return drawn


def graph(draw: Draw, duration_s: float) -> dict[str, Any]:
    names = [f"r{n}" for n in range(draw.of(2, 2, 3, 4, 5, 8, 20))]
    drawn: dict[str, Any] = {
        "kind": "graph",
        "routers": [router(draw, name) for name in names],
        "links": [link(draw, list(ends), duration_s) for ends in pairs(draw, names)],
        "rate": draw.rate(1e4, 1e8),
        "delay": draw.time(1e-6, 0.2),
        **at_ports(draw),
    }
    if draw.maybe(0.03):
        drawn["directed"] = True
    if draw.maybe(0.5):
        drawn["host_rate"], drawn["host_delay"] = draw.rate(1e4, 1e9), draw.time(1e-7, 0.01, 0.4)
    return drawn


def router(draw: Draw, name: str) -> dict[str, str]:
    return {"name": name} | ({"class_name": draw.of("D", "F", "N")} if draw.maybe(0.5) else {})


def pairs(draw: Draw, names: list[str]) -> list[tuple[str, str]]:
    """A random tree, and some shortcuts."""
    tree = [(names[n], names[draw.randrange(n)]) for n in range(1, len(names))]
    more = [(draw.choice(names), draw.choice(names)) for _ in range(draw.randrange(len(names)))]
    new = {tuple(sorted(ends)) for ends in more} - {tuple(sorted(ends)) for ends in tree}
    return tree + sorted((one, other) for one, other in new if one != other)


def link(draw: Draw, ends: list[str], duration_s: float) -> dict[str, Any]:
    drawn: dict[str, Any] = {"ends": ends}
    if draw.maybe(0.5):
        drawn["delay"] = draw.time(1e-7, 0.2, 0.2)
    if draw.maybe(0.4):
        drawn["rate"] = draw.rate(1e3, 1e8)
    if draw.maybe(0.3):
        drawn["loss"] = draw.of(0, 0.001, 0.1, 0.9)
    if draw.maybe(0.15):
        drawn["changes"] = changes(draw, duration_s)
    if draw.maybe(0.1):
        drawn["lose"] = numbers(draw)
    if draw.maybe(0.15):
        drawn["outages"] = outages(draw, duration_s)
    drawn |= at_ports(draw) if draw.maybe(0.3) else {}
    return settle_rate(drawn | impairments(draw) | by_time(draw) | reverse(draw, duration_s))
