"""Sphinx configuration. The reference is generated from the program itself at each build."""

import sys
from importlib import metadata
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import generate  # noqa: E402  (found through the line above)

project = "Headgate"
author = "The Headgate developers"
release = metadata.version("headgate")
version = release

extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "reference/generated/*"]

html_theme = "pydata_sphinx_theme"
html_title = "Headgate"
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["notebook.css"]
html_theme_options = {
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    # beside the folder of each version: see scripts/site.py
    "switcher": {"json_url": "../switcher.json", "version_match": release},
    "check_switcher": False,
    "navbar_start": ["navbar-logo", "version-switcher"],
    "secondary_sidebar_items": ["page-toc"],
}

generate.write_all(HERE / "reference" / "generated")
