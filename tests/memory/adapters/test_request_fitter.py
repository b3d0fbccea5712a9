"""The beginning of a conversation stays the same between two compactions, so that the prompt cache is used."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from inspector.engine.compression import find
from inspector.memory import RequestFitter

_PLACES = ("harbour", "mill", "quarry", "orchard", "bakery", "foundry")


def _exchange(number: int) -> list[dict[str, Any]]:
    place = _PLACES[number % len(_PLACES)]
    report = " ".join(f"{place} reading {number}.{line} is {line * 7}" for line in range(40))
    return [{"role": "user", "content": f"Report on the {place}."}, {"role": "assistant", "content": report}]


def test_retrieved_content_stays_until_the_next_compaction() -> None:
    settings = {"keep_last": 4, "recall": 400}
    preset = replace(find("balanced"), strategy="vector_swap", settings=settings, threshold=5_000, keep_recent=4)
    fitter, messages = RequestFitter(preset), list[dict[str, Any]]()
    before: list[Any] = []
    recalls, kept = 0, 0
    for number in range(24):
        asked, reply = _exchange(number)
        messages.append(asked)
        fitted = fitter.fit("openai-chat", {"model": "gpt-5", "messages": messages})
        assert fitted.state != "original" and fitted.after <= 5_000, fitted.reason
        sent = fitted.request["messages"]
        recalls += (has_recall := "[Memory from earlier" in str(sent))
        if not fitted.plans:
            assert sent[: len(before)] == before
            kept += has_recall
        before = list(sent)
        messages.append(reply)
    assert recalls > kept > 0
