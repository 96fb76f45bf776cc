"""Measures of a run: named figures, and columns of its tables reduced to one number.

Each measure is a SQL query on the tables of a run. A column contains a number for each flow, port
or sample; the name of a function reduces it to one number, as in `avg(flows.mean_rtt_s)`. Flows
that ended before the warm-up did are left out, as in the printed table of a run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from headgate.base.errors import HeadgateError
from headgate.base.messages import hint
from headgate.data.columns import OF_ANY_RUN, Column

Better = Literal["higher", "lower", ""]

#: Functions that reduce a column to one number, and their names in titles.
MAKERS = {
    "sum": "sum", "avg": "mean", "min": "least", "max": "greatest", "median": "median",
    "stddev": "standard deviation",
}  # fmt: skip
#: Names of columns in titles, and the direction in which they are better.
SPOKEN: dict[str, tuple[str, Better]] = {
    "mean_rtt_s": ("mean RTT", "lower"), "min_rtt_s": ("least RTT", "lower"),
    "fct_receiver_s": ("completion time", "lower"),
    "fct_sender_s": ("completion time at the sender", "lower"),
    "mean_fct_s": ("mean completion time", "lower"),
    "goodput_bps": ("goodput", "higher"), "utilisation": ("utilisation", "higher"),
    "loss_rate": ("loss rate", "lower"), "mean_wait_s": ("mean wait", "lower"),
    "mean_queue_packets": ("mean queue", "lower"), "max_queue_packets": ("longest queue", "lower"),
    "retransmissions": ("retransmissions", "lower"), "timeouts": ("time-outs", "lower"),
    "drops": ("drops", "lower"),
}  # fmt: skip
#: The direction in which responses of a period are better, if there is one.
BETTER: dict[str, Better] = {
    **dict.fromkeys(("y5", "y8", "y9", "y10", "y13", "y14", "y15", "y16"), "lower"),
    **dict.fromkeys(("y6", "y7", *(f"y{number}" for number in range(17, 23))), "higher"),
}
#: The end of the definition of a column that includes the warm-up.
_FROM_START = "from the start of the flow on."
#: A function whose result is not better if the values of its column are.
_SPREAD = "stddev"
_MADE = re.compile(r"(\w+)\((\w+)\.(\w+)\)")


@dataclass(frozen=True)
class Measure:
    """One number of a run: SQL, unit, title, and the direction in which it is better."""

    sql: str
    unit: str
    title: str
    better: Better = ""
    says: str = ""
    of_period: str = ""
    """SQL for one period, if it reads other tables."""
    column: str = ""
    """The column of ports of which this is the value at the busiest link."""


def _bottleneck(column: str, unit: str, title: str, says: str) -> Measure:
    asked = f"SELECT arg_max({column}, utilisation) FROM"
    said = f"{says} of the link with the highest utilisation."
    return Measure(f"{asked} ports", unit, title, "lower", said, f"{asked} links", column)


#: Selects the flows that were active after the warm-up.
_ACTIVE = "active_s > 0"

#: The busiest link, and the mean size of its packets.
_BUSIEST = (
    "WITH busiest AS (SELECT link, rate_bps, sent_bytes / departures AS bytes FROM ports"
    " ORDER BY utilisation DESC LIMIT 1)"
)

NAMED = {
    "goodput_bps": Measure(
        "SELECT sum(goodput_bps * active_s) / (SELECT max(elapsed_s) FROM ports) FROM flows",
        "bit/s", "Goodput of all flows", "higher",
        "Payload of all flows that was acknowledged in order within the measured time, a second;"
        " a little of it arrived before, so that a short time may show more than the link's rate.",
    ),
    "afct_s": Measure(
        f"SELECT avg(fct_receiver_s) FROM flows WHERE status = 'finished' AND {_ACTIVE}",
        "s", "Mean completion time", "lower",
        "Mean completion time at the receiver, of the files that were completed after the warm-up.",
        "SELECT sum(fct_sum_s) / sum(timed) FROM classes",
    ),
    "jain": Measure(
        "SELECT sum(goodput_bps) ^ 2 / (count(goodput_bps) * sum(goodput_bps ^ 2)) FROM flows"
        f" WHERE {_ACTIVE}",
        "1", "Jain's index of fairness", "higher",
        "Jain's index of the goodput of the flows that were active after the warm-up: 1 if all are"
        " equal (Jain, Chiu, Hawe 1984).",
    ),
    "utilisation": Measure(
        "SELECT max(utilisation) FROM ports", "1", "Utilisation of the busiest link", "higher",
        "Share of what the busiest link could have sent after the warm-up.",
        "SELECT max(utilisation) FROM links", "utilisation",
    ),
    "loss_rate": _bottleneck("loss_rate", "1", "Loss rate of the busiest link", "Share dropped"),
    "mean_queue_packets": _bottleneck(
        "mean_queue_packets", "packets", "Mean queue of the busiest link", "Mean queue"
    ),
    "mean_wait_s": _bottleneck(
        "mean_wait_s", "s", "Mean wait at the busiest link", "Mean wait in the queue"
    ),
    "retransmissions": Measure(
        "SELECT sum(retransmissions) FROM flows", "packets", "Packets sent again", "lower",
        "Packets of all flows that were sent again after the warm-up.",
        "SELECT sum(retransmissions) FROM classes",
    ),
    "timeouts": Measure(
        "SELECT sum(timeouts) FROM flows", "1", "Time-outs", "lower",
        "Time-outs of all flows after the warm-up.",
        "SELECT sum(timeouts) FROM classes",
    ),
    "slow_start_lost_packets": Measure(
        f"SELECT sum(slow_start_resent_packets) FROM flows WHERE {_ACTIVE}",
        "packets", "Packets lost by slow start", "lower",
        "Packets that were sent again, of those sent before the end of the first slow start or"
        " within one window after it. A flow counts if it was active after the warm-up.",
    ),
    "slow_start_excess": Measure(
        f"{_BUSIEST} SELECT avg(slow_start_cwnd_packets * 8 * bytes / (rate_bps * min_rtt_s)) - 1"
        f" FROM flows, busiest WHERE {_ACTIVE}",
        "1", "Window at the end of slow start over the BDP", "",
        "Mean over the flows that were active after the warm-up: window at the end of the first"
        " slow start, in bandwidth-delay products of the busiest link and the flow's least RTT,"
        " less 1. Below 0 slow start ended too early.",
    ),
    "time_to_rate_s": Measure(
        f"{_BUSIEST} SELECT min(t_s) - (SELECT min(start_s) FROM flows) FROM series, busiest"
        " WHERE series.of = 'port' AND series.name = busiest.link"
        " AND throughput_bps >= 0.9 * rate_bps",
        "s", "Time to 90 % of the rate", "lower",
        "Time from the start of the first flow to the first sample in which the busiest link sent"
        " at 90 % of its rate. Samples (measure.series) must be at least a round trip apart, since"
        " slow start sends bursts.",
    ),
}  # fmt: skip
"""The named figures of a run."""
#: Columns of the busiest link, by the SQL of their responses.
OF_BUSIEST = {
    sql: measure.column
    for measure in NAMED.values()
    if measure.column
    for sql in (measure.sql, measure.of_period)
}


def find(word: str) -> Measure:
    """Return the measure of a figure's name, `avg(table.column)`, or a response of a period.

    Raises HeadgateError with the allowed words.
    """
    if word in NAMED:
        return NAMED[word]
    if (made := _MADE.fullmatch(word)) is not None:
        return _make(*made.groups())
    tables = [name for name, of in OF_ANY_RUN.items() if any(c.name == word for c in of)]
    if "responses" in tables and len(tables) == 1:
        column = _column("responses", word)
        asked = f'SELECT avg("{word}") FROM responses'
        title = re.split(r"[.;:,]", column.definition)[0]
        return Measure(asked, column.unit, title, BETTER.get(word, ""))
    if tables:
        choices = ", ".join(f"{maker}({tables[0]}.{word})" for maker in MAKERS)
        also = f"; it is a column of {', '.join(tables)}" if len(tables) > 1 else ""
        raise HeadgateError(
            f"{word!r} has one value for each row of {tables[0]}, and a response is one number; "
            f"write one of {choices}{also}"
        )
    says = hint(word, NAMED, f"responses: {', '.join(NAMED)}.")
    raise HeadgateError(
        f"{word!r} is not a response; {says} Or write one of a table, such as "
        'avg(flows.mean_rtt_s), or SQL as {name = "delay", sql = "SELECT ..."}'
    )


def name_of(word: str) -> str:
    """Return the name of the response that a word defines, such as `avg_mean_rtt_s`."""
    made = _MADE.fullmatch(word)
    return f"{made[1]}_{made[3]}" if made else word


def _make(maker: str, table: str, name: str) -> Measure:
    if maker not in MAKERS:
        raise HeadgateError(f"'{maker}({table}.{name})': {maker} is not one of {', '.join(MAKERS)}")
    column = _column(table, name)
    if not column.unit:
        raise HeadgateError(f"'{maker}({table}.{name})': {name} has words, not numbers")
    better = SPOKEN[name][1] if name in SPOKEN and maker != _SPREAD else ""
    asked = f'SELECT {maker}("{name}") FROM {table}'
    asked += f" WHERE {_ACTIVE}" * (table == "flows")
    said = SPOKEN[name][0] if name in SPOKEN else name
    title = f"{MAKERS[maker].capitalize()} of {said} over {table}"
    if maker == "avg" and said.startswith(f"{MAKERS[maker]} "):
        title = said[:1].upper() + said[1:]
    if name in SPOKEN and column.definition.endswith(_FROM_START):
        title += (
            " from the start of flows" if title.lower() == said.lower() else " from their start"
        )
    return Measure(asked, column.unit, title, better)


def _column(table: str, name: str) -> Column:
    if table not in OF_ANY_RUN:
        raise HeadgateError(f"there is no table {table!r}; the tables are {', '.join(OF_ANY_RUN)}")
    columns = {column.name: column for column in OF_ANY_RUN[table]}
    if name not in columns:
        says = hint(name, columns, f"its columns are {', '.join(columns)}")
        raise HeadgateError(f"{table} has no column {name!r}; {says}")
    return columns[name]
