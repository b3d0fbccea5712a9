"""Rules about values: highest numbers, versions and settings that stay, wrappers.

"At most four workers", "we stay on Node 18", "leave DEBUG at false", "always use ./gradlew".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from inspector.core.text import NUMBER_WORDS, cued_pattern, lazy_pattern, word_set
from inspector.engine.commands import commands_in, core_words
from inspector.engine.facts import content_words, stem
from inspector.engine.work_state.done_actions import done_by
from inspector.engine.work_state.effect_values import CallEffects
from inspector.engine.work_state.plain_sentences import plain_sentence

_NUMBERS = {word: number for number, word in enumerate(NUMBER_WORDS[1:11], 1)}
_NUMBER = rf"(?P<number>\d{{1,9}}(?:\.\d+)?|{'|'.join(_NUMBERS)})"
_MOST = cued_pattern(
    r"(?i)\b(?:at (?:the )?(?:very )?most|no(?:t)? (?:more|bigger|larger|higher) than|max(?:imum|imal)?(?: of| is|:)?"
    r"|more than|(?:must|may|should|can)(?: not|n't|not| never) exceed|(?:do not|don't|never) (?:exceed|go (?:above"
    rf"|over))|never (?:above|over|exceed)|up to|limited to|(?:cap|limit|capped|keep)\b[^.,;!?\n]{{2,50}} (?:at|to"
    rf"|below|under)) {_NUMBER}\b",
    "most more bigger larger higher max maximum maximal exceed above over up limited cap limit capped keep",
)
_AT_MOST = cued_pattern(
    rf"(?i)\b{_NUMBER}\b[^.,;:!?\n]{{0,50}}? (?:at (?:the )?(?:very )?most|(?:is|as) (?:the|our) (?:max(?:imum)?|limit"
    r"|cap|ceiling)|max(?:imum)?|or (?:less|fewer))\b",
    "most max maximum limit cap ceiling less fewer",
)
_FORBIDDING = word_set("not t never no most maximum max exceed cap capped limit limited ceiling only fewer less dont")
_UNITS = {"k": 1 / 1024, "kb": 1 / 1024, "m": 1.0, "mb": 1.0, "mi": 1.0, "g": 1024.0, "gb": 1024.0, "gi": 1024.0}
_UNIT = lazy_pattern(r"(?i)\s?([kmg](?:i?b?))\b")
_OF_TEXT = content_words(
    "line lines char chars character characters word words sentence sentences column columns file files commit commits"
    " agent agents paragraph page bullet step task question minute hour day week item"
)
"""Things of which no setting says how many there are."""
_OF_PROGRAM = content_words("validation validator error exception otherwise raise throw show display input form")
"""Words of a limit that a program checks."""
_NO_NAME = content_words(
    "use using request exceed run most maximum max limit cap set keep have start take please box machine host shared"
    " job partner time together very more than same"
)
_TOGETHER = content_words(
    "worker workers thread threads process processes parallel concurrent concurrency core cores cpu cpus job jobs"
)
_MEMORY = content_words("memory ram mem")
_PARALLEL = frozenset(
    ("j", "p", "n", "w", "jobs", "parallel", "workers", "threads", "concurrency", "nproc", "maxworkers")
)
_SETTING = lazy_pattern(
    r"(?<![\w.-])-{0,2}([A-Za-z][\w.-]{0,40}?)[\"']?(?:\s{0,3}[:=]\s{0,3}[\"']?|\s|(?<=-j)|(?<=-P)|(?<=-w)|(?<=-n)"
    r"|(?<=mx))(\d{1,9})\s?([kKmMgG][iI]?[bB]?(?![A-Za-z]))?"
)
_PINS = cued_pattern(
    r"(?i)\b(?:stay(?:s|ed)?|remains?|keep|kept|stick(?:s|ing)?|pinned|leave|frozen|locked|freeze|move off|upgrade"
    r"|fixed)\b",
    "stay stays stayed remain remains keep kept stick sticks sticking pinned leave frozen locked freeze move upgrade "
    "fixed",
)
_VERSION = lazy_pattern(
    r"(?P<name>[A-Za-z][\w.+#-]{1,30}?)(?:'s)?(?: (?:version|is|are|stays?|remains?|pinned|kept|fixed|frozen|locked|at"
    r"|to|on)){0,3}[ @]v?(?P<version>\d{1,4}(?:\.\d{1,4}){0,2})(?![\w%]|\.\d)"
)
_ALIASES = {
    "node": word_set("node nodejs nvm fnm volta nvmrc node-version"),
    "python": word_set("python pyenv python-version requires-python"),
    "java": word_set("java jdk jenv sdk openjdk"),
    "ruby": word_set("ruby rbenv rvm ruby-version"),
    "flutter": word_set("flutter fvm"),
    "rust": word_set("rust rustup toolchain rust-version"),
    "go": word_set("go golang goenv"),
    "terraform": word_set("terraform tfenv"),
}
_TOKENS = lazy_pattern(r"v?\d+(?:\.\d+)*|[A-Za-z][A-Za-z-]*")
_STATE = r"(?P<value>off|on|empty|unset|disabled|enabled|true|false|null)"
_SET = cued_pattern(
    rf"(?i)(?P<name>`[\w.-]{{2,60}}`|\b[A-Za-z][A-Za-z0-9]{{0,30}}_\w{{1,60}}|\b(?-i:[A-Z][A-Z0-9]{{2,}})\b) (?:stays?"
    r"|remains?|is|(?:has|have|needs?) to (?:stay|remain|be)|(?:must|should|shall) (?:stay|remain|be))(?: at| set to"
    rf"| always)? {_STATE}\b(?! by\b)|\b(?:leave|keep) (?P<those>`[\w.-]{{2,60}}`"
    rf"|[A-Za-z][A-Za-z0-9]{{0,30}}_\w{{1,60}}|(?-i:[A-Z][A-Z0-9]{{2,}})\b) (?:at |set to )?(?P<thus>off|on|empty"
    r"|unset|disabled|enabled|true|false|null)\b",
    "stay stays remain remains is be leave keep",
)
_SAME = (
    frozenset(("off", "false", "0", "no", "disabled", "none", "null")),
    frozenset(("on", "true", "1", "yes", "enabled")),
    frozenset(("empty", "unset", "", "null", "none", '""', "''")),
)
_WRAPPED = {
    "gradlew": word_set("gradle"),
    "mvnw": word_set("mvn"),
    **dict.fromkeys(
        ("make", "just", "task", "nox", "tox", "bazel"),
        word_set(
            "pytest npm yarn pnpm cargo go jest vitest mypy ruff eslint tsc gradle mvn dotnet rspec mix poetry uv"
        ),
    ),
}
_BUILDS = word_set("test tests build run lint check format fmt clippy e2e compile exec")
_WRAPS = cued_pattern(
    r"(?i)\b(?:always|everything|every|all|only|go|goes|never (?:bypass|skip)|must"
    r"|exclusively)\b[^.;!?\n]{0,60}?\b(?:use|using|via|through|with|by|from|bypass|call) (?:the "
    r"|our )?`?(?:\./)?(gradlew|mvnw|make|just|task|nox|tox|bazel)(?:file)?\b`?(?! sure\b| and (?:tell|say|explain"
    r"|list|see|check|find|describe|look)\b| it\b| a\b| an\b| the\b| this\b)",
    "gradlew mvnw make makefile just justfile task taskfile nox tox bazel",
)
_ASKS = lazy_pattern(r"(?i)\?\s*$|^(?:why|what|how|is|are|does|do|did|was)\b")
_ALLOWS = word_set("ok okay fine can may go now take use upgrade raise set again ahead switch move")
_NEGATES = word_set("not never no dont don t without")
_Kind = Literal["number", "version", "setting", "wrapper"]


class ValueRule(NamedTuple):
    """A value that a rule states."""

    kind: _Kind
    value: str
    names: frozenset[str] = frozenset()
    """Stems of the names of the setting, the aliases of a program, or the programs that are wrapped."""
    most: float = 0.0
    """Maximum; of memory in megabytes."""
    of_memory: bool = False


@lru_cache(maxsize=4_096)
def value_rules_of(rule: str) -> tuple[ValueRule, ...]:
    """Return the values that a rule states; nothing for a question or a report."""
    text = plain_sentence(rule).rstrip()
    return () if _ASKS.search(text) else tuple(_rules_in(text))


def _rules_in(text: str) -> Iterator[ValueRule]:
    yield from _numbers_in(text)
    yield from _versions_in(text)
    if kept := _SET.search(text):
        name = (kept["name"] or kept["those"]).strip("`")
        yield ValueRule("setting", (kept["value"] or kept["thus"]).lower(), frozenset((name,)))
    if wrapper := _WRAPS.search(text):
        name = wrapper[1].lower()
        yield ValueRule("wrapper", name, _WRAPPED[name])


def _numbers_in(text: str) -> Iterator[ValueRule]:
    """Yield the maximum in a text: "Retries must not exceed 3", "no more than 16 GB per job"."""
    match = _MOST.search(text) or _AT_MOST.search(text)
    if (
        match is None
        or text[match.end("number") :].lstrip().startswith("%")
        or _FORBIDDING.isdisjoint(_tokens_said(text))
    ):
        return
    number = _NUMBERS.get(match["number"].lower()) or float(match["number"])
    unit = _UNIT.match(text, match.end("number"))
    names = content_words(text) - _NO_NAME
    if names & (_OF_TEXT | _OF_PROGRAM):
        return
    if unit:
        yield ValueRule("number", match["number"], names | _MEMORY, number * _UNITS[unit[1].lower()], True)
    elif names:
        yield ValueRule("number", match["number"], names, number)


def _tokens_said(text: str) -> list[str]:
    return [word.lower() for word in _TOKENS.findall(text)]


def _versions_in(text: str) -> Iterator[ValueRule]:
    """Yield the versions that stay: "We have to stay on Node 18"."""
    if not _PINS.search(text):
        return
    for match in _VERSION.finditer(text):
        name = match["name"].lower()
        if name in _ALIASES or (match["name"][:1].isupper() and "." in match["version"]):
            yield ValueRule("version", match["version"], _ALIASES.get(name, frozenset((name,))))


def breaks_value(rule: ValueRule, call: CallEffects) -> str:
    """Return the path or command of a call that sets another value than a rule states; "" for any other call."""
    for done in done_by(call):
        text = done.text if "insert" in done.actions else "" if done.path else done.target
        is_effect = "insert" in done.actions or "run" in done.actions
        if text and is_effect and _BREAKS[rule.kind](rule, text, done.path):
            return done.target
    return ""


def ends_value(rule: str, sentence: str) -> bool:
    """Return True if a later sentence of the user allows another value."""
    rules = value_rules_of(rule)
    words = frozenset(sentence.lower().replace(",", " ").replace(".", " ").split())
    if not rules or not words & _ALLOWS or words & _NEGATES or value_rules_of(sentence):
        return False
    said = content_words(sentence) | words
    return any(not one.names or one.names & said for one in rules)


def _is_more(rule: ValueRule, text: str, path: str) -> bool:
    del path
    for name, number, unit in _SETTING.findall(text):
        parts = frozenset(map(stem, _tokens_said(name.replace("_", " ").replace(".", " ")))) | {stem(name.lower())}
        together = not rule.names.isdisjoint(_TOGETHER) and name.lower().replace("-", "") in _PARALLEL
        if bool(unit) == rule.of_memory and (together or parts & rule.names or (unit and name == "mx")):
            value = float(number) * (_UNITS[unit.lower()] if unit else 1)
            if value > rule.most:
                return True
    return False


def _is_other_version(rule: ValueRule, text: str, path: str) -> bool:
    """Return True if a text has another version after the name of a program, or alone in a file named after it."""
    tokens = _tokens_said(f"{path.rpartition('/')[2]} {text}")
    want = rule.value.split(".")
    for place, token in enumerate(tokens):
        if token in rule.names:
            version = next(
                (one.lstrip("v") for one in tokens[place + 1 : place + 4] if one.lstrip("v")[:1].isdigit()), ""
            )
            has = version.split(".")
            shared = min(len(want), len(has))
            if version and has[:shared] != want[:shared]:
                return True
    return False


def _is_other_setting(rule: ValueRule, text: str, path: str) -> bool:
    del path
    (name,) = rule.names
    same = next(values for values in _SAME if rule.value in values)
    for row in text.split("\n"):
        _, is_there, rest = row.partition(name)
        value = rest.lstrip("\"' ")
        if is_there and value[:1] in (":", "=") and value[1:2] not in ("=",):
            first = value[1:].strip().rstrip(",;").strip("\"'").lower()
            if first not in same and not first.startswith("$"):
                return True
    return False


def _goes_around(rule: ValueRule, text: str, path: str) -> bool:
    """Return True if a command calls a wrapped program itself."""
    return not path and any(_is_wrapped(core_words(words), rule.names) for words, _ in commands_in(text))


def _is_wrapped(core: Sequence[str], programs: frozenset[str]) -> bool:
    name = core[0].rpartition("/")[2]
    is_alone = name in ("gradle", "mvn", "pytest", "jest", "vitest", "mypy", "ruff", "eslint", "tsc", "rspec")
    return name in programs and (is_alone or not _BUILDS.isdisjoint(core[1:3]))


_BREAKS = {
    "number": _is_more,
    "version": _is_other_version,
    "setting": _is_other_setting,
    "wrapper": _goes_around,
}
