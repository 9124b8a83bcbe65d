"""Why the data refuse a call, in the same words as in the kit for JavaScript."""

from __future__ import annotations

import json
from typing import Any, Callable, Mapping

Sentences = Mapping[str, Callable[[Mapping[str, Any]], str]]

# By code, without the stop at the end.
SENTENCES: Sentences = {
    # A script refused an entry of the call: its values, or what the guild would become.
    "user_id": lambda params: "A user id must be 1 to 64 of A-Z a-z 0-9 _ - .",
    "xp": lambda params: "XP must be an integer between 0 and 9007199254740991",
    "range": lambda params: "The addition would take the XP out of the range 0 .. 9007199254740991",
    "level": lambda params: "By the guild's curve, no amount of XP gives this level",
    "field": lambda params: (
        "A level or streak must be a whole number up to 9007199254740991, a time must be valid, and a name must have at most 512 bytes"
    ),
    "argument": lambda params: (
        "An amount, a factor, a floor, a cooldown, an offset or a number of days is not a number within its bounds"
    ),
    "total": lambda params: "The guild's total XP or sum of levels would exceed 9223372036854775807",
    "event": lambda params: "Another call already used this event_id: give each call an event_id of its own",
    "lock": lambda params: (
        "Another command has taken over the guild, or this command was suspended for more than ten seconds: run it again"
    ),
    # Other work on the guild is under way.
    "guild_busy": lambda params: (
        f"An import, a deletion or the end of a season is running for guild {params['guild']}, or was killed a moment ago: try again in 10 s"
    ),
    "season_unfinished": lambda params: (
        f"The end of a season of guild {params['guild']}, with the archive {params['archive']}, is not finished: "
        "finish it first, with the same arguments as before"
    ),
    "move_unfinished": lambda params: (
        f"The move of guild {params['guild']} is not finished: "
        'run "guild export" and "guild import" again, or delete the guild'
    ),
    "search_busy": lambda params: (
        f"The names of guild {params['guild']} cannot be read for a search yet: "
        f"try again in {params['seconds']} s"
    ),
    # The data as they are.
    "search_too_large": lambda params: (
        f"Guild {params['guild']} has too many names to search them: look members up by their user id"
    ),
    "archive_exists": lambda params: f"The guild {params['guild']} already has data: name another archive",
    "present_incomplete": lambda params: (
        f"The list lacks {params['left']} of {params['ranked']} ranked members, which is {params['share']} %, and at most "
        f"{params['max_share']} % may be hidden: nothing was changed. Complete the list, or raise max_share"
    ),
    "user_id_unfit": lambda params: (
        f"{json.dumps(params['user'], ensure_ascii=False)} in {params['list']} is not a user id: remove it with ZREM, and try again"
    ),
    "name_unfit": lambda params: (
        f"Member {params['user']} of guild {params['guild']} has a name above 512 bytes: correct the profile with HSET"
    ),
}
