"""Answers come soon: what takes long is done once, or not at all."""

from pathlib import Path
from typing import Any

import pytest
import vl_convert

from headgate.figures.report import page


def test_the_script_of_pages_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    bundle: Any = vl_convert.javascript_bundle
    monkeypatch.setattr(
        vl_convert, "javascript_bundle", lambda **version: made.append(version) or bundle(**version)
    )
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    first = page._bundle()
    assert page._bundle() == first
    assert len(made) == 1
    (kept,) = (tmp_path / "cache").rglob("*.js")
    assert kept.read_bytes() == first.encode()
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))  # no folder can be made there
    assert page._bundle() == first
    assert len(made) == 2
