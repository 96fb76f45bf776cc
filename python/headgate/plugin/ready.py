"""Own code made ready for runs: proved once, and handed to the engine."""

from __future__ import annotations

from headgate.plugin.load import one_at_a_time
from headgate.plugin.own_code import OwnCode, Params, Ready
from headgate.plugin.proof import prove
from headgate.plugin.python_class import plain


def make_ready(code: OwnCode, params: Params) -> Ready:
    """Make a law or a discipline ready for runs with these parameters. Raises LawError."""
    if code.compiled is None:
        assert code.cls is not None
        return Ready(code, params, plain(code.interface, code.cls, code.label, params))
    with one_at_a_time:
        table = code.compiled(params)
        prove(code, params)
    return Ready(code, params, code.hand_over(table))
