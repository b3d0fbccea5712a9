"""Catalogue of the strings that a user can see, and the unidiomatic turns in them.

`python -m tests.words` prints the catalogue, `python -m tests.words --turns` only strings with an unidiomatic turn.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.places import ROOT

PACKAGE = ROOT / "inspector"
_MIN_WORDS = 3
_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]+")
_PATTERN = re.compile(r"\(\?|\\[bdsSwW]|\[\^")
"""Regular expressions are not prose."""
NOT_FOR_USERS = (
    "analysis/experiments/needles/",  # made-up conversations
    "analysis/redaction/",  # lists of words
    "engine/facts/",  # patterns and lists of words
    "engine/summaries/model/prompt.py",  # text for models
    "llm/providers/sample_conversation.py",  # a made-up conversation
    "memory/working_memory/",  # text for models
    "memory/shared/",  # text for models, made-up conversations
    "store/memory_schema.py",  # declarations of tables, which are never edited
    "store/migrations.py",
    "store/plan_schema.py",
)
"""Modules whose long strings are not displayed, except names and descriptions in `engine/facts/classes.py`."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A kind of unidiomatic turn.

    Args:
        name: Name of the kind, with the better wording.
        pattern: Matches the turn.
        bad: Example with the turn.
        good: The same statement without it.
    """

    name: str
    pattern: re.Pattern[str]
    bad: str
    good: str


def _turn(name: str, pattern: str, bad: str, good: str) -> Turn:
    return Turn(name, re.compile(pattern, re.IGNORECASE), bad, good)


TURNS = (
    _turn(
        "clause in place of a noun",
        r"(?:^|[.:;,] |\band )(?:what|who|how much) (?:is|was|are|were|it|they|the|has|had|came|left)\b(?![^.]*\?)",
        "What it kept cannot be known.",
        "Its contents are unknown.",
    ),
    _turn("stands (is, has)", r"\b(?:stands?|stood)\b", "It stands in the file.", "It is in the file."),
    _turn("tells (states, shows)", r"\b(?:tells?|told)\b", "It is told in #58.", "It is stated in #58."),
    _turn("said (stated)", r"\b(?:is|are|was|were|be|been) said\b", "The rest is said below.", "The rest is below."),
    _turn("behind (after)", r"\bbehind\b", "Put it behind the command.", "Put it after the command."),
    _turn("beside (next to)", r"\bbeside\b", "A file beside the store.", "A file next to the store."),
    _turn("nobody (no one)", r"\bnobody\b", "Nobody has counted them.", "They are not counted."),
    _turn("anew (again)", r"\banew\b", "It is read anew.", "It is read again."),
    _turn("mend (repair)", r"\bmend(?:s|ed|ing)?\b", "Mend the file first.", "Repair the file first."),
    _turn("all the same (anyway)", r"\ball the same\b", "Press q to quit all the same.", "Press q to quit anyway."),
    _turn("but for (except)", r"\bbut for\b", "The same but for its size.", "The same except its size."),
    _turn(
        "take out, off, away (remove)",
        r"\b(?:takes?|taken|took|taking) (?:it |them |this |that )?(?:out|off|away|back)\b",
        "Nothing was taken out.",
        "Nothing was removed.",
    ),
    _turn(
        "leave (be removed)",
        r"\b(?:may not leave|has left the|have left the|had left|messages? left|who left)\b(?!=)",
        "105 messages left the window.",
        "105 messages were removed.",
    ),
    _turn(
        "key as a subject",
        r"(?:^|[.;:,] )\W?(?:[a-zA-Z!?]|esc|tab|enter) (?:goes|tries|picks|marks|takes|applies|sets|opens|shows) ",
        "Nothing yet: s tries a strategy.",
        "Nothing yet. s: try a strategy",
    ),
    _turn("goes there (jump to it)", r"\bgoes (?:there|to|on|back|by itself)\b", "r goes there.", "r: jump to it"),
    _turn(
        "would refuse, would take (reject, accept)",
        r"\b(?:would|does not|will) (?:refuse|take (?:this|it|the|every))\b",
        "A provider would refuse it.",
        "The provider would reject it.",
    ),
    _turn("where (if)", r"\b(?:null|empty|none|no one|0) where\b", "null where there is one", "null if there is one"),
    _turn("where there is no", r"\bwhere there (?:is|are)\b", "Used where there is a store.", "Used with a store."),
    _turn("word for word (verbatim)", r"\bword for word\b", "Kept word for word.", "Kept verbatim."),
    _turn(
        "is no (is not a)", r"\b(?:it|this|that|file|row) is no (?!longer|more)", "It is no file.", "It is not a file."
    ),
    _turn("put right (repair)", r"\bput right\b", "It is put right.", "It is repaired."),
    _turn("pass over (ignore)", r"\bpassed over\b", "The line is passed over.", "The line is ignored."),
    _turn("as it now stands, as it was", r"\bas it (?:now|was|stands)\b", "The window as it was.", "The old window."),
    _turn("one moment (still …)", r"\bone moment\b", "One moment: counting.", "Still counting …"),
    _turn("come in, come back (arrive, retrieve)", r"\bc[oa]mes? (?:in|back)\b", "It comes back.", "It is retrieved."),
    _turn("came to nothing", r"\bcame to nothing\b", "It came to nothing.", "It had no effect."),
    _turn("is meant", r"\b(?:is|are|was) (?:not )?meant\b(?! to\b)", "Another one is meant.", "It is another one."),
    _turn("of its own", r"\bof (?:its|their|your|his) own\b", "A line of its own.", "A separate line."),
    _turn("has to do with (matches)", r"\b(?:has|have|had) to do with\b", "It has to do with it.", "It matches."),
    _turn(
        "look for (search)",
        r"\blooked? (?:for|at) (?:here|by|in)\b|\blooked up again\b",
        "Looked for here.",
        "Searched.",
    ),
    _turn(
        "inverted: of … it is",
        r"(?:^|[.:;] )(?-i:Of) (?:it|what|those|an?|the|each)\b[^.]*, ",
        "Of it, 3 are new.",
        "3 are new.",
    ),
    _turn("by hand", r"\bby hand\b", "Pinned by hand.", "Pinned by the user."),
    _turn(
        "without fail, in vain", r"\b(?:in vain|for want of|lest|thereof|therein)\b", "It waits in vain.", "It waits."
    ),
)


@dataclass(frozen=True, slots=True)
class UserString:
    """A string that a user can see.

    Args:
        path: Module, relative to the package.
        line: Line number, from 1.
        text: The text, with `{}` for each value of an f-string.
    """

    path: str
    line: int
    text: str

    @property
    def room(self) -> str:
        """Name of the package or module at the top."""
        return self.path.split("/", 1)[0]

    def turns(self) -> list[str]:
        """Return the kinds of unidiomatic turns in the text."""
        return [turn.name for turn in TURNS if turn.pattern.search(self.text)]


def catalogue(package: Path = PACKAGE) -> Iterator[UserString]:
    """Yield the strings of at least three words that a user can see, in the order of their places."""
    for file in sorted(package.rglob("*.py")):
        path = file.relative_to(package).as_posix()
        if path != "engine/facts/classes.py" and path.startswith(NOT_FOR_USERS):
            continue
        found = set(_texts(ast.parse(file.read_text(encoding="utf-8"))))
        yield from (UserString(path, line, text) for line, text in sorted(found) if _is_prose(text))


def docstrings(package: Path = PACKAGE) -> Iterator[UserString]:
    """Yield all docstrings of the package."""
    for file in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = ast.get_docstring(node)
                if text:
                    yield UserString(file.relative_to(package).as_posix(), node.body[0].lineno, text)


def words(text: str) -> int:
    """Return the number of words in a text."""
    return len(_WORD.findall(text))


def _is_prose(text: str) -> bool:
    return words(text) >= _MIN_WORDS and " " in text.strip() and not _PATTERN.search(text)


def _texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the strings of a module with their lines, except docstrings."""
    hidden: set[int] = set()
    for node in ast.walk(tree):  # parents come before their children
        if isinstance(node, ast.Expr):
            hidden.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            hidden.update(map(id, node.values))
            yield (
                node.lineno,
                "".join(str(value.value) if isinstance(value, ast.Constant) else "{}" for value in node.values),
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in hidden:
            yield node.lineno, node.value


def main() -> None:
    """Print the catalogue, one string per line."""
    only_turns = "--turns" in sys.argv[1:]
    for string in catalogue():
        turns = string.turns()
        if turns or not only_turns:
            mark = f"  [{', '.join(turns)}]" if turns else ""
            print(f"inspector/{string.path}:{string.line}: {' '.join(string.text.split())}{mark}")


if __name__ == "__main__":
    main()
