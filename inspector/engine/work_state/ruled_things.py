"""Things that rules, tasks and plans are about, and the names under which commands and paths show them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from inspector.core.text import lazy_pattern, word_set
from inspector.engine.facts import content_words, stem

_CONCEPTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (names, lazy_pattern(pattern))
    for names, pattern in (
        (
            "lockfile lock-file lock",
            r"(?i)package-lock\.json|(?:yarn|cargo|poetry|uv|pdm|composer|gemfile|pipfile|bun|flake)\.lock\b"
            r"|pnpm-lock|bun\.lockb|go\.sum|npm-shrinkwrap",
        ),
        (
            "test tests spec specs",
            r"(?i)(?:^|[/\s])(?:tests?|specs?|__tests__|e2e)/|[._-](?:test|spec)s?\.\w|\btest_\w+",
        ),
        ("doc docs documentation", r"(?i)\.(?:md|mdx|rst|adoc)\b|(?:^|/)docs?/"),
        ("markdown md", r"(?i)\.mdx?\b"),
        ("readme", r"(?i)readme"),
        ("migration migrations", r"(?i)migrat|(?:^|/)versions/\w+\.py|\balembic\b"),
        ("config configuration configs settings", r"(?i)conf(?:ig)?s?\b|settings|\.(?:ya?ml|toml|ini|cfg|env)\b"),
        ("env environment dotenv", r"(?i)(?:^|[/\s])\.env(?!\.(?:example|sample|template|dist))"),
        (
            "ci pipeline pipelines workflow workflows actions",
            r"(?i)\.github/(?:workflows|actions)|\.gitlab-ci|jenkinsfile|\.circleci|azure-pipelines|\.drone|buildkite",
        ),
        (
            "dependency dependencies manifest",
            r"(?i)package\.json|pyproject\.toml|requirements[\w.-]{0,40}\.txt|cargo\.toml|go\.mod|gemfile|pom\.xml"
            r"|build\.gradle",
        ),
        (
            "schema schemas",
            r"(?i)schema|\.(?:prisma|proto|graphql|xsd|avsc)\b|\b(?:alter|create|drop) (?:table|index|type)",
        ),
        ("proto protos protobuf protobufs", r"(?i)\.proto\b|(?:^|/)protos?/"),
        ("stylesheet stylesheets css styles", r"(?i)\.(?:css|scss|sass|less)\b"),
        (
            "snapshot snapshots baseline baselines golden goldens cassette cassettes",
            r"(?i)__snapshots__|\.snap\b|(?:^|\s)-u(?:\s|$)|--update-?snapshots?",
        ),
        ("fixture fixtures", r"(?i)fixtures?\b"),
        (
            "formatter formatters",
            r"\b(?:prettier|black|gofmt|rustfmt|isort|clang-format|yapf|autopep8|(?:ruff|biome|cargo|go|dart) fmt"
            r"|(?:ruff|biome|dart) format)\b",
        ),
        ("firewall", r"\b(?:ufw|iptables|nft|firewall-cmd|pfctl)\b"),
        ("global globally", r"(?<!\S)(?:-g|--global)(?!\S)"),
        ("vendor vendored third-party", r"(?i)(?:^|/)(?:vendor|third[_-]party|node_modules|external)/"),
        ("translation translations locale locales", r"(?i)(?:^|/)(?:locales?|i18n|lang|translations?)/|\.po\b"),
        ("generated", r"(?i)(?:^|/)(?:gen|generated|__generated__)/|_pb2|\.g\.\w|\.generated\.|_generated\."),
        ("container containers docker", r"(?i)\b(?:docker|podman|compose)\b"),
        ("dockerfile", r"(?i)dockerfile"),
        ("production prod live", r"(?i)\b(?:prod(?:uction)?|live)\b|sk_live|[._-]prod\b"),
        (
            "database databases db",
            r"(?i)\b(?:psql|mysql|sqlite3?|mongosh?|redis-cli|pg_\w+|(?:drop|create)db|postgres|db)\b",
        ),
        ("branch branches", r"(?i)\bgit (?:branch|switch -c|checkout -b)\b|\bgit push \S+ (?:--delete|:)"),
        ("pull request pr prs pull-request mr", r"(?i)\b(?:gh pr|glab mr|pull[_ ]?request)"),
        ("issue issues ticket tickets", r"(?i)\b(?:gh issue|glab issue|issue|ticket|jira)"),
        ("email emails mail mails newsletter", r"(?i)mail|smtp|sendgrid|\bses\b|postmark"),
        ("github", r"(?i)\bgh (?:pr|issue|release|repo|gist|api)\b|github\.com"),
        ("gitlab", r"(?i)\bglab (?:mr|issue|release|repo|api)\b|gitlab\.com"),
        ("slack channel", r"(?i)slack"),
        ("postgres postgresql psql", r"(?i)postgres|\bpsql\b"),
        ("dependency dependencies package packages library libraries dep deps", r"(?!)"),
        ("hook hooks pre-commit", r"--no-verify|(?i:husky|pre-commit|(?:^|/)hooks/)|\bSKIP="),
        ("server servers", r"(?i)\bserve(?:r)?\b"),
        ("process processes", r"(?i)\b(?:p?kill|killall)\b"),
        ("bucket buckets", r"\b(?:s3|gs)://"),
        ("symlink symlinks", r"\bln (?:-\w+ ){0,3}-\w*s\b|\bsymlink\("),
        ("row rows record records", r"(?i)\bdelete from\b|\btruncate\b"),
        ("column columns field fields", r"(?i)\b(?:drop|rename) column\b"),
        ("history", r"(?i)\b(?:rebase|filter-branch|filter-repo|--amend)\b"),
        (
            "suite tests",
            r"(?i)\b(?:pytest|vitest|jest|rspec|phpunit|(?:cargo|go|npm|yarn|pnpm|dotnet|mvn|gradle) (?:run )?test)\b",
        ),
        ("version", r"(?i)\bnpm version\b|\bbump(?:2|-)?version|\bpoetry version\b|^[\"']?version[\"']?\s?[:=]"),
        ("changelog", r"(?i)changelog|changes\.md"),
        ("volume volumes data", r"(?i)docker volume|volume prune|--volumes\b|down (?:\S{1,40} ){0,3}-v\b"),
        ("secret secrets credential credentials key keys", r"(?i)secret|credential|\.pem\b|\.env\b|api[_-]?key"),
    )
)
"""Nouns, with what shows in a path or command that it is about them."""
_SHOWN = frozenset(stem(name) for names, _ in _CONCEPTS for name in names.split())
_SOFT = word_set(
    "github gitlab git existing old current local other own actual upstream remote our my your external "
    "internal public global core single whole full entire any all such these those new additional further extra main "
    "sql js ts python node npm third-party automatic manual direct plain raw bare separate dedicated another "
    "customer customers user users people team running database db namespace cluster service container deployment pod"
    " instance release bucket queue topic stack"
)
"""Adjectives that can be missing where the noun is there."""
_GENERIC = word_set(
    "file files folder folders directory code module anything everything thing things any something it them that this"
    " those other others more change changes work project repo repository now today directly again stuff source real"
    " extra myself yourself hand layer logic component implementation part section either there afterwards afterward"
    " later yet please anymore ever else line lines bit nothing here content contents one way ways place places time"
    " statement statements call calls usage usages import imports side sides oh btw around against toward towards"
    " automatically directly manually locally"
)
_TABLE_LIKE = word_set("table tables column columns row rows schema index database db branch branches test tests")
_PREPOSITION = lazy_pattern(
    r"(?i)\s(?:in|inside|under|within|below|of|on|at|to|into|from|for|with|about|by|via|against|through|throughout)\s"
)
_INSIDE = lazy_pattern(
    r"(?i)(?:^|\s)(in|inside|under|within|below|to|into)\s(?:the |our |my )?`?([\w.@~-]*(?:/[\w.@-]*)*)`?"
)
_FOLDER = lazy_pattern(
    r"(?i)\s*(?:the |our |my |this )?(?:whole |entire )?(?:`?([\w.@/-]+)`? (?:folder|directory|dir)"
    r"|(?:folder|directory|dir) `?([\w.@/-]+)`?)\s*"
)
_ITEM = lazy_pattern(r"(?i)\s?,\s(?:and |or |nor )?|\s(?:and|or|nor|and/or|oder|und|&)\s|(?<=\w)/(?=\w)(?<![\w.-]/)")
_JOINED = lazy_pattern(r"(?i)\s?,\s(?:and |or |nor )?|\s(?:and|or|nor|and/or|&)\s")
_WORD = lazy_pattern(r"(?<![\w@.~/+#:-])[\w@.~/+#:-]{0,200}\w(?:\(\))?")
_CODE = lazy_pattern(r"`([^`\n]{1,100})`")
PATH = lazy_pattern(r"(?<![\w/.-])(?:[\w.-]{1,80}/[\w./-]{0,200}|[\w-]{0,80}\.[A-Za-z]\w{0,8})(?![\w/])")
"""A path or the name of a file."""
_SPLIT = lazy_pattern(r"[^\W_]+")
_CAMEL = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NAME = lazy_pattern(r"\w{2,80}")
_EDGES = lazy_pattern(r"[\s'\"`;,()=<>:\[\]{}]+")
_HYPHENED = word_set("third-party read-only pre-commit pull-request end-to-end")
_MIN_STEM = 4
_BRANCHES = word_set("main master develop trunk")
_ENDINGS = word_set("e s ed es er at or in")
_ENOUGH = 2 / 3


class RuledThing(NamedTuple):
    """Something that a phrase names."""

    words: frozenset[str]
    """Stems of the words that name it."""
    head: str
    """The stem of its noun."""
    soft: frozenset[str] = frozenset()
    """Stems of its words that can be missing."""
    inside: str = ""
    """The folder that it is in, as far as the phrase names one."""
    name: str = ""
    """The thing as it is written, if it is one word."""
    phrase: str = ""
    """The thing as it is written."""


def things_in(phrase: str) -> tuple[RuledThing, ...]:
    """Return the things that a phrase lists: "the lockfile, package.json or CI config"."""
    return tuple(filter(None, map(_thing, _JOINED.split(phrase.strip(" .!,;:")))))


def _thing(phrase: str) -> RuledThing | None:
    """Return the thing that one item of a list names; None if it says nothing."""
    noun = _PREPOSITION.split(f" {phrase} ", maxsplit=1)[0]
    own = [word for word in _WORD.findall(noun) if _tells(word)]
    every = [word for word in _WORD.findall(phrase) if _tells(word)]
    if not every:
        every = own = [word for word in _WORD.findall(phrase) if word.lower() in _TABLE_LIKE][-1:]
    if not every:
        return None
    head = stem((own or every)[-1])
    soft = frozenset(stem(word) for word in every if word.lower() in _SOFT) - {head}
    inside = _folder_in(phrase)
    name = every[0] if len(every) == 1 else ""
    return RuledThing(frozenset(map(stem, every)), head, soft, inside, name, phrase.strip())


def is_concrete(thing: RuledThing) -> bool:
    """Return True if a thing is a file, a name in code, or of a kind that paths and commands show."""
    is_name = any("." in word or "/" in word or "_" in word for word in thing.words) or "`" in thing.phrase
    return (is_name or thing.head in _SHOWN) and _PREPOSITION.search(f" {thing.phrase} ") is None


def _folder_in(phrase: str) -> str:
    """Return the folder that a phrase says its thing is in. One without a slash must be the last word."""
    if named := _FOLDER.fullmatch(phrase):
        return (named[1] or named[2]).strip("./")
    for match in _INSIDE.finditer(phrase):
        is_path = "/" in match[2]
        is_last = (
            not phrase[match.end() :].strip(" `.!")
            and match[1].lower() not in ("to", "into")
            and match[2] not in _BRANCHES
        )
        if (is_path or is_last) and _is_folder(match[2]):
            return match[2].strip("./")
    return ""


def _is_folder(word: str) -> bool:
    return bool(word.strip("./")) and ("/" in word or word.islower()) and bool(_tells(word))


def _tells(word: str) -> bool:
    """Return True if a word helps to name a thing."""
    return word.lower() not in _GENERIC and bool(content_words(word))


def shows(words: frozenset[str], thing: RuledThing, target: str = "") -> bool:
    """Return True if the words of an action name a thing.

    Args:
        words: Stems of the words of the action.
        thing: The thing.
        target: The path that the action is done to, if any. A thing in a folder is only in that folder.
    """
    if target and (thing.inside or "/" in thing.name):
        return _is_at(words, thing, target)
    need = thing.words - thing.soft or thing.words
    coded = frozenset(word for word in need if not word.isalpha() and word not in _HYPHENED)
    if coded or len(need) <= 2:
        return _share(words, coded or need) == 1
    return _share(words, need) >= _ENOUGH and _share(words, frozenset((thing.head,))) == 1


def _is_at(words: frozenset[str], thing: RuledThing, target: str) -> bool:
    """Return True if a path is the one of a thing, or in the folder of a thing that it names."""
    is_there = f"/{thing.inside or thing.name.strip('./')}/" in f"/{target}/"
    return is_there and ("/" in thing.name or _shows_rest(words, thing))


def _shows_rest(words: frozenset[str], thing: RuledThing) -> bool:
    """Return True if the words of an action on a file in the folder of a thing name the thing. A file names itself."""
    if "." in thing.inside.rsplit("/", 1)[-1].lstrip("."):
        return True
    place = {stem(thing.inside), *map(stem, _SPLIT.findall(thing.inside))}
    return _share(words, thing.words - place - thing.soft) >= _ENOUGH or thing.head in thing.inside.lower()


def _share(words: frozenset[str], wanted: frozenset[str]) -> float:
    """Return the share of some stems that are among the words of an action, 1 for none."""
    return sum(word in words or _has_form(word, words) for word in wanted) / len(wanted) if wanted else 1.0


def _has_form(wanted: str, words: frozenset[str]) -> bool:
    """Return True if one of some stems is another form of a long one: "migr" and "migrat"."""
    if len(wanted) < _MIN_STEM or not wanted.isalpha():
        return False
    close = (word for word in words if abs(len(word) - len(wanted)) <= 2 and len(word) >= _MIN_STEM)
    return any(_is_ending(word, wanted) or _is_ending(wanted, word) for word in close)


def _is_ending(long: str, short: str) -> bool:
    return long.startswith(short) and (len(short) > _MIN_STEM or long[len(short) :] in _ENDINGS)


@lru_cache(maxsize=1_024)
def target_words(text: str) -> frozenset[str]:
    """Return the stems of the words in a path or command: of whole names and of their parts."""
    names = [word for word in _EDGES.split(text) if word]
    whole = {stem(word) for word in names} | {stem(word.rsplit("/", 1)[-1].split(".", 1)[0]) for word in names}
    parts = {stem(part) for pattern in (_SPLIT, _CAMEL) for part in pattern.findall(text)}
    ends = ("".join(word.rpartition(".")[0].split("/")[-2:]) for word in names if "/" in word)
    joined = {stem(_JOINTS.sub("", end)) for end in ends}
    return frozenset(whole | parts | joined | set(text.lower().split("/")))


_JOINTS = lazy_pattern(r"[\W_]")
"""Characters between the parts of a path, of which "boot/loader.c" is a bootloader."""


@lru_cache(maxsize=1_024)
def shown_words(text: str) -> frozenset[str]:
    """Return the stems of the words of a path or command, and of the things that it is about."""
    return target_words(text).union(_concepts(text))


@lru_cache(maxsize=1_024)
def named_words(text: str) -> frozenset[str]:
    """Return the stems of the whole names in a text, such as a statement of SQL, and of the things that it is about."""
    return frozenset((*map(stem, _NAME.findall(text)), *_concepts(text)))


def _concepts(text: str) -> Iterator[str]:
    for names, pattern in _CONCEPTS:
        if pattern.search(text):
            yield from map(stem, names.split())
