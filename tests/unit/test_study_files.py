"""Text that studies share is written once: a file overrides parts of the file that it extends."""

from pathlib import Path

import numpy as np
import pytest

from headgate.base.errors import HeadgateError
from headgate.data.tables import Table
from headgate.experiment.packages import find_studies
from headgate.experiment.study.claims import StudyClaim, estimate, read_claims, replicates_in
from headgate.experiment.study.files import list_files, read_extended
from headgate.experiment.study.study import load

SHARED = """
first_seed = 3
ccas = ["reno", "bic"]
[fixed]
think = "2 s"
rate = "1 Gbit/s"
"""
CLAIMS = """
[shared]
paper = "Nobody (1999), $5 a copy"
goodput = "goodput of both"
[[claim]]
id = "a"
statement = "s"
source = "p"
published = 1
measure = "m"
tolerance = ">= 1"
"""


def written(folder: Path, own: str, shared: str = SHARED) -> Path:
    (folder / "shared.toml").write_text(shared)
    (folder / "own").mkdir()
    (folder / "own" / "claims.toml").write_text('extends = "../shared.toml"\n' + own)
    return folder / "own" / "claims.toml"


def test_tables_are_laid_over_each_other_and_all_else_is_replaced(tmp_path: Path) -> None:
    found = read_extended(written(tmp_path, 'ccas = ["fast"]\n[fixed]\nrate = "2 Gbit/s"\n'))
    assert found["fixed"] == {"think": "2 s", "rate": "2 Gbit/s"}
    assert found["ccas"] == ["fast"]
    assert found["first_seed"] == 3
    assert "extends" not in found


def test_claims_are_laid_over_each_other_by_id(tmp_path: Path) -> None:
    amended = '[[claim]]\nid = "a"\nwhy = "w"\n'
    another = CLAIMS[CLAIMS.index("[[claim]]") :].replace('"a"', '"b"')
    first, second = read_claims(written(tmp_path, amended + another, CLAIMS))
    assert (first.id, first.statement, first.why) == ("a", "s", "w")
    assert (second.id, second.why) == ("b", "")


def test_a_text_that_several_claims_share_is_written_once(tmp_path: Path) -> None:
    own = """
[shared]
goodput = "goodput of all"
[[claim]]
id = "a"
source = "$paper"
measure = "${goodput}, over a second"
why = "it costs $$2"
"""
    [claim] = read_claims(written(tmp_path, own, CLAIMS))
    assert claim.source == "Nobody (1999), $5 a copy"
    assert claim.measure == "goodput of all, over a second"
    assert claim.why == "it costs $2"


KIND = """
[kinds.reach]
statement = "$cca reaches $goodput"
source = "$paper"
published = "p"
measure = "m"
tolerance = ">= 1"
value = { function = "reach", rate = 3 }
"""


def test_a_claim_reads_the_replicates_of_its_tables() -> None:
    """Means of x over seeds 1, 2 and 1, 2, 3, 4; a join contains the seeds of both."""
    seeds = {"few": [1, 2], "many": [1, 2, 3, 4]}
    tables = {
        name: Table(name, {"seed": np.array(of), "x": np.array(of, float)})
        for name, of in seeds.items()
    } | {"fixed": Table("fixed", {"x": np.array([1.0])})}
    for question, expected, mean in (
        ("SELECT avg(x) FROM few", [1, 2], 1.5),
        ("SELECT avg(x) FROM many", [1, 2, 3, 4], 2.5),
        ("SELECT avg(few.x + many.x) FROM few JOIN many USING (seed)", [1, 2], 3.0),
        ("SELECT avg(x) FROM fixed", [], None),
    ):
        claim = StudyClaim(id="a", statement="a", source="a", tolerance="<= 1", value=question)
        assert replicates_in(claim, tables, "seed") == expected
        if mean is not None:
            assert estimate(claim, tables, "seed", expected).ours == mean


def test_claims_of_a_kind_state_only_their_differences(tmp_path: Path) -> None:
    own = """
[[claim]]
id = "b"
kind = "reach"
tolerance = ">= 2"
value.cca = "reno"
"""
    _, claim = read_claims(written(tmp_path, KIND + own, CLAIMS))
    assert claim.statement == "reno reaches goodput of both"
    assert (claim.published, claim.tolerance) == ("p", ">= 2")
    assert claim.call
    assert (claim.call.function, claim.call.arguments) == ("reach", {"rate": 3, "cca": "reno"})


@pytest.mark.parametrize(
    ("own", "says"),
    [
        ('why = "$nobody"', r"a.why: there is no shared text 'nobody'; shared are paper, goodput"),
        ('why = "$ 5"', r"a.why: write \$\$ for a \$"),
        ("why = 3", r"claims.toml: a: why: 3 is not allowed; it must be a text in quotes"),
        ('over = "some"', r"claims.toml: a: over: .*'least'"),
        ('value = { part = "x" }', r"claims.toml: a: value.function: this key is required"),
        ('call = { function = "x" }', r"claims.toml: a: call: this is not a key here"),
        ('kind = "reach"', r"claims.toml: a.kind: there is no kind 'reach'; the kinds are none"),
        ("kind = []", r"claims.toml: a.kind: there is no kind \[\]; the kinds are none"),
    ],
)
def test_a_wrong_claim_is_one_sentence(tmp_path: Path, own: str, says: str) -> None:
    with pytest.raises(HeadgateError, match=says) as raised:
        read_claims(written(tmp_path, f'[[claim]]\nid = "a"\n{own}\n', CLAIMS))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("own", "shared", "says"),
    [
        ('[[claim]]\nid = "a"\n[[claim]]\nid = "a"\n', CLAIMS, "claims.toml: two entries"),
        (
            "",
            'extends = "third.toml"\n',
            "shared.toml: extends: an extended file cannot",
        ),
        ("", "ccas = [", "shared.toml: this is not TOML"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path: Path, own: str, shared: str, says: str) -> None:
    with pytest.raises(HeadgateError, match=says):
        read_extended(written(tmp_path, own, shared))


def test_an_extended_file_must_exist(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text('extends = "none.toml"\n')
    with pytest.raises(HeadgateError, match=r"none.toml: there is no such file"):
        read_extended(path)
    path.write_text("extends = 3\n")
    with pytest.raises(HeadgateError, match=r"study.toml: extends: 3 is not the path"):
        read_extended(path)


@pytest.mark.parametrize("name", find_studies())
def test_every_reason_says_where_the_difference_lies(name: str) -> None:
    explained = [claim for claim in load(name).claims if bool(claim.why) != bool(claim.whose)]
    assert not [claim.id for claim in explained]


@pytest.mark.parametrize("name", find_studies())
def test_everything_that_a_study_reads_can_be_copied_into_one_folder(name: str) -> None:
    study = load(name)
    copied = [path.name for path in study.paths]
    assert len(set(copied)) == len(copied)
    assert {"study.toml", "claims.toml"} <= set(copied) == set(study.files)


@pytest.mark.parametrize(
    ("name", "like", "shared"),
    [
        ("nist-1a", "nist-1b", "replaced.toml"),
        ("nist-2c", "nist-2a", "mixed.toml"),
    ],
)
def test_experiments_of_a_kind_differ_in_the_experiment(name: str, like: str, shared: str) -> None:
    one, other = load(name).spec, load(like).spec
    assert one.factors == other.factors
    assert {key for key in one.fixed if one.fixed[key] != other.fixed[key]} == {"experiment"}
    read_by_one = [file.name for file in list_files(load(name).folder / "study.toml")]
    assert read_by_one == [shared, "study.toml"]
