"""The network of a run: how busy its links are, and what they lose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headgate.data.topologies import ABILENE, ISP
from headgate.figures.pictures import places
from headgate.figures.pictures.chosen import compute_losses
from headgate.figures.pictures.drawing import Map, Span
from headgate.figures.pictures.run import Run


def draw_topology(runs: Sequence[Run]) -> Map | None:
    """Draw the network with the use and the loss of every link."""
    ports = runs[0].tables["ports"]
    if not len(ports):
        return None
    links = [(str(a), str(b)) for a, b in zip(ports["from"], ports["to"], strict=True)]
    cities = _find_cities({source for source, _ in links})
    at = places.place_in_cities(links, cities) if cities else places.place_routers(links)
    losses = compute_losses(ports)
    spans = tuple(
        Span(
            str(ports["link"][row]), places.halve(at[a], at[b]), float(ports["utilisation"][row]),
            float(losses[row]), float(ports["rate_bps"][row]), float(ports["mean_wait_s"][row]),
        )
        for row, (a, b) in enumerate(links)
    )  # fmt: skip
    labels = [
        (cities[name][0] if cities else name, place)
        for name, place in places.place_names(at, cities).items()
    ]
    shown = set(cities) if cities else set(at)
    routers = {name: place for name, place in at.items() if name in shown}
    aspect = places.KM_RATIO if cities else None
    return Map("Use and loss of links", _describe(spans), spans, routers, tuple(labels), aspect)


def _find_cities(routers: set[str]) -> places.Cities:
    """Return the cities of a backbone that the network has; none elsewhere."""
    for cities in (ISP.cities, ABILENE.cities):  # the letters of the second are among the first's
        if set(cities) <= routers:
            return cities
    return {}


def _describe(spans: Sequence[Span]) -> str:
    """Say how to read it, and which link is busiest and which loses most."""
    said = ["Each half of a link is the direction that leaves the router beside it."]
    busiest = max(spans, key=lambda span: np.nan_to_num(span.utilisation))
    said.append(f"Busiest: {busiest.link}, {100 * busiest.utilisation:.3g} %.")
    worst = max(spans, key=lambda span: np.nan_to_num(span.loss))
    if worst.loss > 0:
        said.append(f"Loses most: {worst.link}, {100 * worst.loss:.2g} %.")
    else:
        said.append("No packet is lost.")
    return " ".join(said)
