"""Rules of a user that forbid an action. One that is not certain forbids nothing."""

from __future__ import annotations

import re
from functools import lru_cache

from inspector.core.text import word_set
from inspector.engine.facts import content_words, is_negated, stem
from inspector.engine.work_state.allowing_words import places_allowed, programs_excluded
from inspector.engine.work_state.forbidding_words import forbidden_in, guarded_in, mine_in, verbs_of
from inspector.engine.work_state.ruled_kinds import (
    CHANGES,
    VERB_FORMS,
    VERB_KINDS,
    ActionKind,
    Ending,
    Prohibition,
    verb_kinds,
)
from inspector.engine.work_state.text_rules import text_rule_of

_FORM = "|".join(sorted(VERB_FORMS, key=len, reverse=True))
_REST = r"((?:[^.;!?\n]|\.(?=\w))*)"
_NOT = (
    r"(?:do not|don[’']?t|never|must not|may not|should not|shouldn[’']?t|mustn[’']?t|shall not|you can(?:not|[’']t)"
    r"|avoid|refrain from|without|not to|no more|under no circumstances|at no point|not allowed to|quit)"
)
_FORBIDS = re.compile(
    rf"(?i)\b{_NOT}(?: (?:ever|please|you|just|yet|directly|even|to|should|do|go and))*"
    rf" (?:[\w-]{{3,20}}(?:,? or |/))?({_FORM})\b((?:(?:,| or| and|, or|/) ?(?:{_FORM})\b)*){_REST}"
)
"""A prohibition: its verbs, and what they must not be done to: "Do not touch or delete the coupon table"."""
_PASSIVE = re.compile(
    rf"(?i)^(?:the |our |my |all |any )?([^.,;!?\n]{{2,80}}?) (?:must|may|should|shall|can|is|are|will)"
    rf"(?: not| never|n[’']?t)(?: to)?(?: ever)? be ({_FORM})\b"
)
_NOTHING_GETS = re.compile(
    rf"(?i)\b(?:nothing|nobody|no one)(?: (?:(?:in|under|inside|below|within) )?(?P<place>[^.,;!?\n]{{2,60}}?))??"
    rf" (?:(?:may|must|should|shall|can|is to|gets?|will) )?(?:be )?({_FORM})\b{_REST}"
)
_FIRST_ASK = re.compile(
    rf"(?i)\b(?:ask|check|consult|confirm|tell|warn|ping|wait|(?:get|need|want) (?:my|an?|the)? ?(?:ok(?:ay)?"
    rf"|approval|permission|go|consent|sign-?off))\b[^.;!?\n]{{0,40}}?"
    rf"\bbefore (?:you |ever |actually |any )*({_FORM})\b{_REST}"
)
"""A rule to ask before an action: "Ask me before you delete anything"."""
_BEFORE_ASK = re.compile(
    rf"(?i)\bbefore (?:you |ever |any )*({_FORM})\b([^.,;!?\n]{{0,80}}), (?:please |always |first )*"
    r"(?:ask|check with|wait for|confirm with|talk to|get my|tell)\b"
)
_MORE = re.compile(rf"(?i)(?:(?:,| or| and|/) ?(?:{_FORM})\b)+")
_ONLY_WHEN = re.compile(
    rf"(?i)^(?:please |and |but )?(?:only ({_FORM})\b([^.;!?\n]{{0,60}}?)"
    rf"|({_FORM})\b([^.;!?\n]{{0,60}}?),? (?:but )?only)"
    r" (?:when|if|after|once|with|on) (.{0,80})"
)
"""A rule that allows an action after an approval only: "Push only after I say so"."""
_MINE = re.compile(
    rf"(?i)\bi(?:[’']ll| will| want to|[’']d rather| always| prefer to|[’']m going to)?(?: do| handle)?(?: the| all)*"
    rf" ({_FORM})\b([^.;!?\n]{{0,30}}) myself\b|\bleave (?:the |all )*({_FORM}) to me\b"
    rf"|\bi(?:[’']ll| will)? (?:take care of|do|deal with|handle) (?:the |all )*({_FORM})(?=[.,;!]|$)"
)
_STOPS = re.compile(
    rf"(?i)^(?:please |and )?stop ((?:commit|push|edit|chang|touch|delet|creat|add|us|install|mov"
    rf"|renam)\w*ing)\b{_REST}"
)
_NOTHING = re.compile(
    r"(?i)\b(?:(?:change|touch|edit|modify|write|do|implement) nothing|(?:do not|don[’']?t) (?:change|touch"
    r"|edit|modify|do|implement"
    r"|write) (?:any ?thing|any (?:code|files?))|no (?:edits|changes|code changes)(?! (?:outside|beyond|except"
    r"|other than)\b)|hands off|read[- ]only"
    r"|ändere nichts|nichts (?:ver)?(?:ändern|anfassen|bearbeiten)|ne (?:change|modifie|touche)[rsz]? (?:à )?rien"
    r"|no (?:cambies|toques|modifiques|edites) nada)\b"
)
_NOTHING_AT_ALL = re.compile(
    r"(?i)(?:^|[,;:.] ?|\b(?:please|strictly|just|stay|keep it|remain) )(?:(?:change|touch|edit"
    r"|modify) nothing|hands off|read[- ]only"
    r"|no (?:edits|changes|code changes|writes))\b"
)
_LEAVE = re.compile(
    r"(?i)^(?:the |our |my |all )?([^.,;!?\n]{2,80}?) (?:(?:must|has to|have to|should|shall) (?:be left|stay"
    r"|remain)|stays?|remains?)"
    r" (?:exactly |just )?(?:as (?:it|they) (?:is|are)|as is|alone|untouched|unchanged)\b"
)
_NOT_THAT = re.compile(
    r"(?i)\b(?:use|run|prefer|with) `?([\w@./-]+)`?[^.;!?\n]{0,40}?(?<! do),? (?:not|never|instead of"
    r"|rather than) `?([\w@./-]+)`?"
)
_INSTEAD_WORDS = (" not", " never", " instead of", " rather than")
"""Words in lower case, one of which every match contains. Looking for them is much cheaper."""
_NUMBERS = {"two": 2, "2": 2, "three": 3, "3": 3, "four": 4, "4": 4}
_ONE_AGENT = re.compile(
    r"(?i)\b(?:one|a single|1|same|(?:at most|max(?:imum)?|no more than|up to) (two|2|three|3|four"
    r"|4))\b[^.,;\n]{0,25}"
    r"\b(?:sub-?agent|agent)s?\b|\b(?:sub-?agent|agent)s?\b[^.;\n]{0,20}\b(?:one|single|reuse)\b"
)
_TOGETHER = re.compile(r"(?i)\b(?:at a time|at once|at the same time|parallel|concurrent\w*|simultaneous\w*)\b")
_LIMITS = re.compile(
    r"(?i)^(?:please |and )?(?:(?:just )?(?:one|a single) (?:sub-?)?agents?(?: only| at|[.,;!]|$)|(?:use|start"
    r"|spawn|run|launch|keep|only|at most|no more|max|never)\b)"
)
_EACH = re.compile(r"(?i)\bone of\b|\bper\b|\beach\b")
_ORDERS = re.compile(
    rf"(?i)(?:^|[,;:(—–-] ?|\b(?:and|but|so|then|please|pls|plz|also|or|just|you|yes|ok|okay|always|is|rule"
    rf"|note) )(?:you )?{_NOT}\b"
    r"|\bwithout \w+ing\b"
)
"""Start of a prohibition that is an order, not a report such as "it does not delete the file"."""
_USED = re.compile(
    r"(?i)(?:please |and |note:? )?(?:we |i |this repo |the project |always )(?:only )?(?:uses?|runs?|prefer"
    r"|works? with)\b"
)
_SUBJECT = re.compile(
    r"(?i)\b(?:i|we|it|they|he|she|that|which|who|there|users?|customers?|clients?|tests?|app|server|function"
    r"|button|told"
    r"|script|job|system|seems?|looks|was|were|intern|supposed)\b[^,;:.(]{0,80}$"
)
_WORDS = re.compile(r"[\w-]+")
_UNTIL = re.compile(
    r"(?i)\b(?:until|till|before|unless|without|except|bis|bevor|ohne|avant|sans|sauf|hasta|sin|salvo)\b(.{0,80})"
)
_IF = re.compile(r"(?i)(?<!even )\b(?:if|when|whenever|wenn|falls|sobald|quand|cuando)\b(.{0,80})")
_ANSWERS = re.compile(
    r"(?i)\b(?:i|my|me|ich)\b.{0,20}\b(?:answer|repl\w+|decide|choose|tell|respond|say|said|speak|antwort\w*)"
)
_APPROVALS = re.compile(
    r"(?i)\b(?:i|my|me|asking|approv\w*|permission|confirm\w*|ok|review\w*|consent|meine?|freigabe|zustimmung"
    r"|mon|accord"
    r"|permiso|aprobación)\b"
)
_CUT = re.compile(
    r"(?i)[,(]| for (?:this|that|it|now)\b"
    r"| (?:just |only )?to (?:get|make|fix|pass|avoid|reach|save|solve|work)\b"
    r"| (?:pls|plz|please|thx|thanks|ok|okay|ever|either|at all|anymore|bitte)(?!\w)"
    r"| (?:until|till|unless|before|because|since|without|except|if|when"
    r"|while|but|for now|as|so|,? ?i|that)\b"
)
_ALL_LIKE = content_words(
    "anything everything nothing thing things file files code stuff project repo repository work more change"
    " changes any "
    "new existing other others real extra additional further one module folder directory source"
)
"""Words for everything."""
_NAMED_BY = content_words("name names naming identifiers signatures")
_GENERIC = content_words(
    "file files folder directory code module table tables schema database anything everything thing things any new "
    "existing old more yet change changes it them that this those other others work project repo repository branch "
    "remote myself yourself now today directly again stuff source real extra additional further one against toward "
    "towards single whole entire integration hand manually layer logic component implementation part section"
)
_PATH = re.compile(r"(?<![\w/.-])(?:[\w.-]{1,80}/[\w./-]{0,200}|[\w-]{0,80}\.[A-Za-z]\w{0,8})(?![\w/])")
_NAMES = re.compile(r"(?<![\w/.-])(?:[A-Za-z]\w{0,60}_\w{1,60}|[a-z]{1,40}[A-Z]\w{0,60})(?![\w/])")
"""Names in code: "audit_log", "userStore"."""
_PRONOUNS = word_set("it them that this these those there here such which what")
_SUBJECT_FREE: frozenset[ActionKind] = frozenset(("commit", "push", "merge", "deploy", "install", "agent"))
_PACKAGES = content_words("dependency dependencies deps package packages library libraries libs")
_FLAG = re.compile(r"(?<!\S)`?(--[\w-]{2,40})")
_SHORT_FLAG = re.compile(r"(?<!\S)-[A-Za-z]{1,4}(?!\S)")
"""An option without which the command is allowed: "git add -A"."""
_CODE = re.compile(r"`([^`\n]{2,100})`")
_FORCE = re.compile(r"(?i)\bforce[- ]push")
_FORCED = stem("force")
_OWN_OBJECTS = word_set("amend stash reset squash cherry-pick rebase tag")


@lru_cache(maxsize=4_096)
def prohibition_of(rule: str) -> Prohibition | None:
    """Return what a rule forbids, or None if no tool call can be checked against it."""
    if (agents := _ONE_AGENT.search(rule)) and not _EACH.search(rule):
        return _of_agents(rule, agents[1] or "")
    ending = _ending_of(rule)
    if (forced := _FORCE.sub("force-push", rule)) != rule or "force-push" in rule.lower():
        return _of_forced_push(forced, ending)
    about = _of_changes(rule, ending) or _approved_first(rule) or _verbs_forbidden(rule, ending)
    text = text_rule_of(rule)
    if text is None:
        return about
    about = about or Prohibition(frozenset(), frozenset(), ending)
    return about._replace(kinds=about.kinds | {"insert"}, inserts=text)


def _of_agents(rule: str, number: str) -> Prohibition:
    together = _TOGETHER.search(rule) is not None
    most = _NUMBERS.get(number.lower(), 1)
    return Prohibition(frozenset(("agent",)), frozenset(), most=most, together=together)


def _of_changes(rule: str, ending: Ending) -> Prohibition | None:
    """Return the prohibition of a rule about changes or programs that contains no other verb."""
    if guarded := guarded_in(rule):
        return _with_paths(_about(CHANGES, guarded, ending), ["touch"], rule, ending)
    if places := places_allowed(rule):
        return Prohibition(CHANGES, frozenset(), ending, places)
    if nothing := _NOTHING.search(rule):
        named = _PATH.findall(rule[: nothing.start()])
        everything = Prohibition(CHANGES | {"commit", "install"}, frozenset(), ending)
        return _about(CHANGES, named[0], ending) if len(named) == 1 else everything
    if (left := _LEAVE.search(rule)) and not _FORBIDS.search(rule):
        return _names_kept(left[1], ending) or _about(CHANGES, left[1], ending)
    if instead := _NOT_THAT.search(rule) if any(map(rule.lower().__contains__, _INSTEAD_WORDS)) else None:
        return Prohibition(frozenset(("use",)), frozenset((stem(instead[2]),)), ending)
    if programs := programs_excluded(rule):
        return Prohibition(frozenset(("use",)), frozenset(map(stem, programs)), ending)
    return None


def _names_kept(phrase: str, ending: Ending) -> Prohibition | None:
    """Return the prohibition of renaming if a phrase is about names: "names", "the function names"."""
    words = content_words(phrase)
    is_about_names = not _NAMED_BY.isdisjoint(words) and not _PATH.search(phrase)
    return Prohibition(frozenset(("rename",)), frozenset(), ending) if is_about_names else None


def orders(sentence: str) -> bool:
    """Return True if a sentence forbids the agent something that a tool call can be checked against."""
    if prohibition_of(sentence) is None:
        return False
    if order := _ORDERS.search(sentence):
        return not _SUBJECT.search(sentence[: order.start() + 1])
    if places_allowed(sentence) and not programs_excluded(sentence):
        return not _SUBJECT.search(sentence.partition(",")[0])
    return _orders_in_other_words(sentence)


def _orders_in_other_words(sentence: str) -> bool:
    """Return True if a sentence that forbids something is an order without "do not"."""
    if programs_excluded(sentence) or _NOTHING_AT_ALL.search(sentence):
        return True
    if _ONE_AGENT.search(sentence) and _LIMITS.search(sentence):
        return True
    if _USED.match(sentence) and _NOT_THAT.search(sentence):
        return True
    patterns = (_PASSIVE, _NOTHING_GETS, _FIRST_ASK, _BEFORE_ASK, _STOPS, _LEAVE)
    return any(pattern.search(sentence) for pattern in patterns) or (
        _approved_first(sentence) is not None or text_rule_of(sentence) is not None
    )


def _of_forced_push(rule: str, ending: Ending) -> Prohibition | None:
    """Return the prohibition of forced pushes if a rule states it."""
    is_forbidden = _FORBIDS.search(rule) or forbidden_in(rule)
    return Prohibition(VERB_KINDS["push"], frozenset((_FORCED,)), ending) if is_forbidden else None


def _approved_first(rule: str) -> Prohibition | None:
    """Return what a rule forbids until the user approves it or does it."""
    if match := _FIRST_ASK.search(rule) or _BEFORE_ASK.search(rule):
        more = _MORE.match(match[2])
        words = [match[1], *(_WORDS.findall(more[0]) if more else ())]
        phrase = match[2][more.end() :] if more else match[2]
        return _of_verbs([word for word in words if verb_kinds(word)], _CUT.split(phrase, maxsplit=1)[0], "approval")
    return _allowed_later(rule) or _done_by_user(rule)


def _allowed_later(rule: str) -> Prohibition | None:
    """Return what a rule forbids that allows an action after an approval only."""
    match = _ONLY_WHEN.search(rule)
    if match is None or not _APPROVALS.search(match[5]):
        return None
    return _about(verb_kinds(match[1] or match[3]), match[2] or match[4] or "", "approval")


def _done_by_user(rule: str) -> Prohibition | None:
    """Return what a rule forbids because the user does it."""
    match = _MINE.search(rule)
    verb = next(filter(None, (match[1], match[3], match[4])), "") if match else mine_in(rule)
    kinds = verb_kinds(verb)
    return _about(kinds, (match[2] or "") if match else "", "approval") if verb and kinds <= _SUBJECT_FREE else None


def is_met(rule: str, sentence: str) -> bool:
    """Return True if a sentence of the user states what a rule waits for: "before I have reviewed it"."""
    forbidden = prohibition_of(rule)
    until = _UNTIL.search(rule) if forbidden and forbidden.ending == "approval" else None
    met = content_words(until[1]) & content_words(sentence) if until else frozenset[str]()
    return bool(met) and not (is_negated(sentence) or sentence.endswith("?"))


def _verbs_forbidden(rule: str, ending: Ending) -> Prohibition | None:
    """Return what a rule forbids by a verb, by a noun or in another language than English."""
    if match := _FORBIDS.search(rule):
        words = [match[1], *(word for word in _WORDS.findall(match[2]) if word.lower() in VERB_FORMS)]
        phrase = _CUT.split(match[3], maxsplit=1)[0]
        head = rule[: match.start()] if _points_back(phrase) or not phrase.strip(" .!") else ""
        names = frozenset((*_NAMES.findall(head), *_PATH.findall(head)))
        about = _of_verbs(words, " ".join(names) if len(names) == 1 else phrase, ending)
        return _with_paths(about, words, rule, ending)
    if match := _PASSIVE.search(rule):
        return _of_verbs([match[2]], match[1], ending)
    if match := _NOTHING_GETS.search(rule):
        phrase = match["place"] or _CUT.split(match[3], maxsplit=1)[0]
        return _with_paths(_of_verbs([match[2]], phrase, ending), [match[2]], rule, ending)
    if match := _STOPS.search(rule):
        return _of_verbs([match[1]], _CUT.split(match[2], maxsplit=1)[0], ending)
    forbidden = forbidden_in(rule)
    if forbidden is None:
        return None
    about = _of_verbs([forbidden.verb], forbidden.phrase, ending)
    about = _with_paths(about, [forbidden.verb], rule, ending)
    return about._replace(adds=forbidden.adds) if about else None


def _points_back(phrase: str) -> bool:
    """Return True if the object of a prohibition is named by a pronoun only: "rows there", "it"."""
    words = phrase.lower().split()
    return bool(words) and len(words) < 4 and words[-1] in _PRONOUNS


def _with_paths(about: Prohibition | None, words: list[str], rule: str, ending: Ending) -> Prohibition | None:
    """Return a prohibition of changes with the paths that its rule names: "The .env file is mine, never edit it"."""
    kinds = frozenset(kind for word in words for kind in verb_kinds(word)) & CHANGES
    paths = frozenset(match[0].strip("`").rstrip("/.") for match in _PATH.finditer(rule)) if kinds else frozenset[str]()
    if about is None:
        return Prohibition(kinds, content_words(" ".join(paths)), ending) if len(paths) == 1 else None
    return about._replace(paths=paths) if about.objects and len(paths) == 1 else about


def _of_verbs(words: list[str], phrase: str, ending: Ending) -> Prohibition | None:
    """Return the prohibition of what some verbs say. A git command that is forbidden by its name is its own object."""
    kinds = frozenset(kind for word in words for kind in verb_kinds(word))
    own = frozenset(stem(verb) for word in words if (verb := VERB_FORMS.get(word.lower(), "")) in _OWN_OBJECTS)
    about = _about(kinds, phrase, ending)
    if own and kinds <= {"git", "merge"}:
        return Prohibition(kinds, own | (about.objects if about and kinds <= {"merge"} else frozenset()), ending)
    return about


def _ending_of(rule: str) -> Ending:
    forbids = _FORBIDS.search(rule)
    start = forbids.start(1) if forbids and forbids[0].lower().startswith("without") else 0
    if not (until := _UNTIL.search(rule, start) or _IF.search(rule)):
        return ""
    words = until[1]
    return "answer" if _ANSWERS.search(words) else "approval" if _APPROVALS.search(words) else "condition"


def _about(kinds: frozenset[ActionKind], phrase: str, ending: Ending) -> Prohibition | None:
    """Return the prohibition of some kinds of actions on what a phrase names, or None if it names nothing certain."""
    if not kinds.isdisjoint(("run", "use", "git")) and " " in (command := _only_code_in(phrase)):
        return Prohibition(kinds, frozenset((command,)), ending)
    if not kinds.isdisjoint(("use", "git")) and _SHORT_FLAG.search(phrase):
        return None
    words = content_words(phrase)
    objects = words - _GENERIC
    if "install" in kinds and words & _PACKAGES:
        return Prohibition(frozenset(("install",)), objects - _PACKAGES, ending, adds=True)
    if not objects and kinds >= {"create", "install"}:
        kinds = kinds - {"install"}
    return Prohibition(kinds, objects, ending) if objects or _is_about_all(kinds, phrase) else None


def _is_about_all(kinds: frozenset[ActionKind], phrase: str) -> bool:
    """Return True if a prohibition that names no object forbids actions on anything: "Do not commit"."""
    if content_words(phrase) - _ALL_LIKE and kinds.isdisjoint(_SUBJECT_FREE):
        return False
    is_vague = not content_words(phrase) or any(word in _PRONOUNS for word in phrase.lower().split())
    return kinds <= _SUBJECT_FREE or kinds == {"delete"} or not is_vague


def _only_code_in(phrase: str) -> str:
    """Return the code in a phrase that quotes one piece of it: "`git stash` on shared checkouts"; "" for any other."""
    if flag := _FLAG.search(phrase):
        return f" {flag[1]} "
    codes = _CODE.findall(phrase)
    return " ".join(codes[0].split()) if len(codes) == 1 else ""


def kinds_in(sentence: str) -> frozenset[ActionKind]:
    """Return the kinds of actions that a sentence asks for; none for a negated sentence or a question."""
    words = [*_WORDS.findall(sentence.lower()), *verbs_of(sentence)[0].split()]
    kinds = frozenset[ActionKind]().union(*map(verb_kinds, words))
    if not kinds or sentence.endswith("?") or is_negated(sentence):
        return frozenset()
    is_install = not _PACKAGES.isdisjoint(content_words(sentence)) or any(
        verb_kinds(word) == {"install"} for word in words
    )
    return kinds if is_install else kinds - {"install"}
