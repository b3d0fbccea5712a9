"""The question that a reply leaves to the user."""

from __future__ import annotations

from typing import Literal

from inspector.core.text import lazy_pattern
from inspector.engine.facts import sentences_of

NextActor = Literal["tool", "agent", "user"]
_WAITS = lazy_pattern(
    r"(?i)\b(?:i(?:[’']ll| will| am|[’']m)? (?:still |then )?(?:wait\w*(?= for (?:you|the user|an? (?:answer"
    r"|decision))\b|[.,!]|$)|hold off|stop here|not (?:change|touch|start|proceed|continue))|wait\w* for your"
    r"|let me know|tell me (?:which|what|how|if|whether)|please (?:confirm|choose|decide|advise|let)|awaiting your"
    r"|(?:need|want|like|require) (?:an? |your )?(?:explicit )?(?:yes|go|go-ahead|ok(?:ay)?|approval|confirmation"
    r"|decision|answer|green light) (?:from|by|for|on|first|before)|before i (?:change|start|proceed|continue|go on)"
    r"|your (?:call|decision|choice|answer)|say the word"
    r"|won[’']?t [^.,;!?\n]{3,60} (?:before|until|till) you"
    r"|i (?:still )?need (?:your |the |an? )?(?:[\w-]{2,20} ){0,2}(?:password|credentials|access|login|permission"
    r"|input)"
    r"|ich warte|sag mir)\b"
)
_WAITS_FOR_WORK = lazy_pattern(
    r"(?i)\bwait\w* (?:for|on|until) (?:(?:the|it|both|all|its|their|that|this|these) )?(?:\S+ ){0,3}?(?:build|tasks?"
    r"|agents?|sub-?agents?|tests?|results?|reports?|output|findings|process|command|job|deploy\w*|ci|run|checks?"
    r"|finish\w*|complet\w*)\b"
)
"""The agent waits for a program, not for the user."""
_ANNOUNCES = lazy_pattern(
    r"(?i)\b(?:i(?:[’']m| am) (?:now )?(?!wait|done|not|sorry|happy)\w+ing|i(?:[’']ll| will) (?:now|next|start|go on"
    r"|continue|begin|take care|proceed)|i (?:now |then )?(?:go on|continue|proceed)(?= with\b| to\b|[.!]|$)"
    r"|let me (?!know)|now i(?:[’']ll)?|next,? i)\b[^?]*$"
)
"""The agent says what it does next, without a question."""
_OFFER = lazy_pattern(
    r"(?i)\b(?:(?:shall|should|may|can|could) (?:i|we)|(?:do|would) you (?:want|like) (?:me|us)|want me|ok to|ready to"
    r"|soll(?:en)? (?:ich|wir)|darf ich|veux-tu que je|dois-je|puis-je|je (?=lanc)|quieres que|debo|puedo|devo|posso"
    r"|(?:lo|la|los|las) (?=ejecuto|lanzo|inicio|empiezo))(?![\w’'])(?: to\b)?(?: now\b)?[ ,]{0,2}([^?\n]{0,160}\??)"
)
"""Words by which the agent offers to do something, and what it offers: "Shall I start it?"."""
_STARTS = lazy_pattern(
    r"(?i)(?:start|run|do|launch|kick|go ahead|proceed|begin|carry|trigger|execute|send|apply|lanc\w+|ejecuto|lanzo"
    r"|inicio|empiezo)\b|.{0,80}\b(?:starten|beginnen|loslegen|ausführen|machen)\b"
)
"""Start of an offer to start something."""
_CODE = lazy_pattern(r"(?ms)^[ \t]{0,12}```.*?(?:^[ \t]{0,12}```|\Z)|^[ \t]{0,4}>[^\n]*")
"""Code in fences and quoted lines, which ask nothing."""
_VERSE = lazy_pattern(r"(?m)(?:^(?![ \t]{0,12}(?:[-*•+|#]|\d{1,2}[.)]|\*\*))[^\n]{2,64}[^\n.:]\n){2,30}^[^\n]{2,64}$")
"""Three or more short lines in a row that no list has."""
_POLITE = lazy_pattern(
    r"(?i)\b(?:if (?:you(?:[’']d like| have| need| want| run into| hit| see| notice)?|there(?:[’']s| is| are))"
    r" (?:any\b(?! of)|anything|something else|further|more|other|additional|help|issues)|anything else|further (?:help"
    r"|assistance|questions)|happy to help|any (?:other |more |further )?questions|feel free)"
)
"""Words of a reply that only says that the user may ask."""
_FULL_STOP = lazy_pattern(r"[。！？]")
_LISTED = lazy_pattern(r"(?:\A|\n)[ \t]{0,12}(?:[-*•+]|\d{1,2}[.)])[ \t](?:\[[ xX]\][ \t])?\Z")
"""Mark before the text of an item of a list."""
_ANSWERS = lazy_pattern(r"(?i)(?:because|since|due to|it turn(?:s|ed) out|the (?:answer|cause|reason) (?:is|was))\b")
"""Start of the sentence by which the agent answers its own question: "Why was it empty? Because …"."""
_MAX_QUESTION = 600
_TAIL = 1_500
"""Characters at the end of a reply that are searched."""


def question_in(reply: str) -> str:
    """Return the last question or request for a decision in a reply, with the sentence before it; "" for none."""
    tail = _VERSE.sub("", _CODE.sub("", reply[-_TAIL:]))
    sentences = list(sentences_of(tail if tail.isascii() else _FULL_STOP.sub("\\g<0>\n", tail)))[-6:]
    asking = [place for place, sentence in enumerate(sentences) if _asks(sentence)]
    asking = [place for place in asking if not _ANSWERS.match("".join(sentences[place + 1 : place + 2]))]
    if not asking:
        return ""
    first = max(0, asking[0] - 1)
    listed = _LISTED.search(tail, 0, max(0, tail.find(sentences[first])))
    first = asking[0] if listed or sentences[first].startswith("[") else first
    return " ".join(sentences[first : asking[-1] + 1])[:_MAX_QUESTION]


def _asks(sentence: str) -> bool:
    """Return True if a sentence asks the user for something, not only whether there is anything else."""
    return (sentence.endswith(("?", "？", "؟")) or _WAITS.search(sentence) is not None) and not _POLITE.search(sentence)


def offers_in(text: str) -> list[str]:
    """Return what a text offers to do: "About 19 hours. Should I start it?" gives "start it?"."""
    return [match[1] for match in _OFFER.finditer(text)]


def offers_run(question: str) -> bool:
    """Return True if a question offers to start something."""
    return any(_STARTS.match(offer) for offer in offers_in(question))


def actor_after(reply: str) -> NextActor:
    """Return who acts after a reply: a program, the agent if it only announces its next step, or else the user."""
    tail = reply[-_TAIL:]
    if _WAITS_FOR_WORK.search(tail):
        return "tool"
    announces = any(map(_ANNOUNCES.search, list(sentences_of(tail))[-1:]))
    return "agent" if announces and not question_in(reply) else "user"


def waits(reply: str) -> bool:
    """Return True if a reply says that the agent waits for the user."""
    return bool(_WAITS.search(reply[-_TAIL:]))
