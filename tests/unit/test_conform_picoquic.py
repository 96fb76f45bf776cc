"""The cases of picoquic's tests: links by hand, exception files, and every case."""

import re

import pytest

from headgate_studies.conform.case import Case, Subject, run_scenario
from headgate_studies.conform.exception_files import shipped
from headgate_studies.conform.picoquic.compete import DUALQ, SIZE, dualq
from headgate_studies.conform.picoquic.l4s import LIMIT, LINK, measure_variation
from headgate_studies.conform.picoquic.suite import (
    PACKET,
    TRANSPORT,
    Link,
    complete_in,
    judge_time,
    make_scenario,
)
from headgate_studies.conform.report import PICOQUIC, judge, list_variants, subjects

#: The tests of `cc_compete_test.c` and `l4s_test.c` at commit d199d45b.
NAMES = set(
    re.findall(
        r"\S+",
        """
cc_compete_cubic2_test cc_compete_c4c4_test cc_compete_prague2_test cc_compete_d_cubic_test
cc_ns_asym_test cc_ns_media_test cc_ns_media_repeat_test cc_ns_blackhole_test
cc_ns_drop_and_back_test cc_ns_low_and_up_test cc_ns_wifi_fade_test cc_ns_wifi_suspension_test
cc_ns_wifi_bad_cubic_test cc_ns_wifi_bad_bbr_test cc_ns_varylink_test cc_ns_satellite_test
l4s_reno_test l4s_prague_test l4s_bbr_test l4s_c4_test l4s_prague_updown_test l4s_bbr_updown_test
""",
    )
)
#: Cases that hold, each with settings that make it fail.
WRONG = {
    "picoquic-low-and-up": {"beta": 0.1, "c": 0.01},
    "picoquic-suspension": {"pacing_margin": 0.5},
}


def subject(name: str) -> Subject:
    [found] = subjects([name])
    return found


def find(name: str) -> Case:
    return next(case for case in PICOQUIC if case.id == name)


RUN = [case for case in PICOQUIC if not case.left_out]


@pytest.mark.parametrize("case", RUN, ids=lambda case: case.id)
def test_the_case_holds_or_is_an_exception(case: Case) -> None:
    [of] = case.only
    [variant] = list_variants(case, subject(of))
    result = judge(case, subject(of), variant)
    assert result.finding is not None
    known = shipped().get((case.id, of))
    assert result.word == ("exception" if known else "holds"), (
        f"expected {result.finding.expected}; got {result.finding.observed}"
    )


def test_every_test_of_both_files_is_a_case() -> None:
    names = [case.source.rpartition(" ")[2] for case in PICOQUIC]
    assert set(names) == NAMES
    assert len(names) == len({case.id for case in PICOQUIC}) == 22
    assert all(case.id.startswith("picoquic-") for case in PICOQUIC)


def test_tests_that_cannot_be_checked_say_why() -> None:
    left_out = [case for case in PICOQUIC if case.left_out]
    assert len(left_out) == 10
    for case in left_out:
        [of] = case.only
        assert len(case.left_out) > 20
        if of != "c4":  # the catalogue does not contain it
            assert judge(case, subject(of)).word == "not applicable"


def test_a_user_defined_algorithm_is_not_judged_by_limits_of_other_programs() -> None:
    own = Subject("./my_cca.py:MyCubic", (("cca", "cubic"),), "cubic", is_user_defined=True)
    assert judge(find("picoquic-black-hole"), own).word == "not applicable"


@pytest.mark.parametrize("name", WRONG)
def test_wrong_settings_fail(name: str) -> None:
    case = find(name)
    assert judge(case, subject(case.only[0]).having(**WRONG[name])).word == "fails"


def test_a_transfer_alone_takes_what_the_link_takes() -> None:
    """4 MB in packets of 1440 B at 10 Mbit/s: 3.278 s, and 30 ms until data leave, 10 ms behind."""
    packets = -(-SIZE // 1406)
    whole_s = packets * PACKET * 8 / 1e7
    link = Link()
    keys = {"cca": {"name": "constant", "rate": "9.9 Mbit/s"}}
    run, found = complete_in([link.flow("main", keys, SIZE)], link.network(), 5.0)
    assert found.holds
    counts = run.count("start_s", "fct_receiver_s")
    assert counts["start_s"] == pytest.approx(0.01)
    # the SYN of 1252 B takes 1 ms and its answer 0.04; the first data leave at 31 ms
    assert sum(counts.values()) == pytest.approx(0.041 + whole_s / 0.99, rel=0.03)


def test_a_transfer_that_is_not_complete_fails() -> None:
    link = Link(1_000_000)
    flow = link.flow("main", {"cca": "reno"}, SIZE)
    run = run_scenario(make_scenario([flow], link.network(), 5.0))
    assert judge_time(run, 4.0).observed == "not complete"


def test_buffers_are_those_of_picoquic() -> None:
    # 40 ms at 10 Mbit/s are 50,000 B; 600 ms at 1 Mbit/s 75,000 B
    assert Link(wait_us=40_000).network()["buffer"] == "35 packets"
    assert Link(1_000_000, wait_us=600_000).packets == 53
    assert Link().network()["buffer"] == "infinite"
    # 20 ms less 10 ms, at 8000/0.01 x 1.024^2 = 838,860 for a byte
    assert pytest.approx(LIMIT, abs=1) == 10_000 * 1_000_000 // 838_860
    assert (LIMIT // PACKET, LINK.delay_us, LINK.bps) == (8, 10_000, 10_000_000)


def test_the_dualq_is_that_of_picoquic() -> None:
    # alpha = 0.1 Tupdate/RTT_max^2 and beta = 0.3/RTT_max for 15 and 100 ms
    assert DUALQ["alpha_hz"] == pytest.approx(0.1 * 0.015 / 0.1**2)
    assert DUALQ["beta_hz"] == pytest.approx(0.3 / 0.1)
    assert dualq(3)["ramp"] == "2.2 ms"
    assert TRANSPORT["preset"] == "quic"


def test_the_variation_of_the_round_trip_is_that_of_rfc_9002() -> None:
    """20 ms and 10; then 24 ms: 10 + (4 - 10)/4 = 8.5, and a mean of 20.5."""
    assert measure_variation([0.02]) == pytest.approx(0.01)
    assert measure_variation([0.02, 0.024]) == pytest.approx(0.0085)
    assert measure_variation([0.02, 0.024, 0.0205]) == pytest.approx(0.0085 * 0.75)


def test_the_first_window_explains_the_exception_of_the_long_path() -> None:
    link, back = Link(delay_us=300_000, wait_us=600_000), Link(1_000_000, wait_us=600_000)
    reverse = {"rate": "1 Mbit/s", "buffer": f"{back.packets} packets"}
    flow = link.flow("main", {"cca": "cubic"}, SIZE)
    given = make_scenario([flow], link.network(reverse=reverse), 20)
    for first, most_s, least_s in ((10, 8.0, 7.5), (60, 6.5, 0.0)):
        given["transport"] = TRANSPORT | {"initial_window": f"{first} packets"}
        total_s = sum(run_scenario(given).count("start_s", "fct_receiver_s").values())
        assert least_s < total_s < most_s
