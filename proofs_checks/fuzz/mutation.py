"""Mutations of text by tokens; most results pass the first checks of a reader."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d+(?:[./]\d+)?(?:[eE][+-]?\d+)?|\w+|\s+|.', re.DOTALL)

NUMBERS = (
    "0", "1", "-1", "2", "1/2", "1/0", "-0", "1e400", "1e-400", "1e999999999", "NaN", "Infinity", "-Infinity", "0x10",
    "1_000", "١", "½", "0.1", "1e-17", "9007199254740993", "1/3", "3/2", "true", "null", "9" * 5000, "",
    " ", "1.", ".5",
)  # fmt: skip
OTHERS = (
    '""', '"x"', "[]", "{}", "null", "[[]]", '"1/2"', '"١"', '"NaN"', '"1e999999999"', "\x00", "\ufeff", "\u202e", ",",
    "[" * 3000, '{"a":' * 2000, ":", "}", "]", ";", "(", ")", "*", "+", "-", "\n", "\r", '"', "\\", "\ud7ff", "é",
)  # fmt: skip


def tokens(text: str) -> list[str]:
    return TOKEN.findall(text)


def mutated(text: str, rng: random.Random) -> str:
    """Apply one to four changes: drop, repeat or swap tokens, or replace one by another token or a hostile value."""
    parts = tokens(text)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        if not parts:
            return rng.choice(OTHERS)
        i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
        solid = [k for k, part in enumerate(parts) if part.strip() and (part[0] in '"-' or part[0].isalnum())]
        k = rng.choice(solid) if solid else i
        match rng.randrange(9):
            case 0:
                del parts[i]
            case 1:
                parts.insert(i, parts[j])
            case 2:
                parts[i], parts[j] = parts[j], parts[i]
            case 3:
                parts[k] = parts[rng.choice(solid)] if solid else parts[j]
            case 4 | 5:
                new = rng.choice(NUMBERS)
                parts[k] = f'"{new}"' if parts[k].startswith('"') and rng.random() < 0.8 else new
            case 6:
                parts[i] = rng.choice(OTHERS)
            case 7:
                parts[k] = _character_changed(parts[k], rng)
            case _:
                first, last = sorted((i, j))
                parts[first : min(last, first + 12)] = []
    return "".join(parts)


def _character_changed(token: str, rng: random.Random) -> str:
    i = rng.randrange(len(token) or 1)
    return token[:i] + rng.choice('0123456789/-.eE" [{x,') + token[i + 1 :]


def shorter(text: str) -> Iterator[str]:
    """The text without a run of tokens: halves, then quarters, down to single tokens."""
    parts = tokens(text)
    size = len(parts) // 2
    while size:
        for first in range(0, len(parts), size):
            yield "".join(parts[:first] + parts[first + size :])
        size //= 2
