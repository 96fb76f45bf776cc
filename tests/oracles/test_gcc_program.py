"""The slow GCC against the targets that a test of the engine compares its own with.

`gcc/agreement.rs` of `headgate-algos` makes the same random reports, and reads the same file.
`python -m tests.oracles.test_gcc_program` writes it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from .gcc_program import Packet, SlowGcc

ROOT = Path(__file__).parents[2]
TARGETS = ROOT / "crates" / "headgate-algos" / "src" / "media" / "gcc" / "targets.csv"
SEQUENCES = range(16)
SECONDS = 15


class Chance:
    """A linear congruential generator of 64 bits."""

    def __init__(self, seed: int) -> None:
        self.state = seed
        for _ in range(5):
            self.draw()

    def draw(self) -> float:
        """Return a number from 0 to 1."""
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 11) / 2**53

    def below(self, bound: int) -> int:
        """Return a whole number below this one."""
        return int(bound * self.draw())


def make_packets(sequence: int) -> list[tuple[int, int | None, int]]:
    """Return (sent, arrived, bytes) of a stream on a link whose rates change; microseconds."""
    chance = Chance(sequence * 7919 + 1)
    link = 300 + chance.below(3000)  # kbit/s
    queue = 100_000 + chance.below(900_000)
    loss = 0.12 * chance.draw() if chance.draw() < 0.5 else 0.0
    rate, sent, free, last = link, 0, 0, 0
    packets: list[tuple[int, int | None, int]] = []
    while sent < SECONDS * 1_000_000:
        if chance.draw() < 0.005:
            rate = link * (50 + chance.below(80)) // 100
        if chance.draw() < 0.0007:
            link = 300 + chance.below(3000)
        size = 200 + chance.below(1000)
        wait = max(free - sent, 0)
        arrived = None
        if wait <= queue and chance.draw() >= loss:
            free = sent + wait + size * 8000 // link
            last = max(last, free + 30_000 + chance.below(3000))
            arrived = last
        packets.append((sent, arrived, size))
        if chance.draw() >= 0.3:
            sent += size * 8000 // rate
    return packets


def make_reports(sequence: int) -> Iterator[tuple[int, list[tuple[int, int | None, int]]]]:
    """Yield the time of each report, every 50 ms, and its packets."""
    waiting = make_packets(sequence)
    for now in range(50_000, (SECONDS + 1) * 1_000_000, 50_000):
        known = now - 30_000

        def is_ready(packet: tuple[int, int | None, int], known: int = known) -> bool:
            sent, arrived, _ = packet
            return (sent + 100_000 if arrived is None else arrived) <= known

        yield now, [packet for packet in waiting if is_ready(packet)]
        waiting = [packet for packet in waiting if not is_ready(packet)]


def compute_targets(sequence: int) -> list[float]:
    """Return the targets of the slow program at the end of each second, bit/s."""
    gcc = SlowGcc(draft=sequence % 2 == 1, rate=2e6, least=30e3, most=20e6)
    targets = []
    for now, packets in make_reports(sequence):
        known = [
            Packet(sent / 1e3, None if arrived is None else arrived / 1e3, size)
            for sent, arrived, size in packets
        ]
        if known:
            gcc.on_report(known, now / 1e3)
        if now % 1_000_000 == 0:
            targets.append(gcc.target)
    return targets


def read_targets() -> dict[int, list[float]]:
    """Return the stored targets of each sequence."""
    with TARGETS.open() as file:
        return {int(row[0]): [float(value) for value in row[1:]] for row in csv.reader(file)}


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_the_slow_program_agrees_with_the_stored_targets(sequence: int) -> None:
    assert compute_targets(sequence) == pytest.approx(read_targets()[sequence], rel=1e-6)


def test_the_sequences_contain_what_the_algorithm_reacts_to() -> None:
    targets = np.array(list(read_targets().values()))
    changes = targets[:, 1:] / targets[:, :-1]
    assert (changes < 0.9).sum() >= 16, "over-use or losses"
    assert (changes > 1.001).sum() >= 80, "increases"


if __name__ == "__main__":
    with TARGETS.open("w", newline="") as file:
        for number in SEQUENCES:
            row = [f"{target:.6f}" for target in compute_targets(number)]
            file.write(",".join([str(number), *row]) + "\n")
