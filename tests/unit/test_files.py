"""Files that are created whole: of several callers one succeeds, and nothing partial remains."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path
from typing import Any

import pytest

from headgate.base.errors import StoreError
from headgate.base.files import create_file


def refuse_links(*_: object) -> None:
    raise PermissionError(errno.EPERM, "Operation not permitted")


@pytest.fixture(params=["hard links", "no hard links"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if request.param == "no hard links":
        monkeypatch.setattr(os, "link", refuse_links)
    return tmp_path


def test_the_first_of_two_callers_creates_the_file(folder: Path) -> None:
    path = folder / "below" / "file"
    assert create_file(path, b"first")
    assert not create_file(path, b"second")
    assert path.read_bytes() == b"first"
    assert list(path.parent.iterdir()) == [path]


def test_a_full_disk_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system without hard links writes in place, so it removes a file it cannot fill."""

    class FullFile(io.FileIO):
        def write(self, _: Any) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    whole = Path.open

    def open_full(path: Path, mode: str = "r", *rest: Any, **more: Any) -> Any:
        return FullFile(path, "x") if mode == "xb" else whole(path, mode, *rest, **more)

    monkeypatch.setattr(os, "link", refuse_links)
    monkeypatch.setattr(Path, "open", open_full)
    with pytest.raises(StoreError, match="No space left"):
        create_file(tmp_path / "file", b"some")
    assert not list(tmp_path.iterdir())
