"""Checks that every form to export passes, for the authors of exporters: see `inspector.testing`."""

from __future__ import annotations

from random import Random

from inspector.formats.writers.base import Conversation, FileForm
from inspector.llm.providers import DIALECTS, sample_messages


def check_exporter(form: FileForm, *, seed: int = 0, rounds: int = 20) -> None:
    """Check a form to export on generated conversations in all wire formats, and on an empty one.

    Args:
        form: An object of the class at the entry point.
        seed: Where the generated conversations begin; the same seed gives the same ones.
        rounds: Number of conversations for each wire format.

    Raises:
        AssertionError: A rule is broken; its text says which.
    """
    assert form.name and form.title, "a form has a name and a title"
    assert form.suffix.startswith("."), "suffix is the end of a file name, such as .json"
    conversations = [Conversation("Empty", "empty", "generated", ())]
    for dialect in DIALECTS:
        for number in range(seed, seed + rounds):
            messages = sample_messages(Random(f"exporter {number}"), dialect)
            conversations.append(Conversation(f"Generated {number}", f"{dialect}-{number}", "generated", messages))
    for conversation in conversations:
        text = form.write(conversation)
        assert isinstance(text, str), f"write returns text ({conversation.id})"
        assert text == form.write(conversation), f"the same conversation gives the same text ({conversation.id})"
        notes = list(form.notes(conversation))
        assert all(note.endswith(".") for note in notes), f"each note is a sentence ({conversation.id}): {notes}"
