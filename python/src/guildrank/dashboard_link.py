"""Links to the dashboard of a guild."""

from __future__ import annotations

import secrets
from urllib.parse import urlsplit

from .checks import check_ids, check_whole
from .errors import InvalidInputError
from .keys import Keys
from .scripts import Script, Scripts

INVITE_TTL_S = 900
MAX_INVITE_TTL_S = 86_400
_INVITE = Script("invite")


async def create_dashboard_link(scripts: Scripts, keys: Keys, guild_id: str, url: str, ttl: int, user_id: str) -> str:
    """Stores an invite and returns its link: see `GuildWriter.create_dashboard_link`."""
    check_ids(guild_id, *([] if user_id == "" else [user_id]))
    if not _is_address(url):
        raise InvalidInputError(f"url must be the address of the dashboard, such as https://dash.example.com, not {url}")
    check_whole("ttl", ttl, 1, MAX_INVITE_TTL_S)
    token = secrets.token_urlsafe(32)
    await scripts.run(_INVITE, [keys.invite(token)], [guild_id, ttl, user_id])
    return f"{url.rstrip('/')}/sign-in/{token}"


def _is_address(url: object) -> bool:
    if not isinstance(url, str):
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False
