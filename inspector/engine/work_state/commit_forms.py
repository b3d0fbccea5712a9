"""Rules about the form of commit messages: a prefix, a single line, a length."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from inspector.core.text import cued_pattern, lazy_pattern
from inspector.engine.commands import core_words
from inspector.engine.work_state.languages import is_in_other_language, named_language

_ABOUT = lazy_pattern(
    r"(?i)\bcommit[- ]?(?:messages?|subjects?|titles?|headers?|lines?|nachricht\w*|meldung\w*)"
    r"|\b(?:subject|title) lines?\b|\b(?:messag\w+|mensajes?|mensagens?|messaggi) d[ei](?: los)? commits?\b|\bcommits\b"
)
_SINGLE = lazy_pattern(
    r"(?i)\b(?:(?:single|one)[- ]line(?:rs?|s)?|no (?:message )?bod(?:y|ies)|without (?:an? )?bod(?:y|ies)"
    r"|subject (?:lines? )?only|one line only|only (?:a|one) (?:subject|line))\b"
)
_CONVENTIONAL = lazy_pattern(r"(?i)\bconventional[- ]commits?\b|\b(?:feat|fix):? ?[,/|] ?(?:feat|fix|chore|docs)\b")
_CONVENTIONS = lazy_pattern(r"(?i)(?:[a-z]{2,12})(?:\([^)\n]{1,40}\))?!?: \S")
_BEGINS = lazy_pattern(
    r"(?i)\b(?:start(?:s|ed|ing)?|begin(?:s|ning)?|prefix(?:ed)?|carry|carries|contains?|includes?|need(?:s)?"
    r"|open(?:s)?) (?:\w+ ){0,2}?(?:with |by )?(?:the |an? |our |its )?(?:jira |linear |github )?"
    r"(?:(?P<ticket>tickets?|issues?|story|stories|keys?)\b|(?:prefix )?[`'\"](?P<text>[^`'\"\n]{2,20})[`'\"])"
)
_TICKET = lazy_pattern(r"\b[A-Z][A-Z0-9]{1,9}-\d{1,6}\b|#\d{1,6}\b")
_LENGTH = lazy_pattern(
    r"(?i)\b(?:at most|max(?:imum)?(?: of)?|no (?:more|longer) than|not (?:exceed|longer than|more than)|up to|under"
    r"|shorter than|fewer than|less than|below|within|limit\w*(?: is| to)?|keep \w+ to) (\d{2,3}) char"
)
_NEGATED = lazy_pattern(r"(?i)\b(?:do not|don't|never|no|needn't|not|avoid|without)\b")
_FLAGGED = lazy_pattern(r"-\w*m|--message")
_MERGES = ("fixup!", "squash!", "merge ", "revert ")
"""Starts of subjects that git writes, in lower case."""


_REQUIRED = lazy_pattern(
    r"(?i)\b(?:each|every|all|always|must|has to|have to)\b[^.;!?\n]{0,80}?[`(]"
    r"(?P<command>[a-z][\w.-]{1,20}(?: [a-z][\w:.-]{1,20}){0,2}) (?P<option>--?[a-z][\w-]{0,30})[`)]"
)
"""A duty that quotes a command with an option: "each commit must carry a sign-off (git commit -s)"."""


_EXCLUDES = cued_pattern(
    r"(?i)\b(?:no|without|never (?:add|put|include|use)|(?:do not|don[’']t) (?:add|put|include|use)|leave out|omit)"
    r" (?:any |a |an |the |those |that )?[`'\"]?(co-authored-by|signed-off-by|generated (?:by|with)|emojis?)\b",
    "co signed generated emoji emojis",
)
"""Text that must not be in a commit message."""
_ALWAYS = cued_pattern(
    r"(?i)\b(?:always|every (?:run|time|call)|each (?:run|time))\b[^.;!?\n]{0,40}?[`'\" ](--[a-z][\w-]{1,30}(?:["
    r" =]\d[\w.]{0,12})?)",
    "always every each",
)
"""An option that every run of a script has to have: "Always pass --seed 7"."""
_ENGLISH = lazy_pattern(
    r"(?i)(?:[a-z]{2,12}(?:\([^)\n]{1,40}\))?!?: )?(?:add|fix|update|remove|refactor|rename|move|use|make|improve"
    r"|change|delete"
    r"|create|implement|replace|handle|allow|support|bump|drop|clean up|correct|show|write|set|extract"
    r"|introduce)(?:e[sd])?\b"
)
"""Start of a commit message in English."""
_SCRIPTS = (".py", ".sh", ".js", ".ts", ".rb", ".jl", ".R")
_EMOJI = lazy_pattern("[\U0001f300-\U0001faff\u2600-\u27bf]")


class CommitForm(NamedTuple):
    """The form that a rule demands of commit messages."""

    is_single: bool = False
    """True for messages of one line."""
    is_conventional: bool = False
    """True for a type and a colon at the start."""
    has_ticket: bool = False
    """True for the number of a ticket."""
    start: str = ""
    """Text that every message begins with."""
    most: int = 0
    """Most characters of the first line; 0 for any number."""
    command: tuple[str, ...] = ()
    """A command that has to have an option, which is its last word; only the option for any script."""
    excluded: str = ""
    """Text that a message must not contain, in lower case."""
    language: str = ""
    """Code of the language of messages."""


@lru_cache(maxsize=4_096)
def commit_form_of(rule: str) -> CommitForm | None:
    """Return the form that a rule demands of commit messages; None for any other rule, and for a question."""
    if rule.endswith("?"):
        return None
    return _option_form_of(rule) or _message_form_of(rule)


def _option_form_of(rule: str) -> CommitForm | None:
    """Return the command with an option that a rule demands."""
    always = _ALWAYS.search(rule)
    if always and not _NEGATED.search(rule[: always.end()]):
        return CommitForm(command=tuple(always[1].replace("=", " ").split()[:1]))
    required = _REQUIRED.search(rule)
    if required is None or _NEGATED.search(rule[: required.end()]):
        return None
    return CommitForm(command=(*required["command"].split(), required["option"]))


def _message_form_of(rule: str) -> CommitForm | None:
    """Return the form that a rule demands of commit messages."""
    if not _ABOUT.search(rule):
        return None
    begins = _BEGINS.search(rule)
    if begins and _NEGATED.search(rule[: begins.start()]):
        begins = None
    length, excluded = _LENGTH.search(rule), _EXCLUDES.search(rule)
    form = CommitForm(
        _SINGLE.search(rule) is not None,
        _CONVENTIONAL.search(rule) is not None and not _NEGATED.search(rule),
        begins is not None and bool(begins["ticket"]),
        (begins["text"] or "") if begins else "",
        int(length[1]) if length else 0,
        excluded=excluded[1].lower() if excluded else "",
        language="" if _NEGATED.search(rule) else named_language(rule),
    )
    return form if form != CommitForm() else None


def breaks_form(form: CommitForm, words: Sequence[str]) -> bool:
    """Return True if a command commits with a message of another form, or lacks an option that it has to have.

    A message from a file or a script is not known.
    """
    words = core_words(words)
    if form.command:
        *command, option = form.command
        if not command:
            takes_options = option == "--dry-run" or any(word.startswith("--") for word in words)
            runs = takes_options and any(word.endswith(_SCRIPTS) for word in words[:2])
            return runs and not any(word.partition("=")[0] in (option, "--help", "--version") for word in words)
        return list(words[: len(command)]) == command and not any(_gives(word, option) for word in words)
    return list(words[:2]) == ["git", "commit"] and _breaks_message(form, words)


def _breaks_message(form: CommitForm, words: Sequence[str]) -> bool:
    """Return True if a commit has a message of another form."""
    texts = [after for flag, after in pairwise(words) if _FLAGGED.fullmatch(flag)]
    if not texts or any("$" in text or "`" in text for text in texts):
        return False
    message = "\n\n".join(texts).strip()
    subject = message.split("\n", 1)[0].strip()
    if form.excluded:
        hits = _EMOJI.search(message) if form.excluded.startswith("emoji") else form.excluded in message.lower()
        return bool(hits)
    return not subject.lower().startswith(_MERGES) and (
        _breaks_start(form, subject, message) or (form.is_single and subject != message) or 0 < form.most < len(subject)
    )


def _is_foreign(subject: str, code: str) -> bool:
    """Return True if the first line of a message is in another language."""
    is_english = code != "en" and _ENGLISH.match(subject) is not None
    return is_in_other_language(subject, code, 0 if is_english else 2)


def _gives(word: str, option: str) -> bool:
    """Return True if a word of a command is an option, in its short or long form, or several with it."""
    short = word[:1] == "-" and word[1:2] not in ("", "-")
    if option.startswith("--"):
        return word.partition("=")[0] == option or (short and option[2] in word[1:])
    return (short and option[1] in word) or word.startswith(f"--{option[1]}")


def _breaks_start(form: CommitForm, subject: str, message: str) -> bool:
    """Return True if a message has another start or language than a rule demands, or no ticket."""
    return (
        (bool(form.language) and _is_foreign(subject, form.language))
        or (form.is_conventional and not _CONVENTIONS.match(subject))
        or (form.has_ticket and not _TICKET.search(message))
        or (bool(form.start) and not subject.lower().startswith(form.start.lower().strip()))
    )
