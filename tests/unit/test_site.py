"""The documentation of several versions side by side."""

import json
import runpy
from pathlib import Path

SITE = runpy.run_path(str(Path(__file__).parents[2] / "scripts" / "site.py"))


def build(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "index.html").write_text(text)
    return folder


def test_the_newest_version_comes_first_and_old_ones_stay(tmp_path: Path) -> None:
    site = tmp_path / "site"
    for release in ("0.9.0", "0.10.0rc1", "0.10.0", "0.2.0"):
        SITE["add"](build(tmp_path / release, release), site, "/headgate/", release)
    menu = json.loads((site / "switcher.json").read_text())
    assert [each["version"] for each in menu] == ["0.10.0", "0.10.0rc1", "0.9.0", "0.2.0"]
    assert [each["version"] for each in menu if each["preferred"]] == ["0.10.0"]
    assert menu[0]["url"] == "/headgate/0.10.0/"
    assert "url=0.10.0/" in (site / "index.html").read_text()
    assert (site / "0.2.0" / "index.html").read_text() == "0.2.0"


def test_a_version_built_again_replaces_itself(tmp_path: Path) -> None:
    site = tmp_path / "site"
    for text in ("before", "after"):
        SITE["add"](build(tmp_path / text, text), site, "/", "1.0.0")
    assert (site / "1.0.0" / "index.html").read_text() == "after"
    assert [each["url"] for each in json.loads((site / "switcher.json").read_text())] == ["/1.0.0/"]
