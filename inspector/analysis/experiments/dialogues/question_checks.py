"""Check whether a window contains the evidence of a question, and what its answer is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from inspector.analysis.experiments.dialogues.answer_words import tells, words_of
from inspector.core.conversation import Message
from inspector.core.json_objects import Fraction, json_object
from inspector.formats import Dialogue, Question


@json_object("Tally")
@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of questions whose evidence, or whose answer, is in a window."""

    with_evidence: Annotated[int, "questions that name turns of the dialogue"] = 0
    evidence: Annotated[int, "questions of which all these turns are in the window verbatim"] = 0
    with_answer: Annotated[int, "questions whose answer's words are in the whole dialogue"] = 0
    answers: Annotated[int, "questions whose answer's words are in the window"] = 0
    unanswerable: Annotated[int, "questions that the dialogue does not answer, of a benchmark that asks them"] = 0
    abstained: Annotated[int, "of these, without a place in the window that has the words of the question"] = 0

    @property
    def evidence_share(
        self,
    ) -> Annotated[
        Fraction | None, "share of questions with their evidence in the window; null if no question names evidence"
    ]:
        return self.evidence / self.with_evidence if self.with_evidence else None

    @property
    def answer_share(
        self,
    ) -> Annotated[
        Fraction | None, "share of questions with their answer's words in the window; null without such questions"
    ]:
        return self.answers / self.with_answer if self.with_answer else None

    @property
    def abstained_share(
        self,
    ) -> Annotated[Fraction | None, "share of unanswerable questions for which the window suggests no answer"]:
        return self.abstained / self.unanswerable if self.unanswerable else None

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.with_evidence + other.with_evidence,
            self.evidence + other.evidence,
            self.with_answer + other.with_answer,
            self.answers + other.answers,
            self.unanswerable + other.unanswerable,
            self.abstained + other.abstained,
        )


@dataclass(frozen=True, slots=True)
class WindowText:
    """Content of a window."""

    messages: frozenset[Message]
    quotes: str
    """The texts of those that are not the dialogue's own, each on one line."""
    words: frozenset[str]
    places: tuple[frozenset[str], ...]
    """Words of each paragraph or line, in order; () if no question has statements."""

    def __add__(self, other: WindowText) -> WindowText:
        quotes = f"{self.quotes}\n{other.quotes}"
        return WindowText(self.messages | other.messages, quotes, self.words | other.words, self.places + other.places)

    def tells(self, question: Question, answer: frozenset[str], least: float) -> bool:
        """Return True if the window contains an answer's words, or each statement that the question needs."""
        if not question.statements:
            return tells(self.words, answer, least)
        start = 0
        for words in map(words_of, question.statements):
            rest = range(start if question.is_ordered else 0, len(self.places))
            first = next((place for place in rest if tells(self.places[place], words, least)), None)
            if first is None:
                return False
            start = first
        return True


class QuestionCheck:
    """One question, and where what answers it is in the whole dialogue."""

    def __init__(self, question: Question, dialogue: Dialogue, whole: WindowText, least: float) -> None:
        self.question = question
        by_id = dialogue.session.by_id
        evidence = [by_id.get(name) for name in question.evidence if question.is_answered]
        self.evidence = [message for message in evidence if message]
        self.has_evidence = bool(evidence) and len(self.evidence) == len(evidence)
        self.answer = words_of(question.answer)
        self.has_answer = whole.tells(question, self.answer, least)
        self.asked_for = words_of(question.text) if question.abstains else frozenset[str]()

    @property
    def is_asked(self) -> bool:
        """True if it can be decided whether it is answered."""
        return self.has_evidence or self.has_answer

    def mark(self, page: WindowText, least: float) -> Counts:
        is_verbatim = self.has_evidence and all(
            message in page.messages or squeeze(message.text) in page.quotes for message in self.evidence
        )
        return Counts(
            int(self.has_evidence),
            int(is_verbatim),
            int(self.has_answer),
            int(self.has_answer and page.tells(self.question, self.answer, least)),
            int(bool(self.asked_for)),
            int(bool(self.asked_for) and not any(tells(place, self.asked_for, least) for place in page.places)),
        )


def places_of(message: Message) -> list[frozenset[str]]:
    """Return the words of each paragraph of a message, or of each line of a summary."""
    parts = message.text.splitlines() if message.kind == "summary" else message.text.split("\n\n")
    return [words_of(part) for part in parts if part.strip()]


def squeeze(text: str) -> str:
    """Return a text on one line, with single spaces."""
    return " ".join(text.split())
