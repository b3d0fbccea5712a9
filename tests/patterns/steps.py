"""How many steps a backtracking matcher takes: the same search as `re` makes, written again so that it can be counted.

`re` has no counter. This machine walks the parse tree that `re` itself makes of a pattern, tries what `re` tries in the
same order, and counts each instruction, each character that is tested and each return to a choice. What it matches is
compared with what `re` matches (`test_patterns.py`), so what is counted is the search that `re` makes. `re` leaves out
some steps that can lead nowhere, as where a pattern begins with a letter that is not there; it never takes more.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

PARSER: Any = import_module("re._parser")
COMPILER: Any = import_module("re._compiler")
C: Any = import_module("re._constants")
"""The part of `re` that reads patterns: not public, and the only judge of what a pattern means."""
SINGLE = frozenset({C.LITERAL, C.NOT_LITERAL, C.ANY, C.IN})
"""What matches exactly one character."""
REPEATS = frozenset({C.MAX_REPEAT, C.MIN_REPEAT, C.POSSESSIVE_REPEAT})
NO_LIMIT = 1 << 62
ASCII, MULTILINE = int(re.ASCII), int(re.MULTILINE)
"""As plain numbers: the sum of two flags is looked up in a table, and that of two numbers is not."""
NOWHERE = (-1, -1)

Tree = Any
"""A sequence of pairs of an operation and what it is applied to."""
Groups = tuple[tuple[int, int], ...]
"""The span of each group, from that of the whole match on."""
Loops = tuple[tuple[int, int], ...]
"""How often each repeat of more than one character has matched, and where it last began."""


class TooManyStepsError(Exception):
    """A search took more steps than it was given."""


class Characters(dict[str, bool]):
    """Whether a node of a parse tree matches a character, asked of `re` once for each character."""

    def __init__(self, flags: int, op: Any, argument: Any) -> None:
        super().__init__()
        state = PARSER.State()
        state.flags = flags
        self.matches = COMPILER.compile(PARSER.SubPattern(state, [(op, argument)]), flags).match

    def __missing__(self, character: str) -> bool:
        self[character] = known = self.matches(character) is not None
        return known


def tree_of(pattern: re.Pattern[Any]) -> Tree:
    """The parse tree of a pattern; one of bytes is read as one of the characters with the same numbers."""
    if isinstance(pattern.pattern, bytes):
        return PARSER.parse(pattern.pattern.decode("latin-1"), pattern.flags | re.ASCII)
    return PARSER.parse(pattern.pattern, pattern.flags)


Choice = tuple[int, int, Groups, Loops, int, int, Characters | None]
"""What is to be tried when everything behind it has failed: the place in the program and in the text, groups and loops;
then -1 or 1 where a repeat of one character may give one back or take one more after that, how far, and of which."""


@dataclass(slots=True)
class Thread:
    """One run of a program over a text."""

    machine: Machine
    text: str
    at: int
    groups: Groups
    loops: Loops
    refused: int = -1
    """Where the match may not end: no empty match stands where another has just stood."""
    whole: bool = False
    here: int = 0
    choices: list[Choice] = field(default_factory=list)

    def run(self, code: Code) -> bool:
        """Whether the program matches; `at` is then where the match ends."""
        machine, last, most = self.machine, len(code), self.machine.most
        while True:
            machine.steps += 1
            if machine.steps > most:
                raise TooManyStepsError
            if self.here == last:
                if self.at != self.refused and not (self.whole and self.at < len(self.text)):
                    return True
            elif code[self.here](self):
                continue
            if not self.choices:
                return False
            self.back()

    def back(self) -> None:
        """Return to the last choice."""
        choice = self.choices.pop()
        self.here, self.at, self.groups, self.loops, direction, limit, characters = choice
        if direction and self.at != limit and (characters is None or characters[self.text[self.at]]):
            further = self.at + direction
            self.choices.append((self.here, further, self.groups, self.loops, direction, limit, characters))

    def choose(self, here: int, loops: Loops | None = None) -> None:
        """Remember another way."""
        self.choices.append((here, self.at, self.groups, self.loops if loops is None else loops, 0, 0, None))

    def go(self, here: int, loop: int, value: tuple[int, int]) -> None:
        self.here, self.loops = here, put(self.loops, loop, value)

    def inner(self, code: Code, at: int) -> Thread | None:
        """Another program, run from a place; None when it does not match there."""
        thread = Thread(self.machine, self.text, at, self.groups, self.loops)
        return thread if thread.run(code) else None


Instruction = Callable[[Thread], bool]
"""One step: moves the thread on, and says whether it may go on."""
Code = list[Instruction]
Test = Callable[[str, int], bool]
"""Whether something holds at a place of a text."""


def put(spans: tuple[tuple[int, int], ...], index: int, value: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    return (*spans[:index], value, *spans[index + 1 :])


@dataclass
class Machine:
    """One pattern, made ready to be matched step by step. Beyond `most` steps every match raises TooManyStepsError."""

    pattern: re.Pattern[Any]
    most: int = NO_LIMIT
    steps: int = 0

    def __post_init__(self) -> None:
        assembler = Assembler()
        self.code = assembler.program(tree_of(self.pattern), self.pattern.flags)
        self.loops = (NOWHERE,) * assembler.loops
        self.groups = (NOWHERE,) * (self.pattern.groups + 1)
        self.first = assembler.firsts.get(self.code[0]) if self.code else None

    def step(self, count: int = 1) -> None:
        self.steps += count
        if self.steps > self.most:
            raise TooManyStepsError

    def finditer(self, text: str) -> list[Groups]:
        """The groups of every match from left to right, as `finditer`, `findall`, `sub` and `split` look for them."""
        matches: list[Groups] = []
        at, refused = 0, -1
        while at <= len(text):
            if self.first and not self.first(text, at):
                self.step()
                at, refused = at + 1, -1
            elif match := self.match(text, at, refused):
                matches.append(match)
                at, refused = match[0][1], match[0][1] if match[0][0] == match[0][1] else -1
            else:
                at, refused = at + 1, -1
        return matches

    def match(self, text: str, at: int = 0, refused: int = -1, *, whole: bool = False) -> Groups | None:
        """The match that begins at a place, unless it ends at the place that is refused."""
        thread = Thread(self, text, at, self.groups, self.loops, refused, whole)
        return put(thread.groups, 0, (at, thread.at)) if thread.run(self.code) else None


@dataclass
class Assembler:
    """Makes a program of a parse tree."""

    loops: int = 0
    code: Code = field(default_factory=list)
    firsts: dict[Instruction, Test] = field(default_factory=dict)
    """Instructions that only look at one place: what has to hold there."""

    def program(self, tree: Tree, flags: int) -> Code:
        """A program of its own: what it has matched is not tried again in another way."""
        outer, self.code = self.code, []
        self.sequence(tree, flags)
        code, self.code = self.code, outer
        return code

    def sequence(self, tree: Tree, flags: int) -> None:
        for op, argument in tree:
            self.node(op, argument, flags)

    def node(self, op: Any, argument: Any, flags: int) -> None:
        if op in SINGLE:
            self.test(one_character, is_one(Characters(flags, op, argument)))
        elif op is C.AT:
            self.test(place, PLACES[argument](flags))
        elif op is C.SUBPATTERN:
            self.group(flags, *argument)
        elif op is C.BRANCH:
            self.branch(argument[1], flags)
        elif op in REPEATS:
            self.repeat(flags, op, *argument)
        elif op is C.ATOMIC_GROUP:
            self.code.append(atomic(self.program(argument, flags), 1, 1))
        elif op in (C.ASSERT, C.ASSERT_NOT):
            direction, tree = argument
            back = tree.getwidth()[0] if direction < 0 else 0
            self.code.append(look(self.program(tree, flags), back, op is C.ASSERT))
        elif op is C.GROUPREF:
            self.code.append(reference(argument))
        else:
            raise NotImplementedError(f"the counter does not know the operation {op} yet")

    def test(self, kind: Callable[[Test], Instruction], holds: Test) -> None:
        self.code.append(kind(holds))
        self.firsts[self.code[-1]] = holds

    def group(self, flags: int, number: int | None, added: int, removed: int, tree: Tree) -> None:
        if number is not None:
            self.code.append(mark(number, 0))
        self.sequence(tree, (flags | added) & ~removed)
        if number is not None:
            self.code.append(mark(number, 1))

    def branch(self, ways: list[Tree], flags: int) -> None:
        ends, starts = [], []
        for way in ways[:-1]:
            starts.append(len(self.code))
            self.code.append(jump(len(self.code)))
            self.sequence(way, flags)
            ends.append(len(self.code))
            self.code.append(jump(len(self.code)))
        starts.append(len(self.code))
        self.sequence(ways[-1], flags)
        for end in ends:
            self.code[end] = jump(len(self.code))
        tests = [self.firsts.get(self.code[start + 1]) for start in starts[:-1]]
        for index, start in enumerate(starts[:-1]):
            self.code[start] = either(starts[index:], tests[index:])

    def repeat(self, flags: int, op: Any, low: int, high: Any, tree: Tree) -> None:
        high = NO_LIMIT if high == PARSER.MAXREPEAT else int(high)
        if len(tree) == 1 and tree[0][0] in SINGLE:
            self.code.append(ONE_REPEATED[op](Characters(flags, *tree[0]), low, high))
        elif op is C.POSSESSIVE_REPEAT:
            self.code.append(atomic(self.program(tree, flags), low, high))
        else:
            loop, self.loops = self.loops, self.loops + 1
            start = len(self.code) + 1
            self.code += [begin(loop), jump(start)]
            self.sequence(tree, flags)
            self.code.append(jump(start))
            self.code[start] = repeat(op is C.MAX_REPEAT, loop, low, high, start + 1, len(self.code))


def is_one(characters: Characters) -> Test:
    return lambda text, at: at < len(text) and characters[text[at]]


def one_character(holds: Test) -> Instruction:
    def instruction(thread: Thread) -> bool:
        good = holds(thread.text, thread.at)
        thread.at += 1
        thread.here += 1
        return good

    return instruction


WORD = {flag: Characters(flag or int(re.UNICODE), C.IN, [(C.CATEGORY, C.CATEGORY_WORD)]) for flag in (0, ASCII)}


def boundary(flags: int) -> Test:
    word = WORD[flags & ASCII]
    return lambda text, at: (at > 0 and word[text[at - 1]]) != (at < len(text) and word[text[at]])


def no_boundary(flags: int) -> Test:
    holds = boundary(flags)
    return lambda text, at: not holds(text, at)


def beginning(flags: int) -> Test:
    lines = bool(flags & MULTILINE)
    return lambda text, at: at == 0 or (lines and text[at - 1] == "\n")


def end(flags: int) -> Test:
    lines = bool(flags & MULTILINE)
    return lambda text, at: at == len(text) or (text[at] == "\n" and (lines or at == len(text) - 1))


PLACES: dict[Any, Callable[[int], Test]] = {
    C.AT_BEGINNING: beginning,
    C.AT_BEGINNING_STRING: lambda _flags: lambda _text, at: at == 0,
    C.AT_END: end,
    C.AT_END_STRING: lambda _flags: lambda text, at: at == len(text),
    C.AT_BOUNDARY: boundary,
    C.AT_NON_BOUNDARY: no_boundary,
}


def place(holds: Test) -> Instruction:
    def instruction(thread: Thread) -> bool:
        thread.here += 1
        return holds(thread.text, thread.at)

    return instruction


def mark(group: int, side: int) -> Instruction:
    def instruction(thread: Thread) -> bool:
        first, last = thread.groups[group]
        thread.groups = put(thread.groups, group, (first, thread.at) if side else (thread.at, last))
        thread.here += 1
        return True

    return instruction


def jump(there: int) -> Instruction:
    def instruction(thread: Thread) -> bool:
        thread.here = there
        return True

    return instruction


def either(ways: list[int], tests: list[Test | None]) -> Instruction:
    """The ways of a branch, from one of them to the last. Those that fail on what they test first are passed over at
    once; each of them counts as it would: once for the choice, and once for the test."""
    last = len(ways) - 1

    def instruction(thread: Thread) -> bool:
        text, at, index = thread.text, thread.at, 0
        while index < last and (holds := tests[index]) and not holds(text, at):
            index += 1
        if index == last:
            thread.machine.step(2 * index - 1)
            thread.here = ways[last]
        else:
            thread.machine.step(2 * index)
            thread.choose(ways[index + 1])
            thread.here = ways[index] + 1
        return True

    return instruction


def as_many(characters: Characters, low: int, high: int, *, give_back: bool = True) -> Instruction:
    def instruction(thread: Thread) -> bool:
        start = at = thread.at
        stop = min(len(thread.text), at + high)
        while at < stop and characters[thread.text[at]]:
            at += 1
        thread.machine.step(at - start)
        thread.here += 1
        thread.at = at
        if give_back and at > start + low:
            thread.choices.append((thread.here, at - 1, thread.groups, thread.loops, -1, start + low, None))
        return at - start >= low

    return instruction


def as_few(characters: Characters, low: int, high: int) -> Instruction:
    def instruction(thread: Thread) -> bool:
        least = as_many(characters, low, low, give_back=False)
        start = thread.at
        if not least(thread):
            return False
        limit = min(len(thread.text), start + high)
        if thread.at < limit and characters[thread.text[thread.at]]:
            thread.choices.append((thread.here, thread.at + 1, thread.groups, thread.loops, 1, limit, characters))
        return True

    return instruction


ONE_REPEATED: dict[Any, Callable[[Characters, int, int], Instruction]] = {
    C.MAX_REPEAT: as_many,
    C.MIN_REPEAT: as_few,
    C.POSSESSIVE_REPEAT: lambda characters, low, high: as_many(characters, low, high, give_back=False),
}


def begin(loop: int) -> Instruction:
    def instruction(thread: Thread) -> bool:
        thread.go(thread.here + 1, loop, NOWHERE)
        return True

    return instruction


def repeat(greedy: bool, loop: int, low: int, high: int, body: int, behind: int) -> Instruction:
    def instruction(thread: Thread) -> bool:
        count, last = thread.loops[loop]
        count += 1
        if count < low:
            thread.go(body, loop, (count, last))
        elif count >= high or thread.at == last:  # a body that matched nothing is not repeated
            thread.here = behind
        elif greedy:
            thread.choose(behind)
            thread.go(body, loop, (count, thread.at))
        else:
            thread.choose(body, put(thread.loops, loop, (count, thread.at)))
            thread.here = behind
        return True

    return instruction


def atomic(part: Code, low: int, high: int) -> Instruction:
    def instruction(thread: Thread) -> bool:
        count, still = 0, False
        while count < high and not still and (inner := thread.inner(part, thread.at)):
            still = inner.at == thread.at and count >= low
            thread.at, thread.groups = inner.at, inner.groups
            count += 1
        thread.here += 1
        return count >= low

    return instruction


def look(part: Code, back: int, wanted: bool) -> Instruction:
    def instruction(thread: Thread) -> bool:
        inner = thread.inner(part, thread.at - back) if thread.at >= back else None
        thread.here += 1
        if inner and wanted:
            thread.groups = inner.groups
        return (inner is not None) == wanted

    return instruction


def reference(group: int) -> Instruction:
    def instruction(thread: Thread) -> bool:
        first, last = thread.groups[group]
        same = last >= first >= 0 and thread.text.startswith(thread.text[first:last], thread.at)
        thread.machine.step(max(last - first, 0))
        thread.at += last - first
        thread.here += 1
        return same

    return instruction
