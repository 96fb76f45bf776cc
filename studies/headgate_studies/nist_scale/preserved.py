"""What a size keeps and what not, as a file that the experiments read.

`studies/nist/preserved.toml` is this file as the `standard` scale of `nist-scale` wrote it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headgate_studies.nist_scale.sizes import NAMES, Sizes

FILE = "preserved.toml"
#: A response is kept where its whole interval is this near to the largest size's.
NEAR = 0.1


@dataclass(frozen=True)
class Preserved:
    """The responses that one size keeps, those that it moves, and those that runs cannot tell."""

    kept: tuple[str, ...]
    moved: tuple[str, ...]
    untold: tuple[str, ...]


def sort_responses(of: Sizes, size: str) -> Preserved:
    """Sort the responses of a size: kept in every condition, moved in one at least, or neither."""
    sorted_ = {name: _sort(of, name, size) for name in NAMES}
    return Preserved(*(tuple(n for n, s in sorted_.items() if s == say) for say in _SORTS))


_SORTS = ("kept", "moved", "untold")


def _sort(of: Sizes, response: str, size: str) -> str:
    ratios = [of.ratio(response, condition, size) for condition in of.conditions]
    if all(ratio.within(NEAR) for ratio in ratios):
        return "kept"
    return "moved" if any(ratio.beyond(NEAR) for ratio in ratios) else "untold"


def as_toml(of: Sizes) -> str:
    """Write what every size but the largest keeps."""
    head = (
        "# Made by `headgate study nist-scale`: responses at a size whose ratio to the largest size"
        f"\n# lies within {NEAR:.0%} (kept), beyond it in some condition (moved), or cannot be"
        "\n# told, by 95 % intervals over replicates.\n\n"
        f'largest = "{of.sizes[-1]}"\nnear = {NEAR}\n'
    )
    return head + "".join(_section(size, sort_responses(of, size)) for size in of.sizes[:-1])


def _section(size: str, found: Preserved) -> str:
    lines: Mapping[str, tuple[str, ...]] = {word: getattr(found, word) for word in _SORTS}
    written = "".join(f"{word} = {list(names)}\n" for word, names in lines.items())
    return f'\n[sizes."{size}"]\n{written}'.replace("'", '"')
