"""Designs: factors to conditions."""

from headgate.design.factorial import Design, Factor, factorial

__all__ = ["Design", "Factor", "factorial"]
