"""The results of the published duration that a shortened run of NIST's experiments preserves."""
