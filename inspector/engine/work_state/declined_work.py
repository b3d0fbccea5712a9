"""Sentences of a user that decline work which a task or plan names: not needed, put off, left to others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from inspector.core.text import lazy_pattern
from inspector.engine.facts import content_words, is_negated, sentences_of
from inspector.engine.work_state.declined_traces import is_form, telling_words
from inspector.engine.work_state.plain_sentences import plain_sentence
from inspector.engine.work_state.rule_verbs import FORMS
from inspector.engine.work_state.work_plans import COMMON_VERBS

_NEGATED = (
    r"(?:not|never|no longer|won't|wont|isn't|aren't|doesn't|don't|shouldn't|needn't|nobody|no one|not going to"
    r"|no need|we're not|i'm not|can't|cannot)"
)
_WANTED = (
    r"(?:need(?:s|ed)?|necessary|require[ds]?|want(?:s|ed)?|happen(?:s|ing)?|do(?:ing)?|build(?:ing)?|going|worth"
    r"|urgent|relevant|a priority|part of|in scope|ship(?:ping)?|bother|implement(?:ing)?|support(?:ing)?"
    r"|offer(?:ing)?|care about|use|uses|used|add(?:ing)?|touch(?:ing)?|start(?:ing)?|pursue|pursuing|continue|now|yet"
    r"|today|this (?:week|sprint|release|quarter|round|time|year|month|pr)|in this)"
)
_DECLINES = lazy_pattern(
    rf"(?i)\b{_NEGATED}\b(?: \w+){{0,3}}? {_WANTED}\b|\bnot (?:now|yet|today|this|in this|for now|before|until)\b|(?:^"
    r"|[,;:.!–—-] ?|\b(?:please|so|and|but|just|then|can|could|should|let's|to|we|we'll|i'd|you can|ok"
    r"|actually) )(?:skip|drop|strike|cancel|ignore|omit|kill|axe|scrap|nix|ditch|postpone|defer|park|shelve|delay"
    r"|cut|abandon|discard|halt|pause|freeze|remove|forget(?: about)?|leave(?: out)?|stop(?: with| on| working on)?"
    r"|hold off on"
    r"|table|never ?mind|forego|lose) (?!that file|me\b|us\b|[^.,;!?\n]{0,60}\b(?:tables?|columns?|index|database|db"
    r"|schema|constraint|branch)\b)\S|\b(?:vetoed|rejected|cancell?ed|dropped|descoped|postponed|deferred|shelved"
    r"|withdrawn|killed|declined|scrapped|obsolete|moot|pointless|unnecessary|superfluous)\b|\b(?:off|from) (?:the|our"
    r"|your|this) (?:list|table|plan|backlog|sprint|agenda|board|roadmap)\b|\bout of scope\b|\bon (?:hold|ice)\b"
    r"|\b(?:for|in|to|until|till|after) (?:the )?(?:v\d|version \d|next|another|a later|a future|later|phase"
    r"|follow-?up|someday|q[1-4]|summer|winter|autumn|spring|january|february|march|april|june|july|august|september"
    r"|october|november|december)\b|\b(?:later|another time|some other time|some day|eventually)(?=[.,;!]|$)"
    r"|\bcan (?:wait|go)\b|\bnothing to do\b|\b(?:is|are) being \w{3,12} by\b|(?:^|[.,;:] )no (?!problem"
    r"|worr)[\w -]{2,40} (?:for now|yet|this time|at all|needed|after all|in this)\b|(?:^|[.,;:] )no (?:more|further"
    r"|extra|additional) [\w-]{3,30}(?=[.,;!]|$)|^no (?!problem|worr|need|idea|one|way|more|doubt|rush|hurry"
    r"|thank)[\w-]{3,30}(?: [\w-]{2,30})?(?=[.,;!]|$)|\bchanged (?:my|our) minds?\b|\b(?:decided|voted"
    r"|chose) (?:against|not to)\b|\bagainst (?:it|that|this)\b|\b(?:someone|somebody|anyone) else\b|\boff (?:your"
    r"|my|our) (?:plate|hands)\b|\b(?:is|are) (?:already )?(?:done|handled|covered|owned|taken) by\b|\btoo (?:risky"
    r"|expensive|much|big|early|late|heavy|complex|complicated)\b|\bgot (?:cut|dropped|cancell?ed|descoped|scrapped"
    r"|axed)\b|(?:(?:is|are)|[’']s|[’']re) (?:off|out)(?=[.,;!]|$| (?:for|then|now|the table)\b)|\b(?:live|do|go|ship"
    r"|launch|manage) without\b|^\W*(?:on second thoughts?|actually|wait|hm+|nah)[, ]+(?:let's have "
    r"|we need )?no (?!problem|worr|need|idea)\w|\bmore than (?:we|i) (?:need|want|asked)\b|\boverkill\b"
    r"|\bover-?engineered\b|\bmakes? no sense\b|\b(?:is|are) (?:going away|being (?:removed|retired|phased out))\b"
    r"|\ba waste of\b"
)
"""A sentence that declines something: "Product says the CSV export won't happen", "Anna does that one"."""
_TAKEN_OVER = lazy_pattern(
    r"\b(?!It|This|That|There|He|She|We|You|The|Now|Who|What)[A-Z]\w+(?: (?i:team|guys))? (?i:does|(?:is|has) already"
    r"|is (?:on|doing|working on|handling|taking)|will do|has|owns|handles|takes|took|works on|already|picks|picked)\b"
)
"""Words by which another person does it: "Anna takes that one"."""
_INSISTS = lazy_pattern(
    r"(?i)\b(?:do not|don't|never|not) (?:forget|skip|omit|leave out|drop|ignore|cancel|postpone|miss)\b"
    r"|\bunless\b|\bbefore you\b|\bnot only\b|\bwhy\b|\bnot just\b"
    r"|\b(?:again|first|before|after that)\b[^.!?\n]{0,80}\b(?:can|could) wait\b"
)
_PARTS = lazy_pattern(
    r"(?i)[,;:!?\n](?:\s|$)|\.\s|\s(?:and|then|also|und|et|y|e|dann|sowie|puis)\s|(?:^|\s)\d{1,2}[.)]\s|[，。；、]"
)
"""Separators between the parts of a request: "add a toggle, add a slider and then write a test"."""
_LIST = lazy_pattern(r"[:：]\s|(?:^|\s)(?:1[.)]|[-*•])\s")
"""Start of a list in a request, whose parts are work whatever words they have: "Two things: gzip and ETags"."""
_MAX_POINT = 10
"""Maximum number of words of a point of such a list."""
_IS_WORK = lazy_pattern(
    r"(?i)^(?:(?:please|can you|could you|first|finally|now|then|and|to|also|just|only|rather|simply|let's) )*(?:add"
    r"|build|create|write|make|implement|delete|remove|rename|move|update|rewrite|refactor|replace|migrate|convert"
    r"|port|set up|introduce|generate|translate|fix|draw|design)\b|^(?!ich\b"
    r"|wir\b)\S+(?: \S+){0,6} [a-zäöü]{2,20}(?:en|ern)$|^(?:ajoute|crée|écri|supprim|traduc?|añad|cre[ae]|escrib)\w*\b"
)
"""A part of a request that asks for work whose result can be declined, in the imperative or as a German infinitive."""
_DROPPED = lazy_pattern(
    r"(?i)\b(?:skip|drop|omit|scrap|ditch|forget(?: about)?|leave out|no need for|don't need|do without|strike|cut)"
    r" (?:the |an? |any |that |this )?([^.,;:!?\n]{3,60})"
)
"""Thing that a sentence drops: "leave out the remember-me cookies"."""
_PROTECTS = lazy_pattern(
    r"(?i)\b(?:do not|don't|don’t|never|not|without) (?:\w+ ){0,2}?(?:touch|chang|edit|modif|delet|remov|break"
    r"|renam|mov)\w*"
)
"""Words of a rule about what is there, and not about work."""
_VERB_OF = lazy_pattern(r"^\W*([A-Za-z-]+)")
_REFUSES = lazy_pattern(
    r"(?i)\b(?:do not|don't|never|no need to|not going to|rather not|won't|not)"
    r"(?: (?:please|even|actually|ever|yet|to)){0,3} ([\w-]{2,30})"
)
_AGREES = lazy_pattern(
    r"(?i)^\W{0,4}(?:yes|yep|yeah|ok(?:ay)?|sure|go ahead|go for it|lgtm|approved?|looks? good|sounds good|do it"
    r"|proceed|perfect|great|fine|agreed|ja|oui|sí|si)\b(?!,? but not)"
)
_ASKS_OTHER = lazy_pattern(
    r"(?i)\b(?:instead|rather|just|only|for now|stay|stick|keep|go with|back to|let's|simply|leave)\b"
    r"|^\W{0,4}(?:fix|use|add|raise|copy|upgrade|write|change|make|update|do|run|set|increase|lower|remove|delete"
    r"|check|look|continue|take|try|revert)\b"
)
_DIRECT = lazy_pattern(
    r"(?i)\b(?:not (?:this|that|yet|now|today|worth|convinced|sold|happy|a fan|what|until|before|in this|for us|needed"
    r"|our)|over the top|overkill|too (?:much|big|heavy|complex|complicated|risky|expensive|early|late)|rather not"
    r"|no thanks?|nope|nah|no way|one more thing|bad idea|don't (?:like|want|need|think|see)|decided against|against"
    r"|hold off|hold on|wait|later|think about|let me think|maybe|some ?day|eventually|was only|is only for"
    r"|theoretical|just (?:curious|asking|for)|forget|scrap|drop|never ?mind|park|shelve|(?:can't|cannot) (?:run|use"
    r"|do|afford|have|host|take)|(?:a lot|lots) of (?:work|effort|code)|(?<!that )(?<!this )(?<!it )will do|is enough"
    r"|suffices|good enough|would be enough|postpone|we only need|unnecessary|reject|no[.,!])\b|^\W{0,4}no\b"
)
_FIRST = lazy_pattern(r"(?i)\b(?:first|before that|afterwards|and then)\b")
"""A word of a request that puts something before the plan, and refuses nothing."""
_ADDS = lazy_pattern(r"(?i)\W{0,4}(?:also|and|add|plus)\b")
_PART_OF = lazy_pattern(r"(?i) (?:parts?|bits?|things?|pieces?|steps?|half|stuff|section)\W*$")
"""Last words that say only that something is a part: "the payment part"."""
_MAX_OVERLAP = 0.5
_SHORT_SHARE = 0.3
"""Share of the words of a task that a short sentence names it with."""
_MAX_SHORT = 12
_NEGATIVE_QUESTION = lazy_pattern(r"\?\s*$")


@lru_cache(maxsize=4_096)
def declines(sentence: str) -> bool:
    """Return True if a sentence declines what it names."""
    text = _plain_quotes(sentence)
    is_said = bool(_DECLINES.search(text) or _TAKEN_OVER.search(text))
    return is_said and not (_INSISTS.search(text) or _NEGATIVE_QUESTION.search(text))


def _plain_quotes(sentence: str) -> str:
    return sentence.replace("’", "'")


def asks_for_any(text: str, things: frozenset[str]) -> bool:
    """Return True if a sentence of the user names one of some things, given as stems, and does not decline it."""
    asking = (one for one in sentences_of(text) if not (declines(one) or is_negated(one) or one.endswith("?")))
    return bool(things) and any(_among(things, telling_words(one)) for one in asking)


def asks_for_work(clause: str) -> bool:
    """Return True if a clause of the user asks for work, in the imperative or as a German infinitive."""
    return _IS_WORK.search(clause.strip()) is not None


def declined_task(sentence: str, tasks: Sequence[str]) -> int:
    """Return the index of the task that a sentence of the user declines; -1 for none.

    Args:
        sentence: The sentence.
        tasks: The tasks that are open.
    """
    place = named_task(sentence, tasks)
    return place if place >= 0 and (declines(sentence) or _refuses_verb(sentence, tasks[place])) else -1


def declined_part(sentence: str, request: str, drops: bool) -> str:
    """Return the part of an earlier request that a sentence of the user declines; "" for none.

    Args:
        sentence: The sentence.
        request: The request.
        drops: True if it is known that the sentence drops something.
    """
    is_short = len(sentence.split()) <= _MAX_SHORT + 2
    if not is_short or not (drops or declines(sentence)) or _PROTECTS.search(sentence):
        return ""
    parts = _request_parts(request)
    place = named_task(sentence, parts) if len(parts) > 1 else -1
    return parts[place] if place >= 0 else _named_thing(sentence, request)


_WORDS_BEFORE = lazy_pattern(
    r"(?i)(?:what|everything|anything|all|that) (?:i|we)\b|(?:the|my|that) (?:\w+ )?(?:rule|restriction)"
)
"""Earlier words of a user, which are no work: "forget what I said about the tests"."""


def _named_thing(sentence: str, request: str) -> str:
    """Return what a sentence drops in words that a request has among others; "" for anything else."""
    match = _DROPPED.search(_plain_quotes(sentence))
    dropped = _PART_OF.sub("", match[1]).strip() if match else ""
    if _WORDS_BEFORE.match(dropped):
        return ""
    is_part = bool(telling_words(dropped, 3)) and content_words(dropped) < content_words(request) - COMMON_VERBS
    return dropped if is_part else ""


def _request_parts(request: str) -> list[str]:
    """Return the parts of a request that ask for work: the points of a list, or else the parts with such a verb."""
    start = _LIST.search(request)
    listed = _split(request[start.end() :]) if start else []
    if len(listed) > 1 and all(len(part.split()) <= _MAX_POINT for part in listed):
        return listed
    return list(filter(_IS_WORK.search, _split(request)))


def _split(request: str) -> list[str]:
    return [part for one in _PARTS.split(request) if (part := one.strip(" .-*•"))]


def named_task(sentence: str, tasks: Sequence[str]) -> int:
    """Return the index of the only task that a sentence names by words that no other task has; -1 for none."""
    said = telling_words(sentence, 3)
    telling = [telling_words(task, 3) for task in tasks]
    shares = [_said_share(own, said) if _is_telling(place, said, telling) else 0.0 for place, own in enumerate(telling)]
    best = max(shares, default=0.0)
    enough = _SHORT_SHARE if len(sentence.split()) <= _MAX_SHORT else _MAX_OVERLAP
    return shares.index(best) if best >= enough and shares.count(best) == 1 else -1


def _said_share(own: frozenset[str], said: frozenset[str]) -> float:
    return len(_among(own, said)) / max(1, len(own))


def _among(words: frozenset[str], said: frozenset[str]) -> frozenset[str]:
    """Return the words that a sentence contains, perhaps in another form."""
    return frozenset(word for word in words if any(is_form(word, other) for other in said))


def _is_telling(place: int, said: frozenset[str], telling: Sequence[frozenset[str]]) -> bool:
    """Return True if a sentence shares a word with one task that no other has."""
    others = frozenset[str]().union(*(own for index, own in enumerate(telling) if index != place))
    return bool(_among(telling[place], said) - others)


def _refuses_verb(sentence: str, task: str) -> bool:
    """Return True if a sentence forbids what a task tells to do: "So don't remove that support"."""
    verb = match[1] if (match := _VERB_OF.match(task)) else ""
    base = FORMS.get(verb.lower(), verb)
    refused = (FORMS.get(one.lower(), one.lower()) for one in _REFUSES.findall(plain_sentence(sentence)))
    return bool(base) and base.lower() in refused


def answers_with_other(text: str, plan: str) -> bool:
    """Return True if the answer to a proposed plan refuses it or asks for something else.

    Args:
        text: Words of the user.
        plan: Text of the plan.
    """
    text = _plain_quotes(text)[:1_500]
    if _AGREES.match(text) or _FIRST.search(text) or text.rstrip().endswith("?"):
        return False
    said = content_words(text) - COMMON_VERBS
    overlap = len(said & content_words(plan)) / max(1, len(said))
    if _DIRECT.search(text):
        return True
    return bool(_ASKS_OTHER.search(text)) and overlap < _MAX_OVERLAP and not _ADDS.match(text)
