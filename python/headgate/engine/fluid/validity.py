"""Validity of fluid models: warnings about runs in which packets would behave differently.

The limits come from the study `fluid-check`: beyond them, throughput is more than 5 % wrong, a
queue more than 20 %, or losses are above twice or below half the packet run's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from headgate.base import catalog
from headgate.data.tables import Table
from headgate.engine.fluid.network import Resolved

Numbers = NDArray[np.float64]

#: Windows (packets) below which senders wait for time-outs and packets come singly: by model, else
#: by family. Scalable TCP and delay-based algorithms remain valid at smaller windows.
LEAST_OF_MODEL = {"scalable": 6.0}
LEAST_OF_FAMILY = {"loss": 10.0, "delay": 2.5, "explicit": 10.0}
#: Windows (packets) above which an algorithm adds several packets per round trip: an overflow then
#: loses several packets, and is answered once.
STEEP = {"hstcp": 60.0, "scalable": 150.0}
#: Buffers (BDP) below which flows in step leave a drop-tail link idle, by model; and the buffer
#: above which the queue, which loss-based models omit, halves the losses.
SHORT_BUFFER = {"scalable": 0.1}
SHORT_OTHERWISE, LONG_BUFFER = 0.6, 0.7
#: Number of flows over RED up to which one reduction shows in the queue.
FEW = 5
#: A band of queues below this share of the path's capacity is negligible.
BAND = 0.02
#: A buffer is full from the first share on; a queue is nearly empty up to the second share of its
#: greatest size.
FULL, EMPTY = 0.999, 0.2
#: A climb ends at this share of the later rate, and counts if it takes this many times as long as
#: doubling each round trip.
RISEN, SLOWER = 0.95, 3.0


@dataclass(frozen=True)
class SolvedRun:
    """A solved run: its classes and links, its tables, and the warm-up."""

    card: catalog.Cca
    params: Mapping[str, float | str]
    flows: Numbers
    tables: Mapping[str, Table]
    warmup_s: float
    packet_bytes: float
    resolved: Resolved | None

    @property
    def classes(self) -> Sequence[str]:
        """Names of the classes."""
        return [str(name) for name in self.tables["flows"]["traffic"]]

    @property
    def links(self) -> Sequence[str]:
        """Names of the links."""
        return [str(name) for name in self.tables["ports"]["link"]]

    @cached_property
    def rtt_s(self) -> Numbers:
        """Round trip of each class without queues."""
        if self.resolved is None:
            return np.asarray(self.tables["flows"]["min_rtt_s"])
        return np.array([part["rtt_s"] for part in self.resolved.parts["classes"]])

    @cached_property
    def windows(self) -> Numbers:
        """Packets that one flow of each class keeps on its path, without queues."""
        of = self.tables["flows"]
        sent = of["delivered_packets"] + of["retransmissions"]
        return np.asarray(sent / of["active_s"] * self.rtt_s)

    def passing(self, link: int) -> list[int]:
        """Return the classes that use a link."""
        if self.resolved is None:
            return list(range(len(self.flows)))
        parts = self.resolved.parts["classes"]
        return [index for index, part in enumerate(parts) if link in part["path"]]

    def buffer_bdp(self, link: int) -> float:
        """Return the buffer of a link in BDP of its mean flow."""
        ports, passing = self.tables["ports"], self.passing(link)
        if not passing:
            return math.inf
        rtt_s = np.average(self.rtt_s[passing], weights=self.flows[passing])
        rate = ports["rate_bps"][link] / (8 * self.packet_bytes)
        return float(ports["buffer_packets"][link] / (rate * rtt_s))

    @property
    def is_lossy(self) -> bool:
        """Whether its flows respond to losses."""
        return self.card.family == "loss"

    @property
    def has_no_queue(self) -> bool:
        """Whether its links have prices but no queues."""
        return self.is_lossy and not np.any(self.tables["ports"]["max_queue_packets"] > 0)


def compute_least_window(card: catalog.Cca) -> float:
    """Return the window (packets) below which a model gives a warning."""
    return LEAST_OF_MODEL.get(card.name, LEAST_OF_FAMILY.get(card.family, 0.0))


def find_warnings(seen: SolvedRun) -> tuple[str, ...]:
    """Return a sentence for each way in which packets would behave differently."""
    return tuple(sentence for rule in _RULES for sentence in rule(seen))


def _small_windows(seen: SolvedRun) -> Iterator[str]:
    least = compute_least_window(seen.card)
    for name, window in zip(seen.classes, seen.windows, strict=True):
        if window < least:
            yield (
                f"{name}: the window without queues is {window:.2g} packets; below {least:g} "
                "packets senders wait for time-outs and packets come singly, which a fluid does "
                "not model"
            )


def _steep(seen: SolvedRun) -> Iterator[str]:
    most = STEEP.get(seen.card.name, math.inf)
    for name, window in zip(seen.classes, seen.windows, strict=True):
        if window > most:
            yield (
                f"{name}: with a window of {window:.3g} packets, above {most:g}, a flow adds "
                "more than one packet per round trip; it then loses several packets at once and "
                "slows down once, so losses are far more frequent than in the model"
            )


def _no_queue(seen: SolvedRun) -> Iterator[str]:
    if not seen.has_no_queue:
        return
    for link, name in enumerate(seen.links):
        buffer = seen.buffer_bdp(link)
        if LONG_BUFFER < buffer < math.inf:
            yield (
                f"{name}: {seen.card.name} has no queue in this model; with {buffer:.2g} BDP of "
                f"buffer round trips are up to {1 + buffer:.2g} times as long, and losses up to "
                f"{(1 + buffer) ** 2:.2g} times as rare"
            )
        if buffer < SHORT_BUFFER.get(seen.card.name, SHORT_OTHERWISE):
            yield (
                f"{name}: with {buffer:.2g} BDP of buffer one flow, or many in step as their round"
                " trips are equal, leaves the link idle at times; in the model the link is full"
            )


def _swinging(seen: SolvedRun) -> Iterator[str]:
    if not seen.is_lossy:
        return
    series = seen.tables["series"]
    later = (series["of"] == "port") & (series["t_s"] >= seen.warmup_s)
    for name in seen.links:
        queue = series["queue_packets"][later & (series["name"] == name)]
        if queue.any() and queue.min() <= EMPTY * queue.max():
            yield (
                f"{name}: the queue oscillates between {queue.min():.3g} and {queue.max():.3g} "
                "packets, with all flows in phase; with packets it oscillates less, or at "
                "another period, so means of queue and loss are rough"
            )


def _few(seen: SolvedRun) -> Iterator[str]:
    if not seen.is_lossy or seen.has_no_queue:
        return
    for link, name in enumerate(seen.links):
        flows = float(seen.flows[seen.passing(link)].sum())
        if 0 < flows <= FEW:
            yield (
                f"{name}: {flows:.3g} flow{'s' * (flows != 1)}; with up to {FEW} flows, each"
                " reduction of a window shows in the queue, where the model has the mean over flows"
            )


def _full(seen: SolvedRun) -> Iterator[str]:
    ports = seen.tables["ports"]
    if seen.is_lossy:
        return
    for link, name in enumerate(seen.links):
        if ports["max_queue_packets"][link] >= FULL * ports["buffer_packets"][link]:
            yield (
                f"{name}: the buffer of {ports['buffer_packets'][link]:.4g} packets is full; with"
                " packets, losses then determine rates, to which the model's flows do not respond"
            )


def _band(seen: SolvedRun) -> Iterator[str]:
    names = {param.name for param in seen.card.params}
    if seen.card.family != "delay" or not {"alpha", "beta"} <= names:
        return
    low, high = (
        float(seen.params.get(name, seen.card.param(name).default)) for name in ("alpha", "beta")
    )
    for name, window in zip(seen.classes, seen.windows, strict=True):
        if high - low > BAND * window:
            yield (
                f"{name}: in equilibrium with any queue from alpha to beta, {low:g} to {high:g} "
                "packets per flow; which one depends on the start, and packets start "
                "differently"
            )


def _climb(seen: SolvedRun) -> Iterator[str]:
    """Warn of means that include a climb without slow start.

    A model with `ssthresh` has slow start. With explicit feedback, packets have none either.
    """
    names = {param.name for param in seen.card.params}
    climbs = "ssthresh" not in names and seen.card.family != "explicit"
    if not climbs or "initial_window" not in names:
        return
    first = float(seen.params.get("initial_window", seen.card.param("initial_window").default))
    for index, name in enumerate(seen.classes):
        doublings = max(1.0, math.log2(max(seen.windows[index] / first, 1.0)))
        doubled_s = doublings * float(seen.rtt_s[index])
        risen_s = _risen_s(seen, name)
        if risen_s > max(seen.warmup_s, SLOWER * doubled_s):
            yield (
                f"{name}: reaches its rate after {risen_s:.3g} s, as the model has no slow start;"
                f" with slow start it takes {doubled_s:.2g} s; set a warm-up of {risen_s:.2g} s"
            )


def _risen_s(seen: SolvedRun, name: str) -> float:
    """Return when a class first sends 95 % of its rate in the later half of the run."""
    series = seen.tables["series"]
    rows = (series["of"] == "flow") & (series["name"] == name)
    t_s, bps = series["t_s"][rows], series["throughput_bps"][rows]
    later = float(np.mean(bps[len(bps) // 2 :]))
    return float(t_s[int(np.argmax(bps >= RISEN * later))])


_RULES: tuple[Callable[[SolvedRun], Iterator[str]], ...] = (
    _small_windows,
    _steep,
    _no_queue,
    _swinging,
    _few,
    _full,
    _band,
    _climb,
)
