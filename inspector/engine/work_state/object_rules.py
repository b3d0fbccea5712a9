"""Rules about one concrete thing, by their form: a negation, duty or limit with a path, name, branch or port.

The verb may be any: "The name `resolve_order` is public and must not be renamed", "X has to survive", "keep off port
8080". What the rule forbids follows from the thing, and from the verb only where its meaning is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from inspector.core.text import lazy_pattern, word_set
from inspector.engine.work_state.ban_patterns import NO_DEED
from inspector.engine.work_state.ban_terms import ending_of, is_report
from inspector.engine.work_state.rule_verbs import FORMS, MEANT, plain_sentence

ObjectKind = Literal["path", "branch", "port", "place", "data", "service", "setting", "package", "name"]
_KINDS: dict[str, ObjectKind] = {
    noun: kind  # type: ignore[misc]  # mypy widens the literals in the tuples to str
    for kind, nouns in (
        ("branch", "branch branches rama zweig branche ветка ветку ramo"),
        ("port", "port ports puerto"),
        (
            "place",
            "folder directory dir file script package module page component notebook carpeta archivo ordner datei"
            " fichier dossier cartella",
        ),
        (
            "data",
            "table view column schema database db bucket dataset collection topic queue index tabla tabelle datenbank"
            " partition snapshot backup",
        ),
        (
            "service",
            "cluster context namespace service container pod deployment host server machine instance node volume"
            " registry environment env stack workspace job device emulator tenant account project registry network",
        ),
        ("setting", "setting option flag key variable constant parameter"),
        ("package", "library dependency"),
        ("name", "function method class endpoint function type"),
    )
    for noun in nouns.split()
}
"""Nouns by which a plain word names something concrete: "the coupon table", "branch main"."""
_NOUN = "|".join(sorted(_KINDS, key=len, reverse=True))
_NO_NAMES = word_set(
    "this that these those the a an any some every each all no other another new same own our my your their its which"
    " what first last second next right wrong whole entire current existing old only following and or of in on to for"
    " la el le les der die das den dem una un une log test tests source local given single main-thread public default"
    " primary foreign separate different temp temporary empty config output input for from with without into by not is"
    " are be was were it they correct certain specific particular extra additional"
)
_NAME = r"[\w@][\w@.-]{0,60}"
_OBJECT = lazy_pattern(
    r"`(?P<code>[^`\n]{2,80})`"
    r"|(?P<path>(?<![\w/])(?:[a-z]\w{1,9}://|~?/|\.{1,2}/)?[\w@.*-]{1,80}(?:/[\w@.*{},-]{1,80}){1,12}/?"
    r"|(?<![\w/])~?/[\w@.*-]{2,80}/?|[\w.-]{2,60}/(?=[\s.,;:!)]|$))"
    r"|(?P<file>(?<![\w/.])\.?[\w-]{1,60}(?:\.[\w-]{1,30}){0,3}\.[a-z][a-z0-9]{0,7}(?![\w/(]))"
    rf"|\b(?i:(?P<noun>{_NOUN}))s?\b(?: (?:named |called |on )?)(?P<after>\d{{2,5}}\b"
    r"|(?=[\w-]*[\d_A-Z-])[A-Za-z][\w-]{1,60}|(?:main|master|develop|trunk)\b)"
    rf"|(?P<before>(?<![\w.-])(?!(?i:{'|'.join(sorted(_NO_NAMES, key=len, reverse=True))})\s){_NAME})"
    rf" (?i:(?P<kind>{_NOUN}))\b"
    r"|\b(?:to|into|onto|on|in|off) (?:origin/)?(?P<branch>main|master|develop|trunk)\b(?![-./])"
    r"|(?P<name>(?<![\w.-])(?:[A-Za-z]\w{0,40}(?:_\w{1,40})+|[a-z]{1,20}(?:[A-Z][a-z0-9]{1,20}){1,5}"
    r"|(?:[A-Z][a-z0-9]{1,20}){2,5}|[A-Z][A-Z0-9]{1,20}(?:_[A-Z0-9]{1,20}){1,6})(?![\w-]))"
    rf"|(?P<hyphened>(?<![\w.-])[a-z][a-z0-9]{{0,20}}(?:-[a-z0-9]{{1,20}}){{0,3}}-(?:{_NOUN})\b)"
    r"|(?P<number>(?<![\w.:-])[1-9]\d{3,4}(?![\w.:-]))"
)
"""Something concrete that a sentence names."""
_CLAUSES = lazy_pattern(
    r"[;:!?]\s|\.\s|,\s(?:and |but |so |y |pero |et |mais |und |aber )?|\s[-–—]+\s|\s(?:but|although|because|since)\s"
)
_LEAD = r"(?:^|[,;:(–—-] ?|\b(?:and|but|so|please|pls|then|also|just|or|though|otherwise|you|we should|to) )"
_ADVERBS = r"(?: (?:ever|please|even|just|also|again|accidentally|really|under any circumstances|yet|try to))*"
_NEGATIVE = lazy_pattern(
    rf"(?i){_LEAD}(?:do not|don't|dont|never|avoid|refrain from|must not|mustn't|may not|should not|shouldn't"
    rf"|cannot|can't|not allowed to|no|not(?= \w+ing\b)){_ADVERBS} (?P<verb>(?:go |come |get |fall )?[a-z-]{{2,16}})\b"
)
"""A negated order: "don't nuke", "you must not merge", "never go near"."""
_PASSIVE = lazy_pattern(
    r"(?i)\b(?:must|may|should|shall|can|ought|is|are|needs?)(?: not| never|n't|not)(?: ever| to)*"
    r" (?:be |get )(?P<verb>[a-z-]{3,16}(?:ed|en|wn|ught|ft|st|lt|nt|ut))\b"
)
_LOST = lazy_pattern(
    r"(?i)\b(?:must|may|should|shall|can|is|are|does)(?: not| never|n't|not)(?: ever| to)*"
    r" (?P<verb>vanish|disappear|go away|get lost|be lost|go missing|go down|be down|go offline|stop|restart|die)\b"
)
_NO_PART = lazy_pattern(r"(?i)^no \w+(?: of (?:it|them|this))? (?:may|must|should|can|shall|gets?) (?P<verb>[a-z]{3,16})\b")
_NOTHING = lazy_pattern(
    r"(?i)(?:^|\b(?:and|but|please|so) )(?P<verb>[a-z]{3,14}) (?:absolutely )?nothing\b"
    r"|\bnothing\b[^.,;:!?\n]{0,40}?(?: may| must| should| is to| gets| can)(?: ever)?(?: be)? (?P<passive>[a-z]{3,16})\b"
)
_KEPT = lazy_pattern(
    r"(?i)\b(?:has to|have to|must|needs? to|should|shall) (?:still |also |definitely )?"
    r"(?:survive|stay alive|remain (?:there|in place|as)|stay (?:there|put|up|alive|in place|as)"
    r"|(?:stay|remain|be kept)(?= (?:at |on )?[`'\"]?v?\d)|keep (?:running|working|its|their)|be preserved)\b"
    r"|^(?:please |and |but )*(?:keep|leave)\b.{2,60}? (?:out of (?:it|this|that)|at (?=[`'\"]?v?\d)|exactly (?:as|the way)"
    r"|the way|in place|where it is|pinned)\b"
)
_CLOSED = lazy_pattern(
    r"(?i)\b(?:off[- ]limits|hands[- ]off|hands off|out of bounds|untouchable|sacred|taboo|a no-go|verboten"
    r"|none of (?:your|our) business|not (?:ours|yours)(?= to\b|[.,;!]|$)|not for (?:you|us) to \w+)\b"
    r"|^(?:please |and |but )*(?:keep|stay|steer|leave) (?:well |far |clear )?(?:off|away from|clear of|out of)\b"
)
_READ_ONLY = lazy_pattern(
    r"(?i)\b(?:is|are|stays?|remains?|as|be)(?: strictly| absolutely)? (?:read[- ]only|frozen|immutable|locked|protected)\b"
)
_FOREIGN = lazy_pattern(
    r"(?i)\b(?:no|não|non) (?:se|si) \w{3,12}\b|\bn(?:e |['’])\w* ?\w{2,14} (?:pas|jamais|plus)\b"
    r"|\b(?:darf|dürfen|wird|werden) (?:nicht|nie|niemals)\b|\bnie(?:mals)? \w+en\b|\bне (?:тро|меня|уда|пуш)\w+"
    r"|\bbleib(?:t|en) (?:so|wie|unver)\w*"
)
_POINTS = lazy_pattern(
    rf"(?i)\b(?:it|them|there|this|that|those|these)\b(?=[.,;:!)]|$| (?:please|pls|until|unless|before|though|under)\b"
    rf"| (?:is|are|must|mustn't|may|should|shouldn't|has|have|can)\b)|\b(?:that|this|the|those|these) (?:{_NOUN})s?\b"
)
_AWAY = word_set(
    "use talk connect speak hit query call contact ping access visit bind listen occupy approach reach near"
)
"""Verbs that forbid any use of a thing."""
_LOSING = word_set("vanish disappear lost go get die miss missing")
_DOWN = lazy_pattern(r"(?i)^(?:go down|be down|go offline|stop|restart|die)$")
_VALUE = lazy_pattern(r"(?i)(?:at|remain|stay|be|=|to) [`'\"]?(v?\d[\w.]{0,20})\b")
_ANY = frozenset[str]()
_EPISTEMIC = NO_DEED | word_set("be been being do does did get so as much longer one problem matter idea need way mean")
_QUESTION = lazy_pattern(r"\?\s*$")
_SHELL_WORD = lazy_pattern(r"\S \S")


class NamedObject(NamedTuple):
    """Something concrete that a sentence names."""

    name: str
    """The name in lower case, without quotes; of a path without slashes at its ends."""
    kind: ObjectKind
    place: int = 0
    """Position in the sentence."""


class ObjectRule(NamedTuple):
    """A rule about concrete things."""

    objects: tuple[NamedObject, ...]
    actions: frozenset[str]
    """The forbidden actions, as in `rule_verbs`; empty for any that changes the things."""
    closes: bool = False
    """True if any use is forbidden."""
    value: str = ""
    """Value that a setting has to keep."""
    ending: str = ""
    """What ends the rule, as for `Ban`."""


def objects_in(text: str) -> Iterator[NamedObject]:
    """Yield what a sentence names, in its order."""
    for match in _OBJECT.finditer(text):
        group = match.lastgroup or ""
        found = match.groupdict()
        if group in ("code", "path", "file", "name", "hyphened"):
            name = found[group]
            if group == "code" and _SHELL_WORD.search(name):
                continue
            kind: ObjectKind = "path" if group in ("path", "file") or "/" in name else "name"
            yield NamedObject(_normal(name), kind if group != "hyphened" else "service", match.start())
        elif found["after"]:
            yield NamedObject(_normal(found["after"]), _KINDS[found["noun"].lower()], match.start())
        elif found["before"]:
            yield NamedObject(_normal(found["before"]), _KINDS[found["kind"].lower()], match.start())
        elif found["branch"]:
            yield NamedObject(found["branch"], "branch", match.start())
        elif found["number"]:
            yield NamedObject(found["number"], "port", match.start())


def points_back(sentence: str) -> bool:
    """Return True if a sentence forbids something to a thing that it names by a pronoun: "Don't overwrite it"."""
    return _POINTS.search(sentence) is not None and any(map(_stance_of, _CLAUSES.split(plain_sentence(sentence))))


def _normal(name: str) -> str:
    return name.lower().strip("`'\"").rstrip(".,;:").removeprefix("./").rstrip("/").removesuffix("()")


@lru_cache(maxsize=4_096)
def object_rule_of(rule: str) -> ObjectRule | None:
    """Return the rule about a concrete thing in a sentence; None for a question, a report, or any other sentence."""
    text = plain_sentence(rule).rstrip()
    if _QUESTION.search(text):
        return None
    is_about_port = "port" in text.lower()
    known: tuple[NamedObject, ...] = ()
    for clause in _CLAUSES.split(text):
        own = tuple(one for one in objects_in(clause) if is_about_port or one.kind != "port")
        stance = _stance_of(clause) if own or known else None
        things = (own or (known[-1:] if _POINTS.search(clause) else ())) if stance else ()
        if stance and things:
            value = _VALUE.search(clause)
            return ObjectRule(things, *stance, value[1] if value else "", ending_of(text, 0))
        known = own or known
    return None


def _stance_of(clause: str) -> tuple[frozenset[str], bool] | None:
    """Return the actions that a clause forbids, and whether it forbids any use; None if it forbids nothing."""
    if _CLOSED.search(clause):
        return _ANY, True
    if _READ_ONLY.search(clause) or _KEPT.search(clause) or _FOREIGN.search(clause):
        return _ANY, False
    if match := _LOST.search(clause):
        return (_ANY if _DOWN.match(match["verb"]) else frozenset(("delete",))), False
    if (match := _PASSIVE.search(clause) or _NO_PART.search(clause)) and (actions := _meaning(match["verb"])):
        return actions, False
    if match := _NOTHING.search(clause):
        verb = match["verb"] or match["passive"]
        actions = _meaning(verb)
        return (actions, False) if actions else None
    for match in _NEGATIVE.finditer(clause):
        if is_report(clause, match.start()):
            continue
        verb = match["verb"].lower().split()
        if verb[-1] in _AWAY and verb[-1] not in FORMS:
            return _ANY, True
        if not _EPISTEMIC.intersection(verb):
            return _of_verb(verb[-1]), FORMS.get(verb[-1], "") in ("use", "call")
    return None


def _of_verb(verb: str) -> frozenset[str]:
    """Return the actions of a verb. To touch or change something is to do anything to it."""
    actions = MEANT.get(FORMS.get(verb, ""), _ANY)
    return _ANY if "change" in actions and "insert" not in actions else actions


def _meaning(verb: str) -> frozenset[str]:
    """Return the actions that a participle or verb of loss means; none for any other verb."""
    verb = verb.lower()
    if verb in _LOSING:
        return frozenset(("delete",))
    if verb not in FORMS:
        return frozenset()
    return _of_verb(verb) or frozenset(("any",))
