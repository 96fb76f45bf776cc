"""Constants of draft-ietf-ccwg-bbr, and of the paths that are made by hand."""

from __future__ import annotations

from math import ceil

#: "close (i.e., within 2%) to the simulated bandwidth" (A.1).
CLOSE = 0.02
#: BBR.PacingMarginPercent = 1.
PACED = 0.99
#: Pacing gains (§5.6.1).
STARTUP, DRAIN, DOWN, CRUISE, UP = 2.77, 0.5, 0.9, 1.0, 1.25
#: "grows by less than 25%" (A.1).
GROWTH = 1.25
#: BBR.MinPipeCwnd, segments.
MIN_PIPE_CWND = 4
LOSS_THRESH, BETA, HEADROOM = 0.02, 0.7, 0.15
#: BBR.bw_probe_wait, seconds (§5.3.3.6).
LEAST_WAIT_S, LONGEST_WAIT_S = 2.0, 3.0
#: BBR.ProbeRTTInterval, BBR.ProbeRTTDuration, seconds; BBR.ProbeRTTCwndGain.
INTERVAL_S, DURATION_S, HALF = 5.0, 0.2, 0.5

#: Bits of a full packet on the wire.
PACKET_BITS = 8 * 1500
#: Segments/s and round trip, seconds, of paths made by hand; a segment takes 1 ms of it.
RATE, ROUND_S = 1000.0, 0.101
BDP = ceil(RATE * ROUND_S)
#: Segments/s of an application that writes less than the first pace, 2.77 * 10 / 0.1.
SLOW = 250.0
#: Parameters that put PROBE_RTT off.
NEVER = {"bbr3": {"probe_rtt_interval_s": 1000.0}, "bbr": {"min_rtt_window_s": 1000.0}}
#: Versions that there are.
BOTH = ("bbr", "bbr3")
