"""Tables that cannot be analysed: one sentence each."""

from pathlib import Path

from .command import headgate


def refusal(file: Path) -> str:
    done = headgate("analyse", file, "--factors", "a", "--responses", "y")
    assert done.exit_code == 2
    return done.sentence


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert "no.csv: there is no such file" in refusal(tmp_path / "no.csv")


def test_a_table_without_rows(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("a,y\n")
    assert "has no rows" in refusal(tmp_path / "empty.csv")


def test_a_file_that_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "runs.parquet").write_text("a,y\n1,2\n")
    assert "cannot be read" in refusal(tmp_path / "runs.parquet")


def test_a_response_of_words(tmp_path: Path) -> None:
    (tmp_path / "words.csv").write_text("a,y\n1,2\n2,fast\n")
    assert "y is a response, but 'fast' is no number" in refusal(tmp_path / "words.csv")


def test_a_factor_that_does_not_vary(tmp_path: Path) -> None:
    (tmp_path / "same.csv").write_text("a,y\n1,2\n1,3\n")
    assert "the factor a has '1' only" in refusal(tmp_path / "same.csv")


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("A,y\n1,2\n2,3\n")
    assert "there is no column 'a'; did you mean 'A'?" in refusal(tmp_path / "other.csv")


def test_a_row_that_is_cut_short(tmp_path: Path) -> None:
    (tmp_path / "cut.csv").write_text("a,y\n1,2\n2\n")
    assert "line 3 has 1 cells, but its first names 2 columns" in refusal(tmp_path / "cut.csv")


def test_names_that_come_twice(tmp_path: Path) -> None:
    (tmp_path / "twice.csv").write_text("a,y,y\n1,2,3\n2,3,4\n")
    assert "two columns are named 'y'" in refusal(tmp_path / "twice.csv")


def test_decimals_after_a_comma(tmp_path: Path) -> None:
    (tmp_path / "comma.csv").write_text("a;y\n1;2,5\n2;3,5\n")
    assert "'2,5' is no number; decimals follow a point" in refusal(tmp_path / "comma.csv")


def test_a_folder(tmp_path: Path) -> None:
    assert "there is no such file" in refusal(tmp_path)


def test_no_factors(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("a,y\n1,2\n2,3\n")
    done = headgate("analyse", tmp_path / "runs.csv", "--factors", " , ", "--responses", "y")
    assert done.exit_code == 2
    assert "name the columns that were varied, or give the --design" in done.sentence
