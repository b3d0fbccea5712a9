"""Prohibitions in nouns, "no new dependencies", and in German, French, Spanish and other languages than English."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from inspector.core.text import word_set

_NOUNS: Mapping[str, str] = {
    "commit": "commit",
    "push": "push",
    "force-push": "force-push",
    "force push": "force-push",
    "merge": "merge",
    "deploy": "deploy",
    "deployment": "deploy",
    "release": "deploy",
    "install": "install",
    "dependency": "install",
    "dependencie": "install",
    "dep": "install",
    "package": "install",
    "librarie": "install",
    "library": "install",
}
"""Nouns without a final "s" or "es", with the verb that means the same."""
_NO_NOUN = re.compile(
    r"(?i)(?:^|[,;:] |\b(?:please|and|but|also|absolutely|strictly) )no (?:(?:more|new|further|extra|additional"
    rf"|external|third-party|other|git) )*({'|'.join(sorted(_NOUNS, key=len, reverse=True))})(?:e?s|ing)?"
    r"(?=[.!,;]|$| (?:please|without|until|unless|for now|at all|from you)\b)"
)
"""No commits, no pushes, no new dependencies: as an order, not as a report such as "no commits were made"."""
_NAMED = r"(?:[^.,;:!?\n]|\.(?=\w)){2,80}?"
"""Name of a thing. A point inside of a name does not end it."""
_GUARDS = (
    re.compile(
        rf"(?i)^(?:please |bitte |and |but )?(?:keep (?:your )?(?:hands|fingers) off|hands off(?: of)?|finger weg von"
        rf"|stay (?:away from|out of)) ((?!it\b|that\b|this\b){_NAMED})(?=[.,;:!?](?:\s|$)|$)"
    ),
    re.compile(
        rf"(?i)^(?:the |our |my |all )?({_NAMED}) (?:is|are) (?:strictly )?(?:off[- ]limits|taboo|untouchable)\b"
    ),
    re.compile(
        rf"(?i)^(?:the |our |my |all )?({_NAMED}) (?:must not|mustn[’']?t|must never|should not|shouldn[’']?t"
        r"|should never|may not|shall not|(?:is|are) not to) be (?:touched|changed|modified|edited|altered|deleted"
        r"|removed|rewritten|overwritten)\b"
    ),
    re.compile(
        rf"(?i)^(?:editing|changing|touching|modifying|any changes? to) ({_NAMED}) (?:is|are) (?:strictly )?"
        r"(?:forbidden|not allowed|off[- ]limits|prohibited)\b"
    ),
    re.compile(
        rf"(?i)\b(?:leave|keep) ({_NAMED}) (?:alone|untouched|unchanged|as (?:it|they)?[’' ]?(?:is|are|re|s)?)(?!\w)"
    ),
)
"""Sentences that forbid changes of a thing: "src/legacy is off limits"."""
_VERBS: Mapping[str, str] = {
    "delete": r"lösch\w*|entfern\w*|supprim\w*|efface\w*|borr(?:e|es|ar)|elimin(?:e|es|ar)|apag(?:ue|ar)|cancell\w+"
    r"|verwijder\w*",
    "touch": r"(?:ver)?änder\w*|anfass\w*|anzufassen|fasse?|anrühr\w*|rühre?|bearbeit\w*|touche[rsz]?"
    r"|modifi(?:e|es|ez|er)|changez|toques?|tocar|cambi(?:e|es|ar)|modifi(?:ques?|car)|edit(?:es|ar)|mexa|alter(?:e|ar)"
    r"|toccare|modificare|wijzig\w*|aanraken",
    "push": r"push(?:en|e|t|ees)|pousse[rsz]?|sub(?:as|ir)|hagas? push",
    "commit": r"committ?(?:en|e|ez|er|ere|ees)|einchecken|hagas? commits?",
    "merge": r"mergen|fusionn\w+|fusion(?:es|ar)",
    "install": r"installier\w*|installe[rz]?|instal(?:es|ar)",
    "deploy": r"deploy(?:en|e)|veröffentlich\w*|ausroll\w*|déploi\w*|déploy\w*|publie[rsz]?"
    r"|desplieg\w*|publi(?:ques|car)",
    "rename": r"umbenenn\w*|umzubenennen|renomm\w+|renombr\w+",
}
"""Forms of foreign verbs in prohibitions, by the English verb."""
_VERB = re.compile(rf"(?i)\b(?:{'|'.join(f'(?P<{verb}>{forms})' for verb, forms in _VERBS.items())})\b")
_NOT = re.compile(
    r"(?i)\b(?:nichts?|nie|niemals|keine?[nm]?|ne|jamais|no|nunca|jamás|não|nunca|non|mai|niet|nooit|geen)\b|\bn[’']"
)
_CLAUSE_END = re.compile(r"(?i)[,;:(]|\.(?:\s|$)| (?:weil|denn|car|parce|puisque|porque|omdat|perché)\b")
_WORD = re.compile(r"[\w./-]{2,}")
_FUNCTION_WORDS = word_set(
    "nicht nie niemals kein keine keinen keinem ne pas jamais no nunca jamás não non mai niet nooit geen bitte auch "
    "noch mehr hier der die das den dem des ein eine einen an am im in auf zu es und oder la le les un une au aux du "
    "de et ou el los las al del en por favor una uno y o nada rien nichts s'il te plaît datei dateien ordner fichier "
    "fichiers dossier archivo archivos carpeta tabelle tabla tables tablas code código git il lo gli het je selbst "
    "vous vos tes ton tu du mir mich ich je moi me ja aber mais pero"
)


class Forbidden(NamedTuple):
    """A verb that a rule forbids, in English, and the words that name its object."""

    verb: str
    phrase: str
    adds: bool = False
    """True if the rule is about adding packages."""


def guarded_in(rule: str) -> str:
    """Return the name of the thing that a rule forbids to change: "hands off the migrations"; "" for any other rule."""
    return next((match[1].strip() for pattern in _GUARDS if (match := pattern.search(rule))), "")


def forbidden_in(rule: str) -> Forbidden | None:
    """Return what a rule forbids by a noun or in another language than English; None if it does not."""
    if match := _NO_NOUN.search(rule):
        verb = _NOUNS[match[1].lower()]
        return Forbidden(verb, "", verb == "install" and match[1].lower() != "install")
    if not _NOT.search(rule) or not (match := _VERB.search(rule)):
        return None
    start = max((hit.end() for hit in _CLAUSE_END.finditer(rule, 0, match.start())), default=0)
    end = _CLAUSE_END.search(rule, match.end())
    clause = rule[start : end.start() if end else len(rule)]
    if not _NOT.search(clause):
        return None
    rest = clause.replace(match[0], " ")
    names = (word for word in _WORD.findall(rest) if word.lower() not in _FUNCTION_WORDS and not _VERB.match(word))
    return Forbidden(str(match.lastgroup), " ".join(names))
