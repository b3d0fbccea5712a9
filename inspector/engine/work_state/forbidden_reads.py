"""Rules that forbid to read a file: "Don't even read .env.production"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from inspector.core.conversation import Message, ToolCall
from inspector.core.text import lazy_pattern, word_set
from inspector.engine.commands import commands_in

_FORBIDS = lazy_pattern(
    r"(?i)(?:^|[,;:.] ?|\b(?:please|and|but|so|also|you) )(?:do not|don't|never|must not|mustn't|may not|should not"
    r"|shouldn't|you (?:can't|cannot)|avoid|not)(?: (?:even|ever|so much as|please|you|under any circumstances"
    r"|try to))* (?:read(?:ing)?|open(?:ing)?|view(?:ing)?|cat|print(?:ing)?|show(?:ing)?|dump(?:ing)?|display(?:ing)?"
    r"|(?:look|peek)(?:ing)? (?:at|in|into|inside))\b((?:[^,;:!?\n]|(?<=\w)[,;:](?=\w))*)"
)
_STAYS_OUT = lazy_pattern(r"(?i)\b(?:stay|keep|leave)\b(?: \w+){0,2}? (?:out of|away from|alone)\b([^,;:!?\n]*)")
_SECRET = lazy_pattern(
    r"(?i)(?:^|[/.])env(?:\.(?!example|sample|template|dist)|$)|secret|credential|passw|\.(?:pem|key|p12|pfx)$"
)
"""Path of a file with secrets, which may not be read if the agent is to stay out of it."""
_PATH = lazy_pattern(
    r"(?<![\w/.*@~-])(?:[\w.@~-]{0,60}/[\w./@-]{0,120}|\.env[\w.-]{0,40}|[\w-]{1,60}\.[A-Za-z]\w{0,9})(?![\w/])"
)
_READERS = word_set("cat head tail less more bat nl tac xxd strings base64 jq yq grep rg awk sed sort source .")
_READS_FILE = word_set("read readfile view cat open viewfile openfile")
_POINTS = lazy_pattern(r"(?i)(?:it|them|that|those|(?:that|this) (?:one|file))(?: (?:please|ever|at all))?")
"""A pronoun for files that were named before."""
_LETS = lazy_pattern(r"(?i)\b(?:without|unless|before|until|if|when)\b")


@lru_cache(maxsize=4_096)
def unreadable_in(rule: str) -> tuple[str, ...]:
    """Return the paths that a rule forbids to read; none for a rule with a condition."""
    text = rule.replace("’", "'") if not rule.endswith("?") else ""
    match = _FORBIDS.search(text)
    if match is None or _LETS.search(match[1]):
        out = _STAYS_OUT.search(text)
        return tuple(filter(_SECRET.search, _named_paths(out[1]))) if out and not _LETS.search(out[1]) else ()
    points = _POINTS.fullmatch(match[1].strip(" .!")) is not None
    return tuple(_named_paths(match[1])) or tuple(_named_paths(text[: match.start()]) if points else ())


def _named_paths(text: str) -> Iterator[str]:
    return (path.strip("`.") if "/" in path else path for path in _PATH.findall(text.rstrip(" .")))


def read_by(command: str) -> Iterator[str]:
    """Yield the paths of the files whose text a command shows."""
    for words, _ in commands_in(command):
        if words[0].rsplit("/", 1)[-1] in _READERS:
            yield from (word for word in words[1:] if not word.startswith("-"))


def read_in(message: Message, call: str) -> str:
    """Return the path of the file that a call of a reading tool in a message shows; "" for any other call.

    Raises:
        OSError: If the message can no longer be read.
    """
    part = next((part for part in message.parts if isinstance(part, ToolCall) and part.id == call), None)
    name = part.name.rpartition("__")[2].lower().replace("_", "") if part else ""
    path = _ARGUMENT.search(part.arguments) if part and name in _READS_FILE else None
    return path[1] if path else ""


def is_unreadable(path: str, forbidden: Sequence[str]) -> bool:
    """Return True if a path is one of some files, or in one of some folders."""
    whole = f"/{path.strip('/')}"
    names = (name.strip("/") for name in forbidden)
    return any(whole.endswith(f"/{name}") or f"/{name}/" in whole for name in names if name)


_ARGUMENT = lazy_pattern(r'"(?:file_path|filePath|path|absolute_path|target_file)"\s?:\s?"([^"\n]{1,400})"')
