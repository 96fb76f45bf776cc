"""CUBIC, BBR and BBRv3 on one link, as the share of flows that switched from CUBIC grows."""
