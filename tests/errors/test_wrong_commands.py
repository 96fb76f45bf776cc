"""A hundred slips on the command line: each ends in one sentence with its place and the remedy."""

import shlex
from pathlib import Path

import pytest
import typer.main

from headgate.cli.main import app

from .command import headgate
from .own_code import cache  # noqa: F401 - a fixture

#: (command line, expected part of the sentence); files are those of `room`.
WRONG = [
    # the command, its options and arguments
    ("plt", "'plt' is not a command; did you mean 'plot'?"),
    ("Run dumbbell.toml", "'Run' is not a command; did you mean 'run'?"),
    ("expirement run experiment.toml", "did you mean 'experiment'?"),
    ("xyzzy", "'xyzzy' is not a command; commands: init, run, check"),
    ("experiment rn", "experiment: 'rn' is not a command; did you mean 'run'?"),
    ("design shwo", "design: 'shwo' is not a command; did you mean 'show'?"),
    ("--Version", "there is no option --Version; did you mean '--version'?"),
    ("-x", "there is no option -x; options: --version"),
    # run
    ("run", "run: scenario is missing; write headgate run [OPTIONS] {scenario}"),
    ("run none.toml", "none.toml: there is no such file"),
    ("run run", "run: this is a folder; give a TOML file"),
    ("run cca.py", "cca.py: this is not TOML"),
    ("run experiment.toml", "and `headgate experiment run` runs it"),
    ("run design.toml", "this is a design; `headgate design show` shows it"),
    ("run dumbbell.toml web.toml", "run: 'web.toml' is one argument too many; write headgate run"),
    ("run dumbbell.toml --sed 3", "run: there is no option --sed; did you mean '--seed'?"),
    ("run dumbbell.toml --Out x", "run: there is no option --Out; did you mean '--out'?"),
    ("run dumbbell.toml --seed three", "run: --seed: 'three' is not allowed; it must be a valid"),
    ("run dumbbell.toml --seed -1", "seed: -1 is not allowed; it must be greater than or equal"),
    ("run dumbbell.toml --threads 0", "run: --threads: '0' is not allowed; it must be greater"),
    ("run dumbbell.toml --threads 1.5", "run: --threads: '1.5' is not allowed"),
    ("run dumbbell.toml --out", "--out requires an argument"),
    ("run dumbbell.toml --set", "--set requires an argument"),
    ("run dumbbell.toml --json=yes", "--json does not take a value"),
    ("run dumbbell.toml --out cca.py", "cca.py: cannot be written: there is a file of that name"),
    ("run dumbbell.toml --out cca.py/x", "there is a file in place of a folder on that path"),
    ("run dumbbell.toml --cca none.py:Mine", "none.py: there is no such file"),
    (
        "run dumbbell.toml --cca cca.py:mine",
        "has no class 'mine'; its algorithms: Mine; did you",
    ),
    (
        "run dumbbell.toml --cca own.txt",
        "your own algorithm must be a file that ends in one of .py, .c",
    ),
    (
        "run dumbbell.toml --cca bbr=cca.py:Mine",
        "there is no traffic 'bbr'; the scenario has 0, 1",
    ),
    ("run dumbbell.toml --trace flow=0 --out x", "is not flows=NAMES or ports=NAMES"),
    ("run dumbbell.toml --trace-limit 9", "--trace-limit: nothing is traced; add"),
    ("run dumbbell.toml --trace flows=0", "a trace needs a folder to be written into (--out DIR)"),
    # words without regard to case and separators
    ("check dumbbell.toml --set network.kind=Dumbbell", "did you mean 'dumbbell'?"),
    ("check dumbbell.toml --set network.kind=parking-lot", "did you mean 'parking_lot'?"),
    ("check dumbbell.toml --set traffic.0.kind=on-off", "did you mean 'on_off'?"),
    ("check dumbbell.toml --set traffic.0.kind=Web", "did you mean 'web'?"),
    ("check dumbbell.toml --set transport.preset=Linux", "did you mean 'linux'?"),
    ("check dumbbell.toml --set transport.recovery=SACK", "did you mean 'sack' or 'sack1'?"),
    ("check dumbbell.toml --set measure.series=None", "did you mean 'none'?"),
    ("check dumbbell.toml --set measure.flows=NONE", "did you mean 'none'?"),
    ("check dumbbell.toml --set Network.rate='1 Mbit/s'", "did you mean 'network'?"),
    ("check dumbbell.toml --set network.Buffer='1 BDP'", "did you mean 'buffer'?"),
    ("check dumbbell.toml --set network.queue.Name=red", "network.queue.Name: this is not a key"),
    ('check dumbbell.toml --set network.queue=\'{name="red",ECN="on"}\'', "did you mean 'ecn'?"),
    ('check dumbbell.toml --set network.queue=\'{name="red",ecn="On"}\'', "did you mean 'on'?"),
    ("check dumbbell.toml --set traffic.0.cca='{name=\"cubic\",Beta=0.8}'", "mean 'beta'?"),
    # units
    ("check dumbbell.toml --set network.rate=10mbit", "did you mean 'Mbit/s' or 'bit/s'?"),
    ("check dumbbell.toml --set network.rate='10 mbps'", "did you mean 'Mbit/s'?"),
    ("check dumbbell.toml --set network.rate='10 Mb/s'", "a rate takes one of bit/s, kbit/s"),
    ("check dumbbell.toml --set network.rtt='40 MS'", "did you mean 'ms'?"),
    (
        "check dumbbell.toml --set network.rtt='5 m'",
        "a time takes one of ps, ns, us, ms, s, min, h",
    ),
    ("check dumbbell.toml --set network.buffer='1 bdp'", "did you mean 'BDP' or 'BDP/sqrt(n)'?"),
    ("check dumbbell.toml --set network.buffer='64 KB'", "did you mean 'kB'?"),
    ("check dumbbell.toml --set duration=30", "30 has no unit; write a time such as '45 ms'"),
    (
        "check dumbbell.toml --set duration='1,5 s'",
        "write a point before decimals, such as '1.5 s'",
    ),
    # check
    ("check", "check: FILE is missing"),
    ("check none.py:Mine", "none.py: there is no such file"),
    ("check cca.py:Main", "has no class 'Main'; its algorithms: Mine; did you mean 'Mine'?"),
    ("check experiment.toml", "this is an experiment; `headgate experiment check` checks it"),
    ("check run", "run: this is a folder"),
    # plot and trace
    ("plot", "plot: name the folder of a run, as `headgate run --out` wrote it"),
    ("plot none", "none: contains no finished run"),
    ("plot dumbbell.toml", "dumbbell.toml: contains no finished run"),
    ("plot run --only RTT", "there is no picture 'RTT'; pictures: throughput"),
    ("plot run --only throughput_delay", "did you mean 'throughput-delay'?"),
    ("plot run --only fct", "plot fct: needs flows of given size that finish"),
    ("plot run run --only rtt", "plot rtt: shows one run; give one folder"),
    ("plot run --format PNG", "'PNG' is not one of png, svg, html; did you mean 'png'?"),
    ("plot run --format png --only rtt --out cca.py", "there is a file of that name"),
    ("replay", "replay: CAPTURE is missing"),
    ("replay cca.py", "cca.py: is neither pcap nor pcapng"),
    ("replay none.pcap", "none.pcap: cannot be read: there is no such file"),
    ("replay cca.py --between a b", "--network and --between belong together"),
    ("trace", "trace: DIR is missing"),
    (
        "trace run",
        "run: contains no trace; headgate run SCENARIO --out run --trace flows=0",
    ),
    ("run dumbbell.toml --out new --trace flows=Cubic", "did you mean 'cubic'?"),
    (
        "run dumbbell.toml --out new --trace ports=bottelneck",
        "trace ports: there is no 'bottelneck' among the links: bottleneck, bottleneck.reverse;"
        " did you mean 'bottleneck'",
    ),
    # emulate
    ("emulate", "emulate: scenario is missing; write headgate emulate [OPTIONS] {scenario}"),
    ("emulate none.toml --a true", "none.toml: there is no such file"),
    ("emulate dumbbell.toml --a true", "there are no live hosts; add [[traffic]] with kind"),
    ("conform --kernel bsd", "--kernel: 'bsd' is not allowed; it must be host or uml"),
    # export, describe, catalog, schema
    ("export run", "export: give --csv, --parquet, or both"),
    ("export run --csv --table Flow", "contains no table 'Flow'; did you mean 'flows'?"),
    ("export none --csv", "none: holds neither a run"),
    ("export run --csv --out cca.py", "cannot be written: there is a file of that name"),
    ("describe flow", "'flow' is not a table of results; did you mean 'flows'?"),
    ("describe Flows.goodput_bps", "did you mean 'flows'?"),
    ("describe flows.Goodput-bps", "did you mean 'goodput_bps'?"),
    ("describe goodput_bps", "is not a table of results; it is a column: flows.goodput_bps, live"),
    ("describe xyzzy", "tables: flows, ports, series"),
    ("catalog CUBIC2", "'CUBIC2' is not in the catalogue; did you mean 'cubic'?"),
    ("catalog fq_coddel", "did you mean 'fq-codel'?"),
    ("catalog drop-tail", "drop_tail is a queue without a discipline"),
    ("catalog DropTail", "it has no parameters and no card"),
    ("catalog reno cubic", "catalog: 'cubic' is one argument too many"),
    ("catalog xyzzy", "`headgate catalog` lists what there is"),
    ("schema Scenarios", "did you mean 'scenario'?"),
    ("schema xyzzy", "forms: scenario, experiment, design"),
    ("schema scenario --out cca.py", "cca.py/scenario.schema.json: cannot be written"),
    # init, man, doctor
    ("init --from Dumbell", "there is no template 'Dumbell'; did you mean 'dumbbell'?"),
    ("init --from own_cca", "did you mean 'own-cca'?"),
    ("init --from own-law", "there is no template 'own-law'; it is now 'own-cca'"),
    (
        "analyse run/flows.parquet --factors law --responses goodput_bps",
        "there is no column 'law'; it is now 'cca'",
    ),
    ("init dumbbell.toml", "dumbbell.toml: already exists; choose another name"),
    ("init first", "first: a scenario is TOML; write first.toml"),
    ("man --out run", "run: cannot be written: there is a folder of that name; give a file"),
    ("doctor now", "doctor: 'now' is one argument too many; write headgate doctor"),
    # fluid
    ("fluid", "fluid: model is missing"),
    ("fluid TCP_REDD", "'TCP_REDD' is not a fluid model; did you mean 'tcp-red'?"),
    ("fluid tcp-red --set red", "--set red: write NAME=VALUE, such as rtt_s=0.2"),
    ("fluid tcp-red --set Red=queue", "did you mean 'red'?"),
    ("fluid tcp-red --set red=quue", "did you mean 'queue'?"),
    ("fluid tcp-red --duration 50", "duration: '50' has no unit"),
    ("fluid tcp-red --method RK4", "is not one of adaptive, euler, rk4; did you mean 'rk4'?"),
    ("fluid tcp-red --method rk4", "--step: rk4 takes steps of one length, such as --step '20 ms'"),
    ("fluid tcp-red --past rows", "--method adaptive: --step and --past are for euler and rk4"),
    ("fluid tcp-red --tolerance 0", "tolerance: must be a number from 1e-13 to 0.1; got 0"),
    ("fluid tcp-red --tolerance many", "fluid: --tolerance: 'many' is not allowed"),
    ("fluid tcp-red --warmup '90 s'", "warmup: must be shorter than the run of 50 s"),
    ("fluid tcp-red --network dumbbell.toml", "is not a known key; known: classes, links, packet"),
    # study, reproduce, watch, report
    ("study Senders", "'Senders' is not a study, nor a folder with a study.toml"),
    ("study tcp_replacements", "did you mean 'tcp-replacements'?"),
    ("study senders quick", "study: 'quick' is one argument too many"),
    ("study senders --scale Quick", "is not one of quick, standard, full or a fraction above 0"),
    ("study senders --scale quick --set Pairs=1", "there is no setting 'Pairs' here"),
    ("study senders --workers 0", "study: --workers: '0' is not allowed"),
    (
        "study senders --shard 3/2",
        "--shard 3/2: write the shard and the number",
    ),
    ("study senders --stop-after 2", "--stop-after: '2' has no unit"),
    ("study senders --design none.toml", "senders: has no factors, so that it takes no design"),
    ("study fct --cca cca.py:Mine", "fct: takes no user-defined algorithm"),
    ("study senders --plan x", "--plan is now --design"),
    ("study senders --cluster none.toml", "--cluster none.toml: there is no such file"),
    ("study senders --cluster host", "a scheduler's address has a port; give its address"),
    ("study senders --results dumbbell.toml", "--results dumbbell.toml: this is a file; give a"),
    ("reproduce --results none", "none: contains no stored findings"),
    ("watch", "watch: DIR is missing"),
    ("watch run", "run: there is no campaign here; there is none in out/ either"),
    ("report none", "none: contains no report.toml"),
    ("report run --workers none", "report: --workers: 'none' is not allowed"),
    # experiment and design
    ("experiment run dumbbell.toml", "this is a scenario without factors; run it with"),
    ("experiment run experiment.toml --until now", "--until now: write --until decided"),
    ("experiment run experiment.toml --set Replicates=3", "did you mean 'replicates'?"),
    ("experiment check none.toml", "none.toml: there is no such file"),
    ("experiment check experiment.toml --set tables='[\"flow\"]'", "did you mean 'flows'?"),
    ("experiment check experiment.toml --set responses='[\"Goodput-BPS\"]'", "'goodput_bps'?"),
    ("experiment new experiment.toml", "experiment.toml: already exists"),
    ("experiment new new/x.toml --scenario none.toml", "none.toml: there is no such file"),
    ("experiment new new/x.toml --scenario experiment.toml", "this is an experiment"),
    (f"experiment new new/deep/{'x' * 250}.toml", "cannot be written: File name too long"),
    (f"init new/{'x' * 250}.toml", "cannot be written: File name too long"),
    ("experiment run experiment.toml --cluster none", "--cluster none: there is no such file"),
    ("experiment run experiment.toml --results dumbbell.toml", "this is a file; give a folder"),
    (f"design new new/{'x' * 250}.toml --factors 3", "cannot be written: File name too long"),
    ("design show experiment.toml", "this is an experiment; use `headgate experiment`"),
    ("design show '2^(3-9)'", "write 2^k or 2^(k-p) with p below k"),
    ("design new d.toml", "there are no factors; give --factor"),
    ("design new d.toml --factor rate", "--factor rate: write NAME=PATH:LOW..HIGH"),
    ("design new d.toml --factors 3 --kind Two_Levels", "did you mean 'two-level'?"),
    ("design new d.toml --factors 3 --kind orthogonal-array --array L99", "it must be one of L4"),
    ("design new d.toml --factors 5 --runs 7", "a two-level fraction needs a power of two"),
    # analyse, bench, conform
    ("analyse", "analyse: FILE is missing"),
    ("analyse run/flows.parquet --factors cca", "--responses: name the columns that were measured"),
    ("analyse run/flows.parquet --factors Cca --responses goodput_bps", "did you mean 'cca'?"),
    ("analyse run/flows.parquet --factors cca --responses goodput", "did you mean 'goodput_bps'?"),
    ("bench dumbbell100", "did you mean 'dumbbell-100'?"),
    ("bench xyzzy", "they are dumbbell-100, dumbbell-2000"),
    ("conform CUBICC", "'CUBICC' is not a congestion control algorithm; did you mean 'cubic'?"),
    ("conform cca.py:Nothing", "cca.py: has no class 'Nothing'; its algorithms: Mine"),
    ("conform cca.py:Mine --as Cubik", "--as: 'Cubik' is not a congestion control algorithm; did"),
    (
        "conform cca.py:Mine --kernel host",
        "cca.py:Mine needs --as NAME, the algorithm of the kernel",
    ),
    ("conform reno --case 'rto_*'", "--case rto_*: no case has such a name; there are rto-initial"),
    # stream
    ("stream", "stream: scenario is missing; write headgate stream [OPTIONS] {scenario}"),
    ("stream dumbbell.toml --speed 0", "speed: '0' is not allowed; write simulated seconds per"),
    ("stream dumbbell.toml --speed Max", "speed: 'Max' is not allowed"),
    ("stream none.toml", "none.toml: there is no such file"),
]


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as somebody has it who began a moment ago."""
    folder = tmp_path_factory.mktemp("room")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for kind in ("dumbbell", "web", "own-cca", "experiment"):
            assert headgate("init", "--from", kind).exit_code == 0
        Path("own_cca.py").rename("cca.py")
        assert headgate("design", "new", "design.toml", "--factors", "3").exit_code == 0
        small = ("--set", "duration=6 s", "--set", "network.rate=2 Mbit/s")
        assert headgate("run", "dumbbell.toml", *small, "--out", "run").exit_code == 0
    return folder


@pytest.mark.parametrize(("line", "says"), WRONG, ids=[line for line, _ in WRONG])
def test_one_sentence(line: str, says: str, room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(room)
    before = sorted(room.rglob("*"))
    done = headgate(*shlex.split(line))
    assert done.exit_code == 2
    assert says in done.sentence
    assert done.errors.startswith("headgate: ")
    assert not done.output
    assert sorted(room.rglob("*")) == before


def test_every_command_is_among_them() -> None:
    assert len(WRONG) >= 100
    tried = {line.split()[0] for line, _ in WRONG}
    commands = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    assert not commands - tried


def test_without_a_command_there_is_help(capfd: pytest.CaptureFixture[str]) -> None:
    assert headgate().exit_code == 2
    assert not headgate().errors
