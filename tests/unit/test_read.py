"""Files from other programs: any separator of cells, end of line and text encoding."""

import gzip
from pathlib import Path

import pytest

from headgate.figures.analysis import AnalysisError
from headgate.figures.analysis.read import read

ROWS = [["cca", "rate", "y"], ["reno", "10", "1.5"], ["fast", "20", "2.5"]]


def text(separator: str = ",", end: str = "\n") -> str:
    return "".join(separator.join(row) + end for row in ROWS)


PADDED = "".join("   ".join(f"{cell:>6}" for cell in row) + "  \n" for row in ROWS)

WRITTEN = {
    "commas": text(),
    "semicolons": text(";"),
    "tabs": text("\t"),
    "bars": text("|"),
    "blanks": text(" "),
    "columns": PADDED,
    "commas and blanks": text(" , "),
    "Windows": text(end="\r\n"),
    "old Macintosh": text(end="\r"),
    "quotes": '"cca","rate","y"\n"reno","10","1.5"\n"fast","20","2.5"\n',
    "blank lines": "\n\n" + text(end="\n\n"),
    "comments": "# made by, someone; else\n  # on a day\n" + text(),
    "a separator after the last cell": text(end=",\n").replace("y,", "y"),
    "without an end": text().rstrip(),
}


@pytest.mark.parametrize("how", WRITTEN)
def test_a_table_is_the_same_however_it_is_written(how: str, tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    file.write_bytes(WRITTEN[how].encode())
    found = read(file)[0]
    assert [[name, *column] for name, column in found.items()] == [
        list(column) for column in zip(*ROWS, strict=True)
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_words_outside_ascii(encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    file.write_bytes("gr\u00f6\u00dfe,y\nl\u00f6w,1\n".encode(encoding))
    assert list(read(file)[0]) == ["gr\u00f6\u00dfe", "y"]


def test_a_cell_in_quotes_may_hold_anything(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    file.write_text('"algorithm; of, old",y\n"a ""b"", c\nd",1\n')
    assert {name: list(column) for name, column in read(file)[0].items()} == {
        "algorithm; of, old": ['a "b", c\nd'],
        "y": ["1"],
    }


def test_columns_without_a_name_get_one(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv.gz"
    file.write_bytes(gzip.compress(b",y\n1,2\n"))
    assert list(read(file)[0]) == ["column 1", "y"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "has no rows"),
        (b"# nothing\n\n", "has no rows"),
        (b"a,y\n", "has no rows"),
        (b"a,y\n1,2\n3\n", r"line 3 has 1 cells, but its first names 2 columns \(a, y\)"),
        (b"# c\n\na,y\n1,2,3\n", "line 4 has 3 cells, but its first names 2 columns"),
        (b"NIST data\nFile Format:    ASCII\n", "line 2 has 3 cells, but its first names 2"),
        (b"a,y,y\n1,2,3\n", "two columns are named 'y'"),
        (b"a,y\n1,2\nl\xf6w,3\n", "line 3 is no text in UTF-8"),
        (b"a,y\n1,\x00\n", "holds zero bytes"),
        (b"\x1f\x8bnot gzip", "cannot be read"),
        (b"a,y\n1,2\n" + b"x" * 200_000 + b",2\n", "cannot be read"),
    ],
)
def test_a_file_that_is_not_a_table_is_one_sentence(
    content: bytes, says: str, tmp_path: Path
) -> None:
    file = tmp_path / "runs.csv"
    file.write_bytes(content)
    with pytest.raises(AnalysisError, match=says) as refused:
        read(file)
    assert str(refused.value).startswith(f"{file}: ")
    assert "\n" not in str(refused.value)
