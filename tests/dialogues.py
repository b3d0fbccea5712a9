"""A made-up LoCoMo dialogue and a BEAM conversation with questions, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.formats.written import write_json

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


_SAID = {
    2: "The harbour office opens at 6:15. I prefer answers without tables.",
    4: "I have never flown the survey drone myself.",
    8: "We began with the tide gauges.",
    12: "Then came the buoys.",
    30: "The pier is 41 metres long now.",
    34: "I flew the survey drone over the pier on Monday.",
    36: "The pier was measured again: it is 44 metres long.",
}
_PROBES: dict[str, list[dict[str, Any]]] = {
    "information_extraction": [
        {"question": "When does the office open?", "answer": "The harbour office opens at 6:15", "source_chat_ids": [2]}
    ],
    "knowledge_update": [
        {
            "question": "How long is the pier?",
            "answer": "The pier is 44 metres long",
            "source_chat_ids": {"original_info": [30], "updated_info": [36]},
        }
    ],
    "contradiction_resolution": [
        {
            "question": "Have I flown the drone?",
            "ideal_answer": "You said both.",
            "source_chat_ids": {"first_statement": [4], "second_statement": [34]},
            "rubric": [
                "LLM response should state: there is contradictory information",
                "LLM response should mention: You said you have never flown the survey drone",
                "LLM response should mention: you also mentioned you flew the survey drone over the pier on Monday",
            ],
        }
    ],
    "event_ordering": [
        {"question": "In what order?", "answer": "x", "ordering_tested": ["1st: tide gauges", "2nd: the buoys"]},
        {"question": "In what order?", "answer": "x", "ordering_tested": ["1st: the buoys", "2nd: tide gauges"]},
        {"question": "And then?", "answer": "x", "ordering_tested": ["1st: the buoys", "2nd: pier 44 metres"]},
    ],
    "preference_following": [
        {"question": "Which buoys?", "preference_being_tested": "I prefer answers without tables.", "rubric": ["none"]}
    ],
    "abstention": [{"question": "Who paints the boats?", "ideal_response": "It was not said.", "rubric": ["none"]}],
}


_PUBLISHED: dict[str, list[dict[str, Any]]] = {
    **_PROBES,
    "information_extraction": [
        {
            "question": "When does the office open?",
            "answer": "You said that the office of the harbour is one that opens at 6:15 in the early morning.",
            "difficulty": "easy",
            "question_type": "context_date/time",
            "conversation_reference": "Turn 1",
            "key_facts_tested": ["time"],
            "source_chat_ids": [2],
            "rubric": ["LLM response should state: 6:15"],
        }
    ],
    "temporal_reasoning": [
        {
            "question": "How many days lie between the survey and the painting?",
            "answer": "12 days",
            "temporal_type": "duration_calculation",
            "time_points": ["May 4: survey of the pier", "May 16: painting of the buoys"],
            "calculation_required": "May 16 - May 4 = 12 days",
            "source_chat_ids": {"first_event": [10], "second_event": [14]},
            "rubric": ["LLM response should state: 12 days", "LLM response should state: from May 4 till May 16"],
        }
    ],
    "multi_session_reasoning": [
        {
            "question": "Which instruments did we set up?",
            "answer": "Two: tide gauges and buoys",
            "source_chat_ids": [8, 12],
            "rubric": ["LLM response should state: tide gauges", "LLM response should state: buoys"],
        }
    ],
    "instruction_following": [
        {
            "question": "How deep is it?",
            "instruction_being_tested": "Always name the unit when I ask about depths.",
            "source_chat_ids": [6],
            "rubric": ["LLM response should contain: the unit"],
        }
    ],
    "summarization": [
        {
            "question": "What did we do?",
            "ideal_summary": "A long story of the harbour that nobody told in these words at all.",
            "source_chat_ids": [8, 9, 12],
            "rubric": ["LLM response should contain: began with the tide gauges"],
        }
    ],
    "abstention": [
        {
            "question": "Who repaired the lighthouse staircase?",
            "ideal_response": "Based on the provided chat, there is no information related to the staircase.",
            "abstention_type": "missing_detail",
            "why_unanswerable": "No details are given.",
            "rubric": ["Based on the provided chat, there is no information related to the staircase"],
        },
        {
            "question": "How long is the pier in metres, measured again?",
            "ideal_response": "Based on the provided chat, there is no information related to it.",
            "rubric": ["Based on the provided chat, there is no information related to it"],
        },
    ],
}
"""Questions of all ten abilities with the keys that the benchmark publishes."""
_LATER = {
    6: "Always name the unit when I ask about depths.",
    10: "The survey of the pier is on May 4.",
    14: "The painting of the buoys is planned for May 16.",
}


def published_beam(folder: Path, form: str = "batches") -> Path:
    """Write a conversation in the form of the repository of BEAM, or with `lists` as its download script does."""
    batches: list[dict[str, Any]] = []
    for number in range(2):
        turns = []
        for place in range(number * 20, number * 20 + 20, 2):
            text = (_SAID | _LATER).get(place, f"Remark {place} about {_SUBJECTS[place % 7]}.")
            mark = f"{number + 1},{place % 20 // 2 + 1}"
            asked = {"role": "user", "id": place, "index": mark, "question_type": "main_question"}
            asked |= {"content": f"{text} ->-> {mark}"}
            if place % 20 == 0:
                asked["time_anchor"] = f"May-0{number + 3}-2026"
            told = {"role": "assistant", "id": place + 1, "content": f"Noted, number {place}: thank you for saying so."}
            turns.append([asked, told])
        batches.append({"batch_number": number + 1, "turns": turns})
    (folder / "probing_questions").mkdir(parents=True)
    write_json(folder / "probing_questions" / "probing_questions.json", _PUBLISHED)
    chat = batches if form == "batches" else [[m for turn in batch["turns"] for m in turn] for batch in batches]
    return write_json(folder / "chat.json", chat)


def beam_folder(folder: Path) -> Path:
    """Write a conversation of BEAM with questions, and return its `chat.json`."""
    said = [_SAID.get(number, f"Remark {number} about {_SUBJECTS[number % 7]}.") for number in range(0, 40, 2)]
    turns = [
        [
            {"id": 2 * place, "role": "user", "content": text},
            {"id": 2 * place + 1, "role": "assistant", "content": f"Noted, number {place}: thank you for saying so."},
        ]
        for place, text in enumerate(said)
    ]
    (folder / "probing_questions").mkdir(parents=True)
    write_json(folder / "probing_questions" / "probing_questions.json", _PROBES)
    return write_json(folder / "chat.json", [{"batch_number": 1, "time_anchor": "May-03-2026", "turns": turns}])
