"""Tests of picoquic that cannot be checked, each with its reason."""

from headgate_studies.conform.picoquic.suite import COMPETE, L4S, Picoquic

#: The test cases of this module.
CASES = Picoquic(COMPETE)
OF_L4S = Picoquic(L4S)
NO_C4 = "the catalogue does not contain C4"
MEDIA = "frames of media share a connection by their priorities there; a flow is one stream here"
WIFI = "the delay of the link adds two Poisson variables, and no impairment has this distribution"
TESTS = (
    (
        "c4-beside-itself",
        "cc_compete_c4c4_test",
        "4 MB beside 10 MB, 10 Mbit/s, 20 ms, 40 ms of buffer: complete in 8.5 s",
        NO_C4,
        "c4",
    ),
    (
        "delay-beside-cubic",
        "cc_compete_d_cubic_test",
        "4 MB beside 10 MB of CUBIC, 20 Mbit/s, 80 ms, no limit of the queue: complete in 10 s",
        "the catalogue does not contain the CUBIC of picoquic that reacts to delays",
        "cubic",
    ),
    (
        "media",
        "cc_ns_media_test",
        "Frames of audio and video at 100 Mbit/s, 30 ms: delays of 35 ms at most on average",
        MEDIA,
        "cubic",
    ),
    (
        "media-repeated",
        "cc_ns_media_repeat_test",
        "The same five times with other random numbers",
        MEDIA,
        "cubic",
    ),
    (
        "wifi-fade",
        "cc_ns_wifi_fade_test",
        "4 MB at 10 Mbit/s, 10 ms, 15 ms of buffer, jitter of 12 ms from 1 to 3 s: in 7 s",
        WIFI,
        "bbr3",
    ),
    (
        "wifi-bad-cubic",
        "cc_ns_wifi_bad_cubic_test",
        "4 MB at 10 Mbit/s, 2 ms, 80 ms of buffer, jitter of 12.5 ms: in 4.5 s",
        WIFI,
        "cubic",
    ),
    (
        "wifi-bad-bbr",
        "cc_ns_wifi_bad_bbr_test",
        "4 MB at 10 Mbit/s, 2 ms, 80 ms of buffer, jitter of 12.5 ms: in 4.5 s",
        WIFI,
        "bbr3",
    ),
    (
        "loss-bursts",
        "cc_ns_varylink_test",
        "4 MB at 10 Mbit/s, 10 ms; from 1 to 3 s 1 Mbit/s and two losses after each eight: in 7 s",
        "losses of two packets depend there on the number of packets since and on their times; here"
        " they are random, or have fixed numbers",
        "bbr3",
    ),
    (
        "satellite",
        "cc_ns_satellite_test",
        "20 MB at 50 Mbit/s, 600 ms, with a known bandwidth and round trip: in 6.5 s",
        "no call gives BBR the bandwidth and the round trip of another connection (Careful Resume"
        " is a slow start instead)",
        "bbr3",
    ),
)
for _name, _test, _statement, _why, _of in TESTS:
    CASES.leave_out(_name, _test, _statement, _why, _of)
OF_L4S.leave_out(
    "l4s-c4",
    "l4s_c4_test",
    "4 MB at 10 Mbit/s, 20 ms, DualQ: complete in 3.6 s, 32 sent again, a variation of 3 ms",
    NO_C4,
    "c4",
)
