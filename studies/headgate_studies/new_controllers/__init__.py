"""What the sources of Copa, PCC Vivace, LEDBAT++ and GCC state of them."""
