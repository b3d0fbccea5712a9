"""Secrets that answer the text before them: a question or an order in a conversation, or a command that prints one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from inspector.analysis.redaction.likelihood import is_mixture, is_passphrase, is_plain_password
from inspector.analysis.redaction.named_patterns import KEY_NAME, KEY_STARTS, PASSWORD_NAME, PASSWORD_STARTS
from inspector.analysis.redaction.secret_names import KEY_HINTS, PASSWORD_HINTS, is_about_secret
from inspector.analysis.redaction.secret_search import Secret, SecretPattern
from inspector.analysis.redaction.value_strength import NONE, PLAIN, RANDOM, UNMISTAKABLE, WORDY, strength
from inspector.core.text import lazy_pattern, loads, word_set

_SPOKEN = word_set(
    "content text message output stdout result arguments command cmd input script response body aggregated_output"
)
"""Names of the fields of messages, calls and results."""
_MAX_ANSWER = 600
"""Characters of the longest answer."""
_ASKED = 400
"""Characters at the end of a text in which it asks for a secret."""
_MAX_COMMAND = 2_000
_MAX_KNOWN = 10_000
"""Maximum number of answers that are remembered."""
_CODES = lazy_pattern(
    r"(?<![a-z])(?:2fa|otp|mfa|pin|verification code|security code|one[- ]time"
    r"|(?:[4-8]|four|six|eight)[- ]digit|authenticator|sms[- ]code"
    r"|code (?:that was|you received|we sent|from your))(?![a-z])",
    re.IGNORECASE,
)
_LOGINS = lazy_pattern(
    r"(?<![a-z])(?:login|logins|credentials|creds|zugangsdaten|identifiants)(?![a-z])", re.IGNORECASE
)
# what is, which, enter, please provide, I need, do you have, wie lautet, quel est, cuál es
_REQUESTS = lazy_pattern(
    r"(?<![^\W_])(?:what(?:'s|’s| is| was|s)|which|enter|type in|provide|paste|give|send|share|tell|supply|needs?|asks"
    r"|have|here|here's|wie lautet|was ist|welches|welcher|gib|brauche|nenne|schick|quel|quelle|donne|donnez|entrez"
    r"|saisis|cu[aá]l|qu[eé]|dame|introduce|necesito|qual|digite|preciso|inserisci|какой|введите"
    r"|next message)(?![^\W_])|输入|提供|是什么|多少|告诉|教えて|入力|알려|입력",
    re.IGNORECASE,
)
_ORDERS = lazy_pattern(
    r"(?<![^\W_])(?:generate|create|make|suggest|invent|choose|erzeuge|erstelle|generiere|génère|crée|genera|crea|gere)"
    r"(?![^\W_])",
    re.IGNORECASE,
)
_SENTENCES = lazy_pattern(r"(?<=[.!?？。\n])\s{0,20}")
_LAST = 3
"""Sentences at the end of a text in which it asks for something."""
_MAX_PROMPT = 4
"""Words of the longest prompt with a question mark that is no question to be answered with yes or no."""
# Password:, [sudo] password for deploy:, token?
_PROMPT = lazy_pattern(r"(?:\A|[.!?\n])[^.!?\n]{0,60}[:?：？][ \t]*\Z")
_PRINTS = lazy_pattern(
    r"(?<![\w.-])(?:echo|printenv|cat|head|tail|less|get|show|read|print|lookup|reveal|decrypt|output|fill|create|token"
    r"|auth|print-access-token|print-identity-token|get-access-token|get-login-password|get-secret-value"
    r"|find-(?:generic|internet)-password|-raw|-field|jq|yq|base64|type|puts|pp|dump|var_dump|console\.log|println)(?![\w.])",
    re.IGNORECASE,
)
# pwgen, openssl rand, secrets.token_hex, pass show
_MAKERS = lazy_pattern(
    r"(?<![\w.-])(?:pwgen|apg|makepasswd|mkpasswd|openssl[ ]rand|secrets\.(?:token_|choice)|randombytes|/dev/u?random"
    r"|pass[ ](?:show[ ])?(?!show)[\w./-]{1,80}|genkey|op[ ]read|bw[ ]get|head -c)(?![a-z])",
    re.IGNORECASE,
)
_HINTS = frozenset((*PASSWORD_HINTS, *KEY_HINTS))
_OTHER_HINTS = (
    *(
        "2fa",
        "2FA",
        "OTP",
        "MFA",
        "mfa",
        "PIN",
        "code",
        "one",
        "ogin",
        "rand",
        "pwgen",
        "mk",
        "apg",
        "genkey",
        "head -c",
    ),
    *("op read", "bw get", "ugangs", "dentif", "reds"),
)
"""Parts of other words in questions and commands for secrets."""
_NO_SECRETS = lazy_pattern(
    r"(?:sha|md5|b2)[a-z0-9]{0,4}sum|shasum|digest|checksum|fingerprint|docker (?:run|create|build)|(?<!\w)git (?!cred)"
    r"|\.(?:md|rst|html?|py|[jt]sx?|go|rs|java|rb|php|css|sql)(?!\w)"
    r"|(?<!\w)(?:grep|ls|wc|find|stat|which|uuidgen|du)(?!\w)",
    re.IGNORECASE,
)
"""Commands whose outputs are numbers, names of files or digests."""
_REPLIES = word_set(
    "yes no yeah yep nope sure okay done skip none never what why stop cancel continue later wait nothing thanks thank "
    "please good right correct wrong sorry maybe neither both either admin root user guest exit quit help hello great "
    "fine perfect proceed retry again ready next back start ignore empty nein danke weiter oui merci claro vale "
    "gracias whatever anything random first second third last latest bcrypt argon vault true false null unset undefined"
)
_INTRODUCED = lazy_pattern(
    r"(?:\A|(?<=[\s,.:]))(?:sure|yes|yeah|ok|okay|here|it[’']?s|it is|is|try|use|this|that[’']?s|ja|es ist|nimm|oui"
    r"|c[’']est|sí|si|es|usa|é|to)[:,]?[ \t]{1,2}[\"'`“*]{0,2}([^\s\"'`“”*]{4,100})[\"'`”*]{0,2}[.!]?[ \t]*\Z",
    re.IGNORECASE,
)
_PHRASE = lazy_pattern(r"[a-z]{3,16}(?: [a-z]{3,16}){3,11}")
_HEX = lazy_pattern(r"[0-9a-f]{6,31}|[0-9a-f]{33,47}")
"""Hexadecimal numbers with other lengths than those of keys."""
_QUOTED = lazy_pattern(r"[\"'`“]([^\s\"'`“”]{4,100})[\"'`”]")
_EDGES = "\"'`“”*,;.!?()<>"
_PAIR = lazy_pattern(r"\A[\w.@-]{1,60}(?:[ \t]?[/:,|][ \t]?|[ \t]{1,4}|\r?\n)([^\s]{4,100})\Z")
_DIGITS = lazy_pattern(r"(?<![\w.-])[0-9]{4,8}(?![\w.-])")


class _Wanted(NamedTuple):
    """Kind of secret that a text asks for."""

    weakest: int
    """Minimum strength of a value among other words."""
    alone: int
    """Minimum strength of a value that is the whole answer, or quoted or alone on a line."""
    is_plain: bool = False
    """True if a word that is the whole answer is a secret."""
    is_code: bool = False
    is_hex: bool = False
    """True if a hexadecimal number of any length is a secret, and not that of a commit."""


_VALUE_WANTED = _Wanted(WORDY, PLAIN, is_plain=True)
_CODE_WANTED = _Wanted(WORDY, WORDY, is_code=True, is_hex=True)
_CHOICE_WANTED = _Wanted(WORDY, PLAIN)
_MADE = _Wanted(RANDOM, WORDY, is_hex=True)
_PRINTED = _Wanted(UNMISTAKABLE + 1, PLAIN, is_plain=True, is_hex=True)


class AnsweredSecrets:
    """Follows the texts of a conversation, and finds the secrets in answers."""

    def __init__(self) -> None:
        self._wanted: _Wanted | None = None
        self.answers: dict[str, tuple[str, ...]] = {}
        """Short answers with their secrets."""

    def follow(self, text: str, key: str, hints: Collection[str]) -> tuple[str, ...]:
        """Return the secrets of a text that answers the text before it.

        Args:
            text: The text.
            key: Name of its field. Only the fields of messages are followed.
            hints: Lower-case strings that it contains, among those of the patterns.
        """
        if key not in _SPOKEN or not text or text.isspace():
            return ()
        secrets = _secrets_in_answer(text, self._wanted) if self._wanted else ()
        if secrets and len(self.answers) < _MAX_KNOWN:
            self.answers[text] = secrets
        is_possible = not _HINTS.isdisjoint(hints) or any(hint in text for hint in _OTHER_HINTS)
        self._wanted = _wanted_by(text) if is_possible else None
        return secrets


def _wanted_by(text: str) -> _Wanted | None:
    """Return what a text asks for, as a question, an order or a command; None for no secret."""
    command = _command_of(text)
    if command is not None:
        return _printed_by(command)
    end = text[-_ASKED:].strip()
    if wanted := _requested_by(end) or _prompted_by(end.splitlines()[-1]):
        return wanted
    if len(text) > _ASKED or not _names_secret(end):
        return None
    return _MADE if _ORDERS.search(end) else _printed_by(end)


def _requested_by(end: str) -> _Wanted | None:
    """Return what the last sentences of a text request."""
    sentences = [sentence for sentence in _SENTENCES.split(end)[-_LAST:] if _REQUESTS.search(sentence)]
    if any(map(_CODES.search, sentences)):
        return _CODE_WANTED
    return _VALUE_WANTED if any(_names_secret(one) or _LOGINS.search(one) for one in sentences) else None


def _prompted_by(line: str) -> _Wanted | None:
    """Return what a line such as `Password:` asks for."""
    if not _PROMPT.search(line):
        return None
    if _CODES.search(line):
        return _CODE_WANTED
    is_choice = line[-1] in "?？" and len(line.split()) > _MAX_PROMPT
    return None if not _names_secret(line) else _CHOICE_WANTED if is_choice else _VALUE_WANTED


def _command_of(text: str) -> str | None:
    """Return the command in the arguments of a call; None if a text is none."""
    if text[:1] != "{" or len(text) > _MAX_COMMAND:
        return None
    with suppress(ValueError, RecursionError):
        value = loads(text)
        for name in ("command", "cmd", "script", "code"):
            inner = value.get(name) if isinstance(value, dict) else None
            if isinstance(inner, list):
                inner = " ".join(map(str, inner))
            if isinstance(inner, str):
                return inner
    return None


def _printed_by(command: str) -> _Wanted | None:
    if len(command) > _MAX_COMMAND or _NO_SECRETS.search(command):
        return None
    if _MAKERS.search(command) or (_PRINTS.search(command) and _names_secret(command)):
        return _PRINTED
    return None


def _names_secret(text: str) -> bool:
    """Return True if a text has the name of a secret, and not of something about one."""
    named = ((PASSWORD_NAME, PASSWORD_STARTS(text)), (KEY_NAME, KEY_STARTS(text)))
    matches = (name.match(text, start) for name, starts in named for start in starts)
    return any(match and not is_about_secret(match["tail"] or "") for match in matches)


def _secrets_in_answer(answer: str, wanted: _Wanted) -> tuple[str, ...]:
    """Return the values in an answer that can be what is wanted."""
    if len(answer) > _MAX_ANSWER or "redacted:" in answer:
        return ()
    if wanted.is_code:
        return tuple(_DIGITS.findall(answer))
    text = answer.strip()
    if wanted.is_plain and _PHRASE.fullmatch(text) and is_passphrase(text):
        return (text,)
    values = _embedded(text, wanted) if _has_parts(text, wanted) else _whole(_bare(text), wanted)
    return tuple(dict.fromkeys(value for value in values if wanted.is_hex or not _HEX.fullmatch(value)))


def _has_parts(text: str, wanted: _Wanted) -> bool:
    """Return True if an answer consists of several words, or of an account and its password: `jdoe:abcd`."""
    return len(text.split()) > 1 or (wanted.is_plain and ":" in text and _PAIR.match(text) is not None)


def _bare(text: str) -> str:
    """Return a word without quotes and punctuation, unless these make it a stronger value."""
    return text.strip(_EDGES) if strength(text) == NONE else text


def _embedded(text: str, wanted: _Wanted) -> Iterator[str]:
    """Yield the values among other words: quoted ones, ones alone on a line, ones in a pair, and strong ones."""
    pair = _PAIR.match(text) if wanted.is_plain else None
    single = [line.strip() for line in text.splitlines() if len(line.split()) == 1]
    places = [*_QUOTED.findall(text), *single, *(match[1] for match in (pair, _INTRODUCED.search(text)) if match)]
    for least, values in ((wanted.alone, places), (wanted.weakest, text.split())):
        for value in values:
            bare = value if strength(value) >= wanted.alone else value.strip(_EDGES)
            if strength(bare) >= least:
                yield bare


def _whole(value: str, wanted: _Wanted) -> Iterator[str]:
    """Yield a value that is the whole answer if it can be a secret."""
    is_word = wanted.is_plain and is_plain_password(value.casefold()) and value.casefold() not in _REPLIES
    is_alone = wanted.is_plain and is_mixture(value) and "/" not in value
    if len(value) >= 4 and (strength(value) >= wanted.alone or is_word or is_alone):
        yield value


@dataclass(frozen=True, slots=True, eq=False)
class _Transcripts(SecretPattern):
    """Outputs of commands that print secrets, in the transcript of a terminal."""

    def secrets_in(self, text: str) -> Iterator[Secret]:
        for match in self.pattern.finditer(text):
            wanted = _printed_by(match[1])
            for value in _secrets_in_answer(match[2], wanted) if wanted else ():
                yield Secret(self.kind, value, match.start(2) + match[2].index(value))


TRANSCRIPT_PATTERN = _Transcripts(
    "password",
    ("$ ", "% ", "❯ ", "> "),
    # $ printenv DB_PASSWORD, and the next line
    lazy_pattern(r"(?<![^\n])[^\n$%❯>]{0,60}(?:\$|%|❯|>>>|>)[ ]([^\n]{4,300})\r?\n([^\n]{4,300})(?![^\r\n])"),
)
