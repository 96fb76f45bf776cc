"""Fonts of figures for papers: found by name, and embedded into SVG."""

from __future__ import annotations

import re
from base64 import b64encode
from io import BytesIO

from headgate.base.errors import HeadgateError
from headgate.base.messages import also


def find_font(family: str) -> str:
    """Return the file of a family with TrueType outlines. Raises HeadgateError.

    PDF embeds these outlines as they are; others would become Type 3, which publishers refuse.
    """
    from fontTools.ttLib import TTFont
    from matplotlib.font_manager import FontProperties, findfont, fontManager

    try:
        path = findfont(FontProperties(family=family), fallback_to_default=False)
    except ValueError:
        known = sorted(set(fontManager.get_font_names()))
        raise HeadgateError(
            f"font: there is no font {family!r} on this machine{also(family, known)};"
            f" {len(known)} are, such as {', '.join(known[:6])}"
        ) from None
    with TTFont(path, fontNumber=0, lazy=True) as font:
        if "glyf" not in font:
            raise HeadgateError(
                f"font: {family!r} lacks TrueType outlines, so that a PDF cannot embed it as"
                " publishers ask; choose another font"
            )
    return str(path)


def embed_font(svg: bytes, family: str) -> bytes:
    """Embed the letters that an SVG uses, so that its text looks alike on every machine."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    letters = {sign for text in re.findall(rb"<text[^>]*>(.*?)</text>", svg, re.DOTALL)
               for sign in re.sub(r"<[^>]*>", "", text.decode())}  # fmt: skip
    options = Options()
    options.drop_tables += ["FFTM"]
    options.recalc_timestamp = False
    chooser = Subsetter(options)
    chooser.populate(unicodes=[ord(sign) for sign in letters | set("&<>")])
    with TTFont(find_font(family), fontNumber=0, recalcTimestamp=False) as font, BytesIO() as file:
        chooser.subset(font)
        font.save(file)
        data = b64encode(file.getvalue()).decode()
    rule = f"@font-face{{font-family:'{family}';src:url(data:font/ttf;base64,{data})}}"
    return svg.replace(b"<defs>", f"<defs>\n  <style>{rule}</style>".encode(), 1)
