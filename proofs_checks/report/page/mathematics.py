r"""LaTeX formulas as MathML, which every current browser draws without a script, a font or a style sheet.

The library latex2mathml converts.  Attributes that browsers ignore (``mathvariant`` other than normal) are replaced by
Unicode characters, and a command that the library leaves as text raises an error.
"""

import re
from html import escape, unescape

from verified_risk.errors import InvalidArgument

CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _alphabet(first: int, exceptions: str = "") -> dict[str, str]:
    """The capitals of a mathematical alphabet of Unicode; ``exceptions`` lie outside the block."""
    usual = {letter: chr(first + i) for i, letter in enumerate(CAPITALS)}
    return usual | dict(zip(exceptions[::2], exceptions[1::2], strict=True))


ALPHABETS = {
    "double-struck": _alphabet(0x1D538, "CℂHℍNℕPℙQℚRℝZℤ1𝟙"),
    "script": _alphabet(0x1D49C, "BℬEℰFℱHℋIℐLℒMℳRℛ"),
    "fraktur": _alphabet(0x1D504, "CℭHℌIℑRℜZℨ"),
    "bold": _alphabet(0x1D400, "1𝟏"),
    "sans-serif": _alphabet(0x1D5A0),
    "italic": {},
    "normal": {},
}

VARIANT = re.compile(r'<(mi|mn|mo) mathvariant="([a-z-]+)">([^<]*)</\1>')
UPRIGHT = re.compile(r'(?:<mi mathvariant="normal">[^<]</mi>){2,}')
ARGUMENT = re.compile(r"\\arg\\(min|max)(?![A-Za-z])")
ACCENT = re.compile(r"<mo[^>]*>([\^~¯])</mo></mover>")
ACCENTS = {"^": "ˆ", "~": "˜", "¯": "¯"}
BAR = re.compile(r"<mo[^>]*>([|‖])</mo>")
OPERATOR = re.compile(r"\\(?:operatorname|mathop)\*?\{([A-Za-z ]+)\}")

RELATIONS = {"=", "<", ">", r"\le", r"\leq", r"\ge", r"\geq", r"\succeq", r"\Rightarrow", r"\implies", r"\iff"}
SPACES = {r"\quad", r"\qquad", "\\ "}
OPENING = {"{", "(", "[", r"\{", r"\left", r"\begin", r"\bigl", r"\Bigl"}
CLOSING = {"}", ")", "]", r"\}", r"\right", r"\end", r"\bigr", r"\Bigr"}
TEXT = re.compile(r"\\text\{([^{}$\\]*)\}")
TOKEN = re.compile(r"\\text\{[^{}$\\]*\}|\\[A-Za-z]+|\\.|.", re.DOTALL)


def formula_html(formula: str) -> str:
    r"""The formula as several ``<math>`` elements and words, between which a narrow screen may break the line.

    Browsers do not break inside ``<math>``, so the formula is cut before relations and at wide spaces that stand
    outside all brackets, and ``\text{...}`` becomes text of the page.
    """
    shown = []
    for piece in pieces(formula):
        words = TEXT.fullmatch(piece)
        shown.append(f"<span>{escape(words.group(1).strip())}</span>" if words else mathml(piece, large=True))
    return " ".join(shown)


def pieces(formula: str) -> list[str]:
    r"""The formula cut where a line may end.

    >>> pieces(r"f(x = 1) \le 2 \Rightarrow |g| < \left(a = b\right) \text{ for all } x")
    ['f(x = 1)', '\\le 2', '\\Rightarrow |g|', '< \\left(a = b\\right)', '\\text{ for all }', 'x']
    """
    cut: list[str] = [""]
    depth = bars = 0
    for token in TOKEN.findall(formula):
        if token in OPENING:
            depth += 1
        elif token in CLOSING:
            depth -= 1
        elif token in ("|", "\\|"):
            bars += 1
        elif depth <= 0 and (token in SPACES or TEXT.fullmatch(token)):
            cut += [token, ""] if TEXT.fullmatch(token) else [""]
            continue
        elif token in RELATIONS and depth <= 0 and bars % 2 == 0 and cut[-1].strip():
            cut.append("")
        cut[-1] += token
    return _without_lone_marks([piece.strip() for piece in cut if piece.strip()])


def _without_lone_marks(parts: list[str]) -> list[str]:
    """Join a lone comma to the part before it."""
    joined: list[str] = []
    for part in parts:
        if part in (",", ";", ":", ".") and joined:
            words = TEXT.fullmatch(joined[-1])
            joined[-1] = rf"\text{{{words.group(1).rstrip()}{part}}}" if words else joined[-1] + part
        else:
            joined.append(part)
    return joined


def mathml(formula: str, *, large: bool = False) -> str:
    r"""The formula as one ``<math>`` element, ``large`` as in a displayed line, named by its LaTeX source.

    >>> mathml(r"\Phi \ge 1")
    '<math alttext="\\Phi \\ge 1"><mrow><mi>Φ</mi><mo>≥</mo><mn>1</mn></mrow></math>'
    """
    try:
        from latex2mathml.converter import convert
    except ImportError:  # without the library the page shows LaTeX
        return f'<code class="latex">{escape(formula)}</code>'
    source = ARGUMENT.sub(r"\\mathrm{arg\1}", OPERATOR.sub(r"\\mathrm{\1}", formula))
    try:
        text = str(convert(source))
    except Exception as error:
        raise InvalidArgument(f"the formula {formula!r} cannot be converted: {type(error).__name__} {error}") from None
    body = text[text.index(">") + 1 : text.rindex("</math>")]
    body = _spaced(_characters(_words(_named(body))))
    left_over = re.search(r"\\[A-Za-z]+", unescape(re.sub(r"<[^>]*>", "", body)))
    if left_over:
        raise InvalidArgument(f"the formula {formula!r} uses {left_over.group()}, which has no MathML here")
    attributes = ' displaystyle="true"' if large else ""
    return f'<math{attributes} alttext="{escape(formula)}">{body}</math>'


def _named(body: str) -> str:
    """Numeric character references as the characters themselves, except those that HTML reserves."""
    return re.sub(r"&#x[0-9A-Fa-f]+;", lambda found: escape(unescape(found.group()), quote=False), body)


def _spaced(body: str) -> str:
    """Accents close to their letters, and bars without the space of an infix operator."""
    body = ACCENT.sub(lambda match: f'<mo stretchy="false">{ACCENTS[match.group(1)]}</mo></mover>', body)
    body = body.replace('<mover accent="true">', "<mover>")  # as an accent it is drawn through the letter
    return BAR.sub(r'<mo stretchy="false" lspace="0" rspace="0">\1</mo>', body)


def _words(body: str) -> str:
    r"""``\mathrm{TV}`` comes letter by letter; one word is one identifier."""
    return UPRIGHT.sub(lambda found: "<mi>" + re.sub(r"<[^>]*>", "", found.group()) + "</mi>", body)


def _characters(body: str) -> str:
    """Letters of other alphabets as characters, because browsers ignore ``mathvariant``."""

    def replaced(match: re.Match[str]) -> str:
        tag, variant, letter = match.groups()
        if variant not in ALPHABETS:
            raise InvalidArgument(f"{letter!r} in the alphabet {variant!r} has no character here")
        if variant == "normal":
            return match.group()
        return f"<{tag}>{ALPHABETS[variant].get(letter, letter)}</{tag}>"

    return VARIANT.sub(replaced, body)
