"""The texts that several commands share."""

from __future__ import annotations

from typing import Sequence

from guildrank import MemberCard, RankedMember, plain_text

HIDDEN = {"left": "you left this server", "self": "you asked for it", "moderator": "a moderator decided so"}


def table(rows: Sequence[RankedMember], own_id: int) -> str:
    lines = []
    for row in rows:
        line = f"{row.rank}. {plain_text(row.username)}: level {row.level}, {row.xp} XP"
        lines.append(f"**{line}**" if row.user_id == str(own_id) else line)
    return "\n".join(lines)


def card_text(card: MemberCard) -> str:
    """Returns a card as text: a ranked member with those above and below it."""
    if card.rank is None:
        why = ", and ".join(HIDDEN[reason] for reason in card.hidden or ())
        return f"You are hidden from the ranking: {why}. You have level {card.level} with {card.xp} XP."
    own = RankedMember(card.rank, card.user_id, card.username, card.level, card.xp)
    return table([row for row in (card.above, own, card.below) if row is not None], int(card.user_id))
