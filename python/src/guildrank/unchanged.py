"""The value of a field that a call leaves as it is. None is another thing: it removes what is stored."""

from __future__ import annotations

from enum import Enum


class Unchanged(Enum):
    """The type of `Unchanged.UNCHANGED`, which is the default of the fields of a profile. Each such field stays as it is."""

    UNCHANGED = "unchanged"

    def __repr__(self) -> str:
        return self.name


UNCHANGED = Unchanged.UNCHANGED
