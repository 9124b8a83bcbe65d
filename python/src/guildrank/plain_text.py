"""Names that Discord shows as they are."""

from __future__ import annotations

import re
import unicodedata

from .checks import checked_text

_LONGEST = 256
_MOST_MARKS = 4
# Without these, a name cannot change the direction of the text beside it.
_BIDI_CONTROLS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\s\ufeff]+")
_MARKUP = re.compile(r"([!-/:-@\[-`{-~])")


def plain_text(text: str) -> str:
    """Returns a text that Discord shows as it is: each character with which its Markdown, a mention or a link could begin is escaped.

    A name such as `[Free Nitro](https://evil.example)` stays a name. O(n). Raises InvalidInputError for a value that is no text,
    such as None for a member without a name.
    """
    cleaned = _BIDI_CONTROLS.sub("", checked_text("text", text)[:_LONGEST])
    return _MARKUP.sub(r"\\\1", _few_marks(_CONTROLS.sub(" ", cleaned)).strip())


def _few_marks(text: str) -> str:
    """Returns a text in which a letter has four marks at most, because more of them cover the lines around it."""
    kept, marks = [], 0
    for character in text:
        marks = marks + 1 if unicodedata.category(character).startswith("M") else 0
        if marks <= _MOST_MARKS:
            kept.append(character)
    return "".join(kept)
