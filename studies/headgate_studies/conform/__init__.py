"""The conformance suite: cases that RFCs state, run against every law they apply to."""
