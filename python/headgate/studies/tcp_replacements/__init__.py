"""What happens to the network if everyone's TCP is replaced?"""
