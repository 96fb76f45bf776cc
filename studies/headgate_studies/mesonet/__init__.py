"""MesoNet: the model network of the NIST study of TCP replacements, as a scenario."""

from headgate_studies.mesonet.model import MesoNet

__all__ = ["MesoNet"]
