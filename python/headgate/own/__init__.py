"""Users' own laws: a Python class, compiled or not, or a shared library made of C or Rust."""

from headgate.own.load import OwnLaw, given, load, split

__all__ = ["OwnLaw", "given", "load", "split"]
