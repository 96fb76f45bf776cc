"""The page on fuzzing lists every place with unsafe code."""

import re

from .repository import ROOT

_UNSAFE = re.compile(r"^(?!\s*//).*\bunsafe\b(?!_)", re.MULTILINE)


def test_the_page_names_every_crate_and_file_with_unsafe_code() -> None:
    page = (ROOT / "docs" / "reference" / "fuzzing.md").read_text(encoding="utf-8")
    for file in sorted((ROOT / "crates").glob("*/src/**/*.rs")):
        if _UNSAFE.search(file.read_text(encoding="utf-8")):
            crate = file.relative_to(ROOT / "crates").parts[0]
            assert f"`{crate}`" in page, file
            if crate in {"headgate-emulate", "headgate-netsim"}:
                assert f"`{file.name}`" in page, file
