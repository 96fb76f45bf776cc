"""The conformance suite: cases that RFCs state, run against every algorithm they apply to."""
