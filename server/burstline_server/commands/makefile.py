"""Makefiles: variables, conditions and rules as far as they are written out in the file and in what it includes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from burstline_server.commands.command import Command, flags_of
from burstline_server.commands.shell_words import (
    HOLE,
    MAX_LINE,
    MAX_TEXT,
    NAMES_COMPILER,
    base_name,
    commands_in,
    expanded,
    is_compiler,
    is_compiler_variable,
    logical_lines,
)

MAX_INCLUDED = 8
MAX_RECIPES = 2_000
MAX_LOOKED_AT = 100_000
"""Most lines that are looked through for the compiler's name, over all conditions of a Makefile."""
MAX_CONDITION = 400
"""Longest condition, in characters."""
_ASSIGNED = re.compile(r"\s*(?:export\s+|override\s+)*([\w.-]+)\s*(\?|\+|::?)?=\s*(.*)")
_CONDITION = re.compile(r"\s*(?:else\s+)?(ifeq|ifneq|ifdef|ifndef)\b\s*(.*)")
_TURN = re.compile(r"\s*(ifeq|ifneq|ifdef|ifndef|else|endif)\b")
_ARGUMENTS = re.compile(r"\s*(?:\((.*),(.*)\)|\"(.*)\"\s+\"(.*)\"|'(.*)'\s+'(.*)')\s*(?:#.*)?")
_PLAIN = re.compile(r"[\w.-]+")

Reader = Callable[[Path], str | None]
"""The text of a further file; None where it cannot be read."""


@dataclass(slots=True)
class _Rule:
    targets: str = ""
    needs: str = ""


@dataclass(slots=True)
class _Line:
    path: Path
    number: int
    text: str
    rule: _Rule


@dataclass(slots=True)
class _Make:
    """One Makefile with what it includes."""

    folder: Path
    read: Reader
    given: dict[str, str]
    """Variables that the command line must give, or the compiler is never named."""
    values: dict[str, str] = field(default_factory=dict)
    defaults: set[str] = field(default_factory=set)
    """Variables that `?=` sets: a build may give others."""
    own: dict[str, list[tuple[str, str, str]]] = field(default_factory=dict)
    """Variables of single targets."""
    recipes: list[_Line] = field(default_factory=list)
    included: int = 0
    compilers: set[str] = field(default_factory=set)
    looked_at: int = 0
    text_left: int = MAX_TEXT

    def value_of(self, name: str) -> str | None:
        """A variable's value as it is written."""
        if name in self.given:
            return self.given[name]
        if name in {"CURDIR", "PWD", "shell pwd"}:
            return str(self.folder)
        if name in self.values:
            return self.values[name]
        return "aoc" if is_compiler_variable(name) else None

    def take(self, path: Path, text: str) -> None:
        """Read a file."""
        lines = list(logical_lines(text))
        self._find_compilers(lines)
        rule = _Rule()
        states: list[tuple[bool, bool]] = []  # whether lines count here, and whether a branch of the condition did
        for index, (number, line) in enumerate(lines):
            turn = _TURN.match(line)
            if turn is not None:
                self._turn(turn[1], line, states, lines, index)
            elif _counts(states):
                rule = self._line(path, number, line, rule)

    def _find_compilers(self, lines: Sequence[tuple[int, str]]) -> None:
        for _, line in lines:
            match = _ASSIGNED.match(line)
            words = match[3].split() if match is not None else ()
            if match is not None and words and is_compiler(words[0]):
                self.compilers.add(match[1])

    def _turn(
        self, word: str, line: str, states: list[tuple[bool, bool]], lines: Sequence[tuple[int, str]], index: int
    ) -> None:
        if word == "endif":
            if states:
                states.pop()
            return
        if word == "else":
            if not states:
                return
            _, done = states.pop()
        else:
            done = False
        condition = _CONDITION.match(line)
        asked = not done and _counts(states)
        holds = asked and (condition is None or self._holds(condition[1], condition[2], lines, index))
        states.append((holds, done or holds))

    def _holds(self, kind: str, text: str, lines: Sequence[tuple[int, str]], index: int) -> bool:
        """Whether a condition holds: as make has it, or because the compiler is named under it alone."""
        if kind in {"ifdef", "ifndef"}:
            name = text.split("#", maxsplit=1)[0].strip()
            defined = bool(self.value_of(name))
            if kind == "ifdef" and not defined and name not in self.values and self._needed(lines, index):
                self.given[name] = "1"
                defined = True
            return defined == (kind == "ifdef")
        sides = _ARGUMENTS.fullmatch(text[:MAX_CONDITION])
        if sides is None:
            return False
        left, right = [side.strip() for side in sides.groups() if side is not None][:2]
        one, other = (expanded(side, self._or_empty) for side in (left, right))
        if HOLE in one + other:
            return self._needed(lines, index)
        same = one == other
        name = left.strip("$(){} ")
        if kind == "ifeq" and not same and _PLAIN.fullmatch(name) and left.startswith("$"):
            unknown = name not in self.values and name not in self.given
            if unknown and self._needed(lines, index):
                self.given[name] = other
                same = True
        return same == (kind == "ifeq")

    def _or_empty(self, name: str) -> str | None:
        """A variable's value; one that nobody sets is empty, what a function would find is not known."""
        value = self.value_of(name)
        return "" if value is None and _PLAIN.fullmatch(name) else value

    def _needed(self, lines: Sequence[tuple[int, str]], index: int) -> bool:
        """Whether the compiler is named in the branch that begins on a line, and in no other of its condition."""
        depth, first, here = 0, True, False
        for number in range(index + 1, len(lines)):
            self.looked_at += 1
            if self.looked_at > MAX_LOOKED_AT:
                return False
            line = lines[number][1]
            turn = _TURN.match(line)
            word = turn[1] if turn is not None else ""
            if word == "endif" and depth == 0:
                break
            if word == "else" and depth == 0:
                first = False
            else:
                depth += (word == "endif") * -1 + (word.startswith("if"))
            if not word and self._names_compiler(line):
                if not first:
                    return False
                here = True
        return here

    def _names_compiler(self, line: str) -> bool:
        text = line.split("#", maxsplit=1)[0]
        used = re.findall(r"\$[({](\w+)[)}]", text)
        return NAMES_COMPILER.search(text) is not None or any(name in self.compilers for name in used)

    def _line(self, path: Path, number: int, line: str, rule: _Rule) -> _Rule:
        if line.startswith("\t") and rule.targets:
            if len(self.recipes) < MAX_RECIPES:
                self.recipes.append(_Line(path, number, line.strip(), rule))
            return rule
        line = re.sub(r"(?<!\\)#.*", "", line)
        words = line.split()
        if words and words[0] in {"include", "-include", "sinclude"}:
            for name in expanded(" ".join(words[1:]), self.value_of).split():
                self._include(name)
            return rule
        match = _ASSIGNED.match(line)
        if match is not None:
            self._assign(match[1], match[2] or "", match[3].strip())
            return rule
        found = _rule_of(line)
        if found is None:
            return rule
        targets, behind = found
        own = _ASSIGNED.match(behind)
        if own is not None:
            for target in expanded(targets, self.value_of).split():
                self.own.setdefault(target, []).append((own[1], own[2] or "", own[3].strip()))
            return rule
        needs, _, command = behind.partition(";")
        rule = _Rule(targets, needs.split("|")[0])
        if command.strip():
            self.recipes.append(_Line(path, number, command.strip(), rule))
        return rule

    def _assign(self, name: str, how: str, value: str) -> None:
        if how == "?":
            if name not in self.values:
                self.defaults.add(name)
                self.values[name] = value
        elif how == "+":
            self.values[name] = f"{self.values.get(name, '')} {value}".strip()
        else:
            self.defaults.discard(name)
            before = self.values.get(name, "")
            own = (f"$({name})", f"${{{name}}}")
            for reference in own:
                value = value.replace(reference, before)
            self.values[name] = value

    def _include(self, name: str) -> None:
        if self.included >= MAX_INCLUDED or HOLE in name:
            return
        self.included += 1
        path = Path(os.path.normpath(self.folder / name))
        text = self.read(path)
        if text is not None:
            self.take(path, text)

    def commands(self) -> Iterator[Command]:
        """The compiler's command lines of all recipes."""
        for line in self.recipes:
            if self._names_compiler(line.text) or "$" in line.text:
                yield from self._of(line, loose=False)
                if self.defaults:
                    yield from self._of(line, loose=True)

    def _of(self, line: _Line, *, loose: bool) -> Iterator[Command]:
        """Those of a line; `loose`, with the sources that values in place of the defaults would give."""
        values = self._target_values(line.rule)
        hidden = self.defaults if loose else ()
        needs = [
            w.replace("%", HOLE) for w in expanded(line.rule.needs, lambda n: self._value(n, values, hidden)).split()
        ]
        targets = [
            w.replace("%", HOLE) for w in expanded(line.rule.targets, lambda n: self._value(n, values, ())).split()
        ]
        automatic = {
            "<": needs[0] if needs else HOLE, "^": " ".join(needs), "+": " ".join(needs), "?": " ".join(needs),
            "@": targets[0] if targets else HOLE, "*": HOLE, "<F": base_name(needs[0]) if needs else HOLE,
        }  # fmt: skip
        values = {**values, **automatic}
        text = expanded(line.text.lstrip("@-+ "), lambda n: self._value(n, values, ()))
        self.text_left -= len(text)
        if self.text_left < 0:
            return
        for folder, words in commands_in(text, comments=False):
            flags = flags_of(words)
            if flags.sources:
                yield Command(line.path, line.number, self.folder / folder, flags)

    def _target_values(self, rule: _Rule) -> dict[str, str]:
        found: dict[str, str] = {}
        for target in expanded(rule.targets, self.value_of).split() if self.own else ():
            for name, how, value in self.own.get(target, ()):
                before = found.get(name, self.value_of(name) or "")
                found[name] = f"{before} {value}".strip() if how == "+" else value
        return found

    def _value(self, name: str, values: dict[str, str], hidden: Sequence[str] | set[str]) -> str | None:
        return HOLE if name in hidden else values[name] if name in values else self.value_of(name)


def _counts(states: Sequence[tuple[bool, bool]]) -> bool:
    return states[-1][0] if states else True


def _rule_of(line: str) -> tuple[str, str] | None:
    """The targets of a rule and what follows its colon."""
    depth = 0
    for place, sign in enumerate(line[:MAX_LINE]):
        depth += (sign in "({") - (sign in ")}")
        if sign == ":" and depth <= 0:
            behind = line[place + 1 :].lstrip(":")
            return None if behind.startswith("=") or not line[:place].strip() else (line[:place], behind.strip())
    return None


def makefile_commands(path: Path, text: str, read: Reader) -> list[Command]:
    """The compiler's command lines of a Makefile. It is not run, and no shell is asked."""
    if "$" not in text and NAMES_COMPILER.search(text) is None:
        return []
    given: dict[str, str] = {}
    for _ in range(3):  # what one condition needs may decide one before it
        before = dict(given)
        make = _Make(path.parent, read, given)
        make.take(path, text)
        if given == before:
            break
    return list(make.commands())
