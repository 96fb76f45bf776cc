"""The study `tcp-red`: where TCP over RED goes round, and what moves it."""
