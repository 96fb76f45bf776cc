"""The page of the public interface: every name of every public module, with its description."""

import inspect
import re
from importlib import import_module
from types import ModuleType

from tables import code, table

MODULES = (
    *("headgate", "headgate.lab", "headgate.figures", "headgate.stats", "headgate.design"),
    *("headgate.claims", "headgate.plugin", "headgate.forms"),
)
#: Descriptions of constants and of type aliases, which lack a docstring.
CONSTANTS = {
    "__version__": "The version of the package.",
    "CE": "Value of `packet.ecn`: Congestion Experienced (RFC 3168).",
    "DASHES": "Dash styles of lines, in order.",
    "DROP": "Decision of a queue discipline: discard the packet.",
    "ECT0": "Value of `packet.ecn`: ECT(0), ECN-Capable Transport.",
    "ECT1": "Value of `packet.ecn`: ECT(1), the identifier of L4S (RFC 9331).",
    "ECN_MARK": "Cause of a congestion event: marked packets.",
    "Buffer": "Type of a field: a buffer with its unit, such as '1 BDP'.",
    "FileSize": "Type of a field: a size in packets or bytes, such as '100 packets'.",
    "Flow": "Type of a flow: the name of an algorithm, a class, or a mapping of keys of traffic.",
    "GREY": "The colour of what is not compared.",
    "KEEP": "Decision of a queue discipline: keep the packet.",
    "Key": "Type of the key of a run: the labels of its job, in order.",
    "LEVEL": "The confidence level of intervals, 0.95.",
    "LINES": "Colours of lines and points that contrast with white by 3 : 1.",
    "LOSS": "Cause of a congestion event: lost packets.",
    "Labels": "Type of the labels that distinguish a run, by name.",
    "MARK": "Decision of a queue discipline: mark the packet (ECN).",
    "MARKS": "Marks of points, in order.",
    "Mark": "Type of a mark that states how well the origin of a setting is known.",
    "NOT_ECT": "Value of `packet.ecn`: a packet of a transport without ECN.",
    "ORDER": "Colours of areas, in order (Okabe and Ito 2008).",
    "PALE": "The colour of the grid.",
    "OneCca": "Type of a field: one algorithm, of the catalogue or user-defined.",
    "Packets": "Type of a field: a number of packets, such as '10 packets'.",
    "TIMEOUT": "Cause of a congestion event: the retransmission timer expired.",
    "Time": "Type of a field: a time with its unit, such as '45 ms', kept in picoseconds.",
    "Decision": "Type of the decision of a queue discipline: KEEP, MARK or DROP.",
}


def public() -> str:
    """Return a section for each public module."""
    return "\n".join(map(_section, MODULES))


def _section(name: str) -> str:
    module = import_module(name)
    about = (module.__doc__ or "").splitlines()[0]
    rows = [_row(module, each) for each in module.__all__ if not _is_wing(module, each)]
    return f"## `{name}`\n\n{about}\n\n{table(['name', 'kind', 'description'], rows)}"


def _is_wing(module: ModuleType, name: str) -> bool:
    """Whether a name is a public module, which gets a section."""
    return f"{module.__name__}.{name}" in MODULES


def _row(module: ModuleType, name: str) -> list[str]:
    found = getattr(module, name)
    if name in CONSTANTS:
        return [code(name), "constant or type", CONSTANTS[name]]
    if inspect.isfunction(found):
        return [code(f"{name}()"), "function", _first_sentence(found)]
    kind = "module" if isinstance(found, ModuleType) else "class"
    return [code(name), kind, _first_sentence(found)]


def _first_sentence(found: object) -> str:
    """Return the first sentence of a docstring. Raises ValueError if there is none."""
    text = getattr(found, "__doc__", None)
    if not text or found.__doc__ == type(found).__doc__:
        raise ValueError(f"{found!r} has no description")
    first = " ".join(inspect.cleandoc(text).split("\n\n")[0].split())
    return re.split(r"(?<=[.])\s(?=[A-Z`])", first)[0]
