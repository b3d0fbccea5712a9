"""Rules about values and in roundabout words: each with what breaks it, what does not, and sentences that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.work_state.scripts import ROOT, Edit, Run, Step, User, Write, followed, session_of
from tests.engine.work_state.test_consequences import BEFORE, SUMMARY

LIVE_CALL = "rates = requests.get('https://api.rates.io').json()"
RULES: dict[str, tuple[Step, Step]] = {
    "Run at most 4 workers, please.": (Run("pytest --workers 16"), Run("pytest --workers 4")),
    "Six threads is the maximum here.": (Run("make -j 12"), Run("make -j 6")),
    "Retries must not exceed 3.": (Edit(f"{ROOT}/http.toml", "retries = 10"), Edit(f"{ROOT}/http.toml", "retries = 3")),
    "Never request more than 16 GB per run.": (Run("sbatch --mem=64G run.sh"), Run("sbatch --mem=900M run.sh")),
    "We have to stay on Node 18.": (Run("nvm use 20"), Run("nvm use 18.2")),
    "Leave CACHE_OFF at true everywhere.": (
        Edit(f"{ROOT}/.env", "CACHE_OFF=false"),
        Edit(f"{ROOT}/.env", "CACHE_OFF=true\nLEVEL=2"),
    ),
    "Always use ./gradlew for builds.": (Run("gradle build"), Run("./gradlew build")),
    "Go through the Makefile for everything.": (Run("npm test"), Run("make test")),
    "8080 is taken by Jenkins.": (Run("python -m http.server 8080"), Run("lsof -i :8080", "java")),
    "gpu-box-3 is reserved for Lin.": (Run("ssh gpu-box-3 'python fit.py'"), Run("ssh gpu-box-2 'python fit.py'")),
    "I'd rather you stayed away from billing/.": (Edit(f"{ROOT}/billing/a.py"), Edit(f"{ROOT}/orders/a.py")),
    "Nobody but me publishes releases.": (Run("gh release create v2"), Run("gh release view v1")),
    "We add no third party pods.": (Run("pod install Alamofire"), Run("pod --version")),
    "sudo is off limits here.": (Run("sudo apt-get install jq"), Run("apt list")),
    "No floats in money code.": (
        Edit(f"{ROOT}/src/orders.py", "total = float(row.total)"),
        Edit(f"{ROOT}/src/chart.ts", "width: parseFloat(style.width)"),
    ),
    "jQuery stays out of the new pages.": (
        Write(f"{ROOT}/web/cart.js", "import $ from 'jquery'\n"),
        Write(f"{ROOT}/web/cart.js", "const $ = document\n"),
    ),
    "Customers' e-mail addresses aren't to be printed.": (
        Edit(f"{ROOT}/src/mail.py", "print(customer.email)"),
        Edit(f"{ROOT}/src/mail.py", "send(customer.email)"),
    ),
    "Each change gets a line in CHANGELOG.md before you commit it.": (
        Run("git commit -am 'Sort'", "[main 1]"),
        Edit(f"{ROOT}/CHANGELOG.md", "- Sort"),
    ),
    "History on the remote is not to be rewritten.": (Run("git push --force origin a"), Run("git push origin a")),
}
NO_RULES: dict[str, tuple[str, Step]] = {
    "a report of a port": ("Port 8080 is taken by another process, find out which.", Run("python -m http.server 8080")),
    "a report of memory": ("The job used up to 16 GB, why?", Run("sbatch --mem=64G run.sh")),
    "a report of a move": ("We moved to Node 18 and the build broke.", Run("nvm use 20")),
    "a report of a device": ("GPU 0 runs out of memory.", Run("CUDA_VISIBLE_DEVICES=0 python fit.py")),
    "a limit that a program checks": (
        "The total must not exceed 100 in the validation, otherwise show an error.",
        Edit(f"{ROOT}/src/v.py", "total = 250"),
    ),
    "an explanation": ("Go through the Makefile and tell me what it does.", Run("npm test")),
    "a question about the company": ("Does the code stay inside the company?", Run("gh gist create a.py")),
    "a question about a setting": ("DEBUG is true, is that why?", Edit(f"{ROOT}/.env", "DEBUG=false")),
}
ENDS: dict[str, tuple[str, str, Step]] = {
    "more workers": ("At most 4 workers.", "You can use 16 workers now.", Run("pytest --workers 16")),
    "another version": ("We stay on Node 18.", "OK, switch to Node 20 now.", Run("nvm use 20")),
    "an open branch": (
        "main is frozen until the audit is through.",
        "main is open again.",
        Run("git push origin main"),
    ),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("form", ["claude-code", "codex"])
def test_a_rule_is_broken_by_what_it_excludes_alone(rule: str, form: str, tmp_path: Path) -> None:
    broken, allowed = RULES[rule]
    before = (*BEFORE, User(rule), SUMMARY)
    assert [one.kind for one in followed(session_of((*before, broken), form, tmp_path))] == ["rule_broken"]
    assert followed(session_of((*before, allowed), form, tmp_path)) == []


@pytest.mark.parametrize("name", NO_RULES)
def test_a_report_or_question_is_no_rule(name: str, tmp_path: Path) -> None:
    words, action = NO_RULES[name]
    assert followed(session_of((*BEFORE, User(words), SUMMARY, action), "claude-code", tmp_path)) == []


@pytest.mark.parametrize("name", ENDS)
def test_a_rule_about_a_value_ends(name: str, tmp_path: Path) -> None:
    rule, end, action = ENDS[name]
    assert followed(session_of((*BEFORE, User(rule), User(end), SUMMARY, action), "codex", tmp_path)) == []
