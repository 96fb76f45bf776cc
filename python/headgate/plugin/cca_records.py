"""Records that a user-defined congestion control algorithm receives, and `jit`.

An algorithm is a class with `on_ack` and `on_congestion`; the other callbacks are optional:

    on_start(self, now_s, path, window)         a connection is established
    on_ack(self, ack, path, window)             new data were acknowledged outside recovery
    on_recovery_ack(self, ack, path, window)    any other ACK; `acked` segments were delivered
    on_segment_lost(self, sent, path, window)   a segment was lost (only with `wants_rate`)
    on_congestion(self, event, path, window)    set `window.ssthresh`
    on_recovered(self, now_s, path, window)     recovery ended, `cwnd` is back at `ssthresh`
    on_undo(self, cwnd_before, path, window)    the last reduction was needless, `cwnd` is back

Times (`now_s`, `rtt_s`, `path.srtt_s`, `path.min_rtt_s`) are in seconds. An algorithm sets
`window.cwnd` and `window.ssthresh`, in segments, and `window.pace`, in segments/s (infinite: not
paced). `window.slow_start(acked)` changes `cwnd`: call it in a line before the one that sets it. A
callback returns nothing. `ack.acked` and `ack.in_flight` are in segments. `ack.recovers` is true in
fast recovery, `ack.after_timeout` until all data outstanding at a time-out are acknowledged,
`ack.paced` while the algorithm or the transport paces segments. `event.cause` is `LOSS`, `TIMEOUT`
or `ECN_MARK`; `headgate.h` names the last `HEADGATE_MARK`.

Each flow gets a separate object. The records are the same objects at every call: read their
numbers, do not store the records. Attributes of the class determine how it is called:
`per = "round"` (`on_ack` once per round trip, for all of its ACKs), `controls_cwnd_in_recovery`
(the algorithm sets `cwnd` in recovery too), `wants_rate` (it reads `ack.rate`, delivery rates in
segments/s), `echo` ("none", "latched" as in RFC 3168, or "accurate" as in RFC 8257).
"""

from __future__ import annotations

from typing import TypeVar

from headgate._native import Ack, Builtin, Congestion, Path, Rate, Window
from headgate.base import catalog
from headgate.base.parameters import check_together, count_packets, read_parameters

__all__ = [
    "ECN_MARK",
    "LOSS",
    "TIMEOUT",
    "Ack",
    "Builtin",
    "Congestion",
    "Path",
    "Rate",
    "Window",
    "builtin",
    "jit",
]

#: Why the window must shrink: `event.cause`.
LOSS, TIMEOUT, ECN_MARK = 0, 1, 2

C = TypeVar("C", bound=type)


def jit(cca: C) -> C:
    """Mark a class for compilation by numba. The class itself does not change."""
    cca.__headgate_jit__ = True  # type: ignore[attr-defined]
    return cca


def builtin(name: str, **params: float | str) -> Builtin:
    """Return an algorithm of the catalogue as an object with callbacks. Raises CatalogError."""
    cca = catalog.cca(name)
    given = read_parameters(cca, params, count_packets)
    check_together(cca, params, given)
    values = [(param, given.get(param.name, param.default)) for param in cca.params]
    numbers = [float(p.choices.index(v) if isinstance(v, str) else v) for p, v in values]
    return Builtin(catalog.ccas().index(cca), numbers)
