"""A live host that is a user-mode Linux: another kernel, run as an ordinary process."""
