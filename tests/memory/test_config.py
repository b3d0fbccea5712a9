"""The settings of a memory, by the names of requirement 3."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from inspector.engine.compression.presets import PRESETS, Preset, PresetError
from inspector.engine.strategies import STRATEGIES
from inspector.memory import CompressionStrategy, MemoryConfig, MemoryManager, ReActAgent, WorkingMemoryCompressor
from tests.memory.scripted_llm import ScriptedLLM


def test_the_defaults_are_the_documented_ones() -> None:
    config = MemoryConfig()
    assert (config.compression_threshold, config.short_term_size, config.compression_ratio) == (40_000, 20, 0.3)
    assert config.compression_strategy is CompressionStrategy.SLIDING_WINDOW
    assert config.enable_compression
    assert config.preserve_system_prompts


def test_every_strategy_has_its_name_here() -> None:
    assert {str(each) for each in CompressionStrategy} == set(STRATEGIES)
    assert all(each.name == each.value.upper() for each in CompressionStrategy)


def test_a_strategy_may_be_given_by_its_name() -> None:
    assert MemoryConfig(compression_strategy="DELETION").compression_strategy is CompressionStrategy.DELETION


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            {"compression_strategy": "magic"},
            "no strategy 'magic'; the strategies are sliding_window, selective",
        ),
        ({"max_context_tokens": 0}, "max_context_tokens must be a whole number of at least 1, not 0"),
        ({"short_term_size": -1}, "short_term_size must be a whole number from 0 to 100,000, not -1"),
        ({"compression_ratio": 1.0}, "compression_ratio must be a number from 0.01 to 0.9, not 1.0"),
        ({"compression_ratio": 0.001}, "from 0.01 to 0.9, not 0.001"),
        ({"compression_ratio": float("nan")}, "from 0.01 to 0.9, not nan"),
        ({"compression_threshold": "40000"}, "compression_threshold must be a whole number of at least 1, not '40000'"),
        ({"compression_threshold": True}, "compression_threshold must be a whole number of at least 1, not True"),
        ({"short_term_size": "5"}, "short_term_size must be a whole number from 0 to 100,000, not '5'"),
        ({"short_term_size": 2.5}, "not 2.5"),
        ({"enable_compression": "false"}, "enable_compression must be True or False, not 'false'"),
        ({"preserve_tool_calls": "no"}, "preserve_tool_calls must be True or False, not 'no'"),
        ({"compression_strategy": None}, "There is no strategy None; the strategies are sliding_window"),
        ({"strategy_settings": "keep_recent=3"}, "strategy_settings are names with values"),
        ({"strategy_settings": {"keep_recent": "x"}}, "keep_recent must be a number from 0 to 100,000, not 'x'"),
        ({"strategy_settings": {"keep_recent": -4}}, "keep_recent must be between 0 and 100,000, not -4"),
        ({"strategy_settings": {"keep": 3}}, "sliding_window has no setting 'keep'"),
        ({"target_tokens": 50_000}, "must be below the threshold, 40,000"),
        ({"summary_timeout": -1}, "summary_timeout must be a number of at least 0, not -1"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_a_sentence(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        MemoryConfig(**wrong)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_and_back(name: str) -> None:
    config = MemoryConfig.from_preset(name)
    preset = PRESETS[name]
    assert config.preset == Preset(
        "config", preset.threshold, preset.ratio, preset.keep_recent, preset.strategy, preset.settings
    )
    assert config == MemoryConfig.from_preset(preset)


def test_an_unknown_preset_is_refused_with_the_names_that_there_are() -> None:
    with pytest.raises(ValueError, match=r"no preset 'bold'\. Presets: .*aggressive, balanced, conservative"):
        MemoryConfig.from_preset("bold")


def test_further_settings_go_before_those_of_a_preset() -> None:
    config = MemoryConfig.from_preset("balanced", short_term_size=3, give_up_after=1)
    assert (config.short_term_size, config.policy.give_up, config.compression_threshold) == (3, 1, 40_000)


def test_the_environment_goes_before_the_file(tmp_path: Path) -> None:
    (tmp_path / ".aloop").mkdir()
    (tmp_path / ".aloop" / "config").write_text("MEMORY_SHORT_TERM_SIZE=7\nMEMORY_ENABLED=false\n")
    config = MemoryConfig.from_env({"MEMORY_SHORT_TERM_SIZE": "8"}, tmp_path)
    assert (config.short_term_size, config.enable_compression) == (8, False)


def test_this_process_and_its_folder_are_read_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMORY_COMPRESSION_THRESHOLD", "12345")
    assert MemoryConfig.from_env().compression_threshold == 12_345


def test_settings_are_read_without_being_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".aloop").mkdir()
    (tmp_path / ".aloop" / "config").write_text(
        "MEMORY_ENABLED=false\nMEMORY_SHORT_TERM_SIZE=7\nMEMORY_COMPRESSION_RATIO=0.2\n"
        "MEMORY_COMPRESSION_STRATEGY=deletion\nMEMORY_PRESERVE_SYSTEM_PROMPTS=no\n"
    )
    monkeypatch.setenv("MEMORY_SHORT_TERM_SIZE", "8")
    monkeypatch.setenv("MEMORY_COMPRESSION_THRESHOLD", "150000")
    agent = ReActAgent(ScriptedLLM())
    for config in (MemoryConfig(), MemoryManager().config, WorkingMemoryCompressor().config, agent.memory.config):
        assert config == MemoryConfig.from_env() == MemoryConfig.from_env(os.environ, tmp_path)
        assert (config.enable_compression, config.short_term_size, config.compression_ratio) == (False, 8, 0.2)
        assert (config.compression_strategy, config.preserve_system_prompts) == (CompressionStrategy.DELETION, False)
        assert config.policy.threshold == config.max_context_tokens == 150_000


def test_what_the_code_says_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("MEMORY_COMPRESSION_THRESHOLD", "MEMORY_ENABLED"):
        monkeypatch.setenv(variable, "magic")
    config = MemoryConfig(compression_threshold=3_000, enable_compression=True)
    assert (config.compression_threshold, config.enable_compression) == (3_000, True)
    assert MemoryConfig.from_preset("aggressive").compression_threshold == 30_000


@pytest.mark.parametrize(
    ("variable", "text", "words"),
    [
        ("MEMORY_ENABLED", "maybe", "MEMORY_ENABLED must be .*'maybe'"),
        ("MEMORY_COMPRESSION_THRESHOLD", "lots", "MEMORY_COMPRESSION_THRESHOLD must be a number .*'lots'"),
        ("MEMORY_SHORT_TERM_SIZE", "-3", "MEMORY_SHORT_TERM_SIZE must be between 0 and 100,000, not -3"),
        ("MEMORY_COMPRESSION_RATIO", "30", "MEMORY_COMPRESSION_RATIO must be between 0.01 and 0.9, not 30"),
        ("MEMORY_COMPRESSION_STRATEGY", "magic", "MEMORY_COMPRESSION_STRATEGY .*magic"),
        ("MEMORY_PRESERVE_SYSTEM_PROMPTS", "perhaps", "MEMORY_PRESERVE_SYSTEM_PROMPTS must be .*'perhaps'"),
    ],
)
def test_a_bad_setting_is_told_in_one_sentence(
    variable: str, text: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, text)
    for make in (MemoryConfig, MemoryManager, lambda: ReActAgent(ScriptedLLM())):
        with pytest.raises(ValueError, match=f"^The environment: {words}.*\\.$") as refusal:
            make()
        assert "\n" not in str(refusal.value)


def test_a_value_that_does_not_fit_is_told_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(PresetError, match="MEMORY_COMPRESSION_STRATEGY"):
        MemoryConfig.from_env({"MEMORY_COMPRESSION_STRATEGY": "magic"}, tmp_path)


def test_the_threshold_is_never_above_what_may_be_sent_at_all() -> None:
    assert MemoryConfig(max_context_tokens=5_000).policy.threshold == 5_000
    assert MemoryConfig.from_preset(Preset("large", threshold=300_000)).policy.threshold == 300_000


def test_selective_lets_tool_calls_go_where_the_settings_say_so() -> None:
    selective = CompressionStrategy.SELECTIVE
    assert MemoryConfig(compression_strategy=selective, preserve_tool_calls=False).policy.own_settings["tools"] is False
    assert "tools" not in MemoryConfig(compression_strategy=selective).policy.own_settings
