"""Effects of a user's words on the state of the work: rules, withdrawals, tasks that are dropped, and answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, filterfalse
from typing import NamedTuple

from inspector.core.text import lazy_pattern, one_line
from inspector.engine.facts import sentences_of
from inspector.engine.work_state.pasted_text import both_ends, own_lines, without_code, without_rows
from inspector.engine.work_state.spoken_clauses import clauses_of, with_named_things
from inspector.engine.work_state.spoken_rules import rules_in

_MAX_SENTENCE = 800
_MAX_WORDS, _MAX_TEXT = 20_000, 8_000
"""Characters of a message that are read, and that are kept, half of them at its end."""
_WITHDRAWN = lazy_pattern(
    r"(?i)\b(?:you (?:may|can|are allowed to|should) (?:now |also |again )|(?:it[’']?s|it is|that[’']?s) (?:ok|okay"
    r"|fine) (?:now )?to|go ahead and|feel free to|no longer (?:applies|need|forbidden|necessary|required)"
    r"|forget (?:about )?(?:the |that |my |what i said)|ignore (?:the |that |my )(?:rule|restriction|instruction"
    r"|earlier)|scrap (?:the|that) rule|lift(?:ed)? the|never mind the|(?:is|are) (?:what you (?:want|need)"
    r"|the (?:right )?way to go|the right (?:one|tool)) (?:in|for|under|there)|you (?:can"
    r"|may) [^.!?\n]{0,60}\b(?:after all|as well|too|now|again)|(?:du|ihr|sie) (?:darfst|dürft|dürfen|kannst|könnt) "
    r"|(?:darfst|dürft|kannst|könnt) (?:du|ihr)|ya puedes|puedes|tu peux|vous pouvez|podes|pode agora|já pode|puoi"
    r"|je mag|możesz|можешь|можно|можете|i (?:take|took) (?:it|that|the \w+) back|rule (?:is|no longer)|now you (?:may"
    r"|can)|allowed now|^(?:(?!\b(?:until|till|once|if|when|unless|while|after|as long)\b)(?:[^.!?\n]"
    r"|\.(?=\w))){2,60}? (?:is"
    r"|are) (?:now |all )*(?:open|free|available|unlocked|unfrozen|yours|fine|ok|okay|allowed|fair game)(?: again| now"
    r"|(?=[.,;!]|$))|^(?:(?:ok(?:ay)?|so|and|well),? )*(?:the |our )?(?:\w+ )?(?:freeze|embargo|audit"
    r"|reservation) is (?:over|through|done|lifted))\b|(?<!不)可以|いいです|大丈夫|해도 ?(?:돼|됩|좋)"
)
_DROPS = lazy_pattern(
    r"(?i)\b(?:skip (?:that|this|it|the|point|step|task|item|number|#|\d)|drop (?:that|this|it|the (?:\w+ )?(?:point"
    r"|task|step|item|idea))|forget (?:about )?(?:that|it|the|point|task|step)|leave (?:that|it|this|the \w+) out"
    r"|never ?mind (?:that|the|about)?|drop the (?![^.,;!?\n]*\b(?:tables?|columns?|database|db|index|schema"
    r"|constraint)\b)[\w-]+|hold (?:off )?(?:on )?the \w+|not (?:in )?this (?:sprint|release|round|week|iteration"
    r"|milestone|pr|time)|(?:postpone|defer|park) the \w+|leave (?:it|that|them)(?: (?:in|alone|as is|be"
    r"|there))?(?=[.!]?$)|no need (?:to|for)|(?:don[’']?t|do not) (?:do|bother|need|implement|work on)|cancel (?:that"
    r"|the|this|task|point)|not (?:needed|necessary) any ?more|we (?:don[’']?t|do not|no longer) need|remove (?:that"
    r"|it|this) from the list|lass (?:das|den|die)|leave out \w+|leave [^.,;!?\n]{3,60} out|(?:can|could|will"
    r"|has to) wait|out of scope|(?:for|in) (?:another|a later|the next|a future) (?:release|version|sprint|pr"
    r"|milestone)|(?<![’']s )(?<!is )not (?:doing|building|adding|shipping|going to (?:do|build|add|ship))"
    r"|leave [^.,;!?\n]{3,60} to (?!the end|last)\w+|no longer (?:need|want|do|necessary|required)|(?:won[’']?t"
    r"|isn[’']?t"
    r"|aren[’']?t|doesn[’']?t|does not|will not) (?:be )?(?:need|necessary|required|happen)\w*"
    r"|take [^.,;!?\n]{2,60} (?:off"
    r"|out)|cross (?:off|out)|strike|scratch (?!that\b[^.]*:)|axe|nix|kill (?:the|that|this) (?:\w+ )?(?:task|point"
    r"|item|step)|(?:is|are) (?:obsolete|moot|cancell?ed|off the table|out)|brauch\w* [^.!?\n]{0,40}\b(?:nicht"
    r"|kein\w*)|streich\w*|entfällt|fällt weg|nicht nötig|plus besoin|enlève\w*|retire[rsz]?|oublie[rsz]?|ya no"
    r"|no necesitamos|quita\w*|não precisa\w*|esquece|deixa|non serve|togli\w*|lascia (?:stare|perdere)"
    r"|niet (?:meer )?nodig|hoeft niet|laat maar|не нуж\w*|не надо|убери|пропусти\w*|nicht mehr nötig|überspring\w*"
    r"|weglassen|lass(?:en|t)? [^.,;!?\n]{0,40}\bweg|(?:uns|dir|mir|euch) (?:\w+ )?sparen|sparen wir uns|spar dir"
    r"|kann (?:weg|raus)|rauslassen|hinfällig|hat sich erledigt|se passer d|podemos prescindir|fare a meno|schrappen"
    r"|laisse(?:z)? tomber|pas besoin|no hace falta|olv[ií]da\w*)\b|(?:^|[,;:.!—] ?|\b(?:please|just|let[’']?s|also"
    r"|and|but|so|then|now|we|you can) )(?:skip|ditch|scrap|omit|forget)(?: about)? (?!to\b|how\b)\w|^(?:(?:actually"
    r"|ok(?:ay)?|and|oh|please|wait|sorry|hm+)[, ]+){0,2}no (?!problem|worr|need|idea|longer|one\b|issue|hurry|rush"
    r"|doubt|more\b|chance|way\b|question|thanks|just\b|it\b|that\b|this\b|you\b|we\b|i\b|the\b|change)(?:(?!\w+ed\b"
    r"|found\b|is\b|are\b|was\b|were\b)[\w-]{2,30}(?:[ ,]+|[.!]*$)){1,4}$|不用|不需要|跳过|取消|去掉|要らない|いらない"
    r"|スキップ|やめ|필요 ?없|빼|건너뛰"
)
_INSISTS = lazy_pattern(
    r"(?i)\b(?:do not|don[’']?t|never|not) (?:forget|skip|omit|leave out)\b"
    r"|\b(?:again|first|before|after that)\b[^.!?\n]{0,80}\b(?:can|could) wait\b"
)
"""Words that drop nothing: "don't forget the docs", "open it up again, the docs can wait"."""
_CARRIES_OUT = lazy_pattern(
    r"(?i)\s*(?:(?:ok(?:ay)?|yes|please|now|and|let[’']?s)[,.! ]*){0,3}(?:implement|carry out|execute|do|start)"
    r" (?:this|the|that|your)(?: \w+)? plan\b"
)
_DESCRIBES = lazy_pattern(
    r"(?i)^(?:root cause|this|that|it|the|`[^`]{1,80}`)(?![^.]*\b(?:must|should|shall|may|unchanged|untouched)\b)"
    r".{0,120}?\b(?:is|are|was|were|has|have|sees?|works?|continues?|returns?|uses?|skips?)\b"
)
"""Sentence of a pasted plan that describes the code: "`clean.go` is in the `cli` package, not in `core`"."""
_QUESTION = lazy_pattern(r"\?$")
_SHELVES = lazy_pattern(
    r"(?i)\b(?:shelve|park (?:it|that|the|this)|put (?:it|that|the \w+(?: \w+)?) (?:on hold|aside|off)|on hold"
    r"|not (?:now|yet|today)|ditch|rather (?:not|keep|stay|leave)|overkill|(?:drop|forget|lose) (?:the|this"
    r"|your) [^.,;!?\n]{0,40}\b(?:idea|plan|approach|proposal|thing)|laisse(?:z)? tomber|mejor no|plutôt pas|postpone"
    r"|later maybe|maybe later|abandon|scrap|discard|drop (?:it|that|this|the \w*(?: \w+)? ?plan)|forget (?:it|that"
    r"|the|about)|let[’']?s not|we(?:[’']ll| will| should)? (?:stay|stick|keep) (?:with|to)|i (?:don[’']?t"
    r"|do not) (?:want|like) (?:that|this|it|the|an?|any|your)|no,? (?:don[’']?t|do not)|reject(?:ed)?|cancel (?:it"
    r"|that|the)|not going to do|against (?:it|that|the)|nein|lieber nicht|(?:put|keep|leave"
    r"|place) [^.,;!?\n]{1,40}? (?:on ice|on (?:the|a) (?:shelf|back ?burner)|on hold|for later|aside)"
    r"|hold(?:ing)? off|(?:too|bit) (?:heavy|much|complex|complicated|expensive|risky|big|early|invasive)|not (?:worth"
    r"|convinced|like (?:this|that))|(?:stop|pause|freeze|table|halt|kill|nix|dump) (?:it|that|this|the|your|all|work)"
    r"|won[’']t (?:do|be doing|go)|we (?:don[’']?t|do not|no longer) (?:need|want)|doch nicht|erst (?:nach|später|mal"
    r"|wenn)|später|verschieb\w*|verwerfen|verworfen|lass(?:en)? (?:das|es|wir)|zu (?:aufwendig|aufwändig|teuer|viel"
    r"|riskant|groß)|pas (?:maintenant|pour l[’']instant|encore)|plus tard|abandonn\w*|trop (?:lourd|cher|complexe"
    r"|risqué)|ahora no|por ahora no|más (?:tarde|adelante)|dej(?:a|amos|emos|émoslo)|descart\w*|demasiado|agora não"
    r"|mais tarde|non (?:ora|adesso)|più tardi|scart\w*|troppo|niet nu|te (?:zwaar|duur|veel)|не сейчас|позже|отлож\w*"
    r"|отказ\w*|слишком|не надо|не нужно)\b|先不|不用|暂时|以后再|算了|放弃|搁置|やめ|今は|後で|見送|保留|中止|나중에"
    r"|보류|하지 ?말|^(?:nah|nope|non|não|nee)\b|^(?:(?:h?mm?|uh|well|eh|oh|ok(?:ay)?|hm+|äh|also|bueno"
    r"|bof)[,. ]+)?no\b(?! (?:problems?|worries|objections?|issues?|concerns?|doubt|need to ask))[.,! ]"
)
_APPROVES = lazy_pattern(
    r"(?i)^(?:yes|yeah|yep|ok(?:ay)?|sure|fine|al(?:l )?right|agreed|go(?: ahead| for it| on|(?=[.,;!]|$))|do it"
    r"|proceed|approved?|lgtm|looks? good|sounds good|perfect|great|(?:very )?good(?= idea|[,.;!]|$)|nice(?=[,.;!]|$)"
    r"|do that(?=[,.;!]|$)|please (?:do|proceed|go)|start|implement|let[’']?s (?:do|go|start|implement)|ja\b|oui|sí"
    r"|si\b|mach|los)\b|\b(?:all good|good to go|go ahead|let[’']?s do (?:it|that|the)|do (?:it|the plan|that) (?:now"
    r"|after all)|after all|approved|carry (?:it )?out|implement (?:the|that|this|your) plan|resume the|back to the"
    r"|pick (?:up )?the|unshelve|start (?:with|on) (?:the|it))\b"
)
_MOVES = lazy_pattern(
    r"(?i)\b(?:work(?:ing)? (?:in|on|from)|switch(?: back)? to|go(?: back)? to|back (?:to|on|in)|move (?:to|over"
    r"|the work|on to|this to)|use the|continue (?:in|on)|change (?:to|into)|(?<!own )(?<!my )(?<!the )check ?out"
    r"|merge|rebase|cd |done with (?:the|this) (?:worktree|branch)|leave the (?:worktree|branch)|(?:in|to|on"
    r"|from) (?:my|the (?:real|main|normal|original|actual)) (?:check ?out|repo(?:sitory)?|clone|folder|tree)|(?:in|on"
    r"|to|into|onto|from|of) (?:the )?(?:main|master|trunk|root|other|parent|develop|dev)\b|commit (?:it |this "
    r"|that )?(?:to|on))\b"
)
_RESTARTS = lazy_pattern(
    r"(?i)\b(?:re-?start|re-?run|re-?launch|start (?:it|them|the|a|another|up)|run (?:it|them|the|another)|again"
    r"|another|second|neu ?start\w*|start\w* [^.!?\n]{0,40}\bneu|redémarr\w*|relanc\w*|reinici\w*|riavvi\w*"
    r"|herstart\w*|перезапус\w*|spin up|boot|launch|bring (?:it |them )?(?:back )?up)\b"
)
_HERE = lazy_pattern(r"(?<!\S)\./(?=\w)")
"""Start of a path in the folder of the work, which is no end of a sentence: "./gradlew"."""
_FULL_STOP = lazy_pattern(r"[。！？]")
_COMMAND = lazy_pattern(r"<command-name>/?([\w:.-]+)</command-name>")
_ARGUMENTS = lazy_pattern(r"<command-args>([^<]{0,4000})")
_ATTACHED = lazy_pattern(
    r"\n--- Content from referenced files ---|\nCalled the \w+ tool with the following input: "
    r"|>>> TRANSCRIPT (?:DELTA )?START"
)
"""Start of text that a program adds after the words of a user: files, results, other transcripts."""
_BY_PROGRAM = lazy_pattern(
    r"<system[-_]reminder>.*?(?:</system[-_]reminder>|\Z)|<current_datetime>[^<\n]{0,60}</current_datetime>"
    r"|<environment_details>.*?(?:</environment_details>|\Z)|</?(?:task|user_message)>"
    r"|Caveat: The messages below were generated by the user while running local commands\.[^\n]*",
    re.DOTALL,
)
"""Text that a program puts into the words of a user."""
_INTERRUPTED = lazy_pattern(r"^\[Request interrupted by user|^<turn_aborted>")


class UserWords(NamedTuple):
    """Statements of a user about the state of the work."""

    text: str
    rules: tuple[str, ...] = ()
    withdrawals: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()
    """Sentences that drop a task, with the sentence before each where it is in the same message."""
    shelves: tuple[str, ...] = ()
    """Sentences that refuse or shelve something."""
    approves: bool = False
    moves: bool = False
    restarts: bool = False
    command: str = ""
    interrupted: bool = False


def read_user_words(text: str) -> UserWords:
    """Return what the words of a user say about the state of the work."""
    text = both_ends(text if len(text) <= _MAX_WORDS else without_code(text), _MAX_WORDS)
    text = _ATTACHED.split(_BY_PROGRAM.sub("", text), maxsplit=1)[0]
    command = _COMMAND.search(text[:2_000])
    if command:
        arguments = _ARGUMENTS.search(text[:8_000])
        return UserWords(one_line(f"/{command[1]} {arguments[1] if arguments else ''}").strip(), command=command[1])
    if _INTERRUPTED.match(text):
        return UserWords(text[:200], interrupted=True)
    lines = spoken_sentences(own_lines(text))
    sentences = [line for line in lines if len(line) <= _MAX_SENTENCE]
    allowed = tuple(filter(_WITHDRAWN.search, sentences))
    is_plan = bool(_CARRIES_OUT.match(text))
    return UserWords(
        both_ends(text, _MAX_TEXT),
        _rules_of(sentences, allowed, is_plan),
        allowed,
        tuple(filterfalse(_INSISTS.search, filter(_DROPS.search, sentences))),
        () if is_plan else tuple(filterfalse(_QUESTION.search, filter(_SHELVES.search, sentences))),
        any(map(_APPROVES.search, sentences)),
        any(map(_MOVES.search, sentences)),
        any(map(_RESTARTS.search, sentences)),
    )


def spoken_sentences(prose: str) -> Iterator[str]:
    """Yield the sentences of a text, which end with the full stops of all scripts."""
    prose = _HERE.sub("", prose)
    return sentences_of(prose if prose.isascii() else _FULL_STOP.sub("\\g<0>\n", prose))


def _rules_of(sentences: Sequence[str], allowed: Sequence[str], is_plan: bool) -> tuple[str, ...]:
    """Return the rules in sentences, except in the clauses that allow something, and in those that describe a plan."""
    said = chain.from_iterable(
        filterfalse(_WITHDRAWN.search, clauses_of(sentence)) if sentence in allowed else (sentence,)
        for sentence in with_named_things(sentences)
    )
    rules = dict.fromkeys(rule for sentence in said for rule in rules_in(sentence))
    return tuple(rule for rule in without_rows(rules) if not (is_plan and _DESCRIBES.match(rule)))
