"""Designs: factors to conditions."""

from headgate.design.factor import Factor
from headgate.design.factorial import Design, factorial
from headgate.design.foldover import foldover
from headgate.design.fraction import Fraction
from headgate.design.made import MadeDesign, load
from headgate.design.named import design_of_name

__all__ = [
    "Design",
    "Factor",
    "Fraction",
    "MadeDesign",
    "design_of_name",
    "factorial",
    "foldover",
    "load",
]
