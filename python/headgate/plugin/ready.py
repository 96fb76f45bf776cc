"""A law of the user's own made ready for runs: proved once, and handed to the engine."""

from __future__ import annotations

from headgate.plugin.load import one_at_a_time
from headgate.plugin.own_law import OwnLaw, Params, Ready
from headgate.plugin.proof import prove
from headgate.plugin.python_class import plain


def make_ready(law: OwnLaw, params: Params) -> Ready:
    """Make a law ready for runs with these parameters; raise LawError."""
    if law.compiled is None:
        assert law.cls is not None
        return Ready(law, params, plain(law.cls, law.label, params))
    with one_at_a_time:
        table = law.compiled(params)
        prove(law, params)
    return Ready(law, params, law.hand_over(table))
