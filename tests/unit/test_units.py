"""Units: text to integers and back, and refusals that say what is allowed."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.base import units
from headgate.base.errors import UnitError


@pytest.mark.parametrize(
    ("text", "bps"),
    [
        ("1 bit/s", 1),
        ("10 kbit/s", 10_000),
        ("100 Mbit/s", 100_000_000),
        ("28.8 Gbit/s", 28_800_000_000),
        ("1.5Tbit/s", 1_500_000_000_000),
        ("1e3 Mbps", 1_000_000_000),
        ("1_000 kbps", 1_000_000),
    ],
)
def test_rates(text: str, bps: int) -> None:
    assert units.parse_rate(text) == bps


@pytest.mark.parametrize(
    ("text", "ps"),
    [
        ("1 ps", 1),
        ("45 ms", 45 * 10**9),
        ("0.3 us", 300_000),
        ("0.3 µs", 300_000),
        ("25 min", 1500 * 10**12),
        ("1.5 h", 5400 * 10**12),
        ("0 s", 0),
    ],
)
def test_times(text: str, ps: int) -> None:
    assert units.parse_time_ps(text) == ps


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("834 packets", 834, "packets"),
        ("1 packet", 1, "packets"),
        ("1 MB", 1_000_000, "B"),
        ("64 KiB", 65_536, "B"),
        ("50 ms", 50 * 10**9, "ps"),
        ("0.5 BDP", Fraction(1, 2), "BDP"),
        ("1 BDP/sqrt(n)", 1, "BDP/sqrt(n)"),
        ("infinite", 0, "infinite"),
    ],
)
def test_buffers(text: str, value: Fraction, unit: str) -> None:
    amount = units.parse_buffer(text)
    assert (amount.value, amount.unit) == (value, unit)
    assert units.parse_buffer(str(amount)) == amount


@given(st.integers(1, 2**62))
def test_rates_are_written_as_they_are_read(bps: int) -> None:
    assert units.parse_rate(units.format_rate(bps)) == bps


@given(st.integers(0, 2**62))
def test_times_are_written_as_they_are_read(ps: int) -> None:
    assert units.parse_time_ps(units.format_time_ps(ps)) == ps


@given(st.integers(0, 2**62))
def test_bytes_are_written_as_they_are_read(size: int) -> None:
    assert units.parse_bytes(units.format_bytes(size)) == size


def test_the_largest_unit_is_written() -> None:
    assert units.format_rate(28_800_000_000) == "28.8 Gbit/s"
    assert units.format_time_ps(45 * 10**9) == "45 ms"
    assert units.format_bytes(1460) == "1460 B"


@pytest.mark.parametrize("bare", [10, 1.5, "10", " 10 "])
def test_bare_numbers_are_refused(bare: object) -> None:
    with pytest.raises(UnitError, match="has no unit; write a rate such as '10 Mbit/s'"):
        units.parse_rate(bare)


def test_what_is_neither_number_nor_text_is_said_as_files_have_it() -> None:
    with pytest.raises(UnitError, match="true is not a rate; write a number and a unit such as"):
        units.parse_rate(True)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("10 MB", "has the unit 'MB'; a rate takes one of bit/s"),
        ("-1 Mbit/s", "is negative"),
        ("0 Mbit/s", "is zero"),
        ("0.1 bit/s", "is too small"),
        ("1e30 Gbit/s", "is too large; the most is '100 Tbit/s'"),
        ("fast", "is not a rate"),
        (None, "is not a rate"),
        ("1 2 Mbit/s", "has the unit '2 Mbit/s'"),
    ],
)
def test_wrong_rates_name_the_allowed_values(text: object, sentence: str) -> None:
    with pytest.raises(UnitError, match=sentence):
        units.parse_rate(text)


def test_files_and_windows_are_above_zero() -> None:
    for parse in (units.parse_size, units.parse_packets):
        with pytest.raises(UnitError, match="the least is '1 packet'"):
            parse("0 packets")
    with pytest.raises(UnitError, match="write an arrival rate"):
        units.parse_frequency("0 flows/s")


@pytest.mark.parametrize(
    ("value", "sign", "digits", "text"),
    [
        (14554.2, "", 4, "14,554"), (8816.4, "", 4, "8816"), (9999.7, "", 4, "10,000"),
        (5738.0, "+", 3, "+5,738"), (-38.88, "+", 3, "-38.9"), (0.0052, "", 4, "0.0052"),
        (float("inf"), "", 4, "inf"), (-0.0, "", 4, "0"),
    ],
)  # fmt: skip
def test_figures_have_no_exponent(value: float, sign: str, digits: int, text: str) -> None:
    assert units.format_figure(value, sign, digits) == text


@pytest.mark.parametrize(
    "labels", [["1_2", "10_20"], ["1_000_00"], ["1000_000"], ["1.5_2"], ["1_a"]]
)
def test_a_label_with_an_underscore_is_a_name_unless_it_separates_thousands(
    labels: list[str],
) -> None:
    assert units.sizes(labels) is None
    assert units.sizes(["1_000", "20_000.5"]) == [1000, Fraction(40001, 2)]
