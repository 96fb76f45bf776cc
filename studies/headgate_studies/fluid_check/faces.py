"""The grid of bottlenecks, the algorithms with a fluid model, and the runs by packets."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from headgate import CatalogError, Scenario, catalog, parse_rate
from headgate.lab import Job, Key, Setup, key_by_labels
from headgate_studies.paths import (
    NO_SERIES,
    PACKET_BITS,
    bdp_packets,
    draw_starts,
    flow,
    job,
    packets,
    path,
    seconds,
)

RED, RENO, LOSSY = "reno over RED", "reno", "loss"
Params = Mapping[str, float | str]
GRID, START, APART = "grid", "start", "apart"
#: All flows begin within this part of a round trip: every SYN finds the queue empty.
WITHIN = 0.5
#: Rows of a start, a round trip.
ROWS = 4


@dataclass(frozen=True)
class Cell:
    """A place of the grid; the buffer is in BDP."""

    rate: str
    rtt_ms: int
    flows: int
    buffer: float

    @property
    def key(self) -> tuple[str, int, int, float]:
        """Its labels."""
        return self.rate, self.rtt_ms, self.flows, self.buffer

    @property
    def rate_packets_s(self) -> float:
        """Packets that the bottleneck sends a second."""
        return parse_rate(self.rate) / PACKET_BITS

    @property
    def rtt_s(self) -> float:
        """Round trip without a queue."""
        return self.rtt_ms / 1e3

    @property
    def bdp_packets(self) -> float:
        """The bandwidth-delay product."""
        return bdp_packets(parse_rate(self.rate), self.rtt_s)

    @property
    def buffer_packets(self) -> float:
        """The buffer: at least one packet."""
        return max(1.0, float(round(self.buffer * self.bdp_packets)))

    @property
    def window(self) -> float:
        """A flow's part of what fills the path."""
        return self.bdp_packets / self.flows

    @property
    def cycle_s(self) -> float:
        """Time in which Reno's window grows from half of path and buffer to the whole."""
        full = 1 + self.buffer
        return self.window * full / 2 * self.rtt_s * full

    def times_s(self, settings: dict[str, Any]) -> tuple[float, float]:
        """Return duration and warm-up."""
        round_s = self.rtt_s * (1 + self.buffer)
        warm, measured = (
            settings["rounds"][part] * round_s + settings["cycles"][part] * self.cycle_s
            for part in (0, 1)
        )
        return warm + measured, warm

    def __str__(self) -> str:
        """Write it in words."""
        many = "1 flow" if self.flows == 1 else f"{self.flows} flows"
        return f"{many}, {self.rate}, {self.rtt_ms} ms, {self.buffer:g} BDP"


def cells(setup: Setup) -> tuple[Cell, ...]:
    """Return the cells of a scale, each once, but for those whose run would be too long."""
    settings = dict(setup.settings)
    known = dict.fromkeys(cell for plane in settings["planes"] for cell in _plane(plane))
    return tuple(cell for cell in known if _packets(cell, settings) <= settings["most_packets"])


def _plane(plane: dict[str, Any]) -> Iterator[Cell]:
    columns = (plane[name] for name in ("rates", "rtts_ms", "flows", "buffers"))
    return (Cell(*values) for values in product(*columns))


def _packets(cell: Cell, settings: dict[str, Any]) -> float:
    return cell.times_s(settings)[0] * cell.rate_packets_s


@dataclass(frozen=True)
class Face:
    """An algorithm by its name among the packet algorithms and among the models."""

    name: str
    cca: str
    model: str

    @property
    def over_red(self) -> bool:
        """Whether ports are RED's."""
        return self.name == RED

    @cached_property
    def lossy(self) -> bool:
        """Whether its model has losses."""
        return self.card.family == LOSSY

    @cached_property
    def queues(self) -> bool:
        """Whether its model contains a queue: loss-based models at flow level do not."""
        return self.over_red or not self.lossy

    @cached_property
    def starts_slowly(self) -> bool:
        """Whether it uses slow start by packets: an algorithm with explicit feedback does not."""
        return catalog.cca(self.cca).family != "explicit"

    @cached_property
    def card(self) -> catalog.DeviceCard:
        """The card of its model."""
        return catalog.model(self.model)

    def network(self, setup: Setup, cell: Cell) -> dict[str, Any]:
        """Return the devices at the ports."""
        if self.over_red:
            return {"queue": {"name": "red", "mean_packet_bytes": 1500, **profile(setup, cell)}}
        return {"feedback": {"name": self.cca}} if self.cca in _routers() else {}

    def sender(self, setup: Setup, cell: Cell) -> Params:
        """Return the parameters of the packet algorithm: shared ones and the study's."""
        own: Params = setup.settings["sender"].get(self.cca, {})
        return {**self.shared, **own, **_queue_per_flow(setup, self.cca, cell)}

    def params(self, setup: Setup, cell: Cell) -> Params:
        """Return the parameters of the model; a window starts at the size that fills the path."""
        own = {param.name for param in self.card.params}
        first = {"initial_window": cell.window} if "initial_window" in own else {}
        red = profile(setup, cell) if self.over_red else {}
        return {**first, **self.shared, **red, **_queue_per_flow(setup, self.cca, cell)}

    @cached_property
    def shared(self) -> Params:
        """The shared parameters: the packet algorithm's defaults if the model allows them."""
        packets = {param.name: param.default for param in catalog.cca(self.cca).params}
        both = [param for param in self.card.params if param.name in packets]
        return {p.name: packets[p.name] if _allows(p, packets[p.name]) else p.default for p in both}


def _allows(param: catalog.Param, value: float | str) -> bool:
    try:
        param.check(value)
    except CatalogError:
        return False
    return True


def faces() -> tuple[Face, ...]:
    """Return every algorithm with a model of the same name, and Reno over RED."""
    models = {card.name for card in catalog.models()}
    found = [Face(cca.name, cca.name, cca.name) for cca in catalog.ccas() if cca.name in models]
    return (*found, Face(RED, RENO, "misra-gong-towsley"))


def profile(setup: Setup, cell: Cell) -> dict[str, float]:
    """Return RED's profile for a buffer: thresholds are some packets apart however small it is."""
    own = setup.settings["red"]
    room = cell.buffer_packets
    return {
        "min_packets": max(1.0, own["min"] * room),
        "max_packets": max(3.0, own["max"] * room),
        "max_p": own["max_p"],
        "weight": own["weight"],
    }


def _queue_per_flow(setup: Setup, cca: str, cell: Cell) -> dict[str, float | str]:
    """Return how many packets a flow keeps queued, of a CCA with such a target: one at least."""
    share = setup.settings["alpha"].get(cca)
    if share is None:
        return {}
    least = catalog.cca(cca).param("alpha").low
    return {"alpha": max(least, share * cell.buffer_packets / cell.flows)}


def _routers() -> set[str]:
    return {card.name for card in catalog.devices() if card.kind == "feedback"}


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run of a scale."""
    return key_by_labels([*_grid(setup), *_starts(setup), *_apart(setup)])


def starts(setup: Setup) -> list[Cell]:
    """Return the cells whose start is watched."""
    own = setup.settings["start"]
    return [Cell(own["rate"], own["rtt_ms"], count, own["buffer"]) for count in own["flows"]]


def start_s(setup: Setup) -> float:
    """Return how long a start is watched by packets."""
    own = setup.settings["start"]
    return float(own["rounds"] * own["rtt_ms"] / 1e3)


def _grid(setup: Setup) -> Iterator[Job]:
    for face in faces():
        for cell in cells(setup):
            times = cell.times_s(dict(setup.settings))
            scenario = make_scenario(setup, face, cell, times, NO_SERIES)
            yield job(scenario, part=GRID, face=face.name, **labels(cell))


def labels(cell: Cell) -> dict[str, Any]:
    """Return the labels of a cell."""
    return dict(zip(("rate", "rtt_ms", "flows", "buffer"), cell.key, strict=True))


def _starts(setup: Setup) -> Iterator[Job]:
    for face in faces():
        for cell in starts(setup):
            rows = {"interval": seconds(cell.rtt_s / ROWS), "flows": [], "ports": ["bottleneck"]}
            scenario = make_scenario(setup, face, cell, (start_s(setup), 0.0), rows)
            yield job(scenario, part=START, face=face.name, **labels(cell))


def apart(setup: Setup) -> Cell:
    """Return the cell of flows out of step."""
    own = setup.settings["apart"]
    return Cell(own["rate"], own["rtt_ms"], own["flows"], own["buffer"])


def _apart(setup: Setup) -> Iterator[Job]:
    """Give each flow of a loss-based algorithm a different round trip."""
    cell, seed = apart(setup), setup.seeds[0]
    spread = setup.settings["apart"]["spread"] * cell.rtt_s
    own = [cell.rtt_s - spread + more_s for more_s in draw_starts(seed, cell.flows, 2 * spread)]
    duration, warmup = (seconds(time) for time in cell.times_s(dict(setup.settings)))
    network = {
        "rate": cell.rate,
        "rtt": seconds(cell.rtt_s),
        "buffer": packets(cell.buffer_packets),
    }
    for face in faces():
        if not face.queues:
            flows = [flow(face.cca, rtt=seconds(rtt_s)) for rtt_s in own]
            scenario = path(flows, (duration, warmup), network, NO_SERIES, seed)
            yield job(_drop_flow_rows(scenario), part=APART, face=face.name)


def make_scenario(
    setup: Setup,
    face: Face,
    cell: Cell,
    times_s: tuple[float, float],
    series: str | Mapping[str, Any],
) -> Scenario:
    """Make the run of a cell by packets; `times_s` are duration and warm-up."""
    together = seconds(WITHIN * cell.rtt_s / cell.flows)
    flows = flow(face.cca, params=face.sender(setup, cell), count=cell.flows, stagger=together)
    network = {
        "rate": cell.rate,
        "rtt": seconds(cell.rtt_s),
        "buffer": packets(cell.buffer_packets),
        **face.network(setup, cell),
    }
    duration, warmup = (seconds(time) for time in times_s)
    return _drop_flow_rows(path([flows], (duration, warmup), network, series, setup.seeds[0]))


def _drop_flow_rows(scenario: Scenario) -> Scenario:
    """Keep no row of each flow: the responses contain the means of flows."""
    measure = scenario.measure.model_copy(update={"flows": "none"})
    return scenario.model_copy(update={"measure": measure})
