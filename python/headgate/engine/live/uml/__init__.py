"""A live host with another kernel: user-mode Linux, which runs as an ordinary process."""
