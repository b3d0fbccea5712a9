"""A preset for other programs: what it says comes across, what cannot is told, and the code is code."""

from __future__ import annotations

import ast
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.analysis.export.preset_export import TARGETS, export_text
from inspector.engine.compression.presets import PRESETS, Preset, load, memory_preset
from inspector.engine.compression.presets.environment import CONFIG
from inspector.engine.strategies import STRATEGIES

FILES = ("env", "aloop", "toml")
FRAMEWORKS = tuple(name for name in TARGETS if name not in FILES)
HOSTILE = "mine\nimport os\r\u2028os.remove('x')  # \x1b[2J"
CLEARING = {"keep": 5, "exclude_tools": 'read_file, say "it\'s"', "clear_at_least": 2_000, "clear_inputs": True}
each_framework = pytest.mark.parametrize("to", FRAMEWORKS)


def call(text: str, name: str) -> dict[str, Any]:
    """The keywords of the only call of `name` in code, those that are plain values as such."""
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and called(node) == name]
    (found,) = calls
    return {keyword.arg or "": plain(keyword.value) for keyword in found.keywords}


def called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def plain(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ast.unparse(node)


def left_out(text: str) -> str:
    """What a text says that it leaves out, on one line."""
    return " ".join(text.partition("# Not translated:\n")[2].replace("#", "").split())


@pytest.mark.parametrize("preset", PRESETS.values(), ids=str)
def test_variables_and_config_are_read_again_as_the_same_preset(preset: Preset, tmp_path: Path) -> None:
    (tmp_path / CONFIG).parent.mkdir()
    (tmp_path / CONFIG).write_text(export_text(preset, "aloop"), encoding="utf-8")
    found = memory_preset({}, tmp_path)
    assert (found.values(), found.threshold, found.strategy) == (
        preset.values(),
        preset.threshold,
        preset.strategy,
    )


def test_variables_are_set_by_a_shell() -> None:
    script = export_text(PRESETS["conservative"], "env") + 'echo "$MEMORY_COMPRESSION_STRATEGY $MEMORY_SHORT_TERM_SIZE"'
    done = subprocess.run(["sh"], input=script, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "selective 30\n"


def test_a_setting_without_a_variable_is_told() -> None:
    text = export_text(Preset("mine", strategy="token_window", settings={"max_tokens": 9_000}), "env")
    assert "- max_tokens=9000: there is no variable for it" in left_out(text)
    assert left_out(text).startswith("- token_window: only Inspector has this strategy")
    assert left_out(export_text(Preset("mine", strategy="deletion"), "env")) == ""


def test_a_table_is_loaded_again_as_the_same_preset(tmp_path: Path) -> None:
    preset = Preset("mine", 9_000, 0.25, 4, "selective", {"target": 3_000, "words": "never, must"}, about="at night")
    (tmp_path / "presets.toml").write_text(export_text(preset, "toml"), encoding="utf-8")
    assert load(tmp_path / "presets.toml") == {"mine": preset}


@pytest.mark.parametrize("name", [*PRESETS, "environment", "threshold=3000 keep=2", HOSTILE, "", "x" * 80])
def test_a_table_has_a_name_that_a_file_of_presets_may_have(name: str, tmp_path: Path) -> None:
    (tmp_path / "presets.toml").write_text(export_text(Preset(name, 9_000), "toml"), encoding="utf-8")
    (found,) = load(tmp_path / "presets.toml").values()
    assert found.threshold == 9_000


@each_framework
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_becomes_code_that_says_what_it_leaves_out(to: str, strategy: str) -> None:
    text = export_text(Preset("mine", strategy=strategy), to)
    ast.parse(text)
    assert text.startswith(f"# Preset mine · {strategy} · threshold 40,000")
    assert "# Not translated:\n# - " in text or "# No equivalent.\n# - " in text
    assert max(map(len, text.splitlines())) <= 120


@each_framework
def test_a_preset_that_compresses_nothing_sets_nothing_up(to: str) -> None:
    text = export_text(Preset("off", enabled=False), to)
    assert ast.parse(text).body == []
    assert "It does not compress" in text


@each_framework
@given(name=st.sampled_from([HOSTILE, "a\x0bb", "'''", '"""']), words=st.text(max_size=20) | st.just(HOSTILE))
def test_no_name_and_no_setting_becomes_code(to: str, name: str, words: str) -> None:
    clear = Preset(name, strategy="clear_tool_uses", settings={"exclude_tools": words})
    calm = Preset("mine", strategy="clear_tool_uses", settings={"exclude_tools": "read_file"})
    text, expected = (export_text(each, to).replace("\0", "") for each in (clear, calm))
    tree = ast.parse(text.encode("utf-8", "replace"))
    assert [type(node) for node in tree.body] == [type(node) for node in ast.parse(expected).body]


def test_langchain_summarises_by_its_middleware() -> None:
    text = export_text(PRESETS["balanced"], "langchain")
    found = call(text, "SummarizationMiddleware")
    assert found == {"model": "MODEL", "trigger": ("tokens", 40_000), "keep": ("messages", 20)}
    assert "ratio 0.3: the length of a summary depends on its prompt" in left_out(text)


def test_langchain_clears_results_by_an_edit() -> None:
    text = export_text(Preset("mine", 9_000, strategy="clear_tool_uses", settings=CLEARING), "langchain")
    assert call(text, "ClearToolUsesEdit") == {
        "trigger": 9_000,
        "keep": 5,
        "clear_at_least": 2_000,
        "exclude_tools": ["read_file", 'say "it\'s"'],
        "clear_tool_inputs": True,
    }


def test_langchain_drops_by_a_function_that_keeps_the_first_task() -> None:
    text = export_text(Preset("mine", 9_000, keep_recent=7, strategy="deletion"), "langchain")
    assert '{"max_tokens": 7, "token_counter": len, "strategy": "last"}' in text
    assert "count_tokens_approximately(messages) <= 9000" in text
    assert "[task, *kept]" in text
    tokens = export_text(Preset("mine", 9_000, strategy="token_window", settings={"max_tokens": 5_000}), "langchain")
    assert '{"max_tokens": 5000, "token_counter": "approximate", "strategy": "last"}' in tokens


def test_strands_has_one_conversation_manager() -> None:
    text = export_text(PRESETS["conservative"], "strands")
    found = call(text, "SummarizingConversationManager")
    assert (found["summary_ratio"], found["preserve_recent_messages"], found["pin_first"]) == (0.8, 30, 1)
    assert found["proactive_compression"] == "{'compression_threshold': min(1.0, 60000 / CONTEXT_WINDOW)}"
    sliding = export_text(Preset("mine", strategy="fifo", settings={"max_messages": 12}), "strands")
    assert call(sliding, "SlidingWindowConversationManager")["window_size"] == 12
    both = Preset("mine", strategy="pipeline", settings={"stages": "deletion keep_recent=4; sliding_window"})
    assert "sliding_window: only one such setting is possible" in left_out(export_text(both, "strands"))


def test_openai_agents_compact_by_the_api_and_limit_the_session() -> None:
    text = export_text(PRESETS["aggressive"], "openai-agents")
    entry = {"type": "compaction", "compact_threshold": 30_000}
    assert call(text, "ModelSettings") == {"context_management": [entry]}
    assert "the newest 10, verbatim: the API chooses what to keep" in left_out(text)
    dropping = export_text(Preset("mine", keep_recent=6, strategy="deletion"), "openai-agents")
    assert call(dropping, "SessionSettings") == {"limit": 6}
    trimming = export_text(Preset("mine", strategy="trim_outputs", settings={"longest": 900}), "openai-agents")
    assert call(trimming, "ToolOutputTrimmer") == {"max_output_chars": 900, "preview_chars": 900}


def test_google_adk_compacts_events() -> None:
    text = export_text(PRESETS["balanced"], "google-adk")
    assert call(text, "EventsCompactionConfig") == {"token_threshold": 40_000, "event_retention_size": 20}
    dropping = export_text(Preset("mine", keep_recent=40, strategy="deletion"), "google-adk")
    assert call(dropping, "ContextFilterPlugin") == {"num_invocations_to_keep": 4}


def test_anthropic_edits_the_context() -> None:
    text = export_text(Preset("mine", 9_000, strategy="clear_tool_uses", settings=CLEARING), "anthropic")
    found = call(text, "create")
    assert found["betas"] == ["context-management-2025-06-27"]
    assert found["context_management"] == {
        "edits": [
            {
                "type": "clear_tool_uses_20250919",
                "trigger": {"type": "input_tokens", "value": 9_000},
                "keep": {"type": "tool_uses", "value": 5},
                "clear_at_least": {"type": "input_tokens", "value": 2_000},
                "exclude_tools": ["read_file", 'say "it\'s"'],
                "clear_tool_inputs": True,
            }
        ]
    }


def test_anthropic_takes_the_edit_of_thinking_first_and_no_small_trigger() -> None:
    stages = "clear_tool_uses keep=2; sliding_window; clear_thinking keep=3"
    text = export_text(Preset("mine", 9_000, strategy="pipeline", settings={"stages": stages}), "anthropic")
    found = call(text, "create")
    assert found["context_management"]["edits"] == [
        {"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": 3}},
        {
            "type": "clear_tool_uses_20250919",
            "trigger": {"type": "input_tokens", "value": 9_000},
            "keep": {"type": "tool_uses", "value": 2},
        },
        {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 50_000}},
    ]
    assert found["betas"] == ["context-management-2025-06-27", "compact-2026-01-12"]
    assert "the threshold of 9,000: the minimum is 50,000" in left_out(text)


@each_framework
def test_what_nothing_is_like_is_told(to: str) -> None:
    text = export_text(Preset("mine", strategy="vector_swap"), to)
    assert ast.parse(text).body == []
    assert "# - vector_swap: no equivalent" in text


def test_a_target_that_there_is_not_is_told_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match=r"There is no export to 'langchian'\. Exports: env, aloop, toml, langchain"):
        export_text(PRESETS["balanced"], "langchian")


def test_every_table_is_toml() -> None:
    for preset in PRESETS.values():
        assert list(tomllib.loads(export_text(preset, "toml"))) == [f"my {preset.name}"]
