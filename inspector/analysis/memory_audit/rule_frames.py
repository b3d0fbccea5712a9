"""The parts of a sentence of a rule file: its subject, its scope, its denial, and the tools and code in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from inspector.analysis.memory_audit.exclusive_tools import ProjectTool, tool_forms
from inspector.analysis.memory_audit.rule_measures import Measure, measures_in
from inspector.analysis.memory_audit.same_words import REASON, key_words
from inspector.core.text import lazy_pattern, said_in, word_set
from inspector.engine.facts import stem

_CODE = lazy_pattern(r"`([^`\n]{1,120})`")
_SIGNS = lazy_pattern(r"!!|\?\?")
_ARGUMENTS = lazy_pattern(r"\([^)]*\)?")
_CLAUSES = lazy_pattern(r"[;()]|[:,.](?=\s)| [—–-] |\b(?:but|so that|instead of|rather than|and never|and not)\b")
_DENIES = lazy_pattern(
    r"(?i)\b(?:no|not|never|don[’']?t|doesn[’']?t|isn[’']t|aren[’']t|cannot|can[’']?t|mustn[’']t|shouldn[’']t|avoid"
    r"|without|stop|forbid|refuse|reject|nobody|nothing|none|neither|skip|ban|drop)\b"
)
"""Words that reject what follows them."""
_IS_DENIED = lazy_pattern(
    r"(?i)\b(?:forbidden|prohibited|banned|disallowed|dropped|removed|gone|refused|rejected|replaced|off[- ]limits"
    r"|legacy|deprecated|obsolete|given up|abandoned|retired"
    r"|unwelcome|(?:is|are|was|were|must|may|should)(?: not|n[’']t| never)(?: be)? \w+|no longer \w+)\b"
)
"""Words that reject what is before them."""
_REJECTED_AFTER = lazy_pattern(
    r"(?i)\b(?:instead of|rather than|(?:in )?place of|over|not|never|no"
    r"|forbidden|prohibited|banned|avoid|don[’']ts?)\W*$"
)
_HEDGES = lazy_pattern(
    r"(?i)\b(?:except\w*|exceptions?|unless|(?<!is )(?<!are )legacy|old|older|existing|until|for now"
    r"|(?<!is )(?<!are )deprecated|migrat\w+|temporar\w+"
    r"|still|apart from|other than|besides|replac\w*|formerly|previously|used to|was|were"
    r"|only (?:in|for|where|when|if|inside)"
    r"|only (?:place|crate|module|file|package|one|exception)|both|either|supports|supported|e\.g|for example|such as"
    r"|like|example|vs|versus|compared?|unlike|similar)\b"
)
"""Words of a sentence that limits what it says, or describes more than it demands."""
_SCOPE = lazy_pattern(
    r"(?i)\b(?:in|inside|within|under|for|on|from|outside|during|when|where|if|while|after|before|at|by|of|with|to|into"
    r"|until|unless)\s+((?:[\w`./*@'’-]{1,40}\s?){1,4})"
)
_LIMITS = word_set("in inside within under for on from outside during when where if while at")
_EVERYWHERE = word_set(
    "all any every each everywhere this our your new project repo repository codebase code base place app environment "
    "stack application deps dependencies everything ever here always the a an it them that which your team"
)
_NAME = lazy_pattern(r"[@#]?\.?[A-Za-z_]\w*(?:[.:/-]{1,2}\w+)*!?")
_WORD = lazy_pattern(r"[\w@.#/+-]{1,60}")
_EXTRAS = lazy_pattern(r"install [\"'][\w.-]{1,60}\[")
"""A command that installs a package with extras, which users of the package run."""
_FIRST = lazy_pattern(r"(?:^|&&|\|\||;|\|)\s*(?:sudo |npx |python3? -m |uv run |poetry run |exec )?([\w./@-]+)")


class NamedTool(NamedTuple):
    """A tool that a sentence names."""

    tool: ProjectTool
    is_denied: bool
    is_code: bool


class RuleFrame:
    """A sentence of a rule file, taken apart as far as it is asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._main = REASON.sub("", text)

    @cached_property
    def _prose(self) -> str:
        return _CODE.sub(" ", self._main)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of what it says, with the words of its code."""
        return key_words(self._prose) | _code_stems(self._main)

    @cached_property
    def scope(self) -> frozenset[str]:
        """Stems of the place or the case for which it says it."""
        return frozenset(_scope_stems(self._main))

    @cached_property
    def is_denied(self) -> bool:
        """True if it rejects something."""
        return _DENIES.search(self._prose) is not None or _IS_DENIED.search(self._prose) is not None

    @cached_property
    def is_hedged(self) -> bool:
        """True if it limits what it says, or describes more than it demands."""
        return _HEDGES.search(self.text) is not None

    @cached_property
    def tools(self) -> Sequence[NamedTool]:
        """The tools that it names."""
        return tuple(_tools_in(self._main))

    @cached_property
    def commands(self) -> Sequence[tuple[frozenset[str], bool]]:
        """The words of each piece of code, and whether it is rejected."""
        return tuple(_commands_in(self._main)) if "`" in self._main else ()

    @cached_property
    def measures(self) -> Sequence[Measure]:
        """The numbers, with what they measure."""
        return tuple(measures_in(self._main))


@lru_cache(maxsize=1 << 13)
def frame_of(text: str) -> RuleFrame:
    """Return the frame of a sentence with its code marks."""
    return RuleFrame(text)


def _code_stems(text: str) -> frozenset[str]:
    return frozenset(word for code in _CODE.findall(text) for word in _code_words(code) if len(word) > 1)


def _code_words(code: str) -> frozenset[str]:
    """Return the words of code, without arguments of calls: "git push", ".expect(…)"."""
    words = _ARGUMENTS.sub("", code).split()
    return frozenset(word.lower().strip(".:") or word for word in (*words, *_SIGNS.findall(code)))


def _scope_stems(text: str) -> Iterator[str]:
    """Yield stems of the place or case for which a sentence holds. The tool that it names is none."""
    for match in _SCOPE.finditer(text):
        if match[0].split(None, 1)[0].lower() in _LIMITS:
            words = [word.strip(".,:’'`()") for word in match[1].split()]
            is_all = words[0].lower() in ("all", "any", "every", "each", "everything")
            if not (is_all or any(_plain_tools(" ".join(words[:2])))):
                yield from (stem(word) for word in words if word.lower() not in _EVERYWHERE)


def _clauses(text: str) -> Iterator[tuple[str, str]]:
    """Yield the clauses of a text, each with the text before it."""
    start = 0
    plain = _CODE.sub(lambda match: f"`{'x' * len(match[1])}`", text)
    for match in _CLAUSES.finditer(plain):
        yield text[start : match.start()], text[:start]
        start = match.end()
    yield text[start:], text[:start]


def _coded_parts(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield the prose before each piece of code, the code, and whether both are rejected. The last code is ""."""
    for clause, before in _clauses(text):
        is_denied = _REJECTED_AFTER.search(before) is not None
        places = [*_CODE.finditer(clause), None]
        start = 0
        for code in places:
            prose = clause[start : code.start() if code else None]
            rest = _CODE.sub(" ", clause[code.end() if code else len(clause) :])
            denial = _DENIES.search(prose)
            if denial and not is_denied and denial.start() > 0:
                yield prose[: denial.start()], "", _IS_DENIED.search(prose) is not None
                prose = prose[denial.start() :]
            is_denied = is_denied or denial is not None or _IS_DENIED.search(f"{prose} {rest}") is not None
            yield prose, code[1] if code else "", is_denied
            start = code.end() if code else len(clause)


def _tools_in(text: str) -> Iterator[NamedTool]:
    if said_in(text).isdisjoint(_tool_words()):
        return
    for prose, code, is_denied in _coded_parts(text):
        yield from (NamedTool(tool, is_denied, False) for tool in _plain_tools(prose))
        if code and not (is_denied and " " in code):  # of "never `uv pip install`", no tool is denied
            yield from (NamedTool(tool, is_denied, True) for tool in _code_tools(code))


@lru_cache(maxsize=1)
def _tool_words() -> frozenset[str]:
    plain, code = tool_forms()
    return frozenset(word for form in (*plain, *code) for word in said_in(form))


def _plain_tools(text: str) -> Iterator[ProjectTool]:
    plain, _ = tool_forms()
    words = [word.lower().rstrip(".-/") for word in _WORD.findall(text)]
    place = 0
    while place < len(words):
        rows = plain.get(words[place], ())
        size = 1
        for form, tool in rows:
            if tuple(words[place : place + len(form)]) == form:
                yield tool
                size = len(form)
                break
        place += size


def _code_tools(code: str) -> Iterator[ProjectTool]:
    """Yield the tools that code uses: the commands it runs, and the libraries whose names it has."""
    if _EXTRAS.search(code):
        return
    plain, forms = tool_forms()
    firsts = {name.lower() for name in _FIRST.findall(code)}
    for name in {*firsts, *(name.lower() for name in _NAME.findall(code))}:
        head = name.partition(".")[0]
        if tool := forms.get(name) or (forms.get(f"{head}.") if "." in name else None):
            yield tool
        elif name in firsts or name == code.lower():
            yield from (tool for form, tool in plain.get(name, ()) if len(form) == 1)


def _commands_in(text: str) -> Iterator[tuple[frozenset[str], bool]]:
    for _, code, is_denied in _coded_parts(text):
        if code:
            yield _code_words(code), is_denied
