"""MesoNet: the model network of the NIST study of TCP replacements, as a scenario."""

from headgate.mesonet.model import MesoNet

__all__ = ["MesoNet"]
