"""Random traffic of every kind that needs no file."""

from typing import Any

from .draw import Draw, Scenario, picoseconds
from .networks import spans
from .options import cca, device, transport


def traffic(draw: Draw, network: Scenario, duration_s: float, name: str) -> dict[str, Any]:
    drawn: dict[str, Any] = {"name": name, **places(draw, network)}
    if draw.maybe(0.25):
        drawn["reverse"] = True
    if draw.maybe(0.15) and network["kind"] == "dumbbell" and "host_rate" in network:
        drawn["rtt"] = draw.time(1e-6, 3.0)
    if draw.maybe(0.3):
        drawn["transport"] = transport(draw)
    scheme = network.get("feedback", {}).get("name")
    kind = draw.choices((flows, poisson, web), (5, 2, 2))[0]
    return drawn | {"cca": cca(draw, scheme)} | kind(draw, duration_s)


def places(draw: Draw, network: Scenario) -> dict[str, str]:
    """Draw the places of the hosts, if the network does not fix them."""
    if network["kind"] == "graph":
        source, receiver = draw.sample([router["name"] for router in network["routers"]], 2)
        return {"source": source, "receiver": receiver}
    if network["kind"] in ("abilene", "isp") and draw.maybe(0.98):
        return {"source": draw.of("D", "F", "N", "A1a"), "receiver": draw.of("D", "F", "N")}
    return {}


def sizes(draw: Draw) -> Any:
    mean = draw.packets(1, 500)
    heavy = {"kind": "pareto", "mean": mean, "shape": draw.of(1.0001, 1.2, 1.5, 3, 1000)}
    light = {"kind": "exponential", "mean": mean if draw.maybe(0.9) else "1 B"}
    return draw.of("1 packets", mean, f"{int(draw.magnitude(1, 1e6))} B", heavy, light)


def span(draw: Draw, duration_s: float) -> dict[str, str]:
    """When it starts and stops, which may be after the end."""
    drawn = {"start": draw.time(1e-6, duration_s)} if draw.maybe(0.3) else {}
    if draw.maybe(0.2):
        drawn["stop"] = picoseconds(draw.uniform(0.1, 1.2) * duration_s)
    return drawn


def flows(draw: Draw, duration_s: float) -> dict[str, Any]:
    drawn: dict[str, Any] = {
        "kind": "flows",
        "count": draw.of(1, 1, 2, 3, 10, 50),
        **span(draw, duration_s),
    }
    if draw.maybe(0.4):
        drawn["size"] = draw.of("1 packets", draw.packets(1, 5000), f"{draw.randint(1, 10**6)} B")
    if draw.maybe(0.3):
        drawn["stagger"] = draw.time(1e-6, 0.1)
    elif draw.maybe(0.15) and "start" not in drawn:
        drawn["pauses"] = spans(draw, duration_s)
    return drawn


def poisson(draw: Draw, duration_s: float) -> dict[str, Any]:
    drawn: dict[str, Any] = {"kind": "poisson", "size": sizes(draw), **span(draw, duration_s)}
    if draw.maybe(0.6):
        drawn["arrivals"] = f"{draw.magnitude(0.01, 300):.4f} flows/s"
    else:
        drawn["load"] = draw.of(0.001, 0.1, 0.5, 0.9, 1, 2)
    if draw.maybe(0.5):
        drawn["hosts"] = draw.of(1, 2, 10, 1000)
    return drawn


def web(draw: Draw, duration_s: float) -> dict[str, Any]:
    drawn: dict[str, Any] = {
        "kind": "web",
        "users": draw.of(1, 2, 10, 100, 300),
        "size": sizes(draw),
    }
    optional = {
        "think": lambda: picoseconds(draw.magnitude(0.01, 10)),
        "receivers": lambda: draw.of(1, 3, 100),
        "at_once": lambda: draw.of(0, 0.5, 1),
        "kinds": lambda: [{"name": "movie", "share": draw.of(0, 0.01, 1), "size": sizes(draw)}],
        "patience": lambda: patience(draw),
        "surge": lambda: surge(draw, duration_s),
    }
    drawn |= {key: make() for key, make in optional.items() if draw.maybe(0.3)}
    if draw.maybe(0.3):
        shares = [{"cca": cca(draw), "share": 0.25}, {"cca": cca(draw), "share": 0.75}]
        drawn |= {"cca": shares}
    return drawn


def add_on_off(draw: Draw, scenario: Scenario, duration_s: float) -> None:
    """Add on-off sources to one of eight scenarios. Their draws change no other choice."""
    if draw.maybe(1 / 8):
        network = scenario["network"]
        scheme = network.get("feedback", {}).get("name")
        group = {"name": "switches", **places(draw, network), "cca": cca(draw, scheme)}
        scenario["traffic"].append(group | on_off(draw, duration_s))


def on_off(draw: Draw, duration_s: float) -> dict[str, Any]:
    drawn = {
        "kind": "on_off",
        "on": draw.time(1e-3, duration_s, odd=0.02),
        "off": draw.time(1e-3, duration_s, odd=0.02),
        "hosts": draw.of(1, 2, 10, 100),
        **span(draw, duration_s),
    }
    if draw.maybe(0.5):
        drawn["shape"] = draw.of(1.0001, 1.2, 1.5, 3, 1000)
    return drawn


def add_media(draw: Draw, scenario: Scenario, duration_s: float) -> None:
    """Add streams of media to one of eight scenarios. Their draws change no other choice."""
    if draw.maybe(1 / 8):
        group = {"name": "media", **places(draw, scenario["network"])}
        scenario["traffic"].append(group | media(draw, duration_s))


def media(draw: Draw, duration_s: float) -> dict[str, Any]:
    key_every = draw.of(2, 10, 300)
    optional = {
        "count": lambda: draw.of(1, 2, 10),
        "stagger": lambda: draw.time(1e-6, 0.1),
        "start_rate": lambda: draw.of("100 kbit/s", "100 kbit/s", "5 Mbit/s"),
        "frame_rate": lambda: draw.of(0.1, 1, 25, 30, 60, 1000),
        "size_deviation": lambda: draw.of(0, 0.5, 1),
        "encoder_delay": lambda: draw.time(1e-6, 0.5),
        "packet_size": lambda: draw.of("64 B", "300 B", "1500 B", "65000 B"),
        "header_size": lambda: draw.of("0 B", "40 B", "63 B"),
        "pacing_burst": lambda: draw.time(1e-6, 0.1),
        "reordering_window": lambda: draw.time(1e-6, 0.5),
        "deadline": lambda: draw.time(1e-6, 1),
        "feedback_interval": lambda: draw.time(1e-6, 1, odd=0),
        "feedback_packets": lambda: draw.of(1, 2, 16, 8192),
        "feedback_frames": lambda: draw.maybe(0.5),
    }
    drawn: dict[str, Any] = {
        "kind": "media",
        "rate_controller": device(draw, "media"),
        "min_rate": draw.of("10 kbit/s", "100 kbit/s"),
        "max_rate": draw.of("100 kbit/s", "5 Mbit/s", "50 Mbit/s", "1 Gbit/s"),
        **span(draw, duration_s),
    }
    drawn |= {key: make() for key, make in optional.items() if draw.maybe(0.3)}
    if draw.maybe(0.3):
        drawn |= {"key_frame_every": key_every, "key_frame_factor": draw.of(1, 1.5, key_every)}
    return drawn


def add_bursts(draw: Draw, scenario: Scenario, duration_s: float) -> None:
    """Add bursts to one of eight scenarios. Their draws change no other choice."""
    if draw.maybe(1 / 8):
        network = scenario["network"]
        scheme = network.get("feedback", {}).get("name")
        group = {"name": "bursts", **places(draw, network), "cca": cca(draw, scheme)}
        idle = {"transport": {"after_idle": draw.of("rfc5681", "linux", "rfc7661", "ns2", "keep")}}
        scenario["traffic"].append(group | idle | bursts(draw, duration_s))


def add_matrix(draw: Draw, scenario: Scenario, duration_s: float) -> None:
    """Add a traffic matrix to one of eight scenarios. Its draws change no other choice."""
    if not draw.maybe(1 / 8):
        return
    network = scenario["network"]
    routers = [router["name"] for router in network.get("routers", ())]
    if not routers:
        known = {"abilene": ["D", "F", "N"], "isp": ["D", "F", "N"], "dumbbell": ["left", "right"]}
        routers = known.get(network["kind"], [])
    masses = {name: draw.of(0, 1, draw.magnitude(0.01, 1e6)) for name in routers}
    if draw.maybe(0.95):
        masses |= dict.fromkeys(routers[:2], 1)
    amount = {"users": draw.of(1, 5, 200)} if draw.maybe(0.4) else {"total": draw.rate(1e5, 1e8)}
    group = {
        "kind": "matrix",
        "name": "matrix",
        "cca": cca(draw, network.get("feedback", {}).get("name")),
        "gravity": {**amount, "exponent": draw.of(0, 0, 1, 2.5), "masses": masses},
        "size": sizes(draw),
        **(span(draw, duration_s) if "total" in amount else {}),
    }
    if draw.maybe(0.2):
        group["scale"] = draw.of(0.1, 1, 2)
    scenario["traffic"].append(group)


def add_mixes(draw: Draw, scenario: Scenario) -> None:
    """Give some traffic of one of eight scenarios a mix. Its draws change no other choice."""
    if not draw.maybe(1 / 8):
        return
    scheme = scenario["network"].get("feedback", {}).get("name")
    for group in scenario["traffic"]:
        if draw.maybe(0.7):
            share = draw.of(0, 0.25, 0.5, 1 / 3)
            parts = [(cca(draw, scheme), share), (cca(draw, scheme), 1 - share)]
            group["cca"] = [{"cca": one, "share": share} for one, share in parts]


def bursts(draw: Draw, duration_s: float) -> dict[str, Any]:
    time = draw.time(1e-3, duration_s, odd=0.02)
    drawn_time = {"kind": "exponential", "mean": time}
    heavy = {"kind": "pareto", "mean": time, "shape": draw.of(1.0001, 1.5, 3)}
    drawn = {
        "kind": "bursts",
        "count": draw.of(1, 1, 2, 10),
        "size": sizes(draw),
        draw.of("pause", "interval"): draw.of(time, drawn_time, heavy),
        **span(draw, duration_s),
    }
    if draw.maybe(0.3):
        drawn["bursts"] = draw.of(1, 2, 100)
    if draw.maybe(0.3):
        drawn["stagger"] = draw.time(1e-6, 0.1)
    return drawn


def patience(draw: Draw) -> dict[str, Any]:
    check = picoseconds(draw.magnitude(1e-3, 2))
    return {"share": draw.of(0, 0.5, 1), "check": check, "floor": draw.rate(1, 1e7)}


def surge(draw: Draw, duration_s: float) -> dict[str, Any]:
    start_s = draw.uniform(0, duration_s)
    return {
        "share": draw.of(0, 0.5, 1),
        "start": picoseconds(start_s),
        "stop": picoseconds(start_s + draw.random() + 1e-6),
        "size": sizes(draw),
    }
