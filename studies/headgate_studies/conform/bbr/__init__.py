"""The test cases that draft-ietf-ccwg-bbr gives in its appendix, one `Case` for each."""
