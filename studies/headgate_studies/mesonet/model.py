"""MesoNet, the simulator of the NIST study, as twenty parameters that make an ordinary scenario."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal

from pydantic import Field, model_validator

from headgate import (
    Scenario,
    ScenarioError,
    format_rate,
    format_time_ps,
    parse_rate,
    parse_size,
    parse_time_ps,
)
from headgate.forms import (
    Amount,
    Buffer,
    CcaChoice,
    FileSize,
    Model,
    OneCca,
    OwnCca,
    Packets,
    Shares,
    Time,
    fit_model,
    make_key_error,
    name_by_hand,
    parse_buffer,
    parse_packets,
)
from headgate_studies.mesonet.parameters import (
    BY_KEY,
    BY_LABEL,
    DISTRIBUTIONS,
    EXPERIMENTS,
    LARGER_FILES,
    PARAMS,
)

Distribution = Literal["web-centric", "peer-to-peer"] | Shares

PARETO_SHAPE = 1.5  # OURS
PERIODS = 3  # STATED for 1a and 1b
#: Share of the time before the first period: 10 of 25 minutes (INFERRED for 1a, 1b; else OURS).
WARMUP_SHARE = Fraction(2, 5)
JUMBO_OBJECTS = 1_000  # OURS: mean size of a jumbo file, in Web objects
LOOK_AFTER, FLOOR = "10 s", "96 kbit/s"  # OURS: a tenth of a percent of a normal interface
#: Ours: without a limit a flow that its own interface slows piles its window up in its host.
HOST_BUFFER = "50 ms"
LONG_LIVED_PAIRS = ("DD", "DF", "FF")  # INFERRED
STANDARD = "reno"


class MesoNet(Model):
    """The twenty parameters under their names; `scenario()` makes a scenario of them.

    `experiment` gives the sizes: backbone rate and sources at most, duration, initial ssthresh,
    larger files. The other parameters are at their minus level unless they are given. `size`
    shrinks rates and sources together; interfaces of hosts, delays and files stay.
    """

    experiment: Literal["1a", "1b", "2a", "2b", "2c"] = Field("1b", description="Whose sizes.")
    size: float = Field(1.0, gt=0, le=1, description="Shrinks speeds and sources together.")
    seed: int = Field(1, ge=0, lt=2**63, description="Root of every random stream.")

    network_speed: float = Field(1.0, gt=0, description="X1: share of the top backbone rate.")
    propagation_delay: float = Field(1.0, gt=0, le=1000, description="X2: multiplier of delays.")
    buffer_provisioning: Buffer = Field(
        parse_buffer("3 BDP/sqrt(n)"), description="X3: what may wait at each port."
    )
    topology: Literal["abilene", "isp"] = Field("abilene", description="X4: the backbone.")
    web_object_size: FileSize = Field(parse_size("50 packets"), description="X5: mean size.")
    larger_files: float | None = Field(
        None, ge=0, le=80, description="X6: multiplier of their probabilities; 0 = none of them."
    )
    think_time: Time = Field(parse_time_ps("2 s"), gt=0, description="X7: mean think time.")
    patience: float = Field(0.0, ge=0, le=1, description="X8: probability that a user looks.")
    spatiotemporal_congestion: float = Field(
        0.1, ge=0, le=1, description="X9: share of D-class sources with jumbo files in period 2."
    )
    long_lived_flows: int = Field(1, ge=0, description="X10: flows of each of DD, DF and FF.")
    interface_speeds: float = Field(0.3, ge=0, le=1, description="X11: share of fast hosts.")
    sources: float = Field(1.0, gt=0, description="X12: share of the most sources.")
    source_distribution: Distribution = Field("web-centric", description="X13: D, F and N.")
    receiver_distribution: Distribution = Field("web-centric", description="X14: D, F and N.")
    cca: OneCca = Field(
        default_factory=lambda: CcaChoice(name=STANDARD), description="X15: whom the sources obey."
    )
    standard_share: float | None = Field(
        None,
        ge=0,
        le=1,
        description="X15: share of the sources on standard TCP; absent = half of them in 2a to 2c.",
    )
    initial_cwnd: Packets = Field(parse_packets("2 packets"), description="X16.")
    initial_ssthresh: Packets | Literal["infinite"] | None = Field(
        None, description="X17; absent = the experiment's."
    )
    measurement_interval: Time = Field(parse_time_ps("200 ms"), gt=0, description="X18.")
    duration: Time | None = Field(None, gt=0, description="X19; absent = the experiment's.")
    startup_pattern: float = Field(
        0.25, ge=0, le=1, description="X20: share of the sources that ask at once."
    )

    @model_validator(mode="after")
    def _sizes_are_a_number_of_packets(self) -> MesoNet:
        if self.web_object_size.unit != "packets":
            raise make_key_error("web_object_size", "is a number of packets, such as '50 packets'")
        if self.users < 1:
            raise make_key_error("size", f"leaves no source: {self.users} of them; make it larger")
        return self

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> MesoNet:
        """Make it of keys with units written. Raises ScenarioError.

        The code that it names runs: the caller's program names it.
        """
        name_by_hand(given)
        return fit_model(cls, given, "")

    @classmethod
    def at_levels(cls, levels: Mapping[str, int], **others: Any) -> MesoNet:
        """Make it of -1 and +1 for some of the parameters, by X1 to X20 or by their keys."""
        chosen: dict[str, Any] = {}
        for name, sign in levels.items():
            parameter = BY_LABEL.get(name) or BY_KEY.get(name)
            if parameter is None:
                raise ScenarioError(name, "is not a parameter of MesoNet; they are X1 to X20")
            if sign not in (-1, 1):
                raise ScenarioError(name, f"{sign!r} is not a level; it is -1 or +1")
            chosen[parameter.key] = parameter.plus if sign > 0 else parameter.minus
        return cls.from_dict(chosen | others)

    @property
    def rate_bps(self) -> int:
        """Rate of the backbone's links."""
        top = parse_rate(EXPERIMENTS[self.experiment].rate)
        return max(1, round(top * self.size * self.network_speed))

    @property
    def users(self) -> int:
        """Number of sources."""
        return round(EXPERIMENTS[self.experiment].sources * self.size * self.sources)

    @property
    def bounds_ps(self) -> list[int]:
        """Start of the first period, and the ends of the three."""
        whole = self._duration
        warmup = whole * WARMUP_SHARE.numerator // WARMUP_SHARE.denominator
        return [warmup + (whole - warmup) * n // PERIODS for n in range(PERIODS + 1)]

    @property
    def _duration(self) -> int:
        if self.duration is not None:
            return self.duration
        return parse_time_ps(EXPERIMENTS[self.experiment].duration)

    def scenario(self) -> Scenario:
        """Make a scenario that may be read, saved as TOML, changed and run like any other."""
        bounds = [format_time_ps(bound) for bound in self.bounds_ps]
        return fit_model(
            Scenario,
            {
                "title": f"MesoNet {self.experiment}, size {self.size:g}, {self.cca.name}",
                "seed": self.seed,
                "duration": bounds[-1],
                "network": self._network(),
                "transport": self._transport(),
                "traffic": [self._users(bounds), *self._long_lived()],
                "measure": {
                    "warmup": bounds[0],
                    "periods": PERIODS,
                    "interval": format_time_ps(self.measurement_interval),
                    "flows": "none",
                    "series": "none",
                },
            },
            "",
        )

    def _network(self) -> dict[str, Any]:
        return {
            "kind": self.topology,
            "rate": format_rate(self.rate_bps),
            "delay_multiplier": self.propagation_delay,
            "buffer": str(self.buffer_provisioning),
            "source_shares": _shares(self.source_distribution, 0),
            "receiver_shares": _shares(self.receiver_distribution, 1),
            "fast_share": self.interface_speeds,
            "host_buffer": HOST_BUFFER,
        }

    def _transport(self) -> dict[str, Any]:
        ssthresh = self.initial_ssthresh or EXPERIMENTS[self.experiment].initial_ssthresh
        written = ssthresh if isinstance(ssthresh, str) else f"{float(ssthresh):.12g} packets"
        window = f"{float(self.initial_cwnd):.12g} packets"
        return {"preset": "mesonet", "initial_window": window, "initial_ssthresh": written}

    def _users(self, bounds: list[str]) -> dict[str, Any]:
        receivers = round(EXPERIMENTS[self.experiment].sources * self.size)
        users = {
            "kind": "web",
            "name": "users",
            "users": self.users,
            "receivers": max(1, receivers),
            "think": format_time_ps(self.think_time),
            "size": self._files(1),
            "at_once": self.startup_pattern,
            "kinds": self._larger_files(),
            **self._cca(),
        }
        if self.patience:
            users["patience"] = {"share": self.patience, "check": LOOK_AFTER, "floor": FLOOR}
        if self.spatiotemporal_congestion:
            users["surge"] = {
                "source": "D",
                "share": self.spatiotemporal_congestion,
                "start": bounds[1],
                "stop": bounds[2],
                "size": self._files(JUMBO_OBJECTS),
            }
        return users

    def _files(self, objects: int) -> dict[str, Any]:
        mean = Amount(self.web_object_size.value * objects, "packets")
        return {"kind": "pareto", "mean": str(mean), "shape": PARETO_SHAPE}

    def _larger_files(self) -> list[dict[str, Any]]:
        times = self.larger_files
        if times is None:
            times = EXPERIMENTS[self.experiment].larger_files
        kinds = LARGER_FILES.items() if times else ()
        return [
            {"name": name, "share": share * times, "size": self._files(objects)}
            for name, (objects, share) in kinds
        ]

    def _cca(self) -> dict[str, Any]:
        share = self.standard_share
        if share is None:
            share = 0.5 if EXPERIMENTS[self.experiment].mixed else 0.0
        cca = self._cca_keys()
        if not share or cca == {"cca": STANDARD}:
            return cca
        return {"cca": [{**cca, "share": 1 - share}, {"cca": STANDARD, "share": share}]}

    def _cca_keys(self) -> dict[str, Any]:
        if isinstance(self.cca, OwnCca):
            return {"cca": self.cca.model_dump(mode="json")}
        params = {**PARAMS.get(self.cca.name, {}), **self.cca.params}
        return {"cca": {"name": self.cca.name, **params} if params else self.cca.name}

    def _long_lived(self) -> list[dict[str, Any]]:
        """Start them one second after the other, long before the first period."""
        if not self.long_lived_flows:
            return []
        return [
            {
                "kind": "flows",
                "name": f"long-lived {one}{other}",
                **self._cca_keys(),
                "count": self.long_lived_flows,
                "source": one,
                "receiver": other,
                "start": f"{number} s",
                "stagger": f"{len(LONG_LIVED_PAIRS)} s",
            }
            for number, (one, other) in enumerate(map(tuple, LONG_LIVED_PAIRS), start=1)
        ]


def _shares(distribution: Distribution, side: int) -> dict[str, float]:
    if isinstance(distribution, Shares):
        return distribution.model_dump()
    return dict(DISTRIBUTIONS[distribution][side])
