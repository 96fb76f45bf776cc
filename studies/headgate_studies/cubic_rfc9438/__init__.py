"""The questions that reviewers of RFC 9438 asked and that no published data answered."""
