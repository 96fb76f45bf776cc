"""A page in a real browser and the errors it reports there; every step is limited in time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
READY = "html[data-ready=yes]"
#: How long anything in the browser may take: a test that hangs does not name its cause.
LIMIT_MS = 30_000
ALL_DRAWN = "[...document.querySelectorAll('div.chart')].every((div) => div.querySelector('svg'))"


def open_browser() -> Iterator[Browser]:
    """Give a browser; without one skip the test, or fail in CI."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        missing = f"there is no browser here; one of {', '.join(NAMES)} is needed"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    with sync_playwright() as playwright:
        one = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield one
        one.close()


class Opened:
    """A page in a separate tab, and the errors it reported there."""

    def __init__(
        self, browser: Browser, path: Path, scheme: str = "light", width: int = 1400
    ) -> None:
        self.trouble: list[str] = []
        self.page: Page = browser.new_page(
            color_scheme="dark" if scheme == "dark" else "light",
            viewport={"width": width, "height": 900},
        )
        self.page.set_default_timeout(LIMIT_MS)
        self.page.on(
            "console",
            lambda m: self.trouble.append(m.text) if m.type in {"error", "warning"} else None,
        )
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on("request", lambda r: self._asked(r.url))
        self.page.goto(path.as_uri())
        self.drawn()

    def unfold(self) -> None:
        """Open every section, and wait for its pictures."""
        self.page.click("#open")
        self.page.wait_for_function(ALL_DRAWN)
        self.drawn()

    def drawn(self) -> None:
        """Wait until every picture shows what was chosen."""
        self.page.wait_for_selector(READY)

    def _asked(self, url: str) -> None:
        if not url.startswith(("file:", "data:", "blob:")):
            self.trouble.append(f"asks for {url}")

    def ask(self, function: str, given: Any = None) -> Any:
        """Call a function in the page, within the limit of time; `evaluate` knows none."""
        asked = f"async (given) => ({{ answer: await ({function})(given) }})"
        return self.page.wait_for_function(asked, arg=given).json_value()["answer"]

    @property
    def struck(self) -> bool:
        """Whether anything ran that did not come with the page."""
        return bool(self.ask("() => window.struck !== undefined"))

    def marks(self, chart: str, kind: str, *, opaque: bool = False) -> int:
        """Count the marks of a picture; the opaque ones alone, if asked."""
        script = """([chart, kind, opaque]) => [...document.querySelectorAll(
            `div[data-chart=${chart}] svg g.mark-${kind}.role-mark > path`)]
            .filter((one) => !opaque || Number(one.getAttribute("opacity") ?? 1) > 0.9).length"""
        return int(self.ask(script, [chart, kind, opaque]))

    def choose(self, name: str, value: str) -> None:
        self.page.select_option(f"#choice-{name}", value)
        self.drawn()

    def click(self, mark: Locator) -> None:
        """Click on a mark, even if another lies above it, and wait until the page is redrawn."""
        mark.click(force=True)
        self.drawn()

    def choice(self, name: str) -> Locator:
        return self.page.locator(f"#choice-{name}")
