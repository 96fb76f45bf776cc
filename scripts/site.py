"""Put a build of the documentation beside those of other versions: site.py BUILD SITE URL.

SITE gets a folder for each version, `switcher.json` (what the menu of versions on each page reads),
and an `index.html` that leads to the newest. URL is where SITE will be: `/`, or `/headgate/`.
"""

import json
import shutil
import sys
from importlib.metadata import version
from pathlib import Path

from packaging.version import InvalidVersion, Version

#: Of a redirection without a script.
LEAD = """<!doctype html>
<meta charset="utf-8">
<title>Headgate</title>
<meta http-equiv="refresh" content="0; url={}/">
"""


def parse(name: str) -> Version | None:
    """Read the name of a folder as a version (PEP 440), or give None."""
    try:
        return Version(name)
    except InvalidVersion:
        return None


def list_versions(site: Path) -> list[str]:
    """List the versions in `site`, newest first."""
    found = {folder.name: parse(folder.name) for folder in site.iterdir() if folder.is_dir()}
    return sorted((name for name, parsed in found.items() if parsed), key=Version, reverse=True)


def add(build: Path, site: Path, url: str, release: str) -> None:
    """Put `build` into `site` as the version `release`, and write menu and first page anew."""
    shutil.copytree(build, site / release, dirs_exist_ok=True)
    versions = list_versions(site)
    menu = [
        {"version": each, "url": f"{url.rstrip('/')}/{each}/", "preferred": each == versions[0]}
        for each in versions
    ]
    (site / "switcher.json").write_text(json.dumps(menu, indent=2) + "\n")
    (site / "index.html").write_text(LEAD.format(versions[0]))


if __name__ == "__main__":
    add(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], version("headgate"))
