"""Cut the mathematics font to what formulas use: ``python docs/_static/font/make.py STIXMath-Regular.otf``.

Needs fonttools and brotli.  The original is in Debian's package fonts-stix (version 1.1.1).  Its licence travels with
the result (OFL.txt) and lets derivatives bear another name than the reserved one: hence ``Formulas``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

TARGET = Path(__file__).resolve().parents[3] / "verified_risk" / "plotting" / "page" / "formulas.woff2"
NAME = "Formulas"
CHARACTERS = [
    *range(0x20, 0x7F), *range(0xA0, 0x100), *range(0x300, 0x340), *range(0x391, 0x3F7), *range(0x2010, 0x2058),
    0x20D0, 0x20D1, 0x20D6, 0x20D7, *range(0x2100, 0x2140), *range(0x2190, 0x21D6), *range(0x2200, 0x2300),
    *range(0x2308, 0x230C), 0x23B0, 0x23B1, 0x25A0, 0x25A1, 0x25CA, *range(0x27E6, 0x27EC), *range(0x27F5, 0x27FF),
    *range(0x2A00, 0x2A07), 0x2A7D, 0x2A7E,
    *range(0x1D400, 0x1D468), *range(0x1D49C, 0x1D504), *range(0x1D538, 0x1D56C), *range(0x1D6A8, 0x1D71C),
    *range(0x1D7CE, 0x1D7E2),
]  # fmt: skip
"""Latin and Greek, bold, italic, script and blackboard letters, operators, arrows and brackets."""


def main(original: str) -> None:
    font = TTFont(original)
    options = subset.Options(flavor="woff2", layout_features=["ssty", "dtls", "kern", "mark"], name_IDs=[0, 7, 13, 14])
    options.drop_tables += ["FFTM"]
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=CHARACTERS)
    cutter.subset(font)
    for number, text in ((1, NAME), (2, "Regular"), (4, NAME), (6, NAME)):
        font["name"].setName(text, number, 3, 1, 0x409)
    top = font["CFF "].cff
    top.fontNames[0] = NAME
    top.topDictIndex[0].FullName = top.topDictIndex[0].FamilyName = NAME
    font.flavor = "woff2"
    font.save(TARGET)


if __name__ == "__main__":
    main(sys.argv[1])
