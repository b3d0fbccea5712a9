"""The language of short texts, and the language that a user asks for."""

from __future__ import annotations

import pytest

from inspector.engine.work_state.languages import language_of, requested_language

SHORT = (
    ("de", "Könntest du mir bitte zeigen, warum das Formular nicht speichert?"),
    ("fr", "Tu peux me dire pourquoi le formulaire n'enregistre rien ?"),
    ("es", "¿Puedes decirme por qué no se guarda nada?"),
    ("it", "Mi puoi dire perché non salva niente?"),
    ("pt", "Você pode ver por que nada é salvo?"),
    ("nl", "Kun je me vertellen waarom er niets wordt bewaard?"),
    ("pl", "Możesz mi powiedzieć, dlaczego nic się nie zapisuje?"),
    ("sv", "Kan du säga mig varför inget sparas här?"),
    ("tr", "Lütfen bana neden hiç bir şey kaydedilmiyor söyler misin?"),
    ("cs", "Můžeš mi říct, proč se nic neuloží?"),
    ("fi", "Voitko sanoa minulle, miksi mitään ei tallennu?"),
    ("en", "Can you tell me why it doesn't save anything?"),
    ("en", "Let me look into that before we go on."),
)


@pytest.mark.parametrize(("code", "text"), SHORT, ids=[f"{code}-{text[:12]}" for code, text in SHORT])
def test_short_requests_have_the_language_of_their_words(code: str, text: str) -> None:
    assert language_of(text) == code


@pytest.mark.parametrize(
    "text",
    [
        "from this point on, English please.",
        "english, please!",
        "English only from here.",
        "From now on english is okay, Jo reads along.",
    ],
)
def test_a_language_is_asked_for_by_its_name_and_please(text: str) -> None:
    assert requested_language(text) == "en"


@pytest.mark.parametrize(
    "text", ["Translate the header to French please", "Polish only the header", "Fix the Danish date"]
)
def test_a_language_that_the_work_is_about_is_not_asked_for(text: str) -> None:
    assert requested_language(text) == ""
