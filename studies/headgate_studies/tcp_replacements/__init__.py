"""The first study: the effects on the network if everyone's TCP is replaced."""
