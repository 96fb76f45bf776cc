"""Records that a queue discipline of your own is given, and the verdicts that it may set.

A discipline is a class with `on_arrival`, `on_departure`, or both:

    on_arrival(self, packet, port, decision)      a packet arrives where there is room for it
    on_departure(self, packet, port, decision)    a packet is the next to leave
    on_tick(self, now_s, port, decision)          every `tick_s` seconds

Every port has an object of its own, and `port` is always without the packet. `decision.verdict` is
`KEEP` unless the callback sets `MARK` (of a packet that is `capable` of ECN) or `DROP`; a packet
that is dropped when it is the next to leave makes room for the one behind it. `decision.draw()`
gives a random number, uniform in (0, 1], at most four at each packet. Attributes of the class say
how it is called: `ranks = True` (packets leave in the order of the `decision.rank` that they got
when they arrived) and `tick_s`, which `__init__` may set as well. The records are the same objects
at every call: read their numbers, do not keep them.
"""

from __future__ import annotations

from headgate._native import Backlog, Decision, Packet

__all__ = ["DROP", "KEEP", "MARK", "Backlog", "Decision", "Packet"]

#: What becomes of a packet: `decision.verdict`.
KEEP, MARK, DROP = 0, 1, 2
