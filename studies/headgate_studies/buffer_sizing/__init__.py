"""How large a router's buffer must be, after Appenzeller, Keslassy and McKeown (2004)."""
