"""Directions of a user that hold for all of the work, by their form: "Cargo only in offline mode"."""

from __future__ import annotations

from functools import lru_cache

from inspector.core.text import lazy_pattern, said_in
from inspector.engine.work_state.languages import LANGUAGE_NAMES

_LEAD = r"^(?:(?:please|pls|and|but|also|so|note|btw|oh|ok(?:ay)?|y|und|et|e)[,: ]+)*"
_ALL = r"(?:everything|anything|all(?: (?:of )?(?:the |your )?\w+)?|each \w+|every \w+)"
_DIRECTS = lazy_pattern(
    rf"(?i){_LEAD}(?:(?:log|write|put|save|record|document|note|track|store|send|mirror|append|run|wrap|prefix) {_ALL}"
    r" (?:to|in|into|under|with|through|via|on|as|inside) \S.*"
    r"|(?!if |when |what |why |how )[\w`][^,;:?]{2,40} (?:after|before|on|for|per|in|with) (?:everything new|(?:each"
    r"|every) (?:single )?[\w-]+(?: [\w-]+)?)"
    r"|(?:one|a single|at most \w+|max(?:imum)? \w+|\d+) [\w-]+(?: [\w-]+)? per [\w-]+(?: [\w-]+)?"
    r"|(?:everything with )?(?:numbers|sizes|times|dates|prices|amounts|units|values|currenc(?:y|ies)) in \S+"
    r"|(?:keep|gard(?:e|ez|er)|behalte|mant[eé]n) (?!it\b|that\b|this\b|them\b|going\b)(?:to )?[\w+./-]+"
    r"(?: (?:as|comme|als|como) [\w -]{2,30})?"
    r"|(?:keep|leave|hold) (?:the )?[\w-]+(?: [\w-]+)? (?:at|on|below|under) [\w.]+"
    r"|[\w.-]+ (?:[\w.-]+ )?with --?[a-z][\w-]*(?: pls| please)?"
    r"|(?:(?:the|our|all|every|each) )?[\w./-]+(?: [\w./-]+)? (?:must|ha(?:s|ve) to) (?:be|stay|remain|use|have|pass"
    r"|match|keep) [^?]{2,80}"
    r"|[a-z]{2,14} [^,?]{2,60}, ?(?:otherwise|or else|sonst|sinon|si no)\b.*"
    r"|[\w`][\w.`-]*(?: [\w.`-]+)? only (?:in|with|via|on|through|as|at|by|after|when|under|inside|from) [^?]{2,60}"
    r")(?: please| pls| thanks)?[\W_]*$"
)
"""A sentence or clause that directs without the words of a prohibition."""
_LABELED = lazy_pattern(
    r"(?i)^(?:(?:our|my|the|house|team|general|project) )?(?:[\w-]+ )?(?:styles?|rules?|conventions?|polic(?:y|ies)"
    r"|guidelines?)(?: (?:of|for|in) [\w ]{2,30}| here)?: \S.{5,}"
    r"|^\S.{5,80}, (?:that|it)(?:[’']s| is) (?:the |our |my )?(?:house|team|project) (?:style|rule|convention|policy)\b"
)
"""A sentence that is called a rule: "Our Go style: errors get wrapped"."""
_REPORTS = lazy_pattern(
    r"(?i)^(?:it|this|that|there|they|we|i|he|she|you|an?|some|still|not)\b"
    r"|\b(?:is|are|was|were|has|had|have|does|did|fails?|failed|crash\w*|breaks?|hangs?|happens?|shows?|gets?|got"
    r"|works?|appears?|sees?|returns?|stops?|seems?|took|takes|error\w*|bugs?|issues?)\b"
)
_NAMED = "|".join(LANGUAGE_NAMES)
_WRITTEN = (
    r"(?:comments?|docstrings?|commit (?:messages?|subjects?)|commits|identifiers|variable names|names|docs"
    r"|documentation|\w*namen|readme|changelog|summar(?:y|ies)|kommentare?|commentaires?|coment[aá]rios?|commenti|code)"
)
_LANGUAGE = lazy_pattern(
    rf"(?i)\b{_WRITTEN}\b[^,.;:?!\n]{{0,30}} (?:in |en |auf |em |in het )?(?:{_NAMED})\b"
    rf"|\b(?:{_NAMED}) {_WRITTEN}\b"
)
"""The language of something that is written: "comments in English"."""
_CONVERTS = lazy_pattern(
    r"(?i)\b(?:translat|convert|übersetz|tradu|vertaal|why|switch|wrong|broken|missing|is|are|was|were|has|have)\w*"
)


@lru_cache(maxsize=4_096)
def directs(clause: str) -> bool:
    """Return True if a sentence or clause of a user directs how all of the work is done. A report is none."""
    if not said_in(clause).isdisjoint(LANGUAGE_NAMES) and _LANGUAGE.search(clause):
        return not _CONVERTS.search(clause) and not clause.endswith("?")
    if _LABELED.search(clause):
        return not clause.endswith("?")
    return _DIRECTS.search(clause) is not None and not _REPORTS.search(clause)
