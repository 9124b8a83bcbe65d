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
    "range": lambda params: "The addition would leave the range 0 .. 9007199254740991",
    "level": lambda params: "No XP gives this level by the guild's curve",
    "field": lambda params: (
        "A level or streak is not a whole number up to 9007199254740991, a time is none, or a name is too long"
    ),
    "argument": lambda params: (
        "An amount, a factor, a floor, a cooldown, an offset or a number of days is no number within its bounds"
    ),
    "total": lambda params: "The guild's total XP or sum of levels would pass 9223372036854775807",
    "event": lambda params: "The event was that of another call: give each call an event_id of its own",
    "lock": lambda params: (
        "Another command has taken over the guild, or this one was suspended for more than ten seconds: run it again"
    ),
    # Other work on the guild is under way.
    "guild_busy": lambda params: (
        f"An import, a deletion or a season's end of {params['guild']} is running, or was killed a moment ago: try again in 10 s"
    ),
    "season_unfinished": lambda params: (
        f"The season of {params['guild']} that goes to {params['archive']} is not done: end it first, with the same arguments as before"
    ),
    "import_unfinished": lambda params: (
        f"The import of {params['guild']} is not done: export and import it again, or delete the guild"
    ),
    # The data as they are.
    "archive_exists": lambda params: f"The guild {params['guild']} has data already: name another archive",
    "present_incomplete": lambda params: (
        f"The list lacks {params['left']} of {params['ranked']} ranked members, {params['share']} %, and {params['max_share']} % may be "
        "hidden: nothing was changed. Complete the list, or raise max_share"
    ),
    "user_id_unfit": lambda params: (
        f"The user id {json.dumps(params['user'], ensure_ascii=False)} in {params['list']} is none: take it out with ZREM, and try again"
    ),
    "name_unfit": lambda params: (
        f"The profile of member {params['user']} of guild {params['guild']} has a name above 512 bytes: correct it with HSET"
    ),
}
