"""Names that a user-defined congestion control algorithm or queue discipline imports.

The callbacks of an algorithm are described in `headgate.plugin.cca_records`, those of a discipline
in `headgate.plugin.discipline_records`.

Names are imported on first use. The reference page "Public interface" describes each name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headgate.base.lazy import lazy_attributes

if TYPE_CHECKING:
    from headgate.plugin.cca_records import (
        ECN_MARK,
        LOSS,
        TIMEOUT,
        Ack,
        Builtin,
        Congestion,
        Path,
        Rate,
        Window,
        builtin,
        jit,
    )
    from headgate.plugin.discipline_records import (
        CE,
        DROP,
        ECT0,
        ECT1,
        KEEP,
        MARK,
        NOT_ECT,
        Backlog,
        Decision,
        Packet,
    )
    from headgate.plugin.load import load_cca
    from headgate.plugin.proof import check_cca
else:
    __getattr__ = lazy_attributes(
        __name__,
        {
            "headgate.plugin.proof": ("check_cca",),
            "headgate.plugin.discipline_records": (
                "CE",
                "DROP",
                "ECT0",
                "ECT1",
                "KEEP",
                "MARK",
                "NOT_ECT",
                "Backlog",
                "Decision",
                "Packet",
            ),
            "headgate.plugin.cca_records": (
                "ECN_MARK",
                "LOSS",
                "TIMEOUT",
                "Ack",
                "Builtin",
                "Congestion",
                "Path",
                "Rate",
                "Window",
                "builtin",
                "jit",
            ),
            "headgate.plugin.load": ("load_cca",),
        },
    )

__all__ = [
    "CE",
    "DROP",
    "ECN_MARK",
    "ECT0",
    "ECT1",
    "KEEP",
    "LOSS",
    "MARK",
    "NOT_ECT",
    "TIMEOUT",
    "Ack",
    "Backlog",
    "Builtin",
    "Congestion",
    "Decision",
    "Packet",
    "Path",
    "Rate",
    "Window",
    "builtin",
    "check_cca",
    "jit",
    "load_cca",
]
