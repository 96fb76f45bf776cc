"""The stored result of the independent program of SCReAMv2 is that of the program."""

from .scream_program import PROGRAM, run


def test_the_stored_windows_and_rates_are_those_of_the_program() -> None:
    stored = [[float(word) for word in line.split()] for line in PROGRAM.read_text().splitlines()]
    found = [[float(word) for word in line.split()] for line in run().splitlines()]
    assert len(stored) == len(found) == 30
    for ours, theirs in zip(stored, found, strict=True):
        assert all(abs(a / b - 1) < 1e-12 for a, b in zip(ours, theirs, strict=True))
