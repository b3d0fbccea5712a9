"""The parts of a context that blame sends: valid by each provider's rules, whatever messages are left out."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from inspector.analysis.asking import AskedContext, asked_part, suspects
from inspector.engine.summaries import ModelSettings
from inspector.engine.window import Window
from inspector.library import Library
from tests.cli.calling import call, transcript
from tests.provider_rules import check_anthropic, check_openai
from tests.responses_rules import check_responses

CHECKS = {"openai": check_openai, "openai-responses": check_responses, "anthropic": check_anthropic}
ROWS = 8


def chat(seed: int) -> dict[str, Any]:
    """A conversation with rows stated by the user and rows read by one to three calls at once."""
    rng = random.Random(seed)
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You keep the village."}]
    for number in range(ROWS):
        if rng.random() < 0.5:
            messages += [{"role": "user", "content": f"Row {number}."}, {"role": "assistant", "content": "Noted."}]
            continue
        ids = [10 * number + part for part in range(rng.randrange(1, 4))]
        messages.append({"role": "user", "content": f"Look up row {number}."})
        messages.append(
            {"role": "assistant", "content": "", "tool_calls": [call(one, "read_row", row=one) for one in ids]}
        )
        messages += [{"role": "tool", "tool_call_id": f"call_{one}", "content": f"Part {one}."} for one in ids]
    messages += [{"role": "user", "content": "What is planned?"}, {"role": "assistant", "content": "Nothing."}]
    tool = {"name": "read_row", "parameters": {"type": "object", "properties": {"row": {"type": "integer"}}}}
    return {"model": "gpt-4o", "messages": messages, "tools": [{"type": "function", "function": tool}]}


def thinking(turns: int) -> list[dict[str, Any]]:
    """A coding agent's transcript whose replies begin with signed thinking."""
    records = transcript(turns=turns)
    for record in records:
        if record["type"] == "assistant":
            block = {"type": "thinking", "thinking": "Look at the next pier.", "signature": "c2ln"}
            record["message"]["content"] = [block, *record["message"]["content"]]
    return records


def window_of_file(path: Path, value: Any, tmp_path: Path) -> Window:
    lines = value if isinstance(value, list) else [value]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with Library(tmp_path / "store.db", required=True) as library:
        bench = library.open(str(path)).bench
        return bench.window(len(bench.session.turns()))


@pytest.mark.parametrize("api", CHECKS)
@pytest.mark.parametrize("kind", ["chat", "thinking"])
def test_any_part_of_a_context_is_a_valid_request(tmp_path: Path, kind: str, api: str) -> None:
    rng = random.Random(7)
    settings = ModelSettings("gpt-4o" if api != "anthropic" else "claude-sonnet-4-20250514", api=api)
    for seed in range(4):
        value = chat(seed) if kind == "chat" else thinking(4 + seed)
        window = window_of_file(tmp_path / f"{seed}.{'json' if kind == 'chat' else 'jsonl'}", value, tmp_path)
        groups = suspects(window, {})
        places = [place for members in groups for place in members]
        for _ in range(40):
            by_group = rng.random() < 0.5
            kept = {place for place in places if rng.random() < rng.choice([0.1, 0.5, 0.9])}
            if by_group:
                kept = {place for members in groups if rng.random() < 0.5 for place in members}
            part = asked_part(window, frozenset(kept))
            body = AskedContext("part", part, window).body(settings, 4096)
            assert CHECKS[api](body) == [], (seed, sorted(kept))
