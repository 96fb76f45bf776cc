"""Records that a user-defined queue discipline receives, and the verdicts that it may set.

A discipline is a class with `on_arrival`, `on_departure`, or both:

    on_arrival(self, packet, port, decision)      a packet arrives and the buffer has room for it
    on_departure(self, packet, port, decision)    a packet is the next to leave
    on_tick(self, now_s, port, decision)          every `tick_s` seconds

Each port gets a separate object. `port` never includes the packet. `decision.verdict` is `KEEP`
unless the callback sets `MARK` (only for a packet that is `capable` of ECN) or `DROP`. `packet.ecn`
is the ECN field: `NOT_ECT`, `ECT1`, `ECT0` or `CE`. If the next packet to leave is dropped, the
packet behind it becomes the next. `decision.draw()` returns a random number, uniform in (0, 1], at
most four times for each packet. Attributes of the class determine how it is called: with `ranks =
True`, packets leave in the order of the `decision.rank` that was set when they arrived; `__init__`
may also set `tick_s`. The records are the same objects at every call: read their numbers, do not
store the records.
"""

from __future__ import annotations

from headgate._native import Backlog, Decision, Packet

__all__ = ["CE", "DROP", "ECT0", "ECT1", "KEEP", "MARK", "NOT_ECT", "Backlog", "Decision", "Packet"]

#: Values of `decision.verdict`.
KEEP, MARK, DROP = 0, 1, 2
#: Values of `packet.ecn`, as in the IP header (RFC 3168 section 5).
NOT_ECT, ECT1, ECT0, CE = 0, 1, 2, 3
