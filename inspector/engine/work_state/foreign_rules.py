"""Prohibitions in German, French, Spanish and other languages than English."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from inspector.core.text import cued_pattern, lazy_pattern, said_in, word_set
from inspector.engine.work_state.ban_patterns import PAUSE
from inspector.engine.work_state.ban_terms import Ban, ban_of
from inspector.engine.work_state.foreign_prohibitions import asked_first_in_script, forbidden_in_script
from inspector.engine.work_state.ruled_things import PATH, things_in

_NOUNS: Mapping[str, str] = {
    noun: verb
    for nouns, verb in (
        ("commit", "commit"),
        ("push", "push"),
        ("merge", "merge"),
        ("deploy|deployment|release", "deploy"),
        ("install|dep|dependency|abhängigkeit|paket|dépendance|paquet|dependencia|paquete|dipendenza", "install"),
        ("dependência|pacote", "install"),
    )
    for noun in nouns.split("|")
}
"""Nouns without a final "s", "e" or "en", with the verb that means the same."""
_NO_NOUN = cued_pattern(
    r"(?i)(?:^|[,;:] |\b(?:please|and|but|bitte|por favor|stp) )(?:keine?[nr]?|pas de|aucune?|sin|ning[uú]na?|nada de"
    r"|nenhuma?|sem|geen|nessuna?|ohne|zonder) (?:(?:neuen?|weiteren?|zusätzlichen?|nouvelles?|nuev[ao]s?|nov[ao]s?"
    rf"|nieuwe|git) )*(?:({'|'.join(sorted(_NOUNS, key=len, reverse=True))})(?:e?s|en|e|n)?"
    r"|(sudo|docker|npm|yarn|pnpm|pip|conda|poetry))(?=[.!,;]|$| \w)",
    "kein keinn keinr keine keinen keiner pas aucun aucune sin ninguna ningúna ningun ningún nada nenhum nenhuma sem"
    " geen nessun nessuna ohne zonder",
)
_GUARDS = cued_pattern(
    r"(?i)\b(?:finger weg von|lass(?:t|en sie)? (?:bitte )?die finger von) ((?:[^.,;:!?\n]|\.(?=\w)){2,80})"
    r"|\bvon ((?:[^.,;:!?\n]|\.(?=\w)){2,80}?) (?:bitte )?lass(?:t|en sie)? (?:bitte )?die finger\b",
    "finger",
)
_UNTIL = lazy_pattern(r"(?i)\b(?:bis|bevor|ohne|avant|sans|sauf|hasta|sin|salvo|until|before|unless)\b(.{0,80})")
_APPROVED = lazy_pattern(
    r"(?i)\b(?:i|my|me|ich|meine?|freig\w+|zustimmung|geprüft|mon|je|moi|accord|valid\w+|reli\w+|yo|mi|permiso"
    r"|revis\w+|aprob\w+|apr[ou]\w+|mio|eu|ik|goedkeur\w*|ok|review\w*|approv\w*)\b"
)
_TILL = lazy_pattern(r"(?i)\b(?:hasta|antes|jusqu|avant|bis|bevor|fino|finché|prima|até|tot|totdat|voordat)\b.{0,80}")
"""Words that end a rule, which are no part of its object."""
_VERBS: Mapping[str, str] = {
    "delete": r"lösch\w*|entfern\w*|supprim\w*|efface\w*|borr(?:e|es|ar|an?|en)|elimin(?:e|es|ar|an?|are|en)"
    r"|apag(?:ue|ues|ar)"
    r"|cancell\w+|rimuov\w+|verwijder\w*|usuw\w*|kasuj\w*|удал\w*|стира\w*|ta bort|radera|sil(?:me|inme)",
    "touch": r"(?:ver)?änder\w*|anfass\w*|anzufassen|fass(?:e|t|en)?|anrühr\w*|rühr(?:e|st|t|en)?|bearbeit\w*"
    r"|touche[rsz]?"
    r"|modifi(?:e|es|ez|er|can?|quen)|changez|changer|toque[sn]?|toc(?:ar|an?)|cambi(?:e|es|ar|are|an?|en)"
    r"|modifi(?:ques?|car)|edit(?:es|ar)"
    r"|mex(?:a|as|e|er)|alter(?:e|es|ar)|tocc(?:a|are)|modific(?:a|are)|wijzig\w*|aanraken|raak|zmienia\w*|rusza\w*"
    r"|dotyka\w*|edytuj\w*|трога\w*|тронь\w*|меня(?:й|ть|йте)|измен\w*|правь\w*|редактир\w*|rör|ändra"
    r"|değiştir\w*|dokunma",
    "push": r"push(?:en|e|t|ees|ear|are|uj\w*|a)|pousse[rsz]?|sub(?:as|ir)|пуш\w*|wypycha\w*",
    "commit": r"committ?(?:en|e|ez|er|ere|ees|ear|are|uj\w*|a)|einchecken|коммит\w*",
    "merge": r"mergen|mergear|fusionn\w+|fusion(?:es|ar)|мерж\w*|слива\w*",
    "install": r"installier\w*|installe[rz]?|instal(?:es|ar|ować)|instaluj\w*|installa(?:re)?|устан\w*|ставь\w*"
    r"|installera",
    "deploy": r"deploy(?:en|e|ar|are|a)|veröffentlich\w*|ausroll\w*|déploi\w*|déploy\w*|publie[rsz]?"
    r"|desplieg\w*|publi(?:ques|car)|pubblic(?:a|are)|wdraża\w*|депло\w*|выкат\w*|выклад\w*",
    "rename": r"umbenenn\w*|umzubenennen|renomm\w+|renombr\w+|rinomin\w+|hernoem\w*|переимен\w*|byt namn",
    "run": r"ausführ\w*|lance[rsz]?|exécut\w+|ejecut\w+|executar|esegu\w+|uitvoeren|uruchamia\w*|запуск\w*"
    r"|выполня\w*|kör",
    "send": r"send(?:e|en|est)|(?:ver)?schick\w*|envoi\w*|envoy\w*|enví\w*|envi(?:e|es|ar)|mand(?:a|ar|es|are)"
    r"|invi(?:a|are)"
    r"|(?:ver)?stuur|wysyłaj\w*|отправ\w*|skicka",
    "create": r"schreib\w*|erstell\w*|(?:ein)?bau(?:en|e|st|t)?|implementier\w*|anleg\w*|füg\w*|hinzu\w*"
    r"|cre(?:a|es|ar|are|e)|añad\w*|agreg\w*|escrib\w*"
    r"|crée[rsz]?|créez"
    r"|ajoute[rsz]?|écri\w*|rédige[rsz]?|cri(?:a|e|es|ar)|adicion\w*|escrev\w*|aggiung\w*|scriv\w*|maken|schrijf\w*"
    r"|toevoegen|добав\w*|созда\w*|напис\w*",
    "update": r"aktualisier\w*|anpass\w*|umstell\w*|actualiz\w*|actualise[rsz]?|aggiorn\w*|atualiz\w*|обнов\w*",
    "use": r"benutz\w*|verwend\w*|utilis\w+|uses|usar|usare|gebruik\w*|używa\w*|использ\w*|använd\w*",
}
"""Forms of foreign verbs in prohibitions, by the English verb."""
_VERB = lazy_pattern(rf"(?i)\b(?:{'|'.join(f'(?P<{verb}>{forms})' for verb, forms in _VERBS.items())})\b")
_PLAIN_WORD = lazy_pattern(r"\w+")
_CLAUSE_BREAK = lazy_pattern(r"[,;:]\s")
_FIRST_WORDS = frozenset(("ta", "byt"))
"""First words of foreign verbs that are two words."""
_LIGHT = lazy_pattern(
    r"(?i)\b(?:fa(?:z|zer|ças|ça|ire|ites|is|re|i|cciate)|hagas?|hacer|haz|mach(?:e|en|t)?|doe|maak|rób|gör"
    r"|делай(?:те)?|делать) (?:\S{1,20} ){0,2}?(commit|push|merge|deploy|rebase)s?\b"
)
"""An English noun with a foreign verb: "no hagas commits"."""
_NOT = cued_pattern(
    r"(?i)\b(?:nichts?|nie|niemals|keine?[nm]?|ne|jamais|no|nunca|jamás|não|nunca|non|mai|niet|nooit|geen|nie"
    r"|nigdy|не|нельзя|никогда|ничего|inte|aldrig|asla|nix|pas)\b|\bn[’']",
    "nicht nichts nie niemals kein keinn keinm keine keinen keinem ne jamais no nunca jamás não non mai niet nooit geen"
    " nigdy не нельзя никогда ничего inte aldrig asla nix pas n",
)
_CLAUSE_END = lazy_pattern(r"(?i)[,;:(]|\.(?:\s|$)| (?:weil|denn|car|parce|puisque|porque|omdat|perché)\b")
_PACKAGE = lazy_pattern(
    r"(?i)\b(?:dépendance|dependencia|dependência|abhängigkeit|paket|paquet|pacote|dipendenz|pacchett|зависимост|пакет"
    r"|pakket|bibliothe|biblioth|librer|bibliotec|beroend)"
)
"""Stems of foreign words for packages."""
_WORD = lazy_pattern(r"[\w./-]{2,}")
_FUNCTION_WORDS = word_set(
    "se si ni"
    " surtout absolument vraiment unbedingt bloß nix nicht nie niemals kein keine keinen keinem ne pas jamais no nunca"
    " jamás não non mai niet nooit geen bitte auch noch mehr hier der die das den dem des ein eine einen an am im in"
    " auf zu es und oder la le les un une au aux du de et ou el los las al del en por favor una uno y o nada rien"
    " nichts s'il te plaît datei dateien ordner fichier fichiers dossier archivo archivos carpeta tabelle tabla"
    " tables tablas code código git il lo gli het je selbst vous vos tes ton tu mir mich ich moi me ja aber mais pero"
    " не никогда нельзя файл файлы файла папку код пока пожалуйста и в на без ничего nigdy pliku plik plików proszę w"
    " na inte aldrig filen filer koden snälla ficheiro ficheiros arquivo arquivos pasta eu trato disso faças faça faz"
    " fazer file cartella questo questa hacer hagas haz bestand bestanden map tabela tabella datenbank base datos"
    " dados dati aucun aucune nouvelle nouvelles nouveau nuevo nueva nuovo nuova novo nova neues neuer nieuws nieuwe"
    " nuevas nuevos neue neuen novas novos"
)


_MINE = lazy_pattern(
    r"(?i)\b(?:ich|je|yo|eu|io|ik|я)\b[^.;!?\n]{0,60}\b(?:selbst|selber|moi-même|mism[oa]|mesm[oa]|stess[oa]|zelf"
    r"|сама?)\b|\b(?:mache?|übernehme|erledige|tu|regle) ich\b|\bje m[’'](?:en |occupe)|\bme (?:encargo|ocupo) yo\b"
    r"|\bl[oaie] (?:faccio io|hago yo|faço eu)\b|\bnur ich\b"
)
"""A clause of a user who does something himself: "ich merge selbst", "den Push mache ich"."""
_ASKS_FIRST = cued_pattern(
    r"(?i)(?<!\bich )(?<!\bme )\b(?:frag\w*|rücksprache|demande\w*|consulte\w*|preg[uú]nt[ae]\w*|consult\w*|avis\w*"
    r"|chied[ie]\w*|pergunt[ae]\w*|vraag|overleg"
    r"|zapytaj|pytaj|fråga|спроси\w*|спрашивай\w*)\b[^.;!?\n]{0,40}?"
    r"\b(?:bevor|vor(?: (?:de[mnr]|jede[mnr]))?|avant(?: d[e’'])?|antes(?: d[eo])?|prima(?: d\w+)?|voor(?:dat)?"
    r"|zanim|przed"
    r"|innan|перед|прежде чем)\b([^.;!?\n]{3,80})",
    "bevor vor avant antes prima voor voordat zanim przed innan перед прежде",
)
"""A rule to ask first: "Frag mich, bevor du committest"."""
_ACTIONS = lazy_pattern(r"(?i)\b(commit|push|merge|deploy|release|rebase)\w*")
_FIRST_PERSON = word_set("ich je yo eu io ik я")
"""Words, one of which every such clause contains."""
_OF_USER = word_set("commit push merge deploy release publish rebase install")


@lru_cache(maxsize=16_384)
def _may_be_verb(word: str) -> bool:
    """Return True if a word is a foreign verb, or the first word of one."""
    return word.lower() in _FIRST_WORDS or _VERB.match(word) is not None


def _has_verb(text: str) -> bool:
    """Return True if a text may contain a foreign verb. Asking about each word is much cheaper than searching."""
    return any(map(_may_be_verb, _PLAIN_WORD.findall(text)))


def verbs_of(text: str) -> tuple[str, str]:
    """Return the English verbs for the foreign ones in a text, and the text without them and without function words.

    A text without such a verb is returned as it is.
    """
    if not _has_verb(text):
        return "", text
    verbs = " ".join(dict.fromkeys(match.lastgroup or "" for match in _VERB.finditer(text)))
    if not verbs:
        return "", text
    return verbs, " ".join(word for word in _VERB.sub(" ", text).split() if word.lower() not in _FUNCTION_WORDS)


def foreign_bans(rule: str) -> Iterator[Ban]:
    """Yield what a rule in another language than English forbids."""
    if match := _GUARDS.search(rule):
        yield from ban_of(["touch"], match[1] or match[2], _ending_of(rule))
    if verb := _left_to_user(rule):
        yield from ban_of([verb], "", PAUSE)
    yield from _asked_first(rule)
    verb, phrase = _forbidden_in(rule)
    if not verb:
        return
    ending = _ending_of(rule)
    if verb == "install" and (not phrase or _PACKAGE.search(phrase)):
        yield Ban(frozenset(("install",)), (), ending, verbs=frozenset(("install",)))
        return
    paths = _paths_before(rule, phrase)
    is_of_path = len(paths) == 1 and verb in ("touch", "delete", "update")
    for ban in ban_of([verb], paths[0] if is_of_path else phrase, ending):
        yield ban._replace(things=ban.things or things_in(phrase))


def _asked_first(rule: str) -> Iterator[Ban]:
    """Yield the ban of an action before which the user wants to be asked."""
    if not rule.isascii() and (verb := asked_first_in_script(rule)):
        yield from ban_of([verb], "", PAUSE)
    if match := _ASKS_FIRST.search(rule):
        named = _ACTIONS.search(match[1])
        verb = named[1].lower() if named else (verbs_of(match[1])[0].split() or [""])[0]
        if verb:
            yield from ban_of([verb], "" if named else _object_in(match[1]), PAUSE)


def _paths_before(rule: str, phrase: str) -> list[str]:
    """Return the paths in a rule; of several only those before its negation, if it names no other object."""
    denies = None if phrase else _NOT.search(rule)
    paths: list[str] = PATH.findall(rule)
    return paths if len(paths) < 2 or denies is None else PATH.findall(rule[: denies.start()])


def _forbidden_in(rule: str) -> tuple[str, str]:
    """Return the English verb that a rule forbids by a noun or verb, and its object; two empty strings for none."""
    if match := _NO_NOUN.search(rule):
        return ("use", match[2]) if match[2] else (_NOUNS[match[1].lower()], "")
    if not rule.isascii() and (forbidden := forbidden_in_script(rule)):
        return forbidden
    return _verb_forbidden_in(rule) if _NOT.search(rule) else ("", "")


def _verb_forbidden_in(rule: str) -> tuple[str, str]:
    match = _LIGHT.search(rule) or (_VERB.search(rule) if _has_verb(rule) else None)
    clause = _clause_around(rule, match) if match else ""
    if match is None or not _NOT.search(clause):
        return "", ""
    rest = _TILL.sub("", clause.replace(match[0], " "))
    is_package = match.lastgroup == "install" and _PACKAGE.search(rest)
    return match.lastgroup or match[1].lower(), "" if is_package else _object_in(rest)


def _ending_of(rule: str) -> str:
    until = _UNTIL.search(rule)
    return "" if until is None else PAUSE if _APPROVED.search(until[1]) else "condition"


def _left_to_user(rule: str) -> str:
    """Return the English verb for what a user of another language does himself: "ich merge selbst"; "" without one."""
    for clause in () if _FIRST_PERSON.isdisjoint(said_in(rule)) else _CLAUSE_BREAK.split(rule):
        if _MINE.search(clause):
            texts = (verbs_of(clause)[0], clause, verbs_of(rule)[0], rule)
            verbs = (word for text in texts for word in _PLAIN_WORD.findall(text.lower()))
            return next(filter(_OF_USER.__contains__, verbs), "")
    return ""


def _object_in(clause: str) -> str:
    """Return the words of a foreign clause that can name an object."""
    words = _WORD.findall(clause)
    return " ".join(word for word in words if word.lower() not in _FUNCTION_WORDS and not _VERB.match(word))


def _clause_around(rule: str, verb: re.Match[str]) -> str:
    """Return the clause of a rule that a verb is in."""
    start = max((hit.end() for hit in _CLAUSE_END.finditer(rule, 0, verb.start())), default=0)
    end = _CLAUSE_END.search(rule, verb.end())
    return rule[start : end.start() if end else len(rule)]
