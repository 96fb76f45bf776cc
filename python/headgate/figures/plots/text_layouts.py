"""Layouts of texts, computed once for all pictures.

To lay axes out and draw them, Matplotlib asks each label of a tick some twenty times for its size,
and computes it each time: a third of the time of a picture with many labels. Matplotlib offers no
other way than to replace the private method that computes it. If a later version lacks this
method, pictures take longer and are the same; a test compares them with those drawn without this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import matplotlib as mpl
from matplotlib.text import Text

#: The method of `Text` that computes its layout.
_METHOD = "_get_layout"
#: Layouts of some 2 kB that are remembered: beyond them, all are computed again.
_MOST = 10_000
#: Settings that decide how a text with given attributes is laid out.
_SETTINGS = r"^(font|mathtext|text)\."
#: Attributes of a text that decide its layout, and are private.
_READ = ("_linespacing", "_multialignment", "_usetex", "_parse_math", "_rotation_mode")


@cache
def _known() -> dict[Any, Any]:
    """Return the layouts that were computed, by settings and text."""
    return {}


@contextmanager
def lay_out_once() -> Iterator[None]:
    """Compute each layout of a text once, in this block and in others with the same settings."""
    compute: Callable[[Text, Any], Any] | None = getattr(Text, _METHOD, None)
    if compute is None:
        yield
        return
    settings, known = str(mpl.rcParams.find_all(_SETTINGS)), _known()
    if len(known) > _MOST:
        known.clear()

    def look_up(text: Text, renderer: Any) -> Any:
        if text.get_wrap():  # its lines depend on its place
            return compute(text, renderer)
        key = (settings, *_describe(text, renderer))
        if key not in known:
            known[key] = compute(text, renderer)
        return known[key]

    setattr(Text, _METHOD, look_up)
    try:
        yield
    finally:
        setattr(Text, _METHOD, compute)


def _describe(text: Text, renderer: Any) -> tuple[Any, ...]:
    """Return everything that decides the layout of a text, except its place."""
    figure = text.get_figure(root=True)
    return (
        type(renderer), None if figure is None else figure.dpi, text.get_text(),
        hash(text.get_fontproperties()), text.get_rotation(), text.get_horizontalalignment(),
        text.get_verticalalignment(), *(getattr(text, name, None) for name in _READ),
    )  # fmt: skip
