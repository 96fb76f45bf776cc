"""Users' own laws: a Python class, compiled or not, or a shared library made of C or Rust."""

from headgate.own.load import allow, identify, is_trusted, load, register_class
from headgate.own.own_law import OwnLaw
from headgate.own.paths import split

__all__ = ["OwnLaw", "allow", "identify", "is_trusted", "load", "register_class", "split"]
