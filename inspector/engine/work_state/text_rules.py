"""Rules about the text that an agent writes: "No emojis", "Never use sleep in tests", "Don't use the any type"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from inspector.core.text import cued_pattern, lazy_pattern, word_set
from inspector.engine.facts import content_words, stem

_CODE = (
    ".py .js .jsx .ts .tsx .mjs .vue .svelte .go .rs .java .kt .rb .php .c .h .cc .cpp .cs .swift .scala .sh .sql .css"
)
"""Suffixes of files with code."""
_FLOATS = r"float\(|float\b|double\b|parseFloat\(|toFixed\(|f32\b|f64\b|float(?:32|64)\b"
_MONEY = "price|amount|total|cost|fee|tax|vat|balance|money|cents?|currency|invoice|payment|discount|salary|wage|refund"
_THINGS: Mapping[str, tuple[str, str]] = {
    "emojis?|emoticons?": ("[\U0001f300-\U0001faff\u2600-\u27bf]", ""),
    r"em[- ]?dash(?:es)?": ("\u2014", ""),
    r"(?:the )?`?any`?(?: types?)?": (r"(?:[:<,|]|\bas)\s?any\b", ".ts .tsx .mts .vue .svelte"),
    r"console\.?logs?|console\.log(?: calls)?": (r"\bconsole\.log\(", ""),
    r"prints?(?: statements?| calls?|\(\))?": (r"(?<![\w.])print\(", ".py .rb .swift .lua"),
    r"todos?(?: comments?)?|fixmes?": (r"\b(?:TODO|FIXME)\b", ""),
    r"(?:inline |code )?comments?": (r"(?m)^[ \t]{0,80}(?:#(?!!)|//|/\*)", _CODE),
    r"sleeps?(?:\(\)| calls?)?|time\.sleep|fixed waits?": (
        r"(?m)\b(?:sleep|waitForTimeout|setTimeout)\s?\(|^[ \t]{0,80}sleep\s\d",
        "",
    ),
    r"default exports?|export default": (r"\bexport default\b", ""),
    r"type[: ]ignores?|ts-ignores?|@ts-ignore": (r"type: ?ignore|@ts-(?:ignore|expect-error)", ""),
    r"(?:eslint-disables?|noqas?|lint suppressions?)": (r"eslint-disable|#\s?noqa|pylint: ?disable", ""),
    r"inline (?:styles?|css)": (r"\bstyle\s?=\s?[{\"']", ""),
    r"tabs": (r"(?m)^\t", ""),
    r"semi-?colons?": (r"(?m);$", ".js .jsx .ts .tsx .mjs .vue"),
    r"mocks?|mocking": (
        r"\b(?:Magic)?Mock\(|\bmock\.|\bunittest\.mock\b|@patch\b|\bmonkeypatch\b|\b(?:jest|vi)\.(?:mock|fn)\(",
        "",
    ),
    r"class components?": (r"\bextends (?:React\.)?(?:Pure)?Component\b", ""),
    r"!important": (r"!important\b", ""),
    r"(?:bare |blanket )?except(?:: ?pass)?(?: clauses?)?": (r"(?m)^[ \t]{0,80}except(?: Exception)?:", ".py"),
    r"(?:wildcard|star) imports?": (r"\bimport \*", ""),
    r"unwraps?(?:\(\))?": (r"\.unwrap\(\)", ".rs"),
    r"raw sql": (r"(?i)\bselect\b.{1,80}\bfrom\b|\bupdate \w+ set\b|\binsert into\b", ""),
    r"evals?(?:\(\))?": (r"(?<![\w.])eval\(", ""),
    r"globals?(?: variables?)?": (r"(?m)^[ \t]{0,80}global \w", ".py"),
    r"(?:dynamic|heap) (?:memory )?alloc\w*|(?:m|c)allocs?": (
        r"\b(?:m|c|re)alloc\s?\(|\bnew [A-Za-z_:]+[(\[{]",
        ".c .h .cc .cpp .hpp .ino",
    ),
    r"(?:real |live |external )*(?:https?|network|api|web|internet) (?:calls?|requests?|traffic|access)": (
        r"\b(?:requests|httpx|aiohttp)\.\w+\(|\burlopen\(|\bfetch\(\s?['\"`]https?:|\baxios[.(]|\bhttp\.(?:Get"
        r"|Post)\(|\breqwest::",
        _CODE,
    ),
    r"(?:binary )?float(?:s|ing[- ]points?)?(?: numbers?| arithmetic| types?)?|doubles?": (
        rf"(?i)\b\w{{0,30}}(?:{_MONEY})\w{{0,30}}\b[^\n]{{0,60}}\b(?:{_FLOATS})"
        rf"|\b(?:{_FLOATS})[^\n]{{0,60}}?(?:{_MONEY})|^\s{{0,40}}(?:static |const |volatile )*(?:float|double) \w",
        _CODE,
    ),
    r"(?:new |extra |more |further |db |database |sql )*tables?": (r"(?i)\bcreate table\b", ""),
    r"(?:new |extra |more |further |db |database |sql )*columns?(?: to [\w]+)?": (
        r"(?i)\balter table\b[^;]{1,80}?\badd\b|\badd_column\b|\baddColumn\b",
        "",
    ),
    r"(?:structural )?pattern matching|match(?: ?/ ?case| and case)?(?: statements?| blocks?)": (
        r"(?m)^[ \t]{0,80}match [^\n]{1,120}:\n[ \t]{1,80}case\b",
        ".py",
    ),
    r"walrus(?: operators?)?": (r"\(\w{1,40} := ", ".py"),
    r"lambdas?": (r"\blambda\b[^\n]{0,40}:", ".py"),
}
"""Things that a text can contain by their names in rules, with their patterns and the files that can contain them."""
_PATTERNS = {place: lazy_pattern(pattern) for place, (pattern, _) in enumerate(_THINGS.values())}
_SUFFIXES = {place: tuple(suffixes.split()) for place, (_, suffixes) in enumerate(_THINGS.values())}
_THING = "|".join(f"(?P<t{place}>{names})" for place, names in enumerate(_THINGS))
_NAME = r"`?(?P<name>@?[A-Za-z][\w-]{1,40}(?:[./][A-Za-z][\w-]{0,40}){0,3})`?(?: library| package| module| anywhere)?"
_NO = (
    r"(?:no(?: more)?|zero|never(?: ever)?(?: (?:use|add|put|write|leave|import|reach for))?|avoid(?: (?:using"
    r"|adding))?|(?:do not|don[’']?t|must not|should not) (?:you )?(?:ever )?(?:use|add|put|write|leave|import|insert"
    r"|accept|allow|want(?: to (?:see|have))?|tolerate)|without(?: (?:using|adding))?|stop (?:using|adding)|keine?"
    r"|pas d[e']|sans|sin|ohne|nessuna?|sem)"
)
_PLACE = r"(?: (?:calls? |anywhere )?(?:in|inside|under|within|for) (?:the |our |my |any )?(?P<place>[\w./ -]{2,40}))?"
_END = r"(?=[.,;:!)]|$| (?:please|pls|plz|at all|ever|anywhere|here|and|or|but|thanks|bitte|ok)\b| [-–—(])"
_ABOUT = lazy_pattern(
    rf"(?i)(?:^|[,;:(–—-] ?|\b(?:and|but|so|please|pls|plz|also|with|use|i|we) ){_NO} (?:any |the |new |extra )?"
    rf"(?:{_THING}){_PLACE}{_END}"
)
_ABOUT_NAME = lazy_pattern(
    r"(?i)(?:^|[,;:(–—-] ?|\b(?:and|but|so|please|pls|plz|also) )(?:never(?: ever)? (?:use|import)|avoid using"
    rf"|(?:do not|don[’']?t) (?:ever )?(?:use|import)|stop using|no (?:more )?imports? of) {_NAME}{_PLACE}{_END}"
)
"""A rule about a library or a function by its name."""
_BANNED = lazy_pattern(
    rf"(?i)^(?:the )?(?:{_THING}){_PLACE} (?:is|are) (?:strictly )?(?:banned|forbidden"
    r"|prohibited|verboten|taboo|unacceptable|off[- ]limits|a no-go|no option|out(?=[.,;!]|$)"
    r"|not (?:an? \w+ )?(?:(?:that )?we )?(?:allow|accept|want|welcom|us|an option|ok|fine|acceptable)\w*)\b"
)
_WORDS = word_set(
    "no never avoid don dont do not without stop zero banned forbidden allowed prohibited keine kein pas "
    "isn aren sans sin ohne nessun nessuna sem verboten must should taboo unacceptable off out"
)
"""Words in lower case, one of which every match contains. Looking for them is much cheaper."""
_NO_NAMES = word_set(
    "it them that this these those any the a an my your our anything something sudo git docker npm pip "
    "yarn pnpm bun main master production prod force english german words names names file files code"
)
_MIN_STEM = 3
_WORD = lazy_pattern(r"\w+")


_LEAKS = cued_pattern(
    r"(?i)(?:^|[.,;:!] |\b(?:and|but|so|that|the|our|any|all) )(?P<what>[\w-]{3,30}['’]?(?: [\w-]{3,30}){0,2})"
    r" (?:(?:must|may|should|can)(?: not|n[’']t|not| never)(?: ever)? (?:end up|appear|be(?: \w{3,8}ed)?|show up|get"
    r"|land|go|leak|turn up)(?: in| into| to)|(?:has|have) no (?:business|place) (?:in|being in)"
    r"|do(?:es)? not belong in(?:to)?|stays? out of) (?:the |our |any )?(?:\w+ )?(?:logs?|logging|console|stdout"
    r"|output)\b|(?:^|[.,;:!] |\b(?:and|but|the|our|any|all) )(?P<these>[\w-]{3,30}['’]?(?: [\w-]{3,30}){0,2})"
    r" (?:(?:is|are)(?: not|n[’']t| never) to be|must (?:not|never) be|(?:may|should|can)(?: not|n[’']t|not| never) be"
    r"|(?:is|are) never) (?:printed|logged)\b|\bno (?P<those>[\w-]{3,30}(?: [\w-]{3,30}){0,2}) in(?:to)? (?:the |our "
    r"|any )?(?:\w+ )?(?:logs?|logging|console|stdout|output)\b|\b(?:never|(?:do not|don[’']t)(?: ever)?"
    r"|no) (?:log(?:ging)?(?: of)?|print(?:ing)?(?: of)?)(?: the| any| our)* (?P<that>[\w-]{3,30}(?:"
    r" [\w-]{3,30}){0,2}?)(?=[.,;:!]|$| (?:in|to|at|anywhere|please|ever)\b)",
    "log logs logging logged console stdout output print printing printed",
)
"""Data that must not be logged: "Card numbers must never end up in the logs"."""
_LOGS = lazy_pattern(
    r"(?i)\b(?:log(?:ger|ging)?|console|slog|log4j|winston)\b\S{0,12}\.?\w{0,10}\(|\b(?:print\w*|echo|puts|NSLog"
    r"|Log\.\w)\b ?[(\"']"
)
_TOKENS = lazy_pattern(r"[^\W_]{2,40}")


class TextRule(NamedTuple):
    """Text that a rule forbids to write."""

    thing: int = -1
    """Position of the thing in the table; -1 for a name."""
    name: str = ""
    """Name of a library or function."""
    within: frozenset[str] = frozenset()
    """Stems of words of a path to which the rule is limited; empty for all files."""
    phrase: str = ""
    """The thing or name as it is written."""
    logged: frozenset[str] = frozenset()
    """Stems of the words for data that must not be logged."""


@lru_cache(maxsize=4_096)
def text_rule_of(rule: str) -> TextRule | None:
    """Return the text that a rule forbids to write; None for any other rule."""
    if _WORDS.isdisjoint(_WORD.findall(rule.lower())):
        return None
    return _leak_in(rule) or _thing_in(rule)


def _leak_in(rule: str) -> TextRule | None:
    """Return the rule about data that must not be logged: "Card numbers must never end up in the logs"."""
    leak = _LEAKS.search(rule)
    named = (leak["what"] or leak["these"] or leak["those"] or leak["that"]) if leak else ""
    data = content_words(named.replace("-", "")) - _NO_DATA
    return TextRule(phrase=named, logged=frozenset(map(stem, data - _OF_DATA or data))) if data else None


def _thing_in(rule: str) -> TextRule | None:
    """Return the rule about a thing of the table, a library or a function: "No emojis", "Never use moment"."""
    match = _ABOUT.search(rule) or _BANNED.search(rule) or _ABOUT_NAME.search(rule)
    if match is None:
        return None
    groups = match.groupdict()
    within = content_words(groups["place"] or "") - _ANYWHERE
    if name := groups.get("name"):
        return None if name.lower() in _NO_NAMES else TextRule(name=name, within=within, phrase=name)
    place = next(place for place in _PATTERNS if groups[f"t{place}"])
    return TextRule(place, within=within, phrase=groups[f"t{place}"])


def writes_forbidden(rule: TextRule, path: str, text: str) -> bool:
    """Return True if a text that is written to a file contains what a rule forbids."""
    words = [stem(word) for word in _WORD.findall(path.lower())] if rule.within else []
    if not all(any(_is_place(place, word) for word in words) for place in rule.within):
        return False
    if rule.thing < 0:
        return _logs(rule.logged, text) if rule.logged else _uses_name(rule.name, text)
    suffixes = _SUFFIXES[rule.thing]
    return (not suffixes or path.endswith(suffixes)) and _PATTERNS[rule.thing].search(text) is not None


def _is_place(place: str, word: str) -> bool:
    """Return True if two stems are equal, or one is a short form of the other: "lib" and "library"."""
    return place == word or (
        min(len(place), len(word)) >= _MIN_STEM and (place.startswith(word) or word.startswith(place))
    )


def _logs(data: frozenset[str], text: str) -> bool:
    """Return True if a statement of a text logs some data."""
    calls = (row[match.start() :].partition(");")[0] for row in text.split("\n") if (match := _LOGS.search(row)))
    return any(data <= {stem(stem(word.lower())) for word in _TOKENS.findall(call)} for call in calls)


def _uses_name(name: str, text: str) -> bool:
    """Return True if a text imports a library, or calls a function."""
    return name in text and pattern_of_name(name).search(text) is not None


@lru_cache(maxsize=256)
def pattern_of_name(name: str) -> re.Pattern[str]:
    own = re.escape(name)
    imports = rf"(?m)^[ \t]{{0,80}}(?:import|from|use)\b[^\n]{{0,200}}(?<![\w-]){own}(?![\w-])"
    return re.compile(rf"{imports}|require\(['\"]{own}['\"]|(?<![\w.]){own}\(")


_NO_DATA = content_words(
    "it this that them statement statements call calls message messages debug anything errors error"
)
_OF_DATA = content_words("address addresses number numbers value values detail details field fields content contents")
_ANYWHERE = content_words(
    "firmware program product anywhere base money amount amounts price prices currency code project repo repository "
    "codebase file files here this app"
)
