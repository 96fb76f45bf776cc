"""The first study: what happens to the network if everyone's TCP is replaced."""
