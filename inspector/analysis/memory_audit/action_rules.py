"""Rules that demand, permit or forbid an action, and whether two of them exclude each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from inspector.analysis.memory_audit.action_signs import action_root
from inspector.analysis.memory_audit.action_stances import ActionRule, Stance
from inspector.analysis.memory_audit.action_words import NEUTRAL, is_verb
from inspector.analysis.memory_audit.same_words import REASON, joined_phrases, key_words
from inspector.core.text import cued_pattern, lazy_pattern
from inspector.engine.facts import content_words, is_imperative, stem_set

_MAX_RULE = 200
"""Maximum length in characters of a rule that is compared with others."""
_CODE = lazy_pattern(r"[`\"“]([^`\"“”\n]{1,80})[`\"”]")
_CLAUSES = lazy_pattern(
    r"[;()]|:(?!:)(?<!::)\s| [—–-] |, (?=(?:never|not|no|don[’']t|do not|but|so|and|or|CI|it|the|this|we"
    r"|they|you|I|everything|instead|use|decide|let|leave|write|run|prefer)\b)"
)
_FOUND = lazy_pattern(
    r"(?i)^(when|if|whenever) you (?:see|find|notice|spot|come across) (.{3,60}), (?:please )?(\w+) (?:it|them)\b"
)
"""A rule for what one comes across: "When you see old code, remove it"."""
_SEQUENCE = cued_pattern(r"(?i)^(?:after|before|once) [^,.;]{2,40}, (?:please )?(?=\w)", "after before once")
"""Condition before an action: "After a rebase, push"."""
_HERE = cued_pattern(r"(?i) in (?:this|the|our) (?:code ?base|repo(?:sitory)?|project)\b", "in")
"""Words that say that a rule holds where it is written."""
_QUOTES = ('"', "“")
_CALLS = cued_pattern(r"(?i)\b(?:call|invoke) (?=(?:the )?`)", "call invoke")
_DOES_NO = lazy_pattern(
    r"(?i)\W*(?:write|add|use|create|make|put|introduce|have|leave) no (?!more\b|less\b|fewer\b|longer\b|other\b)"
)
"""A ban without a negated verb: "Write no comments"."""
_LEFT_OUT = cued_pattern(r"(?i)\bleave ([^,.;]{2,40}?) out\b", "leave", "out")
_ONLY = cued_pattern(r"(?i)^only [\w -]{2,40}? (?:may|can|should|(?:is|are) allowed to) (.{2,60})", "only")
_FOR_ALL = lazy_pattern(
    r"(?i)^(?:any(?:one|body)|every(?:one|body)|(?:any|every|all) [\w-]{2,20}) "
    r"(?:may|can|(?:is|are) allowed to) (.{2,60})"
)
_ANYONE = frozenset({"anyone"})
_SOFT = lazy_pattern(r"(?i)\W*(?:please )?(?:avoid|you (?:need not|don[’']t (?:need|have) to)|there[’']s no need to)\b")
_BAN = cued_pattern(
    r"(?i)\W*(?:please |we |you |agents? |(?:the )?user )?(?:never|no longer use|do not|don[’']?t|avoid"
    r"|(?:must|may|should|shall)(?: not|n[’']t)"
    r"|(?:must|should|may) never|no(?! longer| need)|skip|omit|refrain from|stop(?= \w{2,20}ing\b)|(?:you )?need not"
    r"|there[’']s no need to)\b:?",
    "never longer not don dont avoid mustn mayn shouldn shalln t no skip omit refrain stop there need",
)
_SKIP = lazy_pattern(r"(?i)\W*(?:skip|omit)\b")
_MAY = lazy_pattern(r"(?i)\W*(?:feel free to|you (?:may|can|are free to)|it(?:[’']s| is) (?:fine|ok|okay|safe) to)\b")
_MAY_BE = cued_pattern(
    r"(?i)^(.{3,80}?) (?:is|are) (?:always |perfectly )?(?:fine|ok|okay|allowed|permitted|acceptable|welcome)\b",
    "fine ok okay allowed permitted acceptable welcome",
)
_MAY_DO = cued_pattern(r"(?i)^([\w `/-]{2,40}?) may (?:also )?(?!not\b|be\b|never\b)(\w{3,20})\b(.{2,80})", "may")
_MUST = lazy_pattern(
    r"(?i)\W*(?:please |we |you )?(?:always|must|should|make sure (?:to|you)|remember to|be sure to)?\b"
)
_ASK = cued_pattern(
    r"(?i)\W*(?:.{0,40}\band )?(?:please |always )?"
    r"(?:ask|check with|the user (?:wants|likes|expects) to be asked"
    r"|(?:get|wait for) (?:my |the user[’']s )?(?:approval|permission|confirmation|a go-ahead|an ok))\b"
    r".{0,40}?\bbefore (?:you )?(.{4,80})",
    "ask asked check get wait",
)
_UNASKED = cued_pattern(
    r"(?i),? (?:without (?:asking|(?:explicit |prior |my |the user[’']s )?(?:approval|permission|confirmation|consent)"
    r"|being asked|waiting\b.{0,40})|(?:until|unless) (?:the user|you|i|we|told|asked|explicitly|someone"
    r"|somebody|a (?:human|person))\b.{0,60})",
    "without until unless",
)
_AT_ONCE = cued_pattern(
    r"(?i)\b(?:every|each|always|whenever|immediately|automatically|as soon as|right away|at once)\b",
    "every each always whenever immediately automatically as right at",
)
_STATED = cued_pattern(
    r"(?i)^(.{2,60}?) (?:is|are|gets?|(?:must|should|may|can) (?:be|always be)|must (?P<no>not|never) be"
    r"|should (?P<no2>not|never) be) (?P<not>not |never )?(?:always |all )?"
    r"(?!green|open|done|fine|often|even)(\w{2,20}(?:ed|en|wn|lt|pt|de|ne|un))\b(.{0,80})",
    "is are get gets be",
)
"""A rule whose verb comes after its object: "Commits are signed with GPG"."""
_DENIED = lazy_pattern(
    r"(?i)^(?:no(?:body| one)(?: may| should)?|([\w `/-]{2,40}?)(?<!\bis)(?<!\bare)"
    r" (?:(?:do|does|must|should|may|can)(?: not|n[’']t)"
    r"|cannot|never)) (?!be\b)(\w{3,20})\b(.{0,80})"
)
"""A rule about what its subject does not do: "Branches do not start with `x/`"."""
_DECREED = cued_pattern(
    r"(?i)^(.{2,60}?) (?:is|are) (?:(?P<not>not (?:allowed|permitted|needed|required|necessary)|never allowed"
    r"|forbidden|prohibited|banned|disabled|(?:turned|switched) off|unwelcome|unwanted"
    r"|disallowed|optional)|(?:always )?(?:required|mandatory|obligatory))\b",
    "is are",
)
_NOT = lazy_pattern(r"(?i)\b(?:not|never)\b")
_OPTIONAL = ("optional", "not needed", "not required", "not necessary")
_KINDS_OF = lazy_pattern(r"(?i)^.{2,40} (?:such as|like|including) ")
"""The kind of what a rule names: "Mocking frameworks such as X"."""
_NO_QUESTION = cued_pattern(
    r"(?i)\W*(?:do not|don[’']t|never|no need to) ask (?:me |us |anyone |the user )?"
    r"(?:for (?:permission|approval|confirmation) )?(?:before|to|for)\b (.{4,80})",
    "ask",
)
_OF_USER = lazy_pattern(
    r"(?i)^(?:the )?user (?:always |usually |only )?"
    r"(?!is|was|has|does|wants|likes|prefers)(\w{3,20}s) (?!to\b)(.{2,80})"
)
"""A fact about what the user does: "User pays in cash"."""
_ALL_NEED = cued_pattern(
    r"(?i)^(?:(?:every|each|all) ([\w -]{2,40}?) (?:needs?|must have|ha(?:s|ve)|gets?|requires?|comes? with)"
    r"|([\w -]{2,40}?) (?:must have|uses?|takes?|needs?)(?! (?:to|no)\b)) (.{2,60})",
    "need needs have has get gets require requires come comes use uses take takes",
)
_LACK = cued_pattern(r"(?i)^([\w `-]{2,40}?) (?:needs?|ha(?:s|ve)|takes?) no (.{2,60})", "no")
_NOTHING = lazy_pattern(
    r"(?i)^(?:nothing|no) (?:[\w `-]{2,30}? )?(?:goe?s?|belongs?|lives?|(?:is|are) (?:put|stored|written)) "
    r"(?:in|into|to|under) (.{2,60})"
)
"""A place where nothing is put."""
_BELONGS = cued_pattern(
    r"(?i)^([\w `-]{2,40}?) (?:goe?s?|lives?|belongs?|(?:start|begin)s?) "
    r"(?:only )?((?:in|into|to|on|under|(with)) .{2,60})",
    "go goes live lives belong belongs start starts begin begins",
)
_INSTEAD = cued_pattern(r"(?i)\b(?:instead of|rather than) (\w{3,20}ing .{2,60})", "instead rather")
_USED_INSTEAD = cued_pattern(
    r"(?i)\W*(?:always )?(?:use|prefer|favou?r) [^,]{1,40} (?:instead of|rather than|over) (.{2,40})$",
    "instead rather over",
)
_REJECTED = cued_pattern(r"(?i)\b(?:instead of|rather than|over)\b.{0,80}", "instead rather over")
_LACKING = cued_pattern(r"(?i) without\b", "without")
_NARROWED = cued_pattern(
    r"(?i)\b(?:unless|except|only|without|otherwise|both|either|if (?:needed|necessary|possible))\b",
    "unless except only without otherwise both either if",
)
_TAIL = lazy_pattern(
    r"(?i)\b(you|we|for|until|before|after|when|whenever|once|if|while|in|inside|on|with|from|to|into|onto|by|during|at|as|within"
    r"|outside|under|per|that|which|who|where|against|via|through|about|of)\b"
)
_PREFIXED = cued_pattern(r"(?i)\b(?:start|begin)s?(?= (?:[\w`-]{1,20} ){0,3}with\b)", "with")
_OF_A_KIND = cued_pattern(
    r"(?i)\b(?:files?|code|things?|stuff|content)\W*$", "file files code thing things stuff content"
)
_ANYWHERE = cued_pattern(r"(?i)\b(?:anywhere|ever|everywhere|at all)\b", "anywhere ever everywhere all")
_BY_COMMAND = cued_pattern(r"(?i)\b(?:with|via|using|by running) `", "with via using running")
_PLACED = lazy_pattern(r"(?i)(?:in|into|to|on|at|for|with|from)\b")
_PRONOUN = lazy_pattern(r"(?i)\b(?:it|them|this|that|these|those)\W*$")
_ADVERB = lazy_pattern(r"\b(?!apply|reply|supply|rely|family|assembly|only)([a-z]\w{2,19}ly)\b")
_KEPT = lazy_pattern(
    r"(?i)\W*(?:always )?(?:(?:keep|retain|preserve) ((?:[\w`-]+ ?){1,3})(?:for \d+ \w+)?\W*$"
    r"|leave ((?:[\w`-]+ ){1,3})(?:in place|alone|as is|untouched)\b)"
)
_LIGHT = stem_set("include leave install provide insert set open give declare run execute")
IN_ONE_CASE = lazy_pattern(r"(?i)\W*(?:if|when|whenever|while|once|unless|for|in|on|during|until|>)\b|\W*>")
_USED_TO = cued_pattern(
    r"(?i)^(?:always |please )?use (`[^`]{1,60}`)(?: for [\w -]{2,30}?)? to (?=\w{3,20} \w)(.{5,80}?)\.?$", "use", "to"
)
"""An action by its means: "Use `pack` to send lamps"."""
_JOINED = cued_pattern(r"(?i)^\w[\w-]{1,20} ([^,;]{2,60}?) and ([a-z][\w-]{1,20}) (?:it|them)\b(.{0,80})$", "it them")
"""Two actions on one thing: "Build the image and push it"."""
_FORBIDS = lazy_pattern(r"(?i)(?:we )?(?:never|no longer use|do not|don[’']?t|no(?:body| one))\b")
_POINTS = lazy_pattern(r"(?i)\W*\w+ (?:it|this|that|these|those|them|here|so)\b(?! \w+$)")
"""A rule whose object is named elsewhere: "Show this to the user"."""
_ASKS = lazy_pattern(r"[A-Z][a-z]{2,15} (?:the|an?|your|all|each|every|any|our|its|their)\b")


def action_rules(sentence: str) -> Iterator[ActionRule]:
    """Yield the rules of a sentence, with its code marks. Each clause may be one."""
    sentence = _CALLS.sub("use ", _HERE.sub("", joined_phrases(sentence))).replace("()", "")
    if len(sentence) > _MAX_RULE or sentence.endswith(("?", ":")):
        return
    sentence = _FOUND.sub(r"\3 \2", _LEFT_OUT.sub(r"omit \1", _SEQUENCE.sub("", sentence)))
    if IN_ONE_CASE.match(sentence):
        return
    if match := _ONLY.match(sentence):
        yield _rule("ban", match[1])._replace(near=_ANYONE)
        return
    if match := _FOR_ALL.match(sentence):
        rule = _rule("must", match[1])
        yield rule._replace(tail=rule.tail | _ANYONE)
        return
    sentence = _USED_TO.sub(r"\2 with \1", sentence)
    if match := _ASK.match(sentence) or _NO_QUESTION.match(sentence):
        yield _of_question(match[1], is_asked=match.re.pattern == _ASK.pattern)
        return
    main, *rest = (clause.strip() for clause in _CLAUSES.split(sentence))
    first = _of_clause(main)
    if first:
        yield first
        yield from _besides(first, main)
    yield from _later_bans(rest, main, first)


def _besides(first: ActionRule, main: str) -> Iterator[ActionRule]:
    """Yield the other rules of a clause: of a second action on the same thing, and of what it rejects."""
    if first.stance == "must" and (match := _JOINED.match(main)) and is_verb(match[2]):
        yield _rule("must", f"{match[2]} {_TAIL.split(match[1], maxsplit=1)[0]}{match[3]}")
    if match := _INSTEAD.search(main):
        yield _rule("ban", match[1])
    elif match := _USED_INSTEAD.match(main):
        yield _rule("ban", match[1], is_strict=False)


def _later_bans(clauses: Sequence[str], main: str, first: ActionRule | None) -> Iterator[ActionRule]:
    """Yield the bans of the clauses after the first one: "Use tabs, never spaces"."""
    for clause in clauses if first else filter(_FORBIDS.match, clauses):
        if (ban := _BAN.match(clause)) or clause.lower().startswith("not "):
            text = (clause[ban.end() :] if ban else clause[4:]).strip()
            rule = _later_ban(text, main, first)
            if not text.startswith(_QUOTES) and not _names_kind_alone(rule, text):
                yield rule
        elif (denied := _of_denial(clause)) and denied.stance == "ban":
            yield denied


def _names_kind_alone(rule: ActionRule, text: str) -> bool:
    """Return True if a rule has only a verb, because its object is of any kind: "don't name a file"."""
    return rule.core == (rule.verb,) and not rule.tail and not rule.near and " " in text.strip(" .!")


def _of_question(text: str, *, is_asked: bool) -> ActionRule:
    if is_asked:
        return (_of_state(text) or _rule("ask", text))._replace(stance="ask")
    return _rule("may", _CLAUSES.split(text.partition(", ")[0])[0])._replace(is_free=True)


def _is_demand(clause: str) -> bool:
    return bool(_ASKS.match(clause)) or is_imperative(clause) or is_verb(clause.split(" ", 1)[0])


def _later_ban(text: str, main: str, first: ActionRule | None) -> ActionRule:
    """Return the ban of a later clause, which takes from the first one what it leaves out."""
    if _PLACED.match(text):
        return _rule("ban", f"{_TAIL.split(main, maxsplit=1)[0]} {text}")
    rule = _rule("ban", text)
    if _PRONOUN.search(text):
        return rule._replace(near=_stems_in(main))
    if first and first.verb and not is_imperative(text[:1].upper() + text[1:]):
        return rule._replace(verb=first.verb, core=(first.verb, *rule.core))
    return rule


def _of_clause(text: str) -> ActionRule | None:
    """Return what a clause demands, permits or forbids; None if it does nothing of it, or in part of the cases."""
    asks = _is_demand(text)
    unasked = _UNASKED.search(text)
    text = _REJECTED.sub("", text[: unasked.start()] + text[unasked.end() :] if unasked else text)
    without = _LACKING.search(text) if asks or _STATED.match(text) else None
    text = f"{text[: without.start()]} with{text[without.end() :]}" if without else text
    rule = _plain_rule(text, asks=asks)
    if rule is None or without:
        return rule._replace(stance="ban") if rule and rule.stance == "must" else None
    if unasked:
        return rule._replace(stance="ask") if rule.stance == "ban" else rule._replace(stance="may", is_free=True)
    return rule


def _plain_rule(text: str, *, asks: bool) -> ActionRule | None:
    """Return the rule of a clause without what makes it one of another stance."""
    if _NARROWED.search(text):
        return None
    rule = _of_lead(text) or _of_subject(text) or _of_state(text) or (_demand(text) if asks else None)
    match = _BAN.match(text)
    points = _POINTS.match(text[match.end() :] if match else text)
    return rule if rule and rule.core and not points else None


def _demand(text: str) -> ActionRule:
    match = _MUST.match(text)
    rule = _rule("must", text[match.end() :] if match else text)
    return rule._replace(is_free=rule.is_free or bool(_AT_ONCE.search(text)))


def _of_lead(text: str) -> ActionRule | None:
    """Return the rule of a clause that begins with a ban or a permission."""
    if (match := _KEPT.match(text)) and not _TAIL.search(match[1] or ""):
        return _rule("ban", f"remove {match[1] or match[2]}")
    if match := _DOES_NO.match(text):
        return _rule("ban", text[match.end() :])
    if match := _BAN.match(text):
        return _of_ban(text, text[match.end() :])
    if match := _MAY.match(text):
        return _rule("may", text[match.end() :])._replace(is_free="free" in match[0].lower())
    if match := _MAY_DO.match(text):
        return _rule("may", f"{match[2]} {match[1]}{match[3]}", has_verb=True)
    return _rule("may", match[1]) if (match := _MAY_BE.match(text)) else None


def _of_ban(text: str, rest: str) -> ActionRule:
    """Return the rule of a clause that forbids the rest of it. "Never skip" demands."""
    if skip := _SKIP.match(rest):
        return _rule("must", rest[skip.end() :])
    rule = _rule("ban", rest, is_strict=_SOFT.match(text) is None)
    return rule._replace(verb="") if _SKIP.match(text) else rule


def _of_subject(text: str) -> ActionRule | None:
    """Return the rule of a clause about the user, or about nothing: "Nothing goes into `old/`"."""
    if match := _NOTHING.match(text):
        return _rule("ban", f"put {match[1]}")
    match = _OF_USER.match(text)
    return _rule("must", f"{match[1]} {match[2]}", has_verb=True) if match else None


def _of_state(text: str) -> ActionRule | None:
    """Return the rule of a clause about the object of an action: "Commits are signed"."""
    return _of_denial(text) or _of_need(text) or _of_place(text)


def _of_denial(text: str) -> ActionRule | None:
    """Return the rule of a clause about what is not done, or is forbidden or required."""
    if match := _DENIED.match(text):
        subject = f" in {match[1]}" if match[1] else ""  # "Services never raise": where it holds follows the verb
        return _rule("ban", f"{match[2]}{match[3]}{subject}", has_verb=True)
    if match := _DECREED.match(text):
        is_strict = match["not"] not in _OPTIONAL
        return _rule("ban" if match["not"] else "must", _KINDS_OF.sub("", match[1]), is_strict=is_strict)
    return None


def _of_need(text: str) -> ActionRule | None:
    """Return the rule of a clause about what something needs, or lacks."""
    if match := _ALL_NEED.match(text):
        return _rule("must", f"{match[3]} for {match[1] or match[2]}")._replace(is_free=bool(match[1]))
    return _rule("ban", f"{match[2]} {match[1]}") if (match := _LACK.match(text)) else None


def _of_place(text: str) -> ActionRule | None:
    """Return the rule of a clause about where something is, or what is done with it."""
    if match := _BELONGS.match(text):
        return _rule("must", f"{'prefix ' * bool(match[3])}{match[1]} {match[2]}")
    if (match := _STATED.match(text)) and not _NOT.search(match[6]):
        is_ban = bool(match["not"] or match["no"] or match["no2"])
        return _rule("ban" if is_ban else "must", f"{match[5]} {match[1]}{match[6]}", has_verb=True)
    return None


def _rule(stance: Stance, text: str, *, is_strict: bool = True, has_verb: bool = False) -> ActionRule:
    text = _PREFIXED.sub("prefix", text)
    core, *behind = _TAIL.split(REASON.sub("", text.strip()), maxsplit=1)
    first = core.strip().split(" ", 1)[0]
    head = next(iter(_in_order(first)), "")
    starts_with_verb = has_verb or first.lower().endswith("ing") or is_verb(first)
    adverbs = _ADVERB.findall(core) if "ly" in core else []
    preposition, rest = (behind[0].lower(), behind[1]) if behind else ("", "")
    is_free = stance == "must" and bool(_AT_ONCE.search(text))
    return ActionRule(
        stance,
        head if starts_with_verb else "",
        _in_order(_ADVERB.sub(" ", core) if adverbs else core),
        _stems_in(" ".join([rest, *adverbs])),
        preposition,
        is_strict,
        is_free,
        _OF_A_KIND.search(core) is not None,
        _ANYWHERE.search(text) is not None,
        "`" in text and _BY_COMMAND.search(text) is not None,
        "manually" in text,
    )


def _stems_in(text: str) -> frozenset[str]:
    return frozenset(_in_order(text, is_tail=True))


@lru_cache(maxsize=1 << 12)
def _in_order(text: str, *, is_tail: bool = False) -> tuple[str, ...]:
    """Return the stems of a text in order: its code as it is, and one stem for words of one meaning."""
    stems: dict[str, None] = {}
    for number, part in enumerate(_CODE.split(text)):
        for word in part.split():
            plain = word.strip("\"'.,:!?*").lower()
            telling = (content_words(word) if is_tail else key_words(word)) - NEUTRAL - _LIGHT
            is_name = number % 2 and plain != "git" and not (plain.isalpha() and telling)
            names = [plain] if is_name else map(action_root, telling)
            stems.update((name, None) for name in names)
    return tuple(stems)
