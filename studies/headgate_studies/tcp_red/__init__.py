"""The study `tcp-red`: when TCP over RED oscillates, and how to stop it."""
