"""Which model is asked, as an environment names it."""

from __future__ import annotations

import pytest

from inspector.engine.summaries.model.model_settings import OPENAI, ModelSettings, from_environment
from inspector.engine.summaries.model.summarizer import ModelSummariser


def test_without_a_model_there_is_none() -> None:
    assert from_environment({}) is None
    assert (
        from_environment({"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://localhost/v1", "OPENAI_MODEL": " "}) is None
    )


def test_a_model_alone_is_one_of_openai() -> None:
    assert from_environment({"INSPECTOR_MODEL": "some-model"}) == ModelSettings("some-model", OPENAI)


def test_all_of_it_can_be_set() -> None:
    environ = {
        "OPENAI_MODEL": "some-model",
        "OPENAI_BASE_URL": " http://localhost:8080/v1 ",
        "OPENAI_API_KEY": "k\n",
        "INSPECTOR_MODEL_TIMEOUT": "900",
        "INSPECTOR_MODEL_WINDOW": "8192",
    }
    settings = ModelSettings("some-model", "http://localhost:8080/v1", "k", timeout=900, window=8192)
    assert from_environment(environ) == settings


def test_the_programs_own_model_comes_before_the_one_of_all_programs() -> None:
    settings = from_environment({"INSPECTOR_MODEL": "mine", "OPENAI_MODEL": "theirs"})
    assert settings is not None
    assert settings.model == "mine"


@pytest.mark.parametrize("text", ["soon", "-1", "0", "inf", "nan", "9e999"])
@pytest.mark.parametrize("name", ["INSPECTOR_MODEL_TIMEOUT", "INSPECTOR_MODEL_WINDOW"])
def test_what_is_no_number_is_said_to_be_none(name: str, text: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be a number above 0, not '{text}'.$"):
        from_environment({"OPENAI_MODEL": "some-model", name: text})


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://api.openai.com/v1", "api.openai.com"),
        ("http://127.0.0.1:8080/v1", "127.0.0.1:8080"),
        ("http://me:hidden@models.example.org:99/v1?key=hidden", "models.example.org:99"),
        ("http://[::1]:8080/v1", "[::1]:8080"),
        ("models.example.org/v1", ""),
        ("", ""),
    ],
)
def test_a_host_is_told_without_anything_that_is_secret(url: str, host: str) -> None:
    assert ModelSettings("some-model", url).host == host


def test_a_window_that_is_not_set_is_the_one_that_is_known() -> None:
    assert ModelSettings("gpt-4o-mini").context == 128_000
    assert ModelSettings("gpt-4o-mini", window=9_000).context == 9_000


def test_the_key_is_not_printed() -> None:
    assert "hidden" not in repr(ModelSettings("some-model", api_key="hidden"))


def test_a_summariser_is_that_of_the_model_that_the_environment_names() -> None:
    assert ModelSummariser.from_environ({}) is None
    summariser = ModelSummariser.from_environ({"OPENAI_MODEL": "some-model"}, progress=print)
    assert summariser is not None
    assert summariser.settings.model == "some-model"
    assert summariser.progress is print
    assert summariser.usage is None
