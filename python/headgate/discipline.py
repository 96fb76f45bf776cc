"""What a user's own queue discipline is written with: the records it meets, and what it may say.

A discipline is a class with `on_arrival`, `on_departure`, or both:

    on_arrival(self, packet, port, decision)      a packet arrives where there is room for it
    on_departure(self, packet, port, decision)    a packet is the next to leave
    on_tick(self, now_s, port, decision)          time went on by `tick_s`

Every port has an object of its own, and `port` is always without the packet. `decision.verdict` is
`KEEP` unless the callback sets `MARK` (of a packet that is `capable` of ECN) or `DROP`; a packet
that is dropped when it is the next to leave makes room for the one behind it. `decision.draw()`
gives a random number, uniform in (0, 1], at most four at each packet. What is set on the class says
how it is called: `ranks = True` (packets leave in the order of the `decision.rank` that they got
when they arrived) and `tick_s`, which `__init__` may set as well. The records are the same objects
at every call: take their numbers, do not keep them.
"""

from __future__ import annotations

from headgate._native import Backlog, Decision, Packet
from headgate.law import jit

__all__ = ["DROP", "KEEP", "MARK", "Backlog", "Decision", "Packet", "jit"]

#: What becomes of a packet: `decision.verdict`.
KEEP, MARK, DROP = 0, 1, 2
