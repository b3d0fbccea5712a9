"""A made-up LoCoMo dialogue with questions, for tests."""

from __future__ import annotations

from typing import Any

_SUBJECTS = ("the garden", "a pot of paint", "the bus home", "old maps", "a loaf of bread", "the lamp", "wet boots")


def turn(day: int, place: int, text: str, **fields: Any) -> dict[str, Any]:
    return {"speaker": ("Ann", "Ben")[(place - 1) % 2], "dia_id": f"D{day}:{place}", "text": text, **fields}


def dialogue(days: int = 6, turns: int = 12, name: str = "conv-1") -> dict[str, Any]:
    """On the first day Ann tells of her canoe, on the last of her teacher; between them is small talk."""
    conversation: dict[str, Any] = {"speaker_a": "Ann", "speaker_b": "Ben"}
    for day in range(1, days + 1):
        conversation[f"session_{day}_date_time"] = f"1:{10 + day} pm on {day} May, 2023"
        conversation[f"session_{day}"] = [
            turn(day, place, f"Today it was all about {_SUBJECTS[(day + place) % 7]}. Remark {day * 100 + place}.")
            for place in range(1, turns + 1)
        ]
    conversation["session_1"][2]["text"] = "I bought a red canoe from Professor Okafor."
    conversation["session_1"][2] |= {"img_url": ["https://pictures.example/1.jpg"], "blip_caption": "a boat on a lake"}
    conversation[f"session_{days}"][2]["text"] = "My teacher is called Zadie, I met her on the seventh."
    last = f"D{days}:3"
    return {
        "sample_id": name,
        "conversation": conversation,
        "qa": [
            {"question": "What canoe did Ann buy?", "answer": "A red canoe", "evidence": ["D1:3"], "category": 4},
            {"question": "Who is Ann's teacher?", "answer": "Zadie", "evidence": [last], "category": 4},
            {"question": "When did they meet?", "answer": "7 May 2023", "evidence": [last, "D1:5"], "category": 2},
            {"question": "How many?", "answer": 2023, "evidence": ["D:11:26"], "category": 1},
            {"question": "Where is it?", "answer": "nowhere near", "evidence": ["D99:1"], "category": 3},
            {"question": "Why?", "adversarial_answer": "red canoe", "evidence": ["D1:3"], "category": 5},
        ],
    }
