"""The 22 responses, worked by hand."""

import numpy as np
import pytest

from headgate.data.columns import RESPONSES
from headgate.data.columns.mesonet import PAIRS
from headgate.data.measures.formula import form


def facts(**changed: float) -> dict[str, np.ndarray]:
    base = {
        "start_s": 10.0, "end_s": 20.0, "interval_s": 0.2, "samples": 50, "sources": 100,
        "transmitting_sum": 2000, "active_sum": 2400, "connecting_sum": 10, "flows_abandoned": 5,
        "segments_in": 10_000, "segments_out": 9_900, "segments_dropped": 100, "segments_copied": 0,
        "flows_completed": 500, "connection_failures": 50, "retransmissions": 150,
        "cwnd_sum": 24_000.0, "cwnd_increases": 5_000, "duplicate_acks": 300, "timeouts": 25,
        "segments_marked": 0, "undone": 0, "spurious_timeouts": 0,
        "rtt_sum_s": 450.0, "rtt_count": 9_000, "wait_sum_s": 99.0,
        **{f"flows_{pair}": 4 for pair in PAIRS},
        **{f"rate_sum_{pair}": 100.0 * n for n, pair in enumerate(PAIRS)},
    }  # fmt: skip
    return {name: np.array([value]) for name, value in (base | changed).items()}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("y1", 40),
        ("y2", 0.4),
        ("y3", 200),
        ("y4", 198),
        ("y5", 0.01),
        ("y5_literal", 198 / 398),
        ("y6", 10),
        ("y7", 10 / 50),
        ("y8", 1),
        ("y9", 1 / 41),
        ("y10", 0.015),
        ("y11", 10),
        ("y12", 100),
        ("y13", 6),
        ("y14", 0.5),
        ("y15", 0.05),
        ("y16", 0.01),
        ("y17", 0),
        ("y18", 25),
        ("y22", 125),
        ("connecting", 0.2),
    ],
)
def test_each_response(name: str, value: float) -> None:
    assert form(RESPONSES, facts())[name][0] == pytest.approx(value)


def test_what_is_counted_is_given_for_an_interval_also_where_a_period_cuts_one() -> None:
    # 10.1 s are 50.5 intervals, in which 51 samples may fall
    formed = form(RESPONSES, facts(end_s=20.1, samples=51))
    assert formed["y3"][0] == pytest.approx(10_000 * 0.2 / 10.1)
    assert formed["y14"][0] == pytest.approx(25 * 0.2 / 10.1)


def test_an_event_that_did_not_happen_is_nan_not_an_error() -> None:
    formed = form(RESPONSES, facts(flows_DD=0, segments_in=0, segments_dropped=0, rtt_count=0))
    assert np.isnan([formed[name][0] for name in ("y5", "y10", "y15", "y17")]).all()


def test_every_response_is_a_column() -> None:
    names = [column.name for column in RESPONSES]
    assert list(form(RESPONSES, facts())) == names
    assert {f"y{number}" for number in range(1, 23)} < set(names)
