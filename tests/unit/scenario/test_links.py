"""Links as they are: traces, courses, impairments, directions that differ."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, ClassVar

import networkx
import numpy as np
import pytest

import headgate
from headgate.base.errors import InterruptedRunError, ScenarioError
from headgate.engine.api import simulate
from headgate.engine.run.progress import Progress, StopRunError
from headgate.scenario.links.synthetic import COURSES, TRACES, make_course, make_trace

FLOWS = ["cubic", "reno"]


def dumbbell(**keys: Any) -> headgate.Scenario:
    plain = {} if {"trace", "course"} & set(keys) else {"rate": "20 Mbit/s"}
    network = {"rtt": "40 ms", "buffer": "50 packets"} | plain | keys
    return headgate.dumbbell(flows=FLOWS, **network)


def write(path: Path, *times_ms: int) -> str:
    path.write_text("".join(f"{time}\n" for time in times_ms))
    return str(path)


def column(result: Any, table: str, name: str, link: str = "bottleneck") -> float:
    ports = getattr(result, table)
    row = list(ports["link"]).index(link)
    return float(ports[name][row])


def saturate(trace: str, duration_s: int) -> tuple[float, float]:
    """Return rate and capacity of a traced link whose queue is never empty, bit/s."""
    constant = {"cca": {"name": "constant", "rate": "400 Mbit/s"}, "count": 1}
    network = {"trace": trace, "rtt": "10 ms", "buffer": "infinite"}
    result = headgate.dumbbell(flows=[constant], **network).run(duration=f"{duration_s} s")
    sent_bytes, rate_bps = (column(result, "ports", name) for name in ("sent_bytes", "rate_bps"))
    return 8 * sent_bytes / duration_s, rate_bps


class TestTraces:
    """The format of mahimahi's mm-link: a line for each chance to send 1500 B, in ms."""

    def test_a_steady_trace_is_a_rate(self, tmp_path: Path) -> None:
        """One packet a millisecond is 12 Mbit/s: the trace passes as much as such a link."""
        traced = dumbbell(trace=write(tmp_path / "steady", 1)).run()
        paced = dumbbell(rate="12 Mbit/s").run()
        sent = [column(result, "ports", "sent_bytes") for result in (traced, paced)]
        assert sent[0] == pytest.approx(sent[1], rel=2e-3)
        assert column(traced, "ports", "rate_bps") == 12e6

    def test_it_repeats_after_its_last_line(self, tmp_path: Path) -> None:
        plan = dumbbell(trace=write(tmp_path / "trace", 0, 5, 5, 9)).plan()
        link = plan[0]["links"][0]
        times = plan[1][link["trace"]["list"]]
        assert link["trace"]["period_ps"] == 9 * 10**9
        assert (times // 10**9).tolist() == [5, 5, 9, 9]  # that at 0 is that at the end of a round
        assert link["rate_bps"] == round(4 * 12000 / 0.009)

    def test_without_repetition_nothing_passes_after_its_end(self, tmp_path: Path) -> None:
        file = write(tmp_path / "once", *range(1, 2001))
        result = dumbbell(trace={"file": file, "repeat": False}).run(duration="10 s")
        assert column(result, "ports", "sent_bytes") <= 2000 * 1500

    def test_unused_transmission_chances_are_lost(self, tmp_path: Path) -> None:
        """A burst of 100 opportunities a second carries no more than what waits then."""
        file = write(tmp_path / "bursts", *[1000] * 100)
        result = dumbbell(trace=file, buffer="10 packets").run(duration="20 s")
        assert column(result, "ports", "sent_bytes") <= 20 * 12 * 1500 + 20 * 30 * 1500

    def test_a_buffer_in_time_is_refused_with_its_packets(self, tmp_path: Path) -> None:
        """200 ms of 12 Mbit/s are 200 packets of 1500 B."""
        steady = write(tmp_path / "steady", 1)
        said = r'network.buffer: bottleneck: .*packets or BDP; write "200 packets"'
        with pytest.raises(ScenarioError, match=said):
            dumbbell(trace=steady, buffer="200 ms").plan()

    def test_a_queue_uses_all_opportunities_of_an_instant(self, tmp_path: Path) -> None:
        """Four packets each millisecond are 48 Mbit/s, which a full queue gets."""
        trace = write(tmp_path / "four", *(ms for ms in range(1, 101) for _ in range(4)))
        sent_bps, rate_bps = saturate(trace, 10)
        assert rate_bps == 48e6
        assert sent_bps == pytest.approx(48e6, rel=0.005)

    @pytest.mark.parametrize("trace", TRACES)
    def test_a_queue_uses_a_whole_synthetic_trace(self, trace: str) -> None:
        sent_bps, rate_bps = saturate(trace, 60)
        assert sent_bps == pytest.approx(rate_bps, rel=0.01)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "is empty"),
            ("1\n2 x\n", "line 2 is 'x'"),
            ("5\n\n\n10\n\n15\nx\n", "line 7 is 'x'"),
            ("5\r\n\r\n3\r\n", "line 3 goes back to 3 ms"),
            ("5\n3\n", "line 2 goes back to 3 ms"),
            ("0\n0\n", "ends at 0 ms"),
            ("-4\n", "line 1 is '-4'"),
            ("1.5\n", "line 1 is '1.5'"),
            ("9" * 30, "whole number of ms"),
            ("8640000001\n", "line 1 is '8640000001'; .* at most 8640000000 .100 days."),
            ("31536000000\n", "at most 8640000000"),
            ("18446744074\n", "at most 8640000000"),
            ("1\n18446744074\n", "line 2 is '18446744074'"),
        ],
    )
    def test_an_invalid_trace_is_refused(self, tmp_path: Path, text: str, said: str) -> None:
        (tmp_path / "bad").write_text(text)
        with pytest.raises(ScenarioError, match=said):
            dumbbell(trace=str(tmp_path / "bad")).plan()

    def test_a_binary_file_and_none_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "bytes").write_bytes(bytes(range(256)))
        with pytest.raises(ScenarioError, match="is not a trace"):
            dumbbell(trace=str(tmp_path / "bytes")).plan()
        with pytest.raises(ScenarioError, match=r"there is no file .*no synthetic trace is called"):
            dumbbell(trace=str(tmp_path / "nothing")).plan()

    def test_a_rate_beside_it_is_refused(self) -> None:
        with pytest.raises(ScenarioError, match="the trace gives the rate"):
            dumbbell(trace="4g", rate="5 Mbit/s").plan()

    def test_a_name_that_is_near_is_suggested(self) -> None:
        with pytest.raises(ScenarioError, match="4g"):
            dumbbell(trace={"name": "4G"})


class TestCourses:
    """CSV of times, rates, delays and losses."""

    @staticmethod
    def file(path: Path, text: str) -> str:
        path.write_text(text)
        return str(path)

    def test_each_row_holds_until_the_next(self, tmp_path: Path) -> None:
        text = "time_s,rate_bps,delay_s,loss\n0,1e6,0.01,0\n1,2e6,0.01,0.1\n2.5,2e6,0.02,0\n"
        link = dumbbell(course=self.file(tmp_path / "c.csv", text)).plan()[0]["links"][0]
        assert (link["rate_bps"], link["delay_ps"], link["loss"]) == (10**6, 10**10, 0.0)
        assert link["changes"] == [{"at_ps": 10**12, "rate_bps": 2 * 10**6}]
        assert link["delays"] == [{"at_ps": 2_500_000_000_000, "delay_ps": 2 * 10**10}]
        assert [change["loss"] for change in link["losses"]] == [0.1, 0.0]

    def test_a_repeated_one_ends_with_its_last_row(self, tmp_path: Path) -> None:
        file = self.file(tmp_path / "c.csv", "time_s,rate_bps\n0,1e6\n2,3e6\n5,9e6\n")
        made = dumbbell(course={"file": file, "repeat": True}).replaced({"duration": "11 s"})
        changes = made.plan()[0]["links"][0]["changes"]
        assert [(c["at_ps"] // 10**12, c["rate_bps"]) for c in changes] == [
            (2, 3e6), (5, 1e6), (7, 3e6), (10, 1e6),
        ]  # fmt: skip

    def test_a_round_that_ends_after_the_run_has_no_step_before_it(self, tmp_path: Path) -> None:
        """Rounds of 60 days in a run of 100: the second ends beyond 63 bits of picoseconds."""
        day_s = 86_400
        text = f"time_s,rate_bps\n0,1e6\n{30 * day_s},2e6\n{59 * day_s},4e6\n{60 * day_s},9e6\n"
        file = self.file(tmp_path / "c.csv", text)
        made = dumbbell(course={"file": file, "repeat": True}).replaced({"duration": "8640000 s"})
        changes = made.plan()[0]["links"][0]["changes"]
        assert [(c["at_ps"] // (day_s * 10**12), c["rate_bps"]) for c in changes] == [
            (30, 2e6), (59, 4e6), (60, 1e6), (90, 2e6),
        ]  # fmt: skip

    def test_its_rate_applies_to_waiting_packets(self, tmp_path: Path) -> None:
        """A standing queue of 50 packets leaves at the new rate, not at the one that it met."""
        file = self.file(tmp_path / "c.csv", "time_s,rate_bps\n0,20e6\n5,1e6\n")
        result = dumbbell(course=file).run(duration="10 s")
        at_most = 5 * 20e6 / 8 + 5 * 1e6 / 8 + 1500
        assert column(result, "ports", "sent_bytes") <= at_most

    def test_loss_comes_and_goes(self, tmp_path: Path) -> None:
        file = self.file(tmp_path / "c.csv", "time_s,rate_bps,loss\n0,2e7,0\n2,2e7,0.5\n3,2e7,0\n")
        result = dumbbell(course=file, buffer="infinite").run(duration="10 s")
        assert 5 < column(result, "ports", "lost") < 2000

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("time_s\n0\n", "at least one of rate_bps"),
            ("rate_bps\n5e6\n", "must have the column time_s"),
            ("time_s,rate_bps\n", "no row"),
            ("time_s,rate_bps\n1,5e6\n", "line 2 has time_s = 1; a course begins at 0"),
            ("time_s,rate_bps\n0,5e6\n0,6e6\n", "line 3 has time_s = 0 after 0; the times must"),
            ("time_s,rate_bps\n0,0\n", "line 2 has rate_bps = 0"),
            ("time_s,delay_s\n0,x\n", "line 2 has delay_s = 'x'"),
            ("time_s,loss\n0,0.1\n1,1.1\n", "line 3 has loss = 1.1"),
            ("time_s,rate_bps\n0,5e6\n9500000,6e6\n", "line 3 has time_s = 9.5e"),
        ],
    )
    def test_an_invalid_course_is_refused(self, tmp_path: Path, text: str, said: str) -> None:
        with pytest.raises(ScenarioError, match=said):
            dumbbell(course=self.file(tmp_path / "bad.csv", text)).plan()

    def test_the_rate_is_given_once(self) -> None:
        with pytest.raises(ScenarioError, match="the course gives the rate"):
            dumbbell(course="leo", rate="5 Mbit/s").plan()
        with pytest.raises(ScenarioError, match="either course or trace"):
            dumbbell(course="leo", trace="4g")
        with pytest.raises(ScenarioError, match="either trace or changes"):
            dumbbell(trace="4g", changes=[{"at": "1 s", "rate": "1 Mbit/s"}])


class TestImpairments:
    """Counters of a link against closed forms; the engine tests each impairment alone."""

    @pytest.mark.parametrize(
        ("impairment", "share", "spread"),
        [
            ({"name": "bernoulli", "loss": 0.01}, 0.01, 1.0),
            # lost runs last ten packets in the mean: nineteen times the variance of single ones
            ({"name": "gilbert_elliott", "to_bad": 0.001, "to_good": 0.1}, 0.001 / 0.101, 19.0),
        ],
    )
    def test_so_many_are_lost(self, impairment: Any, share: float, spread: float) -> None:
        result = dumbbell(impairments=[impairment], rate="100 Mbit/s").run(duration="60 s")
        sent = column(result, "ports", "departures")
        lost = column(result, "ports", "lost")
        deviation = (spread * share * (1 - share) * sent) ** 0.5
        assert abs(lost - share * sent) < 5 * deviation
        assert lost > 0

    def test_so_many_are_copied_and_the_books_balance(self) -> None:
        result = dumbbell(impairments=[{"name": "duplicate", "share": 0.1}]).run(duration="20 s")
        sent = column(result, "ports", "departures")
        assert column(result, "ports", "copies") == pytest.approx(0.1 * sent, rel=0.1)
        table = result.tables["checks"]
        checks = dict(zip(table["check"], table["relative_error"], strict=True))
        exact = [error for check, error in checks.items() if check.startswith("data packets")]
        assert exact == [0]

    def test_a_policer_holds_its_rate(self) -> None:
        policer = {"name": "policer", "rate": "5 Mbit/s", "burst": "50 kB"}
        result = dumbbell(ingress=[policer]).run(duration="20 s")
        assert column(result, "ports", "sent_bytes") <= 20 * 5e6 / 8 + 50_000
        assert column(result, "ports", "drops") > 0
        assert column(result, "ports", "max_queue_packets") <= 35  # the burst, and no more

    def test_loss_before_the_queue_is_no_loss_of_the_link(self) -> None:
        lossy = {"name": "bernoulli", "loss": 0.02}
        result = dumbbell(ingress=[lossy], buffer="infinite").run(duration="10 s")
        assert column(result, "ports", "lost") == 0 < column(result, "ports", "drops")

    def test_rack_learns_that_a_path_reorders(self) -> None:
        """A packet late by less than a quarter of the round trip counts as lost only at first.

        Without RACK three duplicate ACKs count as a loss every time.
        """
        keys: dict[str, Any] = {"rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "infinite"}
        late = {"name": "reorder", "share": 0.01, "late": "5 ms"}
        again = {}
        for preset in ("linux", "ns2"):
            keys |= {"impairments": [late], "transport": {"preset": preset}}
            result = headgate.dumbbell(flows=["reno"], **keys).run("30 s")
            again[preset] = int(result.flows["retransmissions"][0])
        assert again["linux"] < 10
        assert again["ns2"] > 50

    def test_an_unknown_one_is_refused(self) -> None:
        with pytest.raises(ScenarioError, match=r"'jiter' is not an impairment.*'jitter'"):
            dumbbell(impairments=["jiter"])
        with pytest.raises(ScenarioError, match=r"network\.impairments\[1\]"):
            dumbbell(impairments=["jitter", {"name": "reorder", "share": 2}])


class TestDirections:
    """The two directions of a link may differ."""

    def test_keys_that_reverse_omits_are_as_without_reverse(self) -> None:
        plan, _ = dumbbell(
            loss=0.1, impairments=["jitter"], reverse={"rate": "1 Mbit/s", "delay": "30 ms"}
        ).plan()
        forward, back = plan["links"]
        assert (forward["rate_bps"], back["rate_bps"]) == (20_000_000, 1_000_000)
        assert back["delay_ps"] == 30 * 10**9 != forward["delay_ps"]
        assert back["loss"] == 0
        assert ("impairments" in forward, "impairments" in back) == (True, False)
        assert back["buffer"] == forward["buffer"]

    def test_a_trace_holds_both_ways_unless_reverse_says_more(self) -> None:
        both = dumbbell(trace="4g").plan()[0]["links"]
        assert both[0]["trace"] == both[1]["trace"]
        apart = dumbbell(trace="5g", reverse={"trace": {"name": "4g", "seed": 2}}).plan()
        assert set(apart[1]) >= {"trace 5g 1", "trace 4g 2"}
        slow = dumbbell(trace="5g", reverse={"rate": "10 Mbit/s"}).plan()[0]["links"]
        assert "trace" not in slow[1]

    def test_links_of_a_graph(self, tmp_path: Path) -> None:
        graph = networkx.Graph()
        graph.add_edge("a", "b", trace="steady", delay="5 ms", reverse={"loss": 0.01})
        write(tmp_path / "steady", 1, 2)
        file = tmp_path / "net.json"
        file.write_text(json.dumps(networkx.node_link_data(graph, edges="links")))
        made = headgate.graph(file, flows=[{"cca": "reno", "source": "a", "receiver": "b"}])
        links = made.plan()[0]["links"]
        assert [link["rate_bps"] for link in links] == [12_000_000] * 2
        assert [link["loss"] for link in links] == [0.0, 0.01]

    def test_a_directed_graph_has_no_reverse(self) -> None:
        link = {"ends": ["a", "b"], "rate": "1 Mbit/s", "delay": "1 ms", "reverse": {"loss": 0.1}}
        network = {"routers": [{"name": "a"}, {"name": "b"}], "links": [link], "directed": True}
        given = {"network": {"kind": "graph", **network}, "traffic": [{"kind": "flows"}]}
        with pytest.raises(ScenarioError, match="runs one way"):
            headgate.Scenario.from_dict(given)


EVERYTHING: dict[str, Any] = {
    "ingress": [
        {"name": "policer", "rate": "30 Mbit/s"},
        {"name": "bernoulli", "loss": 1e-3},
    ],
    "impairments": ["gilbert_elliott", "duplicate", {"name": "jitter", "order": "free"}, "reorder"],
    "outages": [
        {"start": "50 s", "duration": "1 s", "every": "20 s", "queue": "keep"},
        {"start": "63 s", "duration": "1 s", "every": "20 s", "in_flight": "lose"},
    ],
}  # fmt: skip


class TestTheSameBits:
    """Runs with impairments are as deterministic as others."""

    @pytest.mark.parametrize("rate", [{"trace": "5g"}, {"course": "leo"}, {"trace": "wifi"}])
    def test_threads_and_resumption_change_nothing(self, tmp_path: Path, rate: Any) -> None:
        many = [{"cca": "cubic", "count": 40}, {"cca": "bbr", "count": 10}]
        made = headgate.dumbbell(flows=many, rtt="40 ms", buffer="50 packets", **rate, **EVERYTHING)
        whole = made.run(duration="300 s")

        def stop(now: Progress) -> None:
            if 1 < now.time_s < 299:
                raise StopRunError

        short = made.replaced({"duration": "300 s"})
        with pytest.raises(InterruptedRunError):
            simulate(short, tmp_path, stop)
        resumed = simulate(short, tmp_path)
        assert resumed.meta["resumed"]
        assert resumed.meta["digest"] == whole.meta["digest"]
        assert made.run(duration="300 s", threads=2).meta["digest"] == whole.meta["digest"]

    def test_toml_keeps_everything(self, tmp_path: Path) -> None:
        made = dumbbell(trace={"name": "5g", "seed": 3}, reverse={"course": "leo"}, **EVERYTHING)
        made.save(tmp_path / "all.toml")
        assert headgate.load(tmp_path / "all.toml") == made

    def test_paths_are_as_seen_from_the_file(self, tmp_path: Path) -> None:
        write(tmp_path / "steady", 1)
        text = '[network]\nkind = "dumbbell"\nrtt = "9 ms"\ntrace = "steady"\n'
        text += '[network.reverse]\ntrace = { file = "steady", repeat = false }\n'
        (tmp_path / "s.toml").write_text(text + '[[traffic]]\nkind = "flows"\ncca = "reno"\n')
        links = headgate.load(tmp_path / "s.toml").plan()[0]["links"]
        assert [link["rate_bps"] for link in links] == [12_000_000] * 2


class TestSynthetic:
    """Traces and courses that this project generates."""

    #: Mean rate (Mbit/s) and longest gap (ms), seeds 1 to 3, as docs/reference/links.md has them.
    STATISTICS: ClassVar = {"4g": ((6, 8), 40), "5g": ((100, 140), 10), "wifi": ((38, 46), 20)}

    @pytest.mark.parametrize("name", TRACES)
    def test_statistics(self, name: str) -> None:
        (low, high), longest = self.STATISTICS[name]
        for seed in (1, 2, 3):
            times = make_trace(name, seed)
            assert (np.diff(times) >= 0).all()
            assert times[0] > 0
            assert low < len(times) * 12e3 / times[-1] / 1e3 < high
            assert np.diff(times).max() <= longest

    @pytest.mark.parametrize("name", COURSES)
    def test_a_course_steps(self, name: str) -> None:
        at, values, period = make_course(name, 1)
        assert at[0] == 0
        assert (np.diff(at) > 0).all()
        assert at[-1] < period
        assert 0.010 < values["delay_s"].min() < values["delay_s"].max() < 0.032
        assert 39e6 < values["rate_bps"].min() < values["rate_bps"].max() < 240e6

    def test_they_have_the_same_bits_everywhere(self) -> None:
        digest = hashlib.sha256()
        for name in TRACES:
            digest.update(make_trace(name, 1).tobytes())
        for name in COURSES:
            at, values, _ = make_course(name, 1)
            digest.update(at.tobytes() + b"".join(column.tobytes() for column in values.values()))
        assert digest.hexdigest() == DIGEST


DIGEST = "a33ac9bfaf42a54f1945ddb2e092704533d0245821979a031fe7cc9e2e9710da"
