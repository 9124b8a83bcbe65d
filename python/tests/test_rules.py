"""Tests what the conformance cases of rules do not have: texts that are no rules, and arguments that are unfit."""

from __future__ import annotations

import json
import unittest
from dataclasses import replace
from typing import Any, Callable

from guildrank import InvalidInputError, Stacking, VoiceState, parse_rules, plain_text, reward_roles, xp_for


class RulesTest(unittest.TestCase):
    def test_parse_rules_fills_in_what_a_document_leaves_out(self) -> None:
        rules = parse_rules("{}")
        self.assertEqual((rules.message.xp, rules.message.cooldown_ms, rules.voice.xp, rules.rewards), ((15, 25), 60_000, 0, ()))
        gain = xp_for(rules, "message", roles=[], channel="c")
        self.assertEqual((gain.amount, gain.factor, gain.cooldown_ms, gain.reason), ((15, 25), 1, 60_000, None))
        self.assertEqual(parse_rules({"message": {"xp": 5.0, "cooldown_ms": 1e3}}).message.cooldown_ms, 1000)
        self.assertEqual(parse_rules({"$schema": "rules.schema.json"}), rules)
        stackings: list[Stacking] = [rules.multipliers.role_stacking, rules.multipliers.stacking]
        self.assertEqual(stackings, ["max", "product"])

    def test_parse_rules_names_what_is_wrong(self) -> None:
        wrong: list[tuple[Any, str]] = [
            ("", "The rules are no valid JSON: "),
            ('{"message": {"xp": NaN}}', "The rules are no valid JSON: "),
            ("[" * 100_000, "The rules are no valid JSON: "),
            ("null", "The rules must be an object, not null"),
            (None, "The rules must be an object, not null"),
            ({"message": {"xp": True}}, "message.xp must be a whole number from 0 to 1000000000, not true"),
            ({"message": {"xp": 10**400}}, "message.xp must be a whole number from 0 to 1000000000, not 1000"),
            ({"message": {"xp": float("nan")}}, "message.xp must be a whole number from 0 to 1000000000, not NaN"),
            ({"voice": {"xp": {"min": 1}}}, "voice.xp.max must be a whole number from 0 to 1000000000, not missing"),
            ({"multipliers": {"stacking": ["sum"]}}, 'multipliers.stacking must be max, sum or product, not ["sum"]'),
            ({"multipliers": {"roles": {"r": True}}}, "multipliers.roles.r must be a number from 0 to 1000 with six decimals at most, not true"),
            ({"rewards": [{"level": 5, "role": 7}]}, "rewards[0].role must be an id: a text of 1 to 64 of A-Z a-z 0-9 _ - ., not 7"),
            ({"no_xp": {"users": []}}, "no_xp.users is no field of the rules: use roles, channels"),
        ]
        for document, message in wrong:
            with self.assertRaises(InvalidInputError) as refused:
                parse_rules(document)
            self.assertTrue(str(refused.exception).startswith(message), refused.exception)
            self.assertLess(len(str(refused.exception)), 200)

    def test_rules_refuse_ids_that_are_numbers_and_other_kinds(self) -> None:
        rules = parse_rules({"no_xp": {"roles": ["7"]}})
        numbers: Any = [7]
        calls: dict[str, Callable[[], object]] = {
            "kind": lambda: xp_for(rules, "reaction", roles=[], channel="c"),  # type: ignore[arg-type]
            "roles": lambda: xp_for(rules, "message", roles=numbers, channel="c"),
            "parents": lambda: xp_for(rules, "message", roles=[], channel="c", parents=numbers),
        }
        for name, call in calls.items():
            with self.assertRaisesRegex(InvalidInputError, f"^{name} must be "):
                call()
        with self.assertRaisesRegex(InvalidInputError, "^roles must be "):
            reward_roles(rules, 5, numbers)

    def test_rules_refuse_none_and_other_types_and_name_the_argument(self) -> None:
        rules = parse_rules({"voice": {"xp": 1}})
        anything: Any = None
        flag: Any = True
        text: Any = "x"
        calls: list[tuple[str, Callable[[], object]]] = [
            ("rules must be what parse_rules", lambda: xp_for(anything, "message", roles=[], channel="c")),
            ("rules must be what parse_rules", lambda: reward_roles(anything, 1, [])),
            ("roles must be a list", lambda: xp_for(rules, "message", roles=anything, channel="c")),
            ("roles must be a list", lambda: xp_for(rules, "message", roles="7", channel="c")),
            ("roles must be a list", lambda: reward_roles(rules, 1, anything)),
            ("parents must be a list", lambda: xp_for(rules, "message", roles=[], channel="c", parents="7")),
            ("channel must be an id, a text", lambda: xp_for(rules, "message", roles=[], channel=anything)),
            ("chars must be a number from 0 on, not 'x'", lambda: xp_for(rules, "message", roles=[], channel="c", chars=text)),
            ("chars must be a number from 0 on, not -1", lambda: xp_for(rules, "message", roles=[], channel="c", chars=-1)),
            ("rules must be what parse_rules", lambda: xp_for(replace(rules, message=anything), "message", roles=[], channel="c")),
            ("rules must be what parse_rules", lambda: reward_roles(replace(rules, rewards=(anything,)), 1, [])),
            ("voice must be a VoiceState", lambda: xp_for(rules, "voice", roles=[], channel="c", voice=flag)),
            ("level must be a number", lambda: reward_roles(rules, anything, [])),
            ("text must be a text", lambda: plain_text(anything)),
        ]
        for message, call in calls:
            with self.assertRaisesRegex(InvalidInputError, f"^{message}"):
                call()

    def test_a_text_that_no_channel_or_role_has_counts_for_nothing(self) -> None:
        rules = parse_rules({"message": {"xp": 5}, "no_xp": {"roles": ["7"], "channels": ["c"]}})
        for text in ("", "a b", "ä"):
            self.assertIsNone(xp_for(rules, "message", roles=[text], channel=text, parents=[text]).reason)
            self.assertEqual(reward_roles(rules, 5, [text]).remove, ())

    def test_parents_and_states_of_voice_that_are_none_count_for_nothing(self) -> None:
        nothing: Any = None
        voice = VoiceState(deafened=nothing, muted=nothing)
        rules = parse_rules({"voice": {"xp": 10}})
        for parents in ([None], None, [None, "x", None]):
            self.assertIsNone(xp_for(rules, "voice", roles=[], channel="c", parents=parents, voice=voice).reason)
        self.assertIsNone(xp_for(rules, "voice", roles=[], channel="c", voice=None).reason)

    def test_a_name_cannot_change_the_text_around_it(self) -> None:
        # test/unit/pictures/plain-text.test.ts has the same names.
        names = {
            "[Free Nitro](https://evil.example)": r"\[Free Nitro\]\(https\:\/\/evil\.example\)",
            "@everyone <@1>": r"\@everyone \<\@1\>",
            "\u202eabc": "abc",
            "a\n# b": r"a \# b",
            "x" + "\u0301" * 50: "x" + "\u0301" * 4,
            "\ud800": "\ufffd",
            " \u0085": "",
        }
        self.assertEqual({name: plain_text(name) for name in names}, names)

    def test_rules_read_the_states_of_voice_by_their_names(self) -> None:
        rules = parse_rules(json.dumps({"voice": {"xp": 10, "counts": {"muted": True}}}))
        reasons = [
            xp_for(rules, "voice", roles=[], channel="c", voice=state).reason
            for state in (VoiceState(), VoiceState(muted=True), VoiceState(muted=True, afk=True), VoiceState(alone=True, afk=True))
        ]
        self.assertEqual(reasons, [None, None, "afk", "alone"])


if __name__ == "__main__":
    unittest.main()
