"""The presets of TCP and QUIC. Times are picoseconds, sizes bytes, windows segments."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from headgate.base.units import parse_bytes, parse_packets, parse_time_ps
from headgate.scenario.base import Model


class Pacing(Model):
    """Send evenly at a multiple of cwnd/srtt instead of in bursts."""

    slow_start_gain: float = Field(
        2.0, ge=0.01, le=100, description="Multiple of cwnd/srtt in slow start."
    )
    gain: float = Field(
        1.2, ge=0.01, le=100, description="Multiple of cwnd/srtt in congestion avoidance."
    )


# NOTE(RFC 6298 section 2.4): the least time-out of `default`, `linux` and `mesonet` is 0.2 s, as in
# Linux. The RFC asks for 1 s.
#
# NOTE(RFC 6298 section 2.3): in these presets the time-out is also at least 0.2 s above the
# smoothed RTT, as in Linux. In the RFC only the granularity of the clock bounds the variance term.
#
# NOTE(RFC 5681 section 4.2): `default`, `ns2` and `mesonet` acknowledge every segment. The RFC
# recommends delayed ACKs.
#
# NOTE(RFC 3465 section 2.3): slow start of `default`, `linux` and `mesonet` grows by all segments
# of an ACK. The RFC bounds this by a limit L of two segments, and of one after a time-out.
#
# NOTE(RFC 9438 section 5.8): `default`, `ns2` and `mesonet` do not validate the window. A CUBIC
# flow that its application limits grows without limit there. The RFC forbids growth of such a flow,
# and asks in section 4.6 to prevent it; `window_validation = true` does.
DEFAULT: dict[str, Any] = {
    "segment": parse_bytes("1460 B"),
    "header": parse_bytes("40 B"),
    "ack": parse_bytes("40 B"),
    "syn": parse_bytes("40 B"),
    "initial_window": parse_packets("10 packets"),  # RFC 6928
    "initial_ssthresh": "infinite",  # RFC 5681
    "receive_window": "infinite",
    "rto_rule": "rfc6298",
    "rto_tick": parse_time_ps("10 ms"),  # ns-2's tcpTick_; other rules have none
    "min_rto": parse_time_ps("200 ms"),  # RFC 6298 asks for 1 s; every stack in use takes 200 ms
    "rto_margin": parse_time_ps("200 ms"),  # as Linux: a steady RTT above min_rto must not time out
    "initial_rto": parse_time_ps("1 s"),  # RFC 6298
    "max_rto": parse_time_ps("60 s"),  # RFC 6298
    "syn_tries": 7,
    "syn_timeout": parse_time_ps("1 s"),  # RFC 6298
    "syn_backoff": True,
    "syn_retry": "rfc5681",
    "recovery": "sack",  # RFC 6675
    "limited_transmit": True,  # RFC 3042
    "prr": False,
    "rack_tlp": False,
    "dsack": False,
    "undo": False,
    "frto": False,
    "tail_probe": True,
    "timeout_sacks": "kept",  # RFC 6675
    "timeout_reduction": "once",
    "count": "segments",  # RFC 3465
    "whole_windows": False,
    "window_validation": False,
    "delayed_ack": False,
    "delayed_ack_timeout": parse_time_ps("40 ms"),
    "quick_acks": 0,
    "rtt_sampling": "timestamps",  # RFC 7323
    "clock": 0,
    "timestamp_clock": 0,
    "pacing": "none",
    "pacing_bursts": False,
    "ecn": False,
    "ecn_feedback": "auto",
    "accecn_option": True,
    "ecn_acks": False,
    "ecn_control": False,
    "ecn_fallback": False,
    "ecn_receiver": "any",
    "after_idle": "rfc5681",
    "packet_threshold": None,
    "time_threshold": None,
    "max_ack_delay": None,
    "ack_every": None,
    "ack_reordering": None,
}

# Kernel 6.x: time stamps take 12 B of each header, so an MTU of 1500 B carries 1448 B. While the
# window that a receiver offers grows, by two segments for each, it acknowledges each at once
# (tcp_grow_window); it grows to 3 MiB (tcp_rmem).
LINUX = DEFAULT | {
    "segment": parse_bytes("1448 B"),
    "header": parse_bytes("52 B"),
    "ack": parse_bytes("52 B"),
    "syn": parse_bytes("60 B"),
    "rto_rule": "linux",
    "max_rto": parse_time_ps("120 s"),
    "prr": True,
    "rack_tlp": True,
    "syn_retry": "linux",
    "dsack": True,
    "undo": True,
    "frto": True,
    "whole_windows": True,
    "timestamp_clock": parse_time_ps("1 ms"),
    "window_validation": True,
    "delayed_ack": True,
    "quick_acks": 1000,
    "pacing_bursts": True,
    "after_idle": "linux",  # tcp_slow_start_after_idle = 1
}

# ns-2.35, ns-default.tcl and tcp.cc: it never gives up on a SYN.
NS2 = DEFAULT | {
    "rto_rule": "ns2",
    "rto_margin": 0,
    "initial_window": parse_packets("2 packets"),
    "initial_rto": parse_time_ps("3 s"),
    "syn_tries": 255,
    "syn_timeout": parse_time_ps("3 s"),
    "timeout_sacks": "forgotten",  # Sack1
    "timeout_reduction": "each",
    "count": "acks",
    "rtt_sampling": "per_window",
    "clock": parse_time_ps("10 ms"),
    "after_idle": "ns2",  # slow_start_restart_ and restart_bugfix_ are true
}

# MesoNet: three SYNs, the first time-out 3 s. NewReno is our reading, and so is the timer, which is
# that of `default` (decision 0034).
MESONET = DEFAULT | {
    "initial_window": parse_packets("2 packets"),
    "initial_rto": parse_time_ps("3 s"),
    "syn_tries": 3,
    "syn_timeout": parse_time_ps("3 s"),
    "recovery": "newreno",
}

# RFC 9000 and 9002 over IPv4 with an MTU of 1500 B. A data packet contains 20 B of IP, 8 B of UDP,
# 27 B of QUIC (a short header with a connection ID of 8 B, and the tag of AEAD) and 8 B of a STREAM
# frame. The first packet is padded to 1200 B (RFC 9000 section 14.1), and so is its answer here.
QUIC = DEFAULT | {
    "segment": parse_bytes("1437 B"),
    "header": parse_bytes("63 B"),
    "ack": parse_bytes("65 B"),
    "syn": parse_bytes("1228 B"),
    "syn_timeout": parse_time_ps("999 ms"),  # kInitialRtt, and four times half of it
    "window_validation": True,  # RFC 9002 section 7.8
    "pacing": Pacing(slow_start_gain=1.25, gain=1.25),  # RFC 9002 section 7.7
    "after_idle": "keep",
    "packet_threshold": 3,  # kPacketThreshold
    "time_threshold": 1.125,  # kTimeThreshold
    "max_ack_delay": parse_time_ps("25 ms"),  # RFC 9000 section 18.2
    "ack_every": 2,  # RFC 9000 section 13.2.2
    "ack_reordering": 1,  # RFC 9000 section 13.2.1
}

_DETECTION = "QUIC finds losses by packet number and time (packet_threshold, time_threshold)"
_TIMEOUTS = "QUIC has probe timeouts, which follow from RTT samples and max_ack_delay"
_ACKS = "receivers of QUIC answer by max_ack_delay, ack_every and ack_reordering"
_NUMBERS = "packets of QUIC are never sent again, so that each sample is exact"
_NEVER_NEEDLESS = "QUIC undoes no reduction"
_ECN = "QUIC uses only one feedback: each ACK counts the packets of each codepoint"

#: Keys without a meaning for QUIC, and why.
ONLY_TCP: dict[str, str] = {
    **dict.fromkeys(("recovery", "limited_transmit", "rack_tlp", "timeout_sacks"), _DETECTION),
    **dict.fromkeys(("rto_rule", "rto_tick", "min_rto", "rto_margin"), _TIMEOUTS),
    **dict.fromkeys(("initial_rto", "max_rto", "tail_probe", "timeout_reduction"), _TIMEOUTS),
    **dict.fromkeys(("delayed_ack", "delayed_ack_timeout", "quick_acks"), _ACKS),
    **dict.fromkeys(("rtt_sampling", "clock", "timestamp_clock"), _NUMBERS),
    **dict.fromkeys(("dsack", "undo", "frto"), _NEVER_NEEDLESS),
    **dict.fromkeys(("ecn_feedback", "accecn_option", "ecn_fallback"), _ECN),
    "prr": "QUIC reduces the window at once (RFC 9002 section 7.3.2)",
    "count": "QUIC grows by acknowledged packets (RFC 9002 section 7.3)",
    "whole_windows": "QUIC counts bytes (RFC 9002 section 7)",
    "pacing_bursts": "it is Linux's pacing of TCP; QUIC sends at most its initial window at once",
    "after_idle": "QUIC keeps the window and paces (RFC 9002 section 7.8)",
    "syn_retry": "a lost first packet of QUIC does not reduce the window",
}

#: Keys that only QUIC has.
ONLY_QUIC = ("packet_threshold", "time_threshold", "max_ack_delay", "ack_every", "ack_reordering")

PRESETS = {"default": DEFAULT, "linux": LINUX, "ns2": NS2, "mesonet": MESONET, "quic": QUIC}
