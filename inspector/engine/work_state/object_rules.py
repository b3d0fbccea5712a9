"""Rules about a concrete thing, found by their form: a negation, duty or limit, and a path, name, branch or port.

Any verb is accepted: "The name `resolve_order` must not be renamed", "notebooks/ has to survive", "keep off port 8080".
A verb limits the forbidden actions only if its meaning is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from inspector.core.text import lazy_pattern, word_set
from inspector.engine.work_state.ban_terms import BY_CODE, ending_of, is_report
from inspector.engine.work_state.ban_words import NO_DEED
from inspector.engine.work_state.plain_sentences import plain_sentence
from inspector.engine.work_state.rule_verbs import FORMS, MEANT

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
            " registry environment env stack workspace job device emulator tenant account project network",
        ),
        ("setting", "setting option flag key variable constant parameter"),
        ("package", "library dependency"),
        ("name", "function method class endpoint type"),
    )
    for noun in nouns.split()
}
"""Nouns by which a plain word names something concrete: "the coupon table", "branch main"."""
_NO_NAMES = word_set(
    "this that these those the a an any some every each all no other another new same own our my your their its which"
    " what first last second next right wrong whole entire current existing old only following and or of in on to for"
    " la el le les der die das den dem una un une log test tests source local given single main-thread public default"
    " primary foreign separate different temp temporary empty config output input for from with without into by not is"
    " are be was were it they correct certain specific particular extra additional"
)
_TOKEN = lazy_pattern(r"`([^`\n]{2,80})`|[\w@~./*:{}-]+")
"""Quoted code or a word."""
_PATH = lazy_pattern(
    r"[a-z]\w{1,9}://[\w@.*{}-]+|(?:[a-z]\w{1,9}://|~?/|\.{1,2}/)?[\w@.*{}-]+(?:/[\w@.*{}-]+)+|~?/[\w@.*-]{2,}"
    r"|[\w.-]{2,}(?=/$)|\.?[\w-]+(?:\.[\w-]+)*\.[a-z][a-z0-9]{0,7}|\.env(?:\.[\w-]+)+"
)
"""A path, a folder with a slash at its end, or the name of a file."""
_SHAPED = lazy_pattern(
    r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}"
    r"|[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+"
)
"""A name in code: with an underscore or a capital inside."""
_AFTER = lazy_pattern(r"\d{2,5}|(?=[\w-]*[\d_A-Z-])[A-Za-z][\w-]+")
_HOST = lazy_pattern(r"[a-z]{2,12}(?:-[a-z]{2,12}){0,3}-\d{1,3}")
"""A machine among several: "gpu-box-3"."""
_PORT = lazy_pattern(r"[1-9]\d{3,4}")
_BRANCHES = word_set("main master develop trunk")
_TOWARD = word_set("to into onto on in off")
_KIND = "|".join(sorted(_KINDS, key=len, reverse=True))
_CLAUSES = lazy_pattern(
    r"[;:!?]\s|\.\s|,\s(?:and |but |so |y |pero |et |mais |und |aber )?|\s[-–—]+\s|\s(?:but|although|because|since)\s"
)
_LEAD = r"(?:^|[,;:(–—-] ?|\b(?:and|but|so|please|pls|then|also|just|or|though|otherwise|you|we should|to) )"
_ADVERBS = r"(?: (?:ever|please|even|just|also|again|accidentally|really|under any circumstances|yet|try to))*"
_NEGATIVE = lazy_pattern(
    rf"(?i){_LEAD}(?:do not|don't|dont|never|avoid|refrain from|must not|mustn't|may not|should not|shouldn't|cannot"
    r"|can't|not allowed to|(?:no|not)(?= \w+ing\b)|no(?: more| manual| direct| further)?(?= (?:edits|changes"
    rf"|modifications|writes|commits|renames|deletions)\b)){_ADVERBS}"
    r" (?P<verb>(?:go |come |get |fall )?[a-z-]{2,16})\b"
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
_NO_PART = lazy_pattern(
    r"(?i)^no \w+(?: of (?:it|them|this))? (?:may|must|should|can|shall|gets?) (?P<verb>[a-z]{3,16})\b"
)
_NOTHING = lazy_pattern(
    r"(?i)(?:^|\b(?:and|but|please|so) )(?P<verb>[a-z]{3,14}) (?:absolutely )?nothing\b"
    r"|\bnothing\b[^.,;:!?\n]{0,40}?(?: may| must| should| is to| gets"
    r"| can)(?: ever)?(?: be)? (?P<passive>[a-z]{3,16})\b"
)
_KEPT = lazy_pattern(
    r"(?i)\b(?:has to|have to|must|needs? to|should|shall) (?:still |also |definitely )?(?:survive|stay alive"
    r"|remain (?:there|in place|as)|stay(?=[.,;!]|$)|keep (?=`)|stay (?:there|put|up|alive|in place|as)|(?:stay|remain"
    r"|be kept)(?= (?:at |on )?[`'\"]?v?\d)|keep (?:running|working|its|their)|be preserved)\b|^(?:please |and "
    r"|but )*(?:keep|leave)\b.{2,60}? (?:out of (?:it|this|that)|at (?=[`'\"]?v?\d)|exactly (?:as|the way)|the way"
    r"|in place|where it is|pinned|(?:as|like) (?:it|they) (?:is|are|was|were|came|comes?|got|stands?))\b"
)
_WORKS = lazy_pattern(r"(?i)\b(?:keep|stay|remain)s? (?:running|working)\b")
"""Words that say what something has to do. Code that has to keep working may be changed."""
_CLOSED = lazy_pattern(
    r"(?i)\b(?:is|are|stays?|remains?|as|be)(?: strictly| absolutely| completely)? (?:off[- ]limits|out of bounds"
    r"|untouchable|sacred|taboo|a no-go|verboten)\b|\bhands[- ]off\b|^off[- ]limits:"
    r"|\b(?:none of (?:your|our) business|not (?:ours|yours)(?= to\b|[.,;!]|$)|not for (?:you|us) to \w+)\b"
    r"|^(?:please |and |but )*(?:keep|stay|steer|leave) (?:well |far |clear )?(?:off|away from|clear of|out of)\b"
)
_READ_ONLY = lazy_pattern(
    r"(?i)\b(?:is|are|stays?|remains?|as|be)(?: strictly| absolutely)? (?:read[- ]only|frozen|immutable|locked"
    r"|protected)\b"
)
_FOREIGN = lazy_pattern(
    r"(?i)\b(?:no|não|non) (?:se|si) \w{3,12}\b|\bn(?:e |['’])\w* ?\w{2,14} (?:pas|jamais|plus)\b"
    r"|\b(?:darf|dürfen|wird|werden) (?:nicht|nie|niemals)\b|\bnie(?:mals)? \w+en\b|\bне (?:тро|меня|уда|пуш)\w+"
    r"|\b(?:bleib(?:t|en)|lass(?:t|en)?|reste(?:nt)?|quedan?|resta(?:no)?|fican?|blijf(?:t|ven)?)\b(?: \S{1,20}){0,4}?"
    r" (?:so|wie|unver\w*|unangetastet|unberührt|in ruhe|tabu|intact\w*|inchangé\w*|intoccat\w*|intat\w*"
    r"|ongewijzigd|ongemoeid|tranquil\w*)(?=[\s.,;!]|$)"
)
_POINTS = lazy_pattern(
    rf"(?i)\b(?:it|them|there|this|that|those|these)\b(?=[.,;:!)]|$| (?:please|pls|until|unless|before|though|under)\b"
    rf"| (?:is|are|must|mustn't|may|should|shouldn't|has|have|can)\b)|\b(?:that|this|those|these) (?:{_KIND})s?\b"
)
_AWAY = word_set(
    "use talk connect speak hit query call contact ping access visit bind listen occupy approach reach near"
)
"""Verbs that forbid any use of a thing."""
_LOSING = word_set("vanish disappear lost go get die miss missing")
_DOWN = lazy_pattern(r"(?i)^(?:go down|be down|go offline|stop|restart|die)$")
_MAY_FORBID = lazy_pattern(
    r"(?i)\b(?:no[tn]?|never|nothing|dont|avoid|refrain|cannot|keep|leave|stay|steer|off|hands|must|has|have|needs?"
    r"|should|shall|is|are|stays|remains?|as|be|não|ne|nie|niemals|не|bleibt|bleiben|lass|lasst|lassen|reste|restent"
    r"|queda|quedan|resta|restano|fica|ficam|blijft|blijven|darf|dürfen|wird|werden)\b|n['’]"
)
_VALUE = lazy_pattern(r"(?i)(?:at|remain|stay|be|=|to) [`'\"]?(v?\d[\w.]{0,20})\b")
_ALLOWING = word_set("ok okay fine may can allowed ahead please yours free now take put handle do")
_ANY = frozenset[str]()
_EPISTEMIC = NO_DEED | word_set("be been being do does did get so as much longer one problem matter idea need way mean")
_MAX_POINTING = 160
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


class _Stance(NamedTuple):
    """Actions that a clause forbids on its object."""

    actions: frozenset[str]
    closes: bool = False
    start: int = 0
    """Position after which the object is, for an order."""


def objects_in(text: str) -> Iterator[NamedObject]:
    """Yield what a sentence names, in its order."""
    tokens = [(match[1] or "", match[0].rstrip(".,:;"), match.start()) for match in _TOKEN.finditer(text)]
    words = ["" if code else word.lower() for code, word, _ in tokens]
    for place, (code, word, start) in enumerate(tokens):
        kind = _kind_by_form(code, word)
        if kind is None and not code:
            kind = _kind_by_noun(word, words, place)
        if kind is not None:
            yield NamedObject(_normal(code or word), kind, start)


def _kind_by_form(code: str, word: str) -> ObjectKind | None:
    """Return what a word names by its form alone."""
    name = code or word
    if code and _SHELL_WORD.search(code):
        return None
    if _PATH.fullmatch(name.rstrip("/") if code else name) or (name.endswith("/") and _PATH.match(name)):
        return "path"
    if code or _SHAPED.fullmatch(word):
        return "name"
    return "service" if _is_host(word) else None


def _is_host(word: str) -> bool:
    """Return True if a word names a machine or service: "pay-service", "gpu-box-3"."""
    ending = word.lower().rpartition("-")[2]
    return "-" in word and (_KINDS.get(ending) == "service" or _HOST.fullmatch(word) is not None)


def _kind_by_noun(word: str, words: Sequence[str], place: int) -> ObjectKind | None:
    """Return what a plain word names by the noun after or before it: "the coupon table", "branch main"."""
    low = word.lower()
    if low in _NO_NAMES or low in _KINDS:
        return None
    before, after = ["", *words, ""][place : place + 3 : 2]
    noun = _KINDS.get(before) or _KINDS.get(before.removesuffix("s"))
    if after in _KINDS:
        return _KINDS[after]
    if low in _BRANCHES:
        return noun or ("branch" if before in _TOWARD else None)
    return noun if noun and _AFTER.fullmatch(word) else "port" if _PORT.fullmatch(word) else None


def _normal(name: str) -> str:
    return name.lower().strip("`'\"").rstrip(".,;:").removeprefix("./").rstrip("/").removesuffix("()")


def points_back(sentence: str) -> bool:
    """Return True if a sentence forbids something to a thing that it names by a pronoun: "Don't overwrite it"."""
    points = len(sentence) <= _MAX_POINTING and _POINTS.search(sentence) is not None
    return points and any(map(_stance_of, _CLAUSES.split(plain_sentence(sentence))))


@lru_cache(maxsize=4_096)
def object_rule_of(rule: str) -> ObjectRule | None:
    """Return the rule about a concrete thing in a sentence; None for a question, a report, or any other sentence."""
    text = plain_sentence(rule).rstrip()
    if _QUESTION.search(text):
        return None
    clauses = _CLAUSES.split(text)
    for place, clause in enumerate(clauses):
        if stance := _stance_of(clause):
            things = _objects_in(clause, stance.start, text)
            if not things and _POINTS.search(clause):
                things = next(filter(None, (_objects_in(one, 0, text)[-1:] for one in reversed(clauses[:place]))), ())
            if _WORKS.search(clause):
                things = tuple(one for one in things if one.kind not in ("path", "name"))
            if things:
                value = _VALUE.search(clause)
                return ObjectRule(things, stance.actions, stance.closes, value[1] if value else "", ending_of(text, 0))
    return None


def asks_for_action(sentence: str) -> bool:
    """Return True if a sentence has the verb of an action, or allows something."""
    words = sentence.lower().replace(",", " ").split()
    return any(word.strip(".!`") in FORMS for word in words) or not _ALLOWING.isdisjoint(words)


def _objects_in(clause: str, start: int, text: str) -> tuple[NamedObject, ...]:
    """Return the things that a clause names after a position. Numbers are ports only in a sentence about ports."""
    named = (one for one in objects_in(clause) if one.place >= start)
    return tuple(one for one in named if one.kind != "port" or "port" in text.lower())


def _stance_of(clause: str) -> _Stance | None:
    """Return the actions that a clause forbids on its object; None for any other clause."""
    if not _MAY_FORBID.search(clause):
        return None
    if _CLOSED.search(clause):
        return _Stance(_ANY, True)
    if _READ_ONLY.search(clause) or _KEPT.search(clause) or _FOREIGN.search(clause):
        return _Stance(_ANY)
    return _passive_stance(clause) or _ordered_stance(clause)


def _passive_stance(clause: str) -> _Stance | None:
    """Return the actions on its subject that a clause forbids: "X must not be renamed", "X mustn't go down"."""
    if match := _LOST.search(clause):
        return _Stance(_ANY if _DOWN.match(match["verb"]) else frozenset(("delete",)))
    if BY_CODE.search(clause):
        return None
    if (match := _PASSIVE.search(clause) or _NO_PART.search(clause)) and (actions := _meaning(match["verb"])):
        return _Stance(actions)
    if match := _NOTHING.search(clause):
        verb = match["verb"] or match["passive"]
        actions = _meaning(verb)
        return _Stance(actions) if actions else None
    return None


def _ordered_stance(clause: str) -> _Stance | None:
    """Return the actions that a negated order forbids: "don't nuke X"."""
    for match in _NEGATIVE.finditer(clause):
        if is_report(clause, match.start()):
            continue
        verb = match["verb"].lower().split()
        if verb[-1] in _AWAY and verb[-1] not in FORMS:
            return _Stance(_ANY, True, match.start())
        if not _EPISTEMIC.intersection(verb):
            return _Stance(_of_verb(verb[-1]), FORMS.get(verb[-1], "") in ("use", "call"), match.start())
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
