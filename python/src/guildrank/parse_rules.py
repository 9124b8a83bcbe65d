"""The parser of rules. The kit for JavaScript has a JSON schema that says the same to editors."""

from __future__ import annotations

import json
from typing import Any, Callable, Literal, Mapping, NoReturn, Sequence, TypeVar, get_args

from .checks import is_id
from .errors import InvalidInputError
from .gain_limits import FACTOR_RULE, MAX_COOLDOWN_MS, MAX_GAIN, is_factor
from .parsed_rules import MessageRules, Multipliers, NoXp, Reward, Rules, Stacking, VoiceRules, VoiceState, XpAmount

STACKINGS: tuple[Stacking, ...] = get_args(Stacking)
VoiceStateName = Literal["alone", "deafened", "muted", "afk"]
VOICE_STATES: tuple[VoiceStateName, ...] = get_args(VoiceStateName)
MAX_CHARS = 10_000
MAX_REWARD_LEVEL = 1_000_000

Entry = TypeVar("Entry")
# The value of a field that is left out; null is a wrong value.
_MISSING: Any = object()


def parse_rules(document: Any) -> Rules:
    """Checks a document of rules, a mapping or its JSON text, and fills in what it leaves out.

    That is 15 to 25 XP for a message, 60 s between two of them, no XP for voice, no multipliers and no rewards. A wrong document is an
    InvalidInputError that names the first wrong field. O(n).
    """
    parsed = _parsed(document) if isinstance(document, str) else document
    root = _fields(parsed, "", ["$schema", "message", "voice", "no_xp", "multipliers", "rewards"])
    if not (root["$schema"] is _MISSING or isinstance(root["$schema"], str)):
        _refuse("$schema", "a text", root["$schema"])
    message = _fields(root["message"], "message", ["xp", "cooldown_ms", "min_chars"])
    voice = _fields(root["voice"], "voice", ["xp", "counts"])
    counts = _fields(voice["counts"], "voice.counts", VOICE_STATES)
    no_xp = _fields(root["no_xp"], "no_xp", ["roles", "channels"])
    multipliers = _fields(root["multipliers"], "multipliers", ["roles", "channels", "role_stacking", "stacking"])
    return Rules(
        message=MessageRules(
            xp=_amount(message["xp"], "message.xp", (15, 25)),
            cooldown_ms=_whole(message["cooldown_ms"], "message.cooldown_ms", MAX_COOLDOWN_MS, 60_000),
            min_chars=_whole(message["min_chars"], "message.min_chars", MAX_CHARS, 0),
        ),
        voice=VoiceRules(
            xp=_amount(voice["xp"], "voice.xp", 0),
            counts=VoiceState(**{str(name): _flag(counts[name], f"voice.counts.{name}", False) for name in VOICE_STATES}),
        ),
        no_xp=NoXp(_list(no_xp["roles"], "no_xp.roles", _id), _list(no_xp["channels"], "no_xp.channels", _id)),
        multipliers=Multipliers(
            roles=_factors(multipliers["roles"], "multipliers.roles"),
            channels=_factors(multipliers["channels"], "multipliers.channels"),
            role_stacking=_stacking(multipliers["role_stacking"], "multipliers.role_stacking", "max"),
            stacking=_stacking(multipliers["stacking"], "multipliers.stacking", "product"),
        ),
        rewards=_list(root["rewards"], "rewards", _reward),
    )


def _parsed(text: str) -> Any:
    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"it has {constant}")

    try:
        return json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"The rules are no valid JSON: {error}") from None


def _refuse(path: str, wanted: str, value: Any) -> NoReturn:
    try:
        shown = "missing" if value is _MISSING else json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=repr)
    except (ValueError, RecursionError):
        shown = "a value that JSON cannot show"
    raise InvalidInputError(f"{path or 'The rules'} must be {wanted}, not {shown[:80]}")


class _Fields(dict[str, Any]):
    def __missing__(self, name: str) -> Any:
        return _MISSING


def _fields(value: Any, path: str, names: Sequence[str] | None) -> Mapping[str, Any]:
    """Returns an object whose fields all have a known name, with `None` any name; an empty object for a missing value."""
    if value is _MISSING:
        return _Fields()
    if not isinstance(value, Mapping):
        _refuse(path, "an object", value)
    for name in value:
        if names is not None and name not in names:
            raise InvalidInputError(f"{path and f'{path}.'}{name} is no field of the rules: use {', '.join(names)}")
    return _Fields(value)


def _whole(value: Any, path: str, most: int, unset: Any = _MISSING) -> int:
    number = unset if value is _MISSING else value
    # JSON has only one kind of numbers, so 5.0 is a whole number.
    is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
    if is_number and 0 <= number <= most and number == int(number):
        return int(number)
    _refuse(path, f"a whole number from 0 to {most}", number)


def _amount(value: Any, path: str, unset: XpAmount) -> XpAmount:
    if value is _MISSING:
        return unset
    if not (isinstance(value, (Mapping, list, tuple)) or value is None):
        return _whole(value, path, MAX_GAIN)
    limits = _fields(value, path, ["min", "max"])
    most = _whole(limits["max"], f"{path}.max", MAX_GAIN)
    return _whole(limits["min"], f"{path}.min", most), most


def _flag(value: Any, path: str, unset: bool) -> bool:
    if value is _MISSING:
        return unset
    return value if isinstance(value, bool) else _refuse(path, "true or false", value)


def _stacking(value: Any, path: str, unset: Stacking) -> Stacking:
    if value is _MISSING:
        return unset
    for name in STACKINGS:
        if name == value:
            return name
    _refuse(path, "max, sum or product", value)


def _id(value: Any, path: str) -> str:
    return str(value) if is_id(value) else _refuse(path, "an id: a text of 1 to 64 of A-Z a-z 0-9 _ - .", value)


def _list(value: Any, path: str, entry: Callable[[Any, str], Entry]) -> tuple[Entry, ...]:
    if value is _MISSING:
        return ()
    if not isinstance(value, (list, tuple)):
        _refuse(path, "a list", value)
    return tuple(entry(each, f"{path}[{index}]") for index, each in enumerate(value))


def _reward(value: Any, path: str) -> Reward:
    fields = _fields(value, path, ["level", "role", "kept"])
    return Reward(
        level=_whole(fields["level"], f"{path}.level", MAX_REWARD_LEVEL),
        role=_id(fields["role"], f"{path}.role"),
        kept=_flag(fields["kept"], f"{path}.kept", True),
    )


def _factors(value: Any, path: str) -> Mapping[str, float]:
    factors: dict[str, float] = {}
    for key, factor in _fields(value, path, None).items():
        _id(key, f"A key of {path}")
        factors[key] = factor if is_factor(factor) else _refuse(f"{path}.{key}", FACTOR_RULE, factor)
    return factors
