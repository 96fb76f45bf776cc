"""Experiments that cannot be run: one sentence with the place, the value and the allowed values."""

from pathlib import Path

import pytest

from .command import headgate

BASE = """
[scenario]
duration = "2 s"
network = {kind = "dumbbell", rate = "5 Mbit/s", rtt = "20 ms"}
traffic = [{kind = "flows", cca = "reno"}]
measure = {series = "none"}
"""
FACTORS = '[factors]\n"network.rtt" = ["10 ms", "20 ms"]\ncca = ["reno", "cubic"]\n'
GOODPUT = 'responses = ["goodput_bps"]\n'
RIGHT = GOODPUT + FACTORS + BASE
CURVED = (
    GOODPUT
    + '[factors]\n"network.rtt" = {low = "10 ms", high = "20 ms"}\n'
    + '"network.loss" = {low = 0.0, high = 0.01}\n'
    + BASE
)


def factor(line: str) -> str:
    return f"{GOODPUT}[factors]\n{line}\n{BASE}"


def response(value: str) -> str:
    return f"responses = {value}\n{FACTORS}{BASE}"


def claim(lines: str) -> str:
    return f"{RIGHT}[[claims]]\n{lines}\n"


#: A claim on the number of runs.
COUNT = "id = 'a'\nstatement = 'b'\nvalue = \"count(*)\"\ntolerance = '>= 1'\n"


def condition(text: str) -> str:
    return claim(f'{COUNT}where = "{text}"')


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # the file
        ("", "factors: this key is required"),
        ("responses = \n", "this is not TOML"),
        ("respones = ['goodput_bps']\n" + FACTORS + BASE, "did you mean 'responses'?"),
        (FACTORS + BASE, "responses: this key is required"),
        (GOODPUT + BASE, "factors: this key is required"),
        (
            GOODPUT + FACTORS,
            "it names no scenario; write scenario = ",
        ),
        ("scenario = 'none.toml'\n" + GOODPUT + FACTORS, "none.toml: there is no such file"),
        (RIGHT.replace('"5 Mbit/s"', '"5 Mbit"'), "'5 Mbit' has the unit 'Mbit'"),
        ("replicates = 0\n" + RIGHT, "replicates: 0 is not allowed"),
        ("replicates = 'five'\n" + RIGHT, "replicates: 'five' is text; write a number"),
        ("seeds = 5\n" + RIGHT, "seeds: this is not a key here; did you mean 'replicates'?"),
        ("kind = 'full'\n" + RIGHT, "kind: 'full' is not allowed"),
        (
            "kind = 'morris'\nwhere = 'rtt_s > 0.01'\n" + CURVED,
            "the analysis of a morris design needs all its runs",
        ),
        (
            "kind = 'ccd'\nshape = 'circumscribed'\n" + CURVED,
            "the run with network.rtt = '15 ms', network.loss = -0.00",
        ),
        (
            "kind = 'd-optimal'\nruns = 6\nwhere = 'rtt_s > 1'\n" + CURVED,
            "'rtt_s > 1' leaves no combination of levels",
        ),
        # factors
        (factor("cca = []"), "factors.cca.levels: a factor needs at least two levels"),
        (factor("cca = ['reno']"), "factors.cca.levels: a factor needs at least two levels"),
        (
            factor("cca = 'reno'"),
            "factors.cca: 'reno' is not allowed; write a list of levels, such as [1, 2], or a"
            " table with low and high",
        ),
        (
            factor("'network.buffer' = ['1 BDP', '1 BDP']"),
            "factors.network.buffer.levels: '1 BDP' occurs twice; each level must be different",
        ),
        (
            factor("'network.rate' = ['1 Mbit/s', '2 Mbit/s', '1000 kbit/s']"),
            "'1 Mbit/s' and '1000 kbit/s' are the same level; each level must be different",
        ),
        (factor("cca = ['reno', 'cubik']"), "factor cca, cca = 'cubik'"),
        (
            factor("'network.buffer' = ['1 BDP', '0.1 BDP']\n'network.rtt' = ['20 ms', '9 ms']"),
            "the run with buffer = '0.1 BDP', rtt = '9 ms': network.buffer: '0.1 BDP' is 0.38"
            " packets at bottleneck",
        ),
        (factor("'network.rate' = ['5 Mbit/s', 9]"), "factor rate, network.rate = 9"),
        (factor("'network.rate' = ['5 Mbit/s', true]"), "factor rate, network.rate = true: "),
        (response("[{name = true}]"), "{name = true} is not a response; write a name, or a table"),
        (factor("'network.rat' = ['5 Mbit/s', '9 Mbit/s']"), "did you mean 'rate'?"),
        (
            factor("buffer = ['1 BDP', '2 BDP']"),
            "factor buffer: 'buffer' is not a path in a scenario; write setting = "
            '"network.buffer"',
        ),
        (factor("size = ['1 packet', '9 packets']"), 'write setting = "traffic.0.size"'),
        (factor("'traffic.3.cca' = ['reno', 'cubic']"), "'3' is not a place in a list of 1"),
        (factor("cca = ['reno', './none.py:Mine']"), "none.py: there is no such file"),
        (
            factor("cca = ['reno', 'cubic']\n'traffic.0.cca' = ['reno', 'cubic']"),
            "factors: 'cca' is the algorithm of all traffic, and traffic.0.cca is one of these",
        ),
        (factor("seed = [1, 2]"), "factors: 'seed' is a column of every table"),
        # the condition on combinations
        ("where = 'rtt_s <'\n" + RIGHT, "where: Parser Error: syntax error"),
        ("where = 'delay < 3'\n" + RIGHT, "its names are rtt, rtt_s, cca"),
        ("where = 'rtt_s * 2'\n" + RIGHT, "where: 'rtt_s * 2' is neither true nor false"),
        ("where = 'rtt_s > 1'\n" + RIGHT, "'rtt_s > 1' leaves no combination of levels"),
        ("where = \"cca = 'reno'\"\n" + RIGHT, "leaves one level of cca, 'reno'"),
        ("where = '1; DROP TABLE levels'\n" + RIGHT, "where: Parser Error"),
        # designs
        ("kind = 'sobol'\n" + RIGHT, "runs: this key is required for the kind sobol"),
        ("runs = 3\n" + RIGHT, "runs = 3: a two-level fraction needs a power of two"),
        (
            "runs = 4\n" + factor("cca = ['reno', 'cubic', 'fast']"),
            "not 3; for more, such as several congestion control algorithms, move the factor of an"
            " experiment to [crossed]",
        ),
        # responses
        (response("[]"), "there are no responses; name at least one"),
        (response("['goodput']"), "'goodput' is not a response; did you mean 'goodput_bps'?"),
        (response("['mean_rtt_s']"), "write one of sum(flows.mean_rtt_s), avg(flows.mean_rtt_s)"),
        (response("['avg(flows.rtt)']"), "flows has no column 'rtt'"),
        (response("['avg(flow.rtt_s)']"), "there is no table 'flow'; the tables are flows"),
        (response("['p99(flows.mean_rtt_s)']"), "p99 is not one of sum, avg, min, max"),
        (response("['avg(flows.cca)']"), "cca has words, not numbers"),
        (response("['goodput_bps', 'goodput_bps']"), "'goodput_bps' is listed twice"),
        (response("[3]"), "3 is not a response; write a name, or a table"),
        (response("[{name = 'cca', sql = 'SELECT 1'}]"), "'cca' is a factor"),
        (response("[{name = 'a b', sql = 'SELECT 1'}]"), "'a b' is not a name of a response"),
        (
            response("[{name = 'x', sql = 'SELECT 1', function = './a.py:b'}]"),
            "responses.x.sql: give one of measure, sql and function",
        ),
        (
            response("[{name = 'x', sql = 'SELECT avg(rtt) FROM flows'}]"),
            'responses.x: Binder Error: Referenced column "rtt" not found',
        ),
        (response("[{name = 'x', sql = 'SELECT cca FROM flows'}]"), "gives VARCHAR, which is no"),
        (
            response("[{name = 'x', sql = 'SELECT 1, 2'}]"),
            "gives 2 columns; it must give one number",
        ),
        (response("[{name = 'x', sql = 'DROP TABLE flows'}]"), "must be one SELECT"),
        (
            response("[{name = 'x', sql = \"SELECT count(*) FROM read_text('/etc/passwd')\"}]"),
            "responses.x: Permission Error",
        ),
        (response("[{name = 'x', sql = 'SELECT 1 FROM flow'}]"), "the tables are flows, ports"),
        (response("[{name = 'x', function = './none.py'}]"), "is not a function; write './mine.py"),
        (response("[{name = 'x', function = './none.py:f'}]"), "none.py: there is no such file"),
        (
            response("['goodput_bps']").replace("series =", 'flows = "none", series ='),
            "reads the table flows, and the scenario keeps none",
        ),
        # claims
        (claim("id = 'a'"), "claims[0].statement: this key is required"),
        (claim("id = 'a'\nstatement = 'b'\nvalue = '1'"), "a claim needs either a tolerance"),
        (
            claim("id = 'a'\nstatement = 'b'\nvalue = '1'\ntolerance = '> 1'"),
            "'> 1' is not a tolerance such as '>= 0.75' or '+- 5 %'",
        ),
        (
            claim("id = 'a'\nstatement = 'b'\nvalue = 'avg(rate)'\ntolerance = '>= 1'"),
            "claims.a: Binder Error",
        ),
        (
            claim("id = 'a'\nstatement = 'b'\nvalue = 'cca'\ntolerance = '>= 1'\nwhere='1=1'"),
            "claims.a: gives 4 rows; it must give one number",
        ),
        (
            condition("cca = 'cubik'"),
            "claims.a.where: cca is compared with 'cubik', which is none of its levels; they are"
            " reno, cubic; did you mean 'cubic'?",
        ),
        (
            claim(COUNT.replace("(*)", "(*) FILTER (rtt IN ('10 ms', '20  ms'))")),
            "claims.a.value: rtt is compared with '20  ms', which is none of its levels; they are"
            " 10 ms, 20 ms",
        ),
        (condition("rtt_s = 0.03"), "rtt_s is compared with 0.03, which is none of its levels"),
        (condition("rtt_s > 1"), "'rtt_s > 1' selects none of the runs"),
        (
            f"where = \"cca <> 'cubik'\"\n{RIGHT}",
            ": cca is compared with 'cubik', which is none of its levels",
        ),
        (
            "derived = {'network.buffer' = \"if(cca = 'bbr3', '1 BDP', '2 BDP')\"}\n" + RIGHT,
            "derived.network.buffer: cca is compared with 'bbr3', which is none of its levels",
        ),
    ],
)
def test_wrong_experiment_files(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(text)
    done = headgate("experiment", "check", file)
    assert done.exit_code == 2
    assert done.sentence.startswith(f"headgate: {file}: ") or "none.toml" in said
    assert said in done.sentence
    assert "\n" not in done.sentence


WEB = """
[scenario]
duration = "4 s"
network = {kind = "dumbbell", rate = "5 Mbit/s", rtt = "20 ms"}
traffic = [{kind = "web", cca = "reno", users = 4, size = "9 packets"}]
measure = {warmup = "1 s", periods = 3, series = "none"}
"""


def comparison(
    keys: str = "", crossed: str = "cca = ['reno', 'cubic', 'vegas']", base: str = WEB
) -> str:
    factors = "'network.rtt' = ['10 ms', '20 ms']\n'network.rate' = ['2 Mbit/s', '5 Mbit/s']"
    head = f"responses = ['y10', 'y11', 'loss_rate']\n{keys}\n[factors]\n{factors}"
    return f"{head}\n[crossed]\n{crossed}\n{base}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (comparison(crossed="cca = ['reno']"), "crossed.cca.levels: a factor needs at least two"),
        (comparison(crossed="cca = ['reno', 'cubik']"), "factor cca, cca = 'cubik'"),
        (comparison(crossed="ccas = ['reno', 'cubic']"), "ccas: this is not a key here"),
        (
            comparison(crossed="'network.rtt' = ['1 ms', '2 ms']"),
            "'network.rtt' is a factor already",
        ),
        (comparison("before = 'bbr'"), "before: 'bbr' is not one of reno, cubic, vegas"),
        (comparison("before = 'x'", "'network.loss' = [0.0, 0.1]"), "before: this key compares"),
        (
            comparison("switched = [0.5]", "'network.loss' = [0.0, 0.1]"),
            "switched: this key compares",
        ),
        (comparison("switched = [0]"), "switched: 0 is not a share of the users above 0"),
        (comparison("switched = [50]"), "switched: 50 is not a share of the users above 0"),
        (comparison("switched = [0.5, 0.5]"), "switched: a share occurs twice"),
        (comparison("switched = ['half']"), "switched[0]: 'half' is text"),
        (comparison("congestion = 'y9'"), "congestion: 'y9' is not a response of this experiment"),
        (comparison("congestion = 'los_rate'"), "did you mean 'loss_rate'?"),
        (comparison("periods = ['a']"), "periods: one period is the whole measured time"),
        (comparison("periods = ['a', 'b']"), "periods: 2 texts, and the scenario measures 3"),
        (
            comparison("periods = ['a', 'b', 'c']").replace("'loss_rate'", "'goodput_bps'"),
            "responses.goodput_bps: reads the table flows, which is of the whole run",
        ),
        (
            comparison("questions = {safty = ['y10']}"),
            "questions.safty",
        ),
        (comparison("questions = {safety = ['y9']}"), "questions.safety: 'y9' is not a response"),
        (
            comparison("questions = {safety = ['y11']}"),
            "questions.safety: y11: its better direction",
        ),
        (
            comparison("questions = {fairness = ['y10']}"),
            "questions: fairness is answered by [[pairs]]",
        ),
        (
            comparison("pairs = [{title = 'a', own = 'y10', other = 'rate'}]"),
            "pairs[0]: 'rate' is not a response",
        ),
        (
            comparison("blocks = ['cca']\ndesign = '2^2'"),
            "blocks: 'cca': 'cca' is not a factor; the factors are rtt, rate",
        ),
        (comparison("kind = 'plackett-burman'\nruns = 8"), "runs: is for the kind two-level"),
        (
            comparison(base="[scenario]\nbase = 'mesonett'\n"),
            "scenario.base = 'mesonett': 'mesonett' is not a base; there are mesonet; did you mean",
        ),
        (comparison(base="[scenario]\nbase = 3\n"), "scenario.base: 3 is not the name of a base"),
        (
            comparison(base="[scenario]\nbase = 'mesonet'\nsize = 2\n"),
            "size: 2 is not allowed; it must be less than or equal to 1",
        ),
        (comparison(base="[scenario]\nbase = 'mesonet'\nsise = 1\n"), "did you mean 'size'?"),
        (
            comparison(base="[scenario]\nkind = 'mesonet'\n"),
            "scenario.kind: 'mesonet' is a base; write [scenario] with base = 'mesonet'",
        ),
        (
            comparison().replace(
                "'network.rate' = ['2 Mbit/s', '5 Mbit/s']",
                "[factors.rate]\nsetting = 'network.rate'\nlow = '2 Mbit/s'\nhigh = '5 Mbit/s'\n"
                "words = ['slow']",
            ),
            "factors.rate.words: there are 2 levels, and 1 words for them",
        ),
    ],
)
def test_wrong_comparisons(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(text)
    done = headgate("experiment", "check", file)
    assert done.exit_code == 2
    assert done.sentence.startswith(f"headgate: {file}: ")
    assert said in done.sentence
    assert "\n" not in done.sentence


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--like", "nit"], "--like nit: 'nit' is not a template; there are nist"),
        (
            ["--like", "nist", "--base", "arpanet"],
            "--base arpanet: there is no such base; there are",
        ),
        (["--base", "isp"], "--base isp: belongs to a template; give --like nist too"),
        (["--like", "nist", "--base", "isp", "--scenario", "a.toml"], "give one of them"),
    ],
)
def test_wrong_templates(words: list[str], said: str, tmp_path: Path) -> None:
    done = headgate("experiment", "new", tmp_path / "mine.toml", *words)
    assert done.exit_code == 2
    assert said in done.sentence
    assert not (tmp_path / "mine.toml").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--set", "replicates"], "--set replicates: is not key=value"),
        (["--set", "replicate=3"], "did you mean 'replicates'?"),
        (["--set", "scenario.network.rat=3"], "did you mean 'rate'?"),
        (["--set", "kind.x=3"], "kind: "),
        (["--shard", "3"], "--shard 3: write the shard and the number of shards"),
    ],
)
def test_wrong_options(arguments: list[str], said: str, tmp_path: Path) -> None:
    file = tmp_path / "right.toml"
    file.write_text(RIGHT)
    done = headgate("experiment", "run", file, "--out", tmp_path / "out", *arguments)
    assert done.exit_code == 2
    assert said in done.sentence


def test_a_new_experiment_takes_the_place_of_no_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    assert headgate("experiment", "new", file).exit_code == 0
    assert "already exists" in headgate("experiment", "new", file).sentence
