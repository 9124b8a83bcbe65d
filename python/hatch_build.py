"""Writes the Lua scripts into the package before a build: each with what it includes, as `src/core/store/scripts.ts` makes it for Node."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).resolve().parent
# What only other files include: parts of libraries, and the commands of batch.lua.
PARTS = ("lib-", "command-")


class LuaHook(BuildHookInterface):
    """Runs before each build. A source distribution has the scripts already."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if not (HERE / "PKG-INFO").exists():
            write_scripts(assembled(HERE.parent / "src/core"), HERE / "src/guildrank/lua")


def assembled(sources: Path) -> dict[str, str]:
    """Returns the complete text of each script in a folder of sources, by the name of its file without its ending.

    A line `--- @include NAME` stands for the file of that name, in any folder. A file that was included before stands for nothing.
    """
    files: dict[str, Path] = {}
    for file in sorted(sources.rglob("*.lua")):
        if file.stem in files:
            raise ValueError(f"{file} and {files[file.stem]} have one name: rename one, because scripts are known by their names")
        files[file.stem] = file
    if not files:
        raise FileNotFoundError(f"{sources} has no Lua scripts: build from a clone of the repository, or from a source distribution")

    def text_of(name: str, included: set[str]) -> str:
        included.add(name)

        def replace(line: re.Match[str]) -> str:
            return "" if line[1] in included else text_of(line[1], included)

        # As bytes, so that ends of lines stay as they are.
        return re.sub(r"^--- @include (\S+)$", replace, files[name].read_bytes().decode(), flags=re.MULTILINE)

    return {name: text_of(name, set()) for name in files if not name.startswith(PARTS)}


def write_scripts(texts: dict[str, str], target: Path) -> None:
    """Writes scripts into a folder, each at once, so that two builds at a time do not disturb each other. Removes other scripts."""
    target.mkdir(exist_ok=True)
    for name, text in texts.items():
        file = target / f"{name}.lua"
        if not (file.exists() and file.read_bytes() == text.encode()):
            unfinished = target / f".{name}.{os.getpid()}"
            unfinished.write_bytes(text.encode())
            unfinished.replace(file)
    for file in target.glob("*.lua"):
        if file.stem not in texts:
            file.unlink(missing_ok=True)
