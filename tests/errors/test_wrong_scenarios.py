"""Wrong scenarios: each ends in one sentence with place and remedy, and exit code 2."""

import re
from pathlib import Path
from typing import Any

import pytest

from headgate import HeadgateError
from headgate.base import catalog
from headgate.engine import build
from headgate.scenario.traffic import KINDS

from .command import headgate

#: Every queue discipline of the registry, as a refusal lists them.
QUEUES = [card.name for card in catalog.devices() if card.kind == "queue"]

GOOD = """
duration = "2 s"

[network]
kind = "dumbbell"
rate = "10 Mbit/s"
rtt = "40 ms"
buffer = "1 BDP"

[[traffic]]
kind = "flows"
cca = "reno"
"""

GRAPH = (
    'network={kind="graph",rate="10 Mbit/s",delay="1 ms",'
    'routers=[{name="a"},{name="b"},{name="c"}],links=[%s]}'
)

#: (--set, place, expected part of the sentence)
WEB = 'traffic.0={kind="web",users=5,size="9 packets"'
WRONG = [
    # Keys
    ("sed=1", "sed", "this is not a key here; did you mean 'seed'?"),
    ('network.rat="1 Mbit/s"', "network.rat", "did you mean 'rate'?"),
    ("traffic.0.frobnicate=1", "traffic[0].frobnicate", "the keys here are"),
    ("transport.mss=1", "transport.mss", "is not a key here"),
    ("measure.warm=1", "measure.warm", "did you mean 'warmup'?"),
    (
        "network.kind=dumbell",
        "network",
        "one of 'dumbbell', 'parking_lot', 'abilene', 'isp', 'graph'",
    ),
    (
        "traffic.0.kind=flood",
        "traffic[0]",
        "one of " + ", ".join(repr(kind.model_fields["kind"].default) for kind in KINDS),
    ),
    ("traffic=[]", "traffic", "at least one [[traffic]]"),
    ('traffic=[{kind="flows"}]', "traffic[0].cca", "required"),
    ('network={kind="dumbbell",rate="1 Mbit/s"}', "network.rtt", "required"),
    ("durration='5 s'", "durration", "this is not a key here; did you mean 'duration'?"),
    ("Duration='5 s'", "Duration", "did you mean 'duration'?"),
    ("measure.warm_up='1 s'", "measure.warm_up", "did you mean 'warmup'?"),
    ("seed=true", "seed", "true is not allowed; it must be a number"),
    ("traffic.0.count=true", "traffic[0].count", "true is not allowed; it must be a number"),
    ("network=5", "network", "5 is not allowed; it must be a table of keys and values"),
    ("traffic=[1]", "traffic[0]", "1 is not allowed; it must be a table"),
    ("transport=5", "transport", "5 is not allowed; write a table of keys and values"),
    (
        'traffic={kind="flows",cca="reno"}',
        "traffic",
        "this is one table, and there may be several; write [[traffic]]",
    ),
    (
        'traffic.0.cca=["reno","cubic"]',
        "traffic[0].cca",
        "['reno', 'cubic'] is not allowed; write one algorithm, such as 'reno' or",
    ),
    ('traffic.0.cca={kind="cubic"}', "traffic[0].cca.kind", "write { name = 'cubic' }"),
    (
        'measure.series={every="1 s"}',
        "measure.series.every",
        "this is not a key here; the keys here are interval, flows, ports, most",
    ),
    ("measure.series=5", "measure.series", "5 is not allowed; it must be 'none' or a table"),
    ("measure.series=nonne", "measure.series", "'none' or a table; did you mean 'none'?"),
    ("measure={a=1,b=2}", "measure.a", "this is not a key here"),
    # Keys in the wrong table
    ("warmup='1 s'", "warmup", "belongs in the table [measure]; write it below that line"),
    ("rtt='9 ms'", "rtt", "belongs in the table [network]; write it below that line"),
    ("cca.beta=1", "traffic[0].cca.beta", "no parameter 'beta'"),
    ("share.bbr3=1.5", "share.bbr3", "a share is a number from 0 to 1"),
    ("share.renno=0.5", "share.renno", "did you mean 'reno'?"),
    ("share.reno=0.5", "share", "this traffic names no other one"),
    ("traffic.0.cca.cubic=0.5", "traffic[0].cca.cubic", "such as { reno = 0.5, cubic = 0.5 }"),
    ("traffic.0.cca={alpha=20}", "traffic[0].cca", "for one algorithm, write its name"),
    (f"{WEB},cca={{alpha=20}}}}", "traffic[0].cca", "for a mix, write a share for each"),
    ('traffic.0={kind="matrix",cca="reno",size="9 kB"}', "traffic[0].file", "write either file"),
    (
        'traffic.0={kind="matrix",cca="reno",size="9 kB",file="none.csv",unit="Mbit/s"}',
        "traffic[0].file",
        "there is no file",
    ),
    (
        'traffic.0={kind="matrix",cca="reno",size="9 kB",gravity={total="1 Mbit/s"}}',
        "traffic[0].gravity.masses",
        "the routers of this network lack a mass",
    ),
    ("network.duration='5 s'", "network.duration", "write it above the first [table]"),
    ("measure.seed=7", "measure.seed", "seed belongs to no table; write it above"),
    ("flows=reno", "flows", 'write [[traffic]], and below it kind = "flows" and cca = "reno"'),
    ("flows=[3]", "flows", "flows are traffic; write [[traffic]]"),
    # Units
    ("network.rate=10", "network.rate", "10 has no unit; write a rate such as '10 Mbit/s'"),
    ('network.rate="10"', "network.rate", "has no unit"),
    ('network.rate="10 MB"', "network.rate", "has the unit 'MB'; a rate takes one of bit/s"),
    ('network.rtt="40 msec"', "network.rtt", "a time takes one of ps, ns, us, ms, s, min, h"),
    ('network.buffer="5"', "network.buffer", "has no unit; write a buffer such as '1 BDP'"),
    ('network.buffer="5 crates"', "network.buffer", "a buffer takes one of packets, BDP"),
    ('duration="long"', "duration", "write a number and a unit such as '45 ms'"),
    ('traffic.0.size="5 s"', "traffic[0].size", "a size takes one of packets, B"),
    (
        "network.rate=10,5 Mbit/s",
        "network.rate",
        "'10,5 Mbit/s' has a comma; write a point before decimals, such as '10.5 Mbit/s'",
    ),
    # Values of another kind
    ("duration=2020-01-01", "duration", "2020-01-01 is not a time; write a number and a unit"),
    ("duration=true", "duration", "true is not a time; write a number and a unit"),
    ("network.rate=1e7", "network.rate", "10000000 has no unit"),
    ("title=5", "title", "5 is not allowed; it must be a text in quotes"),
    ("traffic.0.count=2.5", "traffic[0].count", "2.5 is not allowed; it must be a whole number"),
    ("network.queue=5", "network.queue", "5 is not allowed; write a name, or a table with name"),
    # Values
    ('network.rate="-1 Mbit/s"', "network.rate", "is negative"),
    ('network.rate="0 Mbit/s"', "network.rate", "is zero"),
    ('network.rtt="-1 ms"', "network.rtt", "is negative"),
    ('duration="0 s"', "duration", "greater than 0"),
    ("seed=-1", "seed", "greater than or equal to 0"),
    ('traffic.0={kind="flows",cca="reno",start="2 s",stop="1 s"}', "traffic[0].stop", "after it"),
    ('network.changes=[{at="0 s",rate="1 Mbit/s"}]', "network.changes[0].at", "greater than 0"),
    ("network.lose=[0]", "network.lose[0]", "greater than or equal to 1"),
    ("network.lose=[5,5]", "network.lose", "packet numbers must rise"),
    (
        'network.queue="reed"',
        "network.queue",
        "'reed' is not a queue discipline; did you mean 'red' or 'ared'?",
    ),
    ('network.feedback="reed"', "network.feedback", "'reed' is not a router's scheme; known: rcp"),
    ("network.queue=droptial", "network.queue", "did you mean 'drop_tail'?"),
    ("network.queue=fq-coddel", "network.queue", "did you mean 'fq-codel'?"),
    ("network.queue=xyzzy", "network.queue", f"known: drop_tail, {', '.join(QUEUES)}"),
    (
        'network.queue={name="codel",mark="9 packets"}',
        "network.queue.mark",
        "'codel' has no parameter 'mark'; its parameters: target_s",
    ),
    (
        'network.queue={name="codel",target="5 m"}',
        "network.queue.target",
        "a time takes one of ps, ns, us, ms",
    ),
    (
        'network.queue={name="red",mean_packet="9 ms"}',
        "network.queue.mean_packet",
        "takes one of B",
    ),
    ('network.queue={kind="codel"}', "network.queue.kind", "this key is now 'name'"),
    ('network.feedback={kind="rcp"}', "network.feedback.kind", "this key is now 'name'"),
    ('network.queue={name="pie",ecn="yes"}', "network.queue.ecn", "must be one of 'on', 'off'"),
    ('network.queue={name="codel",target=5}', "network.queue.target", "5 has no unit; write one"),
    (
        'network.queue={name="threshold",mark="9 kB"}',
        "network.queue.mark",
        "it must be in packets or in BDP",
    ),
    ("network.loss=1.5", "network.loss", "less than 1"),
    ('network.loss="1 %"', "network.loss", "write the share as a number without quotes, 0.01"),
    ('network.loss="little"', "network.loss", "'little' is text; write a number without quotes"),
    ("traffic.0.count=many", "traffic[0].count", "'many' is text; write a number without quotes"),
    ('network.buffer="0.01 BDP"', "network.buffer", "at least one"),
    ('network.buffer="0.5 packets"', "network.buffer", "at least one"),
    ('network.buffer="0.1 ms"', "network.buffer", "holds no packet of 1500 B"),
    ('network.buffer="100 B"', "network.buffer", "holds no packet of 1500 B"),
    ('traffic.0.size="0 packets"', "traffic[0].size", "the least is '1 packet'"),
    ("traffic.0.count=0", "traffic[0].count", "greater than or equal to 1"),
    ('transport.segment="0 B"', "transport.segment", "1 B to 65535 B"),
    ('transport.segment="70 kB"', "transport.segment", "1 B to 65535 B"),
    ('transport.min_rto="90 s"', "transport.min_rto", "at most max_rto"),
    ('transport.initial_window="0 packets"', "transport.initial_window", "'1 packet'"),
    ("transport.preset=windows", "transport.preset", "'ns2', 'mesonet' or 'quic'"),
    ("transport.recovery=tahoe", "transport.recovery", "'sack', 'sack1', 'newreno' or 'reno'"),
    # Algorithms
    (
        "traffic.0.cca=renoo",
        "traffic[0].cca",
        "is not a congestion control algorithm; did you mean 'reno'?",
    ),
    (
        "traffic.0.cca=CUBICC",
        "traffic[0].cca",
        "is not a congestion control algorithm; did you mean 'cubic'?",
    ),
    ("traffic.0.cca=xyzzy", "traffic[0].cca", "is not a congestion control algorithm; known: "),
    ("traffic.0.cca.beta=1", "traffic[0].cca.beta", "no parameter 'beta'"),
    ('traffic.0.cca={name="fast",alpha=-3}', "traffic[0].cca.alpha", "must be a number from"),
    # Measurement
    (
        'measure.warmup="5 s"',
        "measure.warmup",
        "2 s does; 5 s does not: shorten it",
    ),
    ('measure.warmup="2 s"', "measure.warmup", "or lengthen duration"),
    ('measure.periods=[["1 s","9 s"]]', "measure", "ends after the run"),
    ('measure.periods=[["1.5 s","1 s"]]', "measure.periods", "must end after it starts"),
    ("measure.periods=0", "measure.periods", "1 or more"),
    ('measure.interval="3 s"', "measure.interval", "3 s is longer than a period; shorten it"),
    ('measure.series.flows=["cubic"]', "measure.series.flows[0]", "among the flows: reno"),
    ('measure.series.ports=["core"]', "measure.series.ports[0]", "among the links: bottleneck"),
    # Places and routes
    ("traffic.0.source=middle", "traffic[0].source", "is not a router here; routers: left, right"),
    ("traffic.0.source=right", "traffic[0]", "are both at 'right'"),
    ('traffic.0.rtt="0.000000001 ms"', "traffic[0].rtt", "not above the route's own"),
    (GRAPH % '{ends=["a","b"]}', "traffic[0]", "name their source and receiver"),
    (GRAPH % '{ends=["a","x"]}', "network.links", "ends at 'x', which is not a router"),
    (GRAPH % '{ends=["a","a"]}', "network.links", "from a router to itself"),
    ('network={kind="graph",routers=[{name="a"}]}', "network.routers", "at least two routers"),
    ('network={kind="graph",file="none.graphml"}', "network.file", "there is no file"),
    # Traffic
    ('traffic.0={kind="replay",cca="reno",file="none.csv"}', "traffic[0].file", "there is no file"),
    (
        'traffic.0={kind="poisson",cca="reno",size="9 packets"}',
        "traffic[0].arrivals",
        "either arrivals",
    ),
    ('traffic.0={kind="live",cca="reno"}', "traffic[0].cca", "bring their own TCP"),
    ('traffic.0={kind="live",hosts=[]}', "traffic[0].hosts", "at least one host"),
    ('traffic.0={kind="live",hosts=["A b"]}', "traffic[0].hosts[0]", "'A b'"),
    ('traffic.0={kind="live",peers=["a"]}', "traffic[0].peers", "'a' names two hosts"),
    (
        'traffic.0={kind="bursts",cca="reno",size="9 packets"}',
        "traffic[0].pause",
        'write either pause = "0.5 s" or interval = "2 s"',
    ),
    (
        'traffic.0={kind="bursts",cca="reno",size="9 packets",pause="1 s",interval="1 s"}',
        "traffic[0].pause",
        "write either",
    ),
    (
        'traffic.0={kind="bursts",cca="reno",size="9 packets",interval="0 s"}',
        "traffic[0].interval",
        "above 0 s",
    ),
    (
        'traffic.0={kind="bursts",cca="reno",size="9 packets",pause={kind="pareto",mean="1 s"}}',
        "traffic[0].pause.shape",
        "has a shape",
    ),
    (
        'traffic.0={kind="bursts",cca="reno",size="9 packets",'
        'pause={kind="exponential",mean="0 s"}}',
        "traffic[0].pause.mean",
        "above 0 s",
    ),
    (
        'traffic.0={kind="bursts",cca="reno",size="9 packets",pause="3000 h"}',
        "traffic[0].pause",
        "8640000 s",
    ),
    ('traffic.0={kind="bursts",cca="reno",pause="1 s"}', "traffic[0].size", "required"),
    (
        'traffic.0={kind="bursts",cca="reno",size="9 packets",pause="1 s",stop="1 s",start="2 s"}',
        "traffic[0].stop",
        "must start before stop",
    ),
    (
        "transport.after_idle='half'",
        "transport.after_idle",
        "'rfc5681', 'linux', 'rfc7661', 'ns2' or 'keep'",
    ),
    ('traffic.0={kind="on_off",cca="reno",off="1 s"}', "traffic[0].on", "required"),
    ('traffic.0={kind="on_off",cca="reno",on="0 s",off="1 s"}', "traffic[0].on", "greater than 0"),
    (
        'traffic.0={kind="on_off",cca="reno",on="1 s",off="1 s",shape=1}',
        "traffic[0].shape",
        "greater than 1",
    ),
    (
        'traffic.0={kind="on_off",cca="reno",on="1 s",off="1 s",start="2 s",stop="1 s"}',
        "traffic[0].stop",
        "stop must be after start",
    ),
    (
        'traffic.0={kind="on_off",cca="reno",on="30 h",off="1 s"}',
        "traffic[0].on",
        "to 100000 s",
    ),
    (
        'traffic.0={kind="web",cca="reno",users=5,size={kind="pareto",mean="9 packets"}}',
        "traffic[0].size.shape",
        "has a shape",
    ),
    (
        'traffic.0={kind="web",cca="reno",users=5,size={kind="fixed",mean=9}}',
        "traffic[0].size.mean",
        "9 has no unit",
    ),
    ('traffic.0={kind="web",cca="reno",size="9 packets"}', "traffic[0].users", "required"),
    # Web users
    (f'{WEB},laws=[{{cca="bic",share=1}}]}}', "traffic[0].laws", "this key is now 'cca'"),
    (f'{WEB},cca="reno",control="./mine.py"}}', "traffic[0].control", "this key is now 'cca'"),
    (f'{WEB},law="reno"}}', "traffic[0].law", "this key is now 'cca'"),
    ("traffic.0.law=reno", "traffic.0.law", "this key is now 'cca'; write traffic.0.cca"),
    ("traffic.0.law.alpha=3", "traffic.0.law.alpha", "write traffic.0.cca.alpha"),
    ("law=reno", "law", "this key is now 'cca'; write cca"),
    (f"{WEB},cca={{reno=0.5,bic=0.4}}}}", "traffic[0].cca", "these add up to 0.9"),
    (f"{WEB},cca={{reno=0.5,bik=0.5}}}}", "traffic[0].cca", "bic"),
    (
        'traffic.0={kind="flows",cca={reno=0.5,bic=0.6}}',
        "traffic[0].cca",
        "these add up to 1.1",
    ),
    (f'{WEB},cca=[{{cca="bic",share=0.5}}]}}', "traffic[0].cca", "these add up to 0.5"),
    (
        f'{WEB},cca=[{{cca="bic",share=1}},{{cca="bic",share=0.2,source="D"}}]}}',
        "traffic[0].cca",
        "the shares of D must add up to 1; these add up to 0.2",
    ),
    (
        f'{WEB},cca=[{{cca="bic",share=1,source="Q"}}]}}',
        "traffic[0].cca[0].source",
        "'Q' is not a class of routers; classes: none in this network",
    ),
    (f'{WEB},cca=[{{cca="bik",share=1}}]}}', "traffic[0].cca[0].cca", "bic"),
    (f"{WEB}}}", "traffic[0].cca", "required"),
    (
        f'{WEB},cca="reno",kinds=[{{name="a",share=1,size="9 B"}},'
        '{name="b",share=0.4,size="9 B"}]}',
        "traffic[0].kinds",
        "at most 1; these add up to 1.4",
    ),
    (
        f'{WEB},cca="reno",kinds=[{{name="long-lived",share=0.7,size="9 B"}}]}}',
        "traffic[0].kinds",
        "the name of another kind of file",
    ),
    (
        f'{WEB},cca="reno",patience={{check="0 s",floor="1 Mbit/s"}}}}',
        "traffic[0].patience.check",
        "greater than 0",
    ),
    (f'{WEB},cca="reno",patience={{check="1 s"}}}}', "traffic[0].patience.floor", "required"),
    (
        f'{WEB},cca="reno",surge={{share=1,start="2 s",stop="1 s",size="9 B"}}}}',
        "traffic[0].surge.stop",
        "stop must be after start",
    ),
    (
        f'{WEB},cca="reno",surge={{share=1,start="0 s",stop="1 s",size="9 B",source="D"}}}}',
        "traffic[0].surge.source",
        "is not a class of routers",
    ),
    # Abilene
    (
        'network={kind="abilene",rate="1 Gbit/s",source_shares={D=0.5,F=0.5,N=0.5}}',
        "network.source_shares",
        "add up to 1; these add up to 1.5",
    ),
    (
        'network={kind="abilene",rate="1 Gbit/s",fast_share=2}',
        "network.fast_share",
        "less than or equal to 1",
    ),
    # Names that something else nearly has
    ("traffic.0.source=Left", "traffic[0].source", "'Left' is not a router here; routers: left"),
    ("traffic.0.source='Left'", "traffic[0].source", "did you mean 'left'?"),
    ("measure.series.flows=['Reno']", "measure.series.flows[0]", "did you mean 'reno'?"),
    (
        "measure.series.ports=['bottelneck']",
        "measure.series.ports[0]",
        "did you mean 'bottleneck'?",
    ),
    # The option itself
    ("seed", "--set seed", "is not key=value"),
    (
        "traffic.cca=reno",
        "traffic.cca",
        "'cca' is not a place in a list of 1; write traffic.0.cca for the first one, or cca",
    ),
    (
        "traffic.all.cca=reno",
        "traffic.all.cca",
        "write traffic.0.cca for the first one, or cca for",
    ),
    ("traffic.all.size.mean=1", "traffic.all.size.mean", "write traffic.0.size.mean for the first"),
    ('traffic.0={kind="flows",cca="reno",flows=3}', "traffic[0].flows", ": this is not a"),
    (
        'traffic.0={kind="flows",cca="reno",count=0,start=3}',
        "traffic[0].count",
        "greater than or equal to 1 (also wrong: traffic[0].start)",
    ),
    ("traffic.7.cca=reno", "traffic.7.cca", "'7' is not a place in a list of 1"),
    (
        "traffic[0].cca=reno",
        "traffic[0].cca",
        "the number of an item follows a point; write traffic.0.cca",
    ),
    ("duration.x=1", "duration.x", "has no keys of its own"),
]


@pytest.mark.parametrize(("setting", "place", "says"), WRONG, ids=[row[0][:50] for row in WRONG])
def test_one_sentence_with_place_and_remedy(
    setting: str, place: str, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "good.toml"
    path.write_text(GOOD)
    done = headgate("check", path, "--set", setting)
    assert done.exit_code == 2, done
    assert done.sentence.startswith(f"headgate: {place}: "), done.sentence
    assert says in done.sentence


def test_there_are_100() -> None:
    assert len({setting for setting, _, _ in WRONG}) >= 100


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("seed = ", "this is not TOML"),
        ("seed = 1\nseed = 2\n", "this is not TOML"),
        ("\x00", "this is not TOML"),
    ],
)
def test_broken_toml(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(text)
    done = headgate("check", path)
    assert done.exit_code == 2
    assert says in done.sentence
    assert str(path) in done.sentence


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(GOOD, encoding="utf-8-sig")
    assert headgate("check", path).exit_code == 0


@pytest.mark.parametrize(
    ("encoding", "says"),
    [
        ("latin-1", "line 2 is not UTF-8 (byte 0xfc); save the file as UTF-8"),
        ("utf-16", "line 1 is not UTF-8 (byte 0xff); save the file as UTF-8"),
    ],
)
def test_another_encoding(encoding: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_bytes(f"\n# für alle{GOOD}".encode(encoding))
    done = headgate("check", path)
    assert done.exit_code == 2
    assert done.sentence == f"headgate: {path}: {says}"


@pytest.mark.parametrize(
    ("flows", "says"),
    [
        ("reno", "flows: 'reno' is not a list; write one, such as flows=['reno']"),
        (
            [3],
            "flows[0]: 3 is not a flow; write an algorithm's name, a class, or a dict of its keys",
        ),
        (["reno", None], "flows[1]: None is not a flow"),
        (5, "flows: 5 is not a list"),
    ],
)
def test_flows_of_a_call(flows: Any, says: str) -> None:
    with pytest.raises(HeadgateError) as error:
        build.dumbbell(rate="10 Mbit/s", rtt="20 ms", flows=flows)
    assert str(error.value).startswith(says)


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    assert "there is no such file" in headgate("run", tmp_path / "none.toml").sentence
    assert "this is a folder" in headgate("run", tmp_path).sentence


def test_the_good_one_is_good(tmp_path: Path) -> None:
    path = tmp_path / "good.toml"
    path.write_text(GOOD)
    done = headgate("check", path)
    assert done.exit_code == 0
    assert re.search(r"is valid: 2 routers", done.output)
