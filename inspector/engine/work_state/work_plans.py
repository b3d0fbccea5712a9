"""Plans that wait for the user's approval: from the calls of planning tools, and from replies."""

from __future__ import annotations

import re

from inspector.core.conversation import PREVIEW
from inspector.core.text import lazy_pattern, one_line
from inspector.engine.facts import content_words, is_negated, sentences_of
from inspector.engine.work_state.open_questions import offers_in
from inspector.engine.work_state.state_items import StateItem, WorkState

_MAX_PLAN = 4_000
_STEP = lazy_pattern(r"^[ \t]{0,12}(?:\d{1,2}[.)]|[-*•]) {1,4}(\w.{3,300})$", re.MULTILINE)
_INLINE = lazy_pattern(r"(?:^|(?<=[\w.:,;)-]) )[1-9][.)] (?=\w)")
_THEN = lazy_pattern(r"(?i)[,;]? (?:and )?then |; ")
_NAMES_PLAN = lazy_pattern(
    r"(?<!test )(?<!testing )\bplan(?:s|ned|o)?\b|\bpropos(?:al|e|ta|ition)|\bpropuesta|vorschlag|\bpiano\b"
    r"|план|предлага|计划|方案|計画|提案|계획"
)
"""Words that call a reply a plan, unlike the test plan of a pull request."""
_BEGIN, _END = "<proposed_plan>", "</proposed_plan>"
_LABEL = lazy_pattern(
    r"(?i)(?:here is |here’s |here's )?(?:my |the |a |proposed |implementation |suggested )*"
    r"plan(?: for| to)?\s?(?:[:–-]\s?|$)"
)
"""Words before the subject of a plan: "Plan: move the queue"."""
_TALKS = lazy_pattern(
    r"(?i)\s{0,9}(?:i|i[’']\w{1,2}|let me|found|here|looking|good|great|yes|ok(?:ay)?|now|so|this|that|there"
    r"|we)\b(?! plan)(?![^\n]{0,80}\bplan\b)"
)
"""Start of a plan that is no title: "Found some interesting approaches"."""
_AGREED = lazy_pattern(
    r"(?i)\b(?:ok(?:ay)?|sounds? good|agreed?|go ahead|thoughts|what do you think|d'accord|einverstanden|de acuerdo"
    r"|does (?:this|that) (?:work|look|sound)[^?\n]{0,30})\s?\?\s*$|\bapprove\b[^.\n]{0,120}\?"
    r"|\b(?:let me know|tell me|waiting for)\b.{0,60}\b(?:go|approv\w+|proceed|start|plan)\b"
)
"""Words that ask for approval without an offer."""
_CARRIES = lazy_pattern(
    r"(?i)[^.?\n]{0,40}\b(?:implement|go ahead|proceed|start|begin|build|carry|do (?:it|this|that|all)"
    r"|set (?:it|this|that) up|make (?:these|this|the|those) change)"
)
"""Start of an offer to carry out the steps above it."""
_NO_TEXT = "plan"
"""Text of a plan that a planning tool keeps in a file."""
_PLAN_FILE = lazy_pattern(r"(?i)(?:^|/)(?:plans/[^/\n]{1,120}|(?:[\w.-]{1,60}[_-])?plan)\.mdx?$")
"""Path of a file with a plan: Claude Code's `plans/NAME.md`, `PLAN.md`, `implementation_plan.md`."""
_MAX_KNOWN = 200
"""Characters at the start of a plan by which it is known."""
_COULD = lazy_pattern(
    r"(?i)\b(?:i(?:[’']d| would| can| could) (?!see\b|only\b|not\b|find\b|confirm\b|reproduce\b|imagine\b"
    r"|understand\b|say\b|think\b)[a-z]{3,14}|(?:one|an|another) (?:way|option|idea|possibility))\b"
)
"""Words near a question by which the agent offers to do something."""
_SUGGESTS = lazy_pattern(
    r"(?i)\b(?:i(?:[’']d| would| could| can)? (?:suggest|propose|recommend|advise)"
    r"|my (?:suggestion|recommendation|proposal|plan)|(?:i[’']d|i would) (?:rather |also )?(?:do (?:it|this)"
    r"|move|replace|publish|delete|remove|rename|upgrade|bump|switch|use|go with"
    r"|add|split|rewrite|introduce|drop|migrate|put|cache|build|create|turn|wrap|store|extract|convert|set up|pull"
    r"|enable|disable|merge)|we (?:could|should)|(?:mein )?vorschlag|ich (?:würde|schlage|empfehle)"
    r"|wir (?:könnten|sollten)|propongo|sugiero|recomiendo|podr[ií]amos|je (?:propose|suggère|recommande)|on pourrait"
    r"|proponho|sugiro|suggerisco|ik stel voor|предлагаю)\b|\b(?:plan|proposal|option):\s|建议|建議|提案|제안"
)
"""Words of a reply that suggest work."""
_CHOICE = lazy_pattern(r"(?i)\b(?:which|what|either|prefer|whether)\b|\bor\b[^?\n]{1,80}\?")
"""A question with several answers, of which none refuses the work."""
_RESUMES = lazy_pattern(
    r"(?i)\b(?:after all|resume|unshelve|back to|pick (?:it )?up|go with|let[’']?s (?:do|start|implement|use)"
    r"|implement|carry out|do the|go ahead with|proceed with|start (?:with|on)|doch|finalement|al final)\b"
)
"""Words that ask for a plan again, unlike "go on" or "ok"."""


_WANTS_PLAN = lazy_pattern(
    r"(?i)\b(?:make|write|draft|show|give|propose|want|see|prepare|sketch|outline|need|start with|come up with)"
    r" [^.?!\n]{0,30}\b(?:plan|proposal|outline)\b|\bplan (?:first|how|out|the|this|it|a|for)\b"
    r"|\b(?:how|what) would you (?:do|go|suggest|propose|approach|tackle|solve|change|structure)\b"
)
"""A request for a plan."""
_REQUESTS = lazy_pattern(
    r"(?i)^(?:(?:ok(?:ay)?|now|then|so|please|and|let[’']?s|time|we|i|you|can|could|should)[, ]+){0,4}(?:do|build"
    r"|implement|start|make|add|create|write|use|go|switch|move|for|want|need|continue|finish|take|set up)\b"
)
"""Start of a request."""


_REPORTS = lazy_pattern(
    r"(?i)[\s\W]{0,9}(?:(?:all |it[’']s |i[’']ve |i have |i |now )?(?:done|completed?|finished|created|implemented"
    r"|added|fixed"
    r"|updated|wrote|written|moved|renamed|removed)|(?:yes|no|right|exactly|correct|you[’']re right)[,.:! ])(?=[\s\W])"
)
"""Start of a reply about finished work, or of an answer to a question."""


def plan_in_file(path: str, text: str) -> str:
    """Return the plan that a file contains, by its name and its first heading or steps; "" for any other file."""
    is_plan = _PLAN_FILE.search(path) is not None and (text.lstrip().startswith("#") or len(_STEP.findall(text)) > 1)
    return text.strip()[:_MAX_PLAN] if is_plan else ""


def with_plan_in_file(state: WorkState, path: str, text: str, message: str) -> WorkState:
    """Return the state with the plan that a file contains, unless a plan with its title is known."""
    plan = plan_in_file(path, text)
    return with_plan(state, plan, message) if plan and state.get("plan", _title_of(plan)) is None else state


def with_plan_of_call(state: WorkState, plan: str, message: str) -> WorkState:
    """Return the state with the plan of a planning tool, which may be the proposed one that is in a file."""
    is_filed = plan == _NO_TEXT and any(one.state == "proposed" for one in state.of("plan"))
    return state if is_filed else with_plan(state, plan, message)


def has_plan(state: WorkState, plan: str) -> bool:
    """Return True if a plan is in the state, with the same beginning."""
    return plan[:_MAX_KNOWN] in (item.detail[:_MAX_KNOWN] for item in state.of("plan"))


def offered_in(question: str) -> str:
    """Return what an open question offers to do, as the steps of a plan; "" for a choice or a question about facts."""
    sentences = [one_line(one) for one in sentences_of(question)]
    if _CHOICE.search(question) or not any(offers_in(one) or _COULD.search(one) for one in sentences):
        return ""
    first = next((place for place, one in enumerate(sentences) if _is_offer(one)), 0)
    return "\n".join(f"- {one}" for one in sentences[first:])


def _is_offer(sentence: str) -> bool:
    return bool(offers_in(sentence)) or bool(_COULD.search(sentence) or _SUGGESTS.search(sentence))


def suggested_in(reply: str) -> str:
    """Return what a reply suggests without asking, as the steps of a plan; "" if it suggests nothing."""
    match = _SUGGESTS.search(reply)
    if match is None:
        return ""
    start = max(reply.rfind(end, 0, match.start()) for end in "\n.!?。") + 1
    said = reply[start : start + _MAX_KNOWN * 3].rstrip()
    said = said if said.endswith((*".!?:。！？)`", "\n")) or len(reply) < PREVIEW else f"{said}…"
    return "\n".join(f"- {one_line(one)}" for one in sentences_of(said))


def proposed_in(reply: str) -> str:
    """Return the plan that a reply proposes; "" if it proposes none.

    A plan has at least two steps, is called a plan or proposal, and ends with a question for approval; or it is marked
    as one by the program.
    """
    if _BEGIN in reply:
        return reply.partition(_BEGIN)[2].partition(_END)[0].strip()[:_MAX_PLAN]
    if len(_STEP.findall(reply)) < 2 or not (_NAMES_PLAN.search(reply.lower()) or _offers_steps(reply[-300:])):
        return ""
    return reply[:_MAX_PLAN] if _asks(reply[-800:]) else ""


def outlined_in(reply: str) -> str:
    """Return a reply with two steps or more, which may be a plan that the user asked for; "" for any other reply."""
    is_report = _REPORTS.match(reply) is not None
    return reply[:_MAX_PLAN] if not is_report and len(_STEP.findall(reply[:_MAX_PLAN])) > 1 else ""


def with_reply(state: WorkState, plan: str, outline: str, message: str) -> WorkState:
    """Return the state with the plan that a reply proposes.

    Args:
        state: State before the reply.
        plan: The plan, if the reply says that it is one.
        outline: Steps that it lists. They are a plan if the latest request wants one and no work was done for it.
        message: Id of the reply.
    """
    request = state.get("request", "latest") if outline and not plan else None
    if request is not None and _WANTS_PLAN.search(request.text[:_MAX_PLAN]):
        plan = "" if any(item.turn >= request.turn for item in state.of("file")) else outline
    return with_plan(state, plan, message) if plan else state


def _offers_steps(end: str) -> bool:
    """Return True if the end of a reply asks whether to carry out the steps above it."""
    return end.rstrip().endswith("?") and any(_CARRIES.match(offer) for offer in offers_in(end)[-1:])


def _asks(end: str) -> bool:
    """Return True if the end of a reply is a question, or asks for approval."""
    is_question = end.rstrip("*_ \n").endswith(("?", "？")) or any(offer.endswith("?") for offer in offers_in(end))
    return is_question or _AGREED.search(end) is not None


def _title_of(plan: str) -> str:
    """Return the first line of a plan that says what it is about."""
    if _TALKS.match(plan):
        steps = (*steps_of_plan(suggested_in(plan[-400:])), *steps_of_plan(plan[:_MAX_PLAN]))
        if step := next((step for step in steps if not step.endswith(":")), ""):
            return step.strip("* ")[:160]
    lines = (one_line(line).strip("#*-• :").lstrip("0123456789.) ") for line in plan[:1_000].split("\n"))
    titles = (line[label.end() :] if (label := _LABEL.match(line)) else line for line in lines)
    return next((title[:160] for title in titles if content_words(title) - {"plan", "propos"}), one_line(plan)[:120])


def steps_of_plan(plan: str) -> list[str]:
    """Return the steps of a plan: its points, the numbers in a sentence, or the parts of a sentence with "then"."""
    steps = [one_line(step) for step in _STEP.findall(plan)]
    inline = [part.strip(" ,;.") for part in _INLINE.split(plan)][1:] if _INLINE.search(plan) else []
    if len(inline) > len(steps) and all(map(content_words, inline)):
        return [one_line(part) for part in inline]
    parts = [part.rpartition(": ")[2].strip() for part in _THEN.split(steps[0])] if len(steps) == 1 else []
    return parts if len(parts) > 1 and all(map(content_words, parts)) else steps


def with_plan(state: WorkState, plan: str, message: str) -> WorkState:
    """Return the state with a newly proposed plan. Plans that wait for an answer are superseded by it.

    Args:
        state: State before the message.
        plan: Text of the plan.
        message: Id of the message that proposes it.
    """
    for item in state.of("plan"):
        if item.state == "proposed":
            state = state.end(item, message, "superseded")
    title = _title_of(plan)
    return state.put(StateItem("plan", title, title, "proposed", plan[:_MAX_PLAN], message, state.turn))


def mentions(sentence: str, plan: StateItem) -> bool:
    """Return True if a sentence is about a plan: it says "plan", or shares a telling word with its title."""
    words = content_words(sentence)
    return "plan" in words or bool(words & (content_words(plan.text) - COMMON_VERBS))


def is_waiting(plan: StateItem, state: WorkState) -> bool:
    """Return True if the newest reply proposes a plan, or asks about it.

    Args:
        plan: The plan.
        state: The state at the turn after that reply.
    """
    asked = state.text("question", "open")
    return plan.turn >= state.turn - 1 or (bool(asked) and (mentions(asked, plan) or _asks(asked)))


def resumes(words: str, plan: StateItem, is_only: bool) -> bool:
    """Return True if words of the user that approve something mean a plan that does not wait for an answer.

    Args:
        words: The words.
        plan: The plan.
        is_only: True if "the plan" can mean no other one.
    """
    said, subject = content_words(words), content_words(plan.text) - COMMON_VERBS
    if not _RESUMES.search(words):
        return len(said & subject) >= max(2, len(subject) - 1)
    return bool(said & subject) or (is_only and "plan" in said)


def asks_for(words: str, plan: StateItem) -> bool:
    """Return True if a sentence of the user asks for a plan that was put off: "Now do the print server"."""
    subject = content_words(plan.text) - COMMON_VERBS
    asking = (
        one for one in sentences_of(words) if _REQUESTS.search(one) and not (is_negated(one) or one.endswith("?"))
    )
    return bool(subject) and any(len(subject & content_words(one)) >= min(2, len(subject)) for one in asking)


COMMON_VERBS = content_words(
    "move add write delete create update change implement build refactor fix use new file files code plan "
    "remove rename support"
)
"""Words of a title that say nothing about its subject."""
