"""Ports and links: queues over time, and the network with the utilisation and loss of links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headgate.data.topologies import ABILENE, ISP
from headgate.figures.spec import places
from headgate.figures.spec.drawing import Level, Line, Map, Numbers, Panel, Picture, Span
from headgate.figures.spec.looks import look_at
from headgate.figures.spec.run import Run, find_rates
from headgate.figures.spec.selection import (
    CUT,
    MOST_PORTS,
    SeriesReader,
    compare,
    compute_loss,
    compute_losses,
    rank_ports,
    say_thinned,
    share_points,
    share_times,
    thin,
)


def draw_queue(runs: Sequence[Run]) -> Picture | None:
    """Draw the queues of the ports with the most loss or waiting, one below another."""
    run = runs[0]
    courses = SeriesReader(run, "port")
    names = courses.list_known("queue_packets")
    if not names:
        return None
    shown = rank_ports(run, names)[:MOST_PORTS]
    panels = [panel for name in shown for panel in _draw_port(run, courses, name)]
    drawn = sum(len(line.x) for panel in panels for line in panel.lines if line.style == "line")
    known = sum(len(courses.read(name, "queue_packets")[0]) for name in shown)
    title = "Queue"
    if len(shown) < len(names):
        title += f" of the {len(shown)} of {len(names)} ports with the most loss or waiting"
    said = [_say_unmeasured(run, names), _say_cut(panels), say_thinned(drawn, known)]
    return Picture(title, " ".join(filter(None, said)), share_times(panels))


def _draw_port(run: Run, courses: SeriesReader, name: str) -> list[Panel]:
    """Draw the queue in packets and ms; two panels if the rate changes."""
    t_s, packets = courses.read(name, "queue_packets")
    each = share_points(MOST_PORTS)
    lines = [Line("queue", *thin(t_s, packets, each), look_at(0)), *_mark_drops(courses, name)]
    rates, bits = run.list_rates(name), _measure_packet_bits(run, name)
    changes, known = len(rates[0]) > 1, np.isfinite(bits)
    right = ("wait (ms)", 1e3 * bits / rates[1][0]) if known and not changes else None
    title = f"{name}: {_describe(run, name)}"
    levels = _draw_buffer(run, name, t_s)
    first = Panel(title, "time (s)", "queue (packets)", tuple(lines), levels, run.warmup_s,
                  right=right, outages=run.list_outages(name))  # fmt: skip
    (first,), _ = compare([first])
    if not (known and changes):
        return [first]
    wait_ms = 1e3 * bits * packets / find_rates(rates, t_s)
    second = Line("wait", *thin(t_s, wait_ms, each), look_at(0), listed=False)
    at_rate = f"{name}: the same queue in time, at the rate of the moment"
    below = Panel(
        at_rate, "time (s)", "wait (ms)", (second,), (), run.warmup_s, outages=first.outages
    )
    return [first, *compare([below])[0]]


def _measure_packet_bits(run: Run, name: str) -> float:
    sent, bytes_sent = run.read_port(name, "departures"), run.read_port(name, "sent_bytes")
    return 8 * bytes_sent / sent if sent > 0 else float("nan")


def _mark_drops(courses: SeriesReader, name: str) -> list[Line]:
    if "drops" not in courses.table:
        return []
    t_s, drops = courses.read(name, "drops")
    fell = t_s[1:][np.diff(drops) > 0]
    if not len(fell):
        return []
    return [
        Line("drops since the previous sample", fell, np.zeros(len(fell)), look_at(1), style="rug")
    ]


def _draw_buffer(run: Run, name: str, t_s: Numbers) -> tuple[Level, ...]:
    packets = run.read_port(name, "buffer_packets")
    if not np.isfinite(packets):
        return ()
    ends = t_s[[0, -1]]
    return (Level(f"buffer, {packets:,.0f} packets", ends, np.full(2, packets)),)


def _describe(run: Run, name: str) -> str:
    marks, sent = run.read_port(name, "marks"), run.read_port(name, "departures")
    lost = run.read_port(name, "lost")
    parts = [f"{_write_share(run.read_port(name, 'loss_rate'))} dropped"]
    if lost > 0 and sent > 0:
        parts.append(f"{_write_share(lost / sent)} lost on the link")
    if marks > 0 and sent > 0:
        parts.append(f"{_write_share(marks / sent)} marked")
    parts.append(f"mean wait {1e3 * run.read_port(name, 'mean_wait_s'):.3g} ms")
    return ", ".join(part for part in parts if "nan" not in part)


def _write_share(value: float) -> str:
    return f"{100 * value:.2g} %"


def _say_cut(panels: Sequence[Panel]) -> str:
    tops = [(panel.y_range or (0.0, np.inf))[1] for panel in panels]
    cut = any(line.y.max() > top for p, top in zip(panels, tops, strict=True) for line in p.lines)
    return CUT * cut


def _say_unmeasured(run: Run, names: Sequence[str]) -> str:
    """Name a port that loses more than all ports with a series."""
    ports = run.tables["ports"]
    worst = rank_ports(run, map(str, ports["link"]))[0]
    if worst in names or not compute_loss(run, worst) > max(compute_loss(run, n) for n in names):
        return ""
    return (
        f"{worst} loses more ({_write_share(compute_loss(run, worst))}) and has no series:"
        f' measure.series.ports = ["{worst}"] shows it.'
    )


def draw_topology(runs: Sequence[Run]) -> Map | None:
    """Draw the network with the use and the loss of every link."""
    ports = runs[0].tables["ports"]
    if not len(ports):
        return None
    links = [(str(a), str(b)) for a, b in zip(ports["from"], ports["to"], strict=True)]
    cities = _find_cities({source for source, _ in links})
    on_map = {} if cities else _read_coordinates(runs[0], {end for link in links for end in link})
    if cities:
        at = places.place_in_cities(links, cities)
    else:
        at = places.spread_equal(on_map) if on_map else places.place_routers(links)
    losses = compute_losses(ports)
    shown_links = _choose_of_parallel(links, ports["departures"].tolist())
    spans = tuple(
        Span(
            str(ports["link"][row]), places.halve(at[a], at[b]), float(ports["utilisation"][row]),
            float(losses[row]), float(ports["rate_bps"][row]), float(ports["mean_wait_s"][row]),
        )
        for (a, b), row in shown_links.items()
    )  # fmt: skip
    hidden = len(links) - len(spans)
    omitted = "parallel links that carry less than another one are not drawn."
    omitted = f"{hidden} {omitted}" if hidden else ""
    caption = f"{_describe_links(spans)} {omitted}".strip()
    words = {name: city for name, (city, _, _) in cities.items()} or _read_labels(runs[0])
    labels = [
        (words.get(name, name), place) for name, place in places.place_names(at, cities).items()
    ]
    shown = set(cities) if cities else set(at)
    routers = {name: place for name, place in at.items() if name in shown}
    aspect = places.KM_RATIO if cities else places.find_aspect(on_map)
    aspect = None if places.are_in_a_row(at.values()) else aspect
    return Map(
        "Use and loss of links", caption, spans, routers, tuple(labels), aspect, omitted=omitted
    )


def _choose_of_parallel(
    links: Sequence[tuple[str, str]], departures: Sequence[int]
) -> dict[tuple[str, str], int]:
    """Return the row of each link; of parallel links the row of the one that carries most."""
    chosen: dict[tuple[str, str], int] = {}
    for row, ends in enumerate(links):
        if departures[row] > departures[chosen.setdefault(ends, row)]:
            chosen[ends] = row
    return chosen


def _read_coordinates(run: Run, routers: set[str]) -> dict[str, places.Point]:
    """Return longitude and latitude of the routers of a graph; nothing if some lack them."""
    found = {
        router["name"]: (router["longitude"], router["latitude"])
        for router in _list_routers(run)
        if router.get("longitude") is not None and router.get("latitude") is not None
    }
    return {name: found[name] for name in found if name in routers} if routers <= {*found} else {}


def _read_labels(run: Run) -> dict[str, str]:
    return {router["name"]: router["label"] for router in _list_routers(run) if router.get("label")}


def _list_routers(run: Run) -> list[dict[str, Any]]:
    routers: list[dict[str, Any]] = (
        run.meta.get("scenario", {}).get("network", {}).get("routers", [])
    )
    return routers


def _find_cities(routers: set[str]) -> places.Cities:
    for cities in (ISP.cities, ABILENE.cities):  # the letters of the second are among the first's
        if set(cities) <= routers:
            return cities
    return {}


def _describe_links(spans: Sequence[Span]) -> str:
    said = ["Each half of a link shows the direction that leaves the nearer router."]
    busiest = max(spans, key=lambda span: np.nan_to_num(span.utilisation))
    said.append(f"Busiest: {busiest.link}, {100 * busiest.utilisation:.3g} %.")
    worst = max(spans, key=lambda span: np.nan_to_num(span.loss))
    if worst.loss > 0:
        said.append(f"Loses most: {worst.link}, {100 * worst.loss:.2g} %.")
    else:
        said.append("No packet is lost.")
    return " ".join(said)
