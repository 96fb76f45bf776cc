"""Users' own laws: a Python class, compiled or not, or a shared library made of C or Rust."""

from headgate.plugin.load import allow, identify, is_trusted, load, register_class
from headgate.plugin.own_law import OwnLaw
from headgate.plugin.paths import split

__all__ = ["OwnLaw", "allow", "identify", "is_trusted", "load", "register_class", "split"]
