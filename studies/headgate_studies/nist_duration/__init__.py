"""What a shortened run of NIST's experiments preserves of the published duration."""
