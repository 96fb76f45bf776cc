"""The TCP presets. Times are picoseconds, sizes bytes, windows segments."""

from __future__ import annotations

from typing import Any

from headgate.base.units import parse_bytes, parse_packets, parse_time_ps

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

PRESETS = {"default": DEFAULT, "linux": LINUX, "ns2": NS2, "mesonet": MESONET}
