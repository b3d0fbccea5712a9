"""Message classes of a source, determined after all of its files have been read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from inspector.report.findings import Confidence, Detection, Subject
from inspector.report.source.modules import ClassFacts

# e.g. "ChatMessage", "MessageParam", "ConversationTurn"
_MESSAGES = re.compile(
    r"(?:^|[a-z0-9_])(?:Messages?|Msgs?|MessageParam|MessageParamUnion|MessageLikeRepresentation|InputItem|InputItemParam|"
    r"ModelRequest|ModelResponse|ChatTurn|ConversationTurn)(?:Param|Dict|Union|Type|Like|T|s)?$"
    r"|^(?:Messages?|Msg|Turn)$"
)
"""Typical names of message classes."""
# e.g. "ErrorMessage", "MessageQueue", "LogMessage"
_NO_MESSAGES = re.compile(
    r"Error|Warning|Commit|Queue|Bus|Handler|Email|Slack|Kafka|Telegram|Log|Protocol|Proto|Pubsub|MCP|Jsonrpc|Voice",
    re.I,
)
_SPEAKERS = frozenset({"role", "author", "sender", "speaker", "source", "kind"})
_CONTENTS = frozenset({"content", "contents", "parts", "blocks", "tool_calls"})
_GIVERS = frozenset(
    {"to_messages", "to_message", "to_chat_messages", "to_input_item", "to_input_list", "to_model_message"}
)
_FOREIGN = frozenset(
    {"Content", "BaseMessage", "AnyMessage", "ResponseItem", "MessageLikeRepresentation", "ContentDict", "ContentUnion"}
)
"""Message classes of other libraries whose names alone are weak evidence."""
_DEEP = 12


class TypeTable:
    """Classes and type aliases of all files that were read."""

    def __init__(self, classes: Iterable[ClassFacts], aliases: Mapping[str, frozenset[str]]) -> None:
        self._classes: dict[str, list[ClassFacts]] = {}
        for row in classes:
            self._classes.setdefault(row.name, []).append(row)
        self._aliases = aliases
        self._known: dict[str, bool] = {}
        self._fields: dict[str, set[str]] = {}
        for rows in self._classes.values():
            for row in rows:
                for name, types in row.types:
                    self._fields.setdefault(name, set()).update(types)

    def is_message(self, name: str) -> bool:
        """Return True if a class with this name is a message, judged by its fields, its bases or its name."""
        if name not in self._known:
            self._known[name] = False  # ends the recursion for a class that inherits from itself
            self._known[name] = self._decide(name)
        return self._known[name]

    def _decide(self, name: str) -> bool:
        if name in self._aliases and name not in self._classes:
            return any(self.is_message(part) for part in self._aliases[name])
        is_named = bool(_MESSAGES.search(name)) or name in _FOREIGN
        if _NO_MESSAGES.search(name):
            return False
        return self._is_message_class(name, is_named) if name in self._classes else is_named

    def _is_message_class(self, name: str, is_named: bool) -> bool:
        """Return True if a class is a message, judged by its members and bases."""
        fields, methods = self._members(name)
        if (fields & _SPEAKERS and fields & _CONTENTS) or methods & _GIVERS:
            return True
        bases = {base for row in self._classes[name] for base in row.bases}
        tells_all = len(fields) > 2 and not fields & _CONTENTS
        return any(map(self.is_message, bases)) or (is_named and not tells_all)

    def _members(self, name: str) -> tuple[set[str], set[str]]:
        """Return the fields and methods of a class, including those of its bases."""
        fields: set[str] = set()
        methods: set[str] = set()
        names, seen = [name], set[str]()
        while names and len(seen) < _DEEP:
            one = names.pop()
            if one in seen:
                continue
            seen.add(one)
            for row in self._classes.get(one, ()):
                fields |= row.fields
                methods |= row.methods
                names += row.bases
        return fields, methods

    def _types_of(self, subject: Subject) -> frozenset[str]:
        """Return the element types of a subject, from its own annotation, its class, or fields of the same name."""
        if subject.types or not subject.is_field:
            return subject.types
        names, seen = [subject.owner] if subject.owner else [], set[str]()
        while names and len(seen) < _DEEP:
            one = names.pop(0)
            if one in seen:
                continue
            seen.add(one)
            for row in self._classes.get(one, ()):
                if types := dict(row.types).get(subject.name):
                    return types
                names += row.bases
        return frozenset(self._fields.get(subject.name, ()))

    def strength(self, subject: Subject) -> int:
        """Return the strength of the evidence that a subject is a message list.

        Returns:
            2 if its type or elements show it, 1 if only its name does, and 0 otherwise.
        """
        types = self._types_of(subject)
        is_own = bool(subject.types or subject.owner)
        if any(map(self.is_message, types)):
            return 2 if is_own or subject.is_named else 1
        if subject.has_roles:
            return 2
        is_other = is_own and any(name in self._classes or name in _PLAIN for name in types)
        return 1 if subject.is_named and not is_other else 0

    def confidence(self, detection: Detection) -> Confidence | None:
        """Return the confidence of a detection, or None if it is not about messages."""
        if detection.subject is None:
            return "high" if detection.is_firm else "medium"
        strength = self.strength(detection.subject)
        if strength == 0:
            return None
        rank = strength + detection.is_firm
        return "high" if rank == 3 else "medium" if rank == 2 else "low"


_PLAIN = frozenset(
    ["str", "int", "float", "bytes", "bool", "Path", "date", "datetime", "UUID", "ndarray", "Tensor", "array"]
)
