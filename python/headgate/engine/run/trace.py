"""What of a run is traced: chosen flows and ports, up to a limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from shlex import quote
from typing import Any

from headgate.base.errors import ScenarioError
from headgate.base.names import each_name, name_counts
from headgate.scenario.plan import choose_numbers

ALL = "all"
#: Events of a trace unless told otherwise: at some 54 bytes an event its log takes 270 MB of disk.
LIMIT = 5_000_000


@dataclass(frozen=True)
class Trace:
    """What of a run is traced: flows and ports by names, patterns with stars, numbers, or "all"."""

    flows: Sequence[str | int] = ()
    """Flows whose every event is noted, at their ends and at every port that they pass."""
    ports: Sequence[str | int] = ()
    """Ports where every packet is noted, by the names of the links that they feed."""
    limit: int = LIMIT
    """Events after which the trace ends."""

    def __post_init__(self) -> None:
        if not (self.flows or self.ports):
            raise ScenarioError("trace", "it must name flows or ports")
        if self.limit < 1:
            raise ScenarioError(
                "trace limit", f"{self.limit} is not allowed; it must be at least 1"
            )

    @classmethod
    def parse(cls, options: Sequence[str], limit: int | None = None) -> Trace:
        """Read "flows=0,5" and "ports=bottleneck". Raises ScenarioError."""
        asked: dict[str, list[str | int]] = {"flows": [], "ports": []}
        for option in options:
            kind, _, names = option.partition("=")
            if kind not in asked or not names:
                says = f"{option!r} is not flows=NAMES or ports=NAMES, such as flows=0,5"
                raise ScenarioError("--trace", says)
            asked[kind] += [name.strip() for name in names.split(",")]
        return cls(**asked, limit=LIMIT if limit is None else limit)

    def options(self) -> Iterator[str]:
        """Yield the options of the command line that ask for it."""
        for kind in ("flows", "ports"):
            if names := ",".join(map(str, getattr(self, kind))):
                yield "--trace " + quote(f"{kind}={names}")
        if self.limit != LIMIT:
            yield f"--trace-limit {self.limit}"

    def numbers(self, plan: Mapping[str, Any]) -> tuple[set[int], set[int]]:
        """Return the numbers of the flows and links of a plan. Raises ScenarioError."""
        traffic, links = plan["traffic"], plan["links"]
        flows = _Named("flows", sum(name_counts(traffic)), lambda: each_name(traffic))
        ports = _Named("ports", len(links), lambda: (link["name"] for link in links))
        patterns = tuple(flows.patterns(self.flows)), tuple(ports.patterns(self.ports))
        chosen = choose_numbers(plan, *patterns, ("trace flows", "trace ports"))
        for named, wanted, found in zip((flows, ports), patterns, chosen, strict=True):
            if wanted and not found:
                raise ScenarioError("trace", f"no {named.kind} are called {', '.join(wanted)}")
        return chosen

    def plain(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        plain = asdict(self)
        return plain | {kind: [str(one) for one in plain[kind]] for kind in ("flows", "ports")}


@dataclass(frozen=True)
class _Named:
    """Flows or ports: how many there are, and their names in the order of their numbers."""

    kind: str
    count: int
    names: Callable[[], Iterator[str]]

    def patterns(self, asked: Sequence[str | int]) -> Iterator[str]:
        for one in asked:
            text = str(one)
            yield self._name_of(int(text)) if text.isdecimal() else "*" if text == ALL else text

    def _name_of(self, number: int) -> str:
        if number >= self.count:
            says = f"{number} is not a number of the {self.kind}: they have 0 to {self.count - 1}"
            raise ScenarioError(f"trace {self.kind}", says)
        return next(islice(self.names(), number, None))
