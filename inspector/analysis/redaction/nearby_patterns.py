"""Values near the name of a secret: a small lexer reads what follows the name, and links and values have scores."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.analysis.redaction.likelihood import has_digit, is_joined_words, is_key, is_mixture, is_passphrase
from inspector.analysis.redaction.named_patterns import KEY_NAME, KEY_STARTS, PASSWORD_NAME, PASSWORD_STARTS
from inspector.analysis.redaction.secret_names import (
    ANY_KEY,
    KEY_HINTS,
    PASSWORD_HINTS,
    TAIL,
    is_about_secret,
)
from inspector.analysis.redaction.secret_search import Secret, SecretPattern, name_starts
from inspector.analysis.redaction.value_strength import NONE, PLAIN, RANDOM, UNMISTAKABLE, WORDY, strength
from inspector.core.text import lazy_pattern, word_set

_AFTER, _BEFORE = 160, 60
"""Characters after and before a name in which values are searched."""
_MAX_WORD, _MIN_VALUE, _MIN_BEFORE = 200, 6, 8
_MAX_WORDS = 8
"""Words between a name and its value."""
_MAX_LINES = 2
"""Line breaks between a name and its value."""
_BARE = r"[^\s\"'`“”„«»‘’「」『』<>|()\[\]{}\\，。：；、,;=]"
_TOKEN = lazy_pattern(
    # a line break, also an escaped one; a link; a word, with the sign after it that makes it a name
    r"(?P<line>(?:\\r)?\\n|\\?\r?\n|\\r)"
    r"|(?P<link>it['’]s(?![a-z])|\.\w{2,20}\(|\((?=[bfr]?[\"'])|->|→|=>|<-|←|<<<|[:=|>：–—]|-(?=[ \t])|は|是|为|為)"
    r"|(?P<quote>[\"'`“„«「『])"
    rf"|(?P<word>{_BARE}{{16,{_MAX_WORD}}}={{1,2}}(?!\w)|[0-9]{_BARE}{{4,60}}={_BARE}{{1,60}}|(?:[dlDL]['’](?=[^\W\d_]))?{_BARE}{{1,{_MAX_WORD}}})"
    r"(?P<named>\\?[\"']?[ \t]{0,2}[:=](?!/))?|(?P<other>[^\s])"
)
_PHRASE = lazy_pattern(r"[\"'“„«]([^\W\d_]{3,16}(?:[ -][^\W\d_]{3,16}){2,11})[.!]?[\"'”“»]")
_BARE_PHRASE = lazy_pattern(r"([a-z]{3,16}(?:[ -][a-z]{3,16}){3,7})(?=\.?(?:\\n|[\r\n]|\Z))")
# attributes of an element; (shown once):
_ATTRIBUTES = lazy_pattern(
    r"(?:[ \t][\w:.-]{1,40}=[\"'][^\"'<>\n]{0,60}[\"']){1,4}(?=>)|[ \t]{0,2}\([\w ,/-]{1,60}\)(?=[ \t]?(?:is |[:=]))"
)
# key=abcd, key:abcd, --key=abcd
_PREFIX = lazy_pattern(r"-{0,2}[\w.-]{1,40}(?::=|=>|[:=])(?=.)")
_END = ".,;:!?"
_SPACED = lazy_pattern(r"\S+")
_AROUND = 20
"""Characters before and after a name that are not all of encoded data."""
_ENCODED = lazy_pattern(r"[A-Za-z0-9+/=_-]+")
_CLOSING = lazy_pattern(r"(?:\\?[\"'`)\]}*]|</[\w:.-]{1,40}>){1,4}")
_CARRIERS = word_set(
    "is was are be been becomes equals reads now to as it's its that's ist war lautet est est: es era será é è jest är "
    "er on je ligt luidt value val default current secret data string str secretstr text plaintext cdata new type "
    "std body or echo env byte bytes ist: this with string::from using get set old and static one"
)
"""Words that link a name to its value, in sentences and in structures: `is`, `default`, `value`."""
_OTHERS = word_set(
    "user username login name host hostname port file server version account id branch commit note error warning url "
    "type length size date time"
)
"""Words before a colon that another value than that of the name follows."""
_BORDERS = ("|",)
"""Links between cells of a table, which another cell can separate."""
_PLACES = ("in", "at", "type", "input", "form", "field", "textbox")
"""Words of a label that say where its value is used, and verbs that lead to it, and not what it describes."""
# sha256, digest, commit, rev, integrity, image of a hexadecimal number that is no key
_DIGESTS = lazy_pattern(
    r"sha-?[0-9]|md5|digest|checksum|hash|commit|revision|etag|integrity|fingerprint|blob|tree|public|trace|request",
    re.IGNORECASE,
)
_HEX = lazy_pattern(r"[0-9a-fA-F-]{32,128}")
# abcd <- password, abcd as the password, abcd is the token, 'abcd' | tool secret put NAME
_BACK = lazy_pattern(r"(?:<-|←|\||(?<![a-z])(?:as|is|for|in|als|ist|come|como|comme|est|es))(?![a-z])", re.IGNORECASE)

# "abcd")  // admin's password
_COMMENT = lazy_pattern(
    r"[\"'`][^\"'`\n/#]{0,16}(?://|#|/\*)[ \t]{1,2}(?:(?:the|my|our|[\w.-]{1,20}['’]s)[ \t]){0,2}\Z"
)
_BACK_NEXT = lazy_pattern(r"[\"'`)\s]{0,4}(?:<-|←|\||(?:as|is|als|ist|est|es)(?![a-z]))", re.IGNORECASE)
"""The same directly after a hexadecimal number, which can be that of a commit."""


@dataclass(slots=True)
class _Lexer:
    """Reads the values after a name, with what was read so far."""

    text: str
    name_end: int
    weakest: int
    link: bool = False
    """True after `=`, `is`, `default` and similar."""
    words: int = 0
    """Words after the name or the link."""
    lines: int = 0
    is_label: bool = True
    """True while only words follow the name, so that it is a part of a label: `password for the relay: abcd`."""
    is_other: bool = False
    """True after another name, whose values are not those of the first."""
    has_value: bool = False
    is_at_end: bool = False

    def values(self) -> Iterator[tuple[str, int]]:
        """Yield the values after a name with their places: the first one, and those that follow it in a list."""
        closing = _CLOSING.match(self.text, self.name_end)
        self.is_label = closing is None
        place = closing.end() if closing else self.name_end
        attributes = _ATTRIBUTES.match(self.text, place)
        end = min(len(self.text), self.name_end + _AFTER + _MAX_WORD)
        for token in _TOKEN.finditer(self.text, attributes.end() if attributes else place, end):
            if self.is_at_end or token.start() > self.name_end + _AFTER:
                return
            self.is_label &= token["word"] is not None
            self.link |= token["link"] is not None
            self.words = 0 if token["link"] in _BORDERS else self.words
            self.link |= token["quote"] == "`" and self.lines > 0
            if token["line"]:
                self.lines += 1
                self.is_at_end = self.lines > _MAX_LINES or self.words > 0
            elif token["quote"]:
                yield from self._phrase(token.start())
            elif token["word"]:
                yield from self._word(token)

    def _phrase(self, start: int) -> Iterator[tuple[str, int]]:
        is_direct = self.link and not self.words and self.weakest < RANDOM
        phrase = _PHRASE.match(self.text, start) if is_direct else None
        if phrase and is_passphrase(phrase[1]):
            self.is_at_end = True
            yield phrase[1], phrase.start(1)

    def _bare_phrase(self, start: int) -> tuple[str, int] | None:
        """Return a passphrase of at least four words up to the end of the line."""
        is_direct = self.link and not self.words and self.weakest < RANDOM
        phrase = _BARE_PHRASE.match(self.text, start) if is_direct else None
        return (phrase[1], start) if phrase and is_passphrase(phrase[1]) else None

    def _word(self, token: re.Match[str]) -> Iterator[tuple[str, int]]:
        if value := None if self.is_other else self._value(token) or self._bare_phrase(token.start("word")):
            self.has_value = self.link = True
            yield value
            return
        word = token["word"].casefold().lstrip("&!").rstrip(_END)
        self.is_at_end = self.has_value and word not in _CARRIERS
        if word:
            self._note(word, token["named"] or token["word"][-1])

    def _note(self, word: str, sign: str) -> None:
        """Note a word that is no value, with the sign after it."""
        is_named = ":" in sign or "=" in sign
        if word in _CARRIERS and (is_named or not self.is_other):
            self.link, self.is_other, self.words = True, False, 0
            return
        self.words += not word.isdigit()
        self.is_at_end |= self.words > _MAX_WORDS or (self.words == 1 and self._describes(word))
        if is_named and not word.isdigit():
            self.link = self.is_label and word not in _OTHERS and ":" in sign
            self.is_other, self.words = not self.link, 0 if self.link else self.words

    def _describes(self, word: str) -> bool:
        """Return True if the first word of a label says that its value is none: `token count`."""
        return self.is_label and word not in _PLACES and is_about_secret(word)

    def _value(self, token: re.Match[str]) -> tuple[str, int] | None:
        """Return the value in a word, without a name and punctuation, and its place."""
        value, begin = _stripped(token["word"], token.start("word"))
        link = self.link
        while len(value) >= _MIN_VALUE and "redacted:" not in value and "=" not in (token["named"] or ""):
            if self._strength(value) >= self._needed(value, link) and not _is_digest(
                value, self.text, self.name_end, begin
            ):
                return value, begin
            prefix = _PREFIX.match(value)
            if prefix is None or _DIGESTS.match(value):
                break
            value, begin, link = value[prefix.end() :], begin + prefix.end(), True
        return None

    def _needed(self, value: str, link: bool) -> int:
        """Return the minimum strength of a value at this place."""
        if self.words or not (link or self.lines == 0):
            is_linked = link and _HEX.fullmatch(value) is None
            return max(self.weakest, WORDY) if is_linked else UNMISTAKABLE
        return PLAIN if link else self.weakest

    def _strength(self, value: str) -> int:
        have = strength(value)
        is_near = self.weakest < RANDOM and not self.words and self.lines == 0 and "_" not in value
        if have == NONE and is_near and is_joined_words(value):
            return PLAIN if self.link else WORDY
        return have if self.weakest < RANDOM or have >= RANDOM or is_key(value) else NONE


def _is_part(text: str, start: int, end: int) -> bool:
    """Return True if a name is the beginning of another word, or a part of encoded data."""
    if end < len(text) and text[end].isascii() and text[end].islower():
        return True
    around = text[max(0, start - _AROUND) : end + _AROUND]
    return len(around) > 2 * _AROUND and _ENCODED.fullmatch(around) is not None and has_digit(around)


def _stripped(word: str, start: int) -> tuple[str, int]:
    """Return a word without emphasis and punctuation, and its place."""
    bare = word.lstrip("*_~-")
    return bare.rstrip(_END).rstrip("*~"), start + len(word) - len(bare)


def _is_digest(value: str, text: str, start: int, end: int) -> bool:
    """Return True for digests and numbers of requests, which a part of the text calls so."""
    return _HEX.fullmatch(value) is not None and _DIGESTS.search(text, start, end) is not None


def _leads_back(value: str, text: str, begin: int, start: int) -> bool:
    """Return True if a link leads from a value to the start of a name, or the name is in a comment after a literal."""
    end = begin + len(value)
    is_literal = begin > 0 and text[begin - 1] in "\"'`"
    return bool(
        (_BACK_NEXT.match if _HEX.fullmatch(value) else _BACK.search)(text, end, start)
        or (is_literal and is_mixture(value) and _COMMENT.match(text, end, start))
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Nearby(SecretPattern):
    """Values on the lines after a name, or on its line before it, that are likely enough for what links them to it."""

    weakest: int = WORDY
    """Minimum strength of a value with a link."""

    def secrets_in(self, text: str) -> Iterator[Secret]:
        done = 0
        for start in self.starts_in(text) if self.starts_in else ():
            match = self.pattern.match(text, start)
            if match is None or is_about_secret(match["tail"] or "") or _is_part(text, start, match.end()):
                continue
            before = [
                (value, begin)
                for value, begin in self._before(text, start, done)
                if not _is_digest(value, text, max(0, begin - _BEFORE), start)
            ]
            for value, begin in (*before, *_Lexer(text, match.end(), self.weakest).values()):
                if begin >= done:
                    done = begin + len(value)
                    yield Secret(self.kind, value, begin)

    def _before(self, text: str, start: int, done: int) -> Iterator[tuple[str, int]]:
        """Yield the values before a name on its line."""
        first = max(0, start - _BEFORE, done, text.rfind("\n", max(0, start - _BEFORE), start) + 1)
        for word in _SPACED.finditer(text, first, start):
            is_cut = word.end() == start or (word.start() == first and text[first - 1 : first].strip())
            for token in () if is_cut else _TOKEN.finditer(text, *word.span()):
                value, begin = (token["word"] or "").rstrip(_END), token.start()
                have = NONE if len(value) < _MIN_BEFORE or "redacted:" in value else strength(value)
                if have >= UNMISTAKABLE or (have >= self.weakest and _leads_back(value, text, begin, start)):
                    yield value, begin


NEARBY_PATTERNS = (
    _Nearby(
        "password",
        PASSWORD_HINTS,
        PASSWORD_NAME,
        starts_in=PASSWORD_STARTS,
    ),
    _Nearby(
        "key",
        KEY_HINTS,
        KEY_NAME,
        starts_in=KEY_STARTS,
        weakest=RANDOM,
    ),
    _Nearby(
        "key",
        ("key",),
        # maps key, mapsKey, maps_key; not primary key
        lazy_pattern(rf"{ANY_KEY}{TAIL}", re.IGNORECASE),
        starts_in=name_starts(lazy_pattern(ANY_KEY, re.IGNORECASE), {"key": 22}),
        weakest=RANDOM,
    ),
)
"""Patterns for values that follow or precede the name of a secret in any notation."""
