"""What studies share is written once: a file laid over the one that it extends."""

from pathlib import Path

import pytest

from headgate.errors import HeadgateError
from headgate.experiment.toml_extends import files, read
from headgate.studies.study import load, names, read_claims

SHARED = """
first_seed = 3
laws = ["reno", "bic"]
[fixed]
think = "2 s"
rate = "1 Gbit/s"
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
    found = read(written(tmp_path, 'laws = ["fast"]\n[fixed]\nrate = "2 Gbit/s"\n'))
    assert found["fixed"] == {"think": "2 s", "rate": "2 Gbit/s"}
    assert found["laws"] == ["fast"]
    assert found["first_seed"] == 3
    assert "extends" not in found


def test_claims_are_laid_over_each_other_by_id(tmp_path: Path) -> None:
    amended = '[[claim]]\nid = "a"\nwhy = "w"\n'
    another = SHARED[SHARED.index("[[claim]]") :].replace('"a"', '"b"')
    first, second = read_claims(written(tmp_path, amended + another))
    assert (first.id, first.statement, first.why) == ("a", "s", "w")
    assert (second.id, second.why) == ("b", "")


@pytest.mark.parametrize(
    ("own", "shared", "says"),
    [
        ('[[claim]]\nid = "a"\n[[claim]]\nid = "a"\n', SHARED, "claims.toml: two entries"),
        ("", 'extends = "third.toml"\n', "shared.toml: extends: what is extended extends no other"),
        ("", "laws = [", "shared.toml: this is not TOML"),
    ],
)
def test_what_is_wrong_is_one_sentence(tmp_path: Path, own: str, shared: str, says: str) -> None:
    with pytest.raises(HeadgateError, match=says):
        read(written(tmp_path, own, shared))


def test_what_is_extended_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text('extends = "none.toml"\n')
    with pytest.raises(HeadgateError, match=r"none.toml: there is no such file"):
        read(path)
    path.write_text("extends = 3\n")
    with pytest.raises(HeadgateError, match=r"study.toml: extends: 3 is not the path"):
        read(path)


@pytest.mark.parametrize("name", names())
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
    read_by_one = [file.name for file in files(load(name).folder / "study.toml")]
    assert read_by_one == [shared, "study.toml"]
