"""What strategies have worked out about the messages of a session, kept for as long as the session is open.

A knob that moves asks the same again and again: which shorter version a message has, what speaks for it, what it holds.
Answers depend on the message alone, and messages never change.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from inspector.conversation import RequestContext
from inspector.window import Window

_MOST = 60_000
_MANY = 4
"""Answers kept to one question: so many in all, and for a long session so many for each of its messages.

Beyond, all of them are forgotten and worked out anew.
"""

_MEMOS: WeakKeyDictionary[RequestContext, dict[str, dict[Any, Any]]] = WeakKeyDictionary()


def memo(window: Window, question: str) -> dict[Any, Any]:
    """The answers to a question about the messages of a window's log that are known so far; more may be put in."""
    answers = _MEMOS.setdefault(window.context, {}).setdefault(question, {})
    if len(answers) > max(_MOST, _MANY * len(window.originals)):
        answers.clear()
    return answers
