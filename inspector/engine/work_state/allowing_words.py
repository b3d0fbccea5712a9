"""Rules that allow a place and thereby forbid the rest: "Stay in packages/ui"."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from inspector.core.text import lazy_pattern, word_set

_PLACE = lazy_pattern(
    r"(?<![\w`/.@*-])`?(?:(/?(?:[\w.@*-]{1,80}/){1,20}[\w.@*-]{0,80})|(/[\w.@-]{2,80})|(\w[\w-]{0,80}\.[a-z]\w{0,4})"
    r"|([a-z]{2}-(?:gov-)?[a-z]{4,12}-?\d))`?(?![\w/-])"
)
"""A path, the name of a file, or a region of a cloud."""
_MARK = lazy_pattern(
    r"(?i)\b(?:only|solely|exclusively|nothing but|(?:in |on |to )?no other"
    r"|nur|ausschließlich|lediglich|solo|sólo|solamente|únicamente"
    r"|exclusiva?mente|somente|apenas|alleen|enkel|только|лишь|uniquement|seulement|exclusivement|rien que|tylko|endast"
    r"|bara|sadece|nothing (?:else|beyond|outside|more)|nowhere else|nichts (?:anderes|sonst)|rien d[’']autre|nada más"
    r"|niente altro)\b|只|仅|僅|だけ|のみ"
)
"""A word that excludes everything else."""
_HOLDS = lazy_pattern(
    r"(?i)(?:^|[,;:] ?|\b(?:please|pls|plz|bitte|and|und|but|to|must|should|may|do) )(?:(?:stay|remain|bleib\w*"
    r"|reste[rsz]?|qu[ée]date|fica|resta|blijf|limit|restrict|confine|beschränk\w*|keep (?:all |your |the "
    r"|any )*(?:changes?|edits|diffs?|work|commits|yourself))\b(?! (?:switched|turned|set|off|on|disabled|enabled"
    r"|empty)\b)[^.;:!?\n]{0,40}? (?:in|inside|within|to|under|auf|dans|en|em|nel|nella|à)|(?:not|don[’']?t"
    r"|never) (?:to )?(?:leave|go outside(?: of)?|step outside(?: of)?)|must (?:stay|remain|be) (?:in|inside"
    r"|within))(?: the)? $"
)
"""Words before the place that an order confines the agent to."""
_OUTSIDE = lazy_pattern(
    r"(?i)\b(?:nothing|no\w*|not|don[’']?t|never|nichts?|niemals|keine?|rien|pas|nada|não|niente|niets|ничего)\b"
    r"[^.;:!?\n]{0,60}?(?:outside(?: of)?|beyond|out of|außerhalb(?: von)?|en dehors d[eu]|hors d[eu]|fuera d[eo]l?"
    r"|fora d[eoa]|al di fuori d\w+|fuori d\w+|buiten|вне)(?: the)? $"
)
"""Words before a place outside of which a rule forbids everything."""
_BETWEEN = word_set(
    "ever edit edits editing change changes touch modify write work working allowed in on inside within under into to"
    " of at the this that our my your folder folders directory dir files file code area paths path module package im"
    " der die das den dem ordner verzeichnis dateien datei arbeiten arbeite ändern bearbeiten innerhalb von dentro"
    " del de la el en los archivos carpeta trabaja trabajar edita cambia dans le les dossier fichiers travaille à sur"
    " nel nella cartella lavora в папке файлы na no em pasta trabalha for from scope may can should is be"
)
"""Words that can be between a word that excludes everything else and the place."""
_IS = lazy_pattern(
    r"(?i)\b(?:is|are|was|were|happens?|occurs?|appears?|fails?|lives?|exists?|used|defined|found|ist|sind|está|est) ?$"
)
_WORDS = lazy_pattern(r"[^\W\d_]+")
_REPORTS = lazy_pattern(
    r"(?i)\b(?:happens?|occurs?|exists?|are|was|were|fails?|failed|appears?|defined|used|found|contains?|has|had"
    r"|called|if|when|why|because|reads?|looks?|runs?|tests?|covers?|supports?|what|whether|it|they|which|that)\b"
)
"""Words before a place that make a clause a description, a condition, or an order to read or run something."""
_CLAUSES = lazy_pattern(r"[;:!?()]\s?|\.\s|,\s|\s[-–—]+\s|\s(?:but|because|since|so|aber|weil|pero|mais)\s|[，；。！]")
_STRONG = lazy_pattern(r"(?i)(?:in |on |to )?no other|nothing|nowhere|nichts|rien|nada|niente")
_JOINS = lazy_pattern(r"(?i)^(?:and|und|y|et|e|en) ")
_NAME = lazy_pattern(r"[^\W_][\w-]{3,40}")
_MORE = lazy_pattern(r"(?i)[ ,]{0,3}(?:and|or|und|oder|et|ou|y|o|e|&|和|,)(?: (?:in|the|to))? ")


@lru_cache(maxsize=4_096)
def places_allowed(rule: str) -> tuple[str, ...]:
    """Return the only places in which a rule allows changes; none if it allows another thing as well."""
    if ("/" not in rule and "." not in rule.rstrip(".") and "-" not in rule) or not _PLACE.search(rule):
        return ()
    clauses = _CLAUSES.split(rule)
    for number, clause in enumerate(clauses):
        places = list(_PLACE.finditer(clause))
        if places and _confines(clause, places[0].start(), places[-1].end()):
            return _with_next_place(
                [one[0] for one in places], clause[places[-1].end() :], clauses[number + 1 : number + 2]
            )
        if not places and _MARK.search(clause) and not _REPORTS.search(clause):
            return _named_again(clause, rule)
    return ()


def _with_next_place(places: Sequence[str], after: str, following: Sequence[str]) -> tuple[str, ...]:
    """Return the places of a clause with the one that the next clause begins with; none if another thing follows."""
    if _MORE.match(after) and not _MARK.search(after):
        return ()
    more = _PLACE.match(_MORE.sub("", following[0], count=1)) if following and not after else None
    return tuple(place.strip("`").rstrip("/.*") for place in (*places, *([more[0]] if more else [])))


def _confines(clause: str, start: int, end: int) -> bool:
    """Return True if a clause confines the work to the places that it names between two positions."""
    before = clause[:start].rstrip("`")
    if _HOLDS.search(before) or _OUTSIDE.search(before):
        return True
    after = _JOINS.sub("", clause[end:].strip())
    if marks := list(_MARK.finditer(before)):
        between = _WORDS.findall(before[marks[-1].end() :].lower())
        head = before[: marks[-1].start()]
        is_report = bool(_IS.search(head) and "allowed" not in between) or _REPORTS.search(head) is not None
        return _BETWEEN.issuperset(between) and not is_report
    return bool(_MARK.match(after)) and (bool(_STRONG.match(after)) or not _REPORTS.search(before))


def _named_again(clause: str, rule: str) -> tuple[str, ...]:
    """Return the path of a rule that a clause names by its last part: "the pool in envs/staging. Staging only"."""
    names = {name.lower() for name in _NAME.findall(clause)}
    paths = (match[0].strip("`").rstrip("/.") for match in _PLACE.finditer(rule))
    return tuple(path for path in paths if path.lower().rsplit("/", 1)[-1] in names)
