"""Tables of results in other libraries: one line each, with labels, units and what is missing."""

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import numpy as np
import pandas
import pytest
import xarray

from headgate import HeadgateError, dumbbell
from headgate.base.errors import MissingLibraryError
from headgate.data.tables import Table, Words

ROOT = Path(__file__).resolve().parents[2]
#: The page on data frames, whose code is run unchanged.
PAGE = ROOT / "docs" / "how-to" / "use-data-frames.md"
#: The oldest versions that are supported: those of pyproject.toml.
OLDEST = re.findall(
    r'"((?:duckdb|nanoarrow|numpy|pandas|polars|pydantic|xarray)>=[\d.]+)"',
    (ROOT / "pyproject.toml").read_text(),
)


def make_table() -> Table:
    return Table(
        "flows",
        {
            "cca": Words.of(["reno", "fast"]),
            "size_packets": np.array([1, 2**63], np.uint64),
            "goodput_bps": np.array([1e7, np.nan]),
        },
    )


def test_pandas_has_the_units() -> None:
    assert make_table().to_pandas().attrs["units"] == {
        "size_packets": "packets",
        "goodput_bps": "bit/s",
    }


def test_pandas_takes_a_dict_and_never_the_names_for_rows() -> None:
    flows = make_table()
    assert pandas.DataFrame(dict(flows)).equals(flows.to_pandas())
    with pytest.raises(HeadgateError, match=r"write dict\(flows\), or flows.to_pandas\(\)"):
        pandas.DataFrame(flows)


def test_xarray_has_labels_units_and_definitions() -> None:
    data = make_table().to_xarray()
    assert isinstance(data, xarray.Dataset)
    assert dict(data.sizes) == {"row": 2}
    assert set(data.coords) == {"cca"}
    assert data["goodput_bps"].attrs["units"] == "bit/s"
    assert data["goodput_bps"].attrs["long_name"] == make_table().definition("goodput_bps")
    assert data["size_packets"].dtype == np.uint64
    assert float(data["goodput_bps"].mean()) == 1e7
    assert data["goodput_bps"].groupby("cca").mean().sel(cca="reno") == 1e7


@pytest.mark.parametrize("library", ["pandas", "polars", "xarray"])
def test_a_missing_library_is_one_sentence(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    says = rf"^to_{library}\(\) needs {library}, which is not installed; pip install {library}$"
    with pytest.raises(MissingLibraryError, match=says):
        getattr(make_table(), f"to_{library}")()


def test_no_line_needs_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    exec(compile(lines_of_the_page(), PAGE.name, "exec"), {"__name__": "__main__"})


def lines_of_the_page() -> str:
    (text,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    return str(text)


def test_a_run_of_packets_is_taken_whole() -> None:
    result = dumbbell(rate="5 Mbit/s", rtt="20 ms", flows=["reno", "cubic"]).run("2 s")
    for table in result.tables.values():
        assert len(table.to_pandas()) == len(table.to_polars()) == table.to_xarray().sizes["row"]


@pytest.mark.slow
def test_the_oldest_versions_take_it_too(tmp_path: Path) -> None:
    """A fresh environment with the oldest of each; needs a registry of packages."""
    assert len(OLDEST) == 7
    venv.create(tmp_path, with_pip=True)
    python = tmp_path / "bin" / "python"
    pinned = [wanted.replace(">=", "==") for wanted in OLDEST]
    subprocess.run([python, "-m", "pip", "install", "-q", *pinned], check=True)
    done = subprocess.run(
        [python, "-c", lines_of_the_page()],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'python'}"},
    )
    assert not done.returncode, done.stderr
