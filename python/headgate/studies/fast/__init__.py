"""Study `fast`: what FAST TCP claims of itself, and what follows from its equation."""
