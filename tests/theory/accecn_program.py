"""Both ends of Accurate ECN, written from the text of RFC 9768 and driven by the events of a trace.

Segments replace bytes, as in the engine. The program shares nothing with it but the trace.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from headgate.data.tables import Table


def ace_of(flags: str) -> int:
    """Section 3.2.2: AE, CWR and ECE are one number, ECE its lowest bit."""
    words = flags.split()
    return 4 * ("ae" in words) + 2 * ("cwr" in words) + ("ece" in words)


class Server:
    """The receiver: it counts marks, and checks the ACKs of the trace."""

    def __init__(self, *, delays: bool) -> None:
        self.cep = 5  # section 3.2.1
        self.delays = delays
        self.next, self.beyond = 0, set[int]()
        self.marked = 0
        self.previous_marked = False
        self.since_ack = 0
        self.due_at: float | None = None

    def follow(self, events: Table) -> None:
        """Take all arrivals and ACKs in their order."""
        for kind, t_s, seq, flags in zip(
            events["event"], events["t_s"], events["seq"], events["flags"], strict=True
        ):
            if self.due_at is not None and t_s > self.due_at:
                raise AssertionError(
                    f"no ACK left at {self.due_at} s, although a mark triggers one"
                )
            if kind == "received":
                self._receive(float(t_s), int(seq), "ce" in flags.split())
            elif kind == "ack_sent":
                assert ace_of(flags) == self.cep % 8, t_s  # section 3.2.2.2
                self.since_ack, self.due_at = 0, None

    def _receive(self, t_s: float, seq: int, is_marked: bool) -> None:
        self.marked += is_marked
        if seq < self.next:
            return  # not acceptable
        self.beyond.add(seq)
        while self.next in self.beyond:
            self.beyond.remove(self.next)
            self.next += 1
        if is_marked:
            self.cep += 1
            self.since_ack += 1
            # section 3.2.2.5.1: change-triggered and increment-triggered ACKs, n = 2
            if not self.previous_marked or self.since_ack >= 2:
                self.due_at = t_s
        self.previous_marked = is_marked


class Client:
    """The sender: it decodes ACE fields by appendix A.2.1."""

    def __init__(self, *, sack: bool) -> None:
        self.cep = 5
        self.sack = sack
        self.una, self.sacked = 0, set[int]()
        self.marked = 0

    def follow(self, events: Table) -> None:
        """Take all ACKs in their order."""
        blocks = [(events[f"sack{n}_from"], events[f"sack{n}_to"]) for n in (1, 2, 3)]
        for row in range(len(events["event"])):
            if events["event"][row] == "acknowledged":
                found = [(begin[row], end[row]) for begin, end in blocks]
                self._take(int(events["seq"][row]), found, ace_of(events["flags"][row]))

    def _take(self, number: int, blocks: list[Any], ace: int) -> None:
        newly = self._newly_acknowledged(number, blocks)
        if newly == 0:
            return  # superseded (appendix A.1)
        least = (ace + 8 - self.cep % 8) % 8
        safest = least if least > newly else newly - (newly - least) % 8
        self.cep += safest
        self.marked += min(safest, newly)

    def _newly_acknowledged(self, number: int, blocks: list[Any]) -> int:
        before = self.una + len(self.sacked)
        self.una = max(self.una, number)
        if self.sack:
            for begin, end in blocks:
                if not math.isnan(end):
                    # appendix A.1 uses SACK blocks; those below the ACK are duplicates (RFC 2883)
                    self.sacked |= set(range(max(int(np.nan_to_num(begin)), self.una), int(end)))
        self.sacked = {segment for segment in self.sacked if segment >= self.una}
        return self.una + len(self.sacked) - before
