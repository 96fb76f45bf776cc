"""Bytes that were once a good file: some changed, left out, said twice, or put in."""

from .draw import Draw

#: Tokens that often break readers of text, numbers and structures.
TOKENS = (
    b"",
    b"\x00",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\r",
    b"\n",
    b",",
    b'"',
    b"'",
    b"[",
    b"{}",
    b"[[]]",
    b"null",
    b"nan",
    b"-1",
    b"inf",
    b"1e400",
    b"-1e-400",
    b"9223372036854775808",
    b"18446744073709551616",
    b"true",
    b"<a/>",
    b"&lt;",
    b"]]>",
    "é".encode(),
    "💥".encode(),
    b"=",
    b"..",
    b"1979-05-27",
)


def mutated(draw: Draw, good: bytes) -> bytes:
    """Change a file in a few places."""
    data = bytearray(good)
    for _ in range(draw.of(1, 1, 2, 5)):
        at = draw.randrange(len(data) + 1)
        until = min(len(data), at + draw.of(0, 1, 4, 40))
        new = draw.of(
            draw.choice(TOKENS),
            draw.randbytes(draw.of(1, 4)),
            bytes(data[at:until]) * 2,
            bytes(byte ^ 1 << draw.randrange(8) for byte in data[at:until]),
        )
        data[at:until] = new
    return bytes(data[: draw.randrange(len(data) + 1)] if draw.maybe(0.05) else data)
