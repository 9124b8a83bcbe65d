"""Names that Discord shows as they are."""

from __future__ import annotations

import re

_CONTROLS = re.compile(r"[\x00-\x1f\x7f\s]+")
_MARKUP = re.compile(r"([!-/:-@\[-`{-~])")


def plain_text(text: str) -> str:
    """Returns a text that Discord shows as it is: each character with which its Markdown, a mention or a link could begin is escaped.

    A name such as `[Free Nitro](https://evil.example)` stays a name. O(n).
    """
    return _MARKUP.sub(r"\\\1", _CONTROLS.sub(" ", text[:256]).strip())
