"""The twenty parameters of MesoNet (X1 to X20): unit, two levels, and the certainty of each.

The source states names, order and groups (docs/explanation/mesonet.md). The publications available
to us give almost none of the levels: the levels are our defaults, and a figure is NIST's only if
its mark says so. `minus` and `plus` follow the signs of the source's table of effects if these
signs show which end is meant.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headgate.forms import Mark

#: FAST doubles whenever the queue is empty, without an end. The source does not say which form of
#: FAST it ran. With this one FAST loses and resends more under congestion, as the source reports;
#: with the form of FAST's own paper it does not (docs/results/nist-replaced.md).
#: H-TCP adds fractions of a segment, as its equations do; the count of segments is Linux's.
PARAMS: Mapping[str, Mapping[str, str]] = {
    "fast": {"variant": "simple"},
    "fast-at": {"variant": "simple"},
    "htcp": {"variant": "paper"},
}


@dataclass(frozen=True)
class Parameter:
    """One parameter: `mark` is of its levels, `source` says why they are so."""

    number: int
    key: str
    name: str
    group: str
    unit: str
    minus: Any
    plus: Any
    mark: Mark
    source: str

    @property
    def label(self) -> str:
        """Return its number as the source writes it, such as X7."""
        return f"X{self.number}"


NETWORK, USERS, HOSTS, PROTOCOL, CONTROL = (
    "network", "user behaviour", "sources and receivers", "protocols", "simulation and measurement",
)  # fmt: skip

EVENLY = {"D": 1 / 3, "F": 1 / 3, "N": 1 / 3}

#: Pairs of classes of routers that responses distinguish.
PAIRS = ("DD", "DF", "DN", "FF", "FN", "NN")

#: Distributions of sources and receivers, by the names that X13 and X14 accept.
DISTRIBUTIONS: Mapping[str, tuple[Mapping[str, float], Mapping[str, float]]] = {
    "web-centric": ({"D": 0.3, "F": 0.6, "N": 0.1}, {"D": 0.1, "F": 0.3, "N": 0.6}),
    "peer-to-peer": (EVENLY, EVENLY),
}

PARAMETERS = (
    Parameter(
        1, "network_speed", "network speed", NETWORK, "1", 0.2, 1.0, "OURS",
        "Share of the experiment's top backbone rate; that rate is stated, that + is the faster"
        " level is inferred, the fifth is ours, calibrated at full size.",
    ),
    Parameter(
        2, "propagation_delay", "propagation delay", NETWORK, "1", 1.0, 2.0, "OURS",
        "Multiplier of every delay; that + is the longer is inferred.",
    ),
    Parameter(
        3, "buffer_provisioning", "buffer provisioning", NETWORK, "buffer", "3 BDP/sqrt(n)",
        "1 BDP", "OURS", "The two usual rules, with n the number of all sources; three"
        " times BDP/sqrt(n), because a ninth of them transmit at a time. That + is the"
        " larger buffer is inferred.",
    ),
    Parameter(
        4, "topology", "topology", NETWORK, "", "abilene", "isp", "OURS",
        "Abilene's shape is stated; the second network and which level it is are ours.",
    ),
    Parameter(
        5, "web_object_size", "Web object size for browsing", USERS, "packets", "50 packets",
        "100 packets", "OURS", "Mean of a Pareto distribution; that + is the larger is inferred.",
    ),
    Parameter(
        6, "larger_files", "proportion and size of larger files", USERS, "1", 1.0, 2.0, "OURS",
        "Multiplier of the probabilities of documents, service packs and movies; 0 = none of them."
        " That experiments 2a to 2c have larger files and 1a, 1b none is stated.",
    ),
    Parameter(
        7, "think_time", "think time", USERS, "s", "2 s", "5 s", "OURS",
        "Mean of an exponential distribution; that + is the longer is inferred.",
    ),
    Parameter(
        8, "patience", "patience", USERS, "1", 0.0, 0.5, "OURS",
        "Probability that a user looks after a while and gives up a flow that is too slow.",
    ),
    Parameter(
        9, "spatiotemporal_congestion", "selected spatiotemporal congestion", USERS, "1", 0.1, 0.0,
        "OURS", "Share of the D-class sources that send jumbo files in the second period; that + is"
        " less of it is inferred, as is the period; the mechanism is ours.",
    ),
    Parameter(
        10, "long_lived_flows", "long-lived flows", USERS, "flows", 1, 3, "OURS",
        "Flows of each class pair DD, DF, FF; three pairs are inferred, their number is ours.",
    ),
    Parameter(
        11, "interface_speeds", "source and receiver interface speeds", HOSTS, "1", 0.3, 0.7,
        "OURS", "Share of the hosts with fast links (80 packets/ms, inferred; the others 8, ours).",
    ),
    Parameter(
        12, "sources", "number of sources and receivers", HOSTS, "1", 2 / 3, 1.0, "OURS",
        "Share of the experiment's greatest number, which is stated; that + is more is inferred.",
    ),
    Parameter(
        13, "source_distribution", "distribution of sources", HOSTS, "", "web-centric",
        "peer-to-peer", "OURS",
        "Shares under D, F and N routers; that + congests more is inferred.",
    ),
    Parameter(
        14, "receiver_distribution", "distribution of receivers", HOSTS, "", "web-centric",
        "peer-to-peer", "OURS", "Shares under D, F and N routers.",
    ),
    Parameter(
        15, "cca", "congestion control procedures", PROTOCOL, "", "reno", "ctcp", "INFERRED",
        "The source's table of influence names TCP and CTCP.",
    ),
    Parameter(
        16, "initial_cwnd", "initial congestion window", PROTOCOL, "packets", "2 packets",
        "8 packets", "OURS", "That + is the larger is inferred.",
    ),
    Parameter(
        17, "initial_ssthresh", "initial slow-start threshold", PROTOCOL, "packets", "43 packets",
        "1000000000 packets", "OURS", "64 KB, and 10^9, which no window reaches; the experiments'"
        " own, 100 segments or more than a thousand million, are stated.",
    ),
    Parameter(
        18, "measurement_interval", "measurement interval size", CONTROL, "s", "200 ms", "1 s",
        "OURS", "Between two samples of the network's state.",
    ),
    Parameter(
        19, "duration", "simulation duration", CONTROL, "min", "25 min", "50 min", "OURS",
        "25 min for 1a and 1b and 60 min for 2a to 2c are stated; the levels are ours.",
    ),
    Parameter(
        20, "startup_pattern", "startup pattern", CONTROL, "1", 0.25, 0.75, "OURS",
        "Share of the sources that ask at once; the others think first.",
    ),
)  # fmt: skip

BY_KEY = {parameter.key: parameter for parameter in PARAMETERS}

BY_LABEL = {parameter.label: parameter for parameter in PARAMETERS}


@dataclass(frozen=True)
class Experiment:
    """The size of one of the study's experiments: stated, but for what is said otherwise."""

    title: str
    rate: str
    """Backbone at the faster level."""
    sources: int
    """Most sources."""
    duration: str
    initial_ssthresh: str
    """`infinite` means more than a thousand million segments in the source."""
    larger_files: float
    """0 = Web objects only (stated); how many larger ones otherwise is ours."""
    mixed: bool
    """Some sources use standard TCP (stated); which share is ours."""


_WEB = "all sources on one algorithm, Web browsing"

_MIX = "some sources on standard TCP, downloads and movies among the Web browsing"

EXPERIMENTS = {
    "1a": Experiment(_WEB, "192 Gbit/s", 278_000, "25 min", "infinite", 0.0, mixed=False),
    "1b": Experiment(_WEB, "28.8 Gbit/s", 27_800, "25 min", "100 packets", 0.0, mixed=False),
    "2a": Experiment(_MIX, "38.4 Gbit/s", 26_085, "60 min", "infinite", 1.0, mixed=True),
    "2b": Experiment(_MIX, "38.4 Gbit/s", 26_085, "60 min", "100 packets", 1.0, mixed=True),
    "2c": Experiment(_MIX, "384 Gbit/s", 261_792, "60 min", "infinite", 1.0, mixed=True),
}

#: Kinds of larger file: mean size in Web objects, and probability at `larger_files = 1`. Ours.
LARGER_FILES = {
    "document": (10, 1e-2),
    "service pack": (1_000, 1e-3),
    "movie": (10_000, 1e-4),
}


def nist_cca_keys(cca: str) -> dict[str, Any]:
    """Return the key of traffic that names a CCA as these studies run it, or a user-defined CCA."""
    return {"cca": {"name": cca, **PARAMS[cca]}} if cca in PARAMS else {"cca": cca}
