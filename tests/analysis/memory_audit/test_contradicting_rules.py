"""Rules of which one excludes the other, in other words, and rules that only look alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.memory_audit.test_memory_audit import audited, facts, values


def _count(one: str, other: str, tmp_path: Path) -> int:
    return len(values(audited(tmp_path, f"# Rules\n\n- {one}\n- Be kind.\n- {other}\n"), "contradiction"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ask before painting new lamps.", "Feel free to paint lamps without asking."),
        ("Ask before painting new lamps.", "Don't ask for permission to paint lamps, paint them."),
        ("Ask before painting new lamps.", "Feel free to paint lamps from the yard."),
        ("Never commit lamps.", "Sort the lamps and commit them before each sale."),
        ("Never call `glow` outside shops.", "Use `glow` where lamps are old."),
        ("Never skip labels with `glow`.", "Use `glow` for lamps to skip labels."),
        ("Lamps never fall.", "Fall safely in lamps."),
        ("Use Glow for shades.", "Prefer paint; sparklers such as Glow are banned."),
        ("Publish lamps after every sale.", "Do not publish lamps until the user says so."),
        ("Every lamp needs a label.", "Don't write labels; names are enough."),
        ("Painting on Sundays is fine.", "No painting on Sunday."),
        ("Write labels that explain why.", "Do not write labels."),
        ("Use `glow` when the lamp is old.", "Never use `glow`."),
        ("Update LAMPS.md with each sale.", "Don't touch LAMPS.md, the shop writes it."),
        ("Lamps are sorted by price.", "Do not sort lamps."),
        ("Broken lamps are never returned.", "Return broken lamps three times."),
        ("Delete lamps after painting.", "Keep painted lamps."),
        ("Use `glow`, not sparks.", "Prefer sparks over `glow`."),
        ("Raise alarms for errors.", "Print labels instead of raising alarms."),
        ("Labels are printed without prices.", "Print labels with their prices."),
        ("Shades start with an underscore.", "Do not prefix shades with underscores."),
        ("Lamps go into `shop/`.", "Keep lamps in the store, never in `shop/`."),
        ("Run the whole lamp suite after each sale.", "Run the lamp you changed, never the whole suite."),
        ("Guests may enter the lamp shop.", "Guests must not enter the lamp shop."),
        ("Only owners may sell lamps.", "Anyone can sell lamps after a call."),
        ("Nobody ships lamps.", "Ship lamps to old shops."),
        ("LAMPS.md is written by the shop. Do not edit it.", "Update LAMPS.md with each sale."),
        ("Do not touch lamps in `yard/`.", "When you find broken lamps in `yard/`, change them."),
        ("Ask before shipping lamps.", "Ship lamps right away without waiting for an answer."),
        ("Use `glow` over sparks.", "Use sparks instead of `glow`."),
        ("No sparks anywhere.", "Use sparks in old lamps."),
        ("Never force-push.", "After a sale, force-push your lamp."),
        ("The user wants to be asked before any lamp is deleted.", "Delete lamps without asking."),
        ("Every sale has a lamp number.", "Leave lamp numbers out of sales."),
        ("Do not use sparks.", "Write labels with sparks."),
        ("Prefix dim lamp values with `dim`.", "Never prefix dim lamps with `dim`."),
    ],
)
def test_a_rule_contradicts_one_that_forbids_its_action(one: str, other: str, tmp_path: Path) -> None:
    assert _count(one, other, tmp_path) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Every lamp needs a label.", "Private shades need no label."),
        ("Never call `glow` outside shops.", "Use `glow` in shops."),
        ("Never read outside the shop.", "Read the label of each lamp."),
        ("Do not import `Shop` from `Lamp`.", "Import `Lamp` from `Shop`."),
        ("Never use sparks in lamps.", "Sparks are allowed in the yard."),
        ("Ask before painting lamps.", "Small lamps for tests may be painted without asking."),
        ("Never paint shared lamps.", "Paint your lamp before the sale."),
        ("Never mock the lamp.", "Mock the shade in tests."),
        ("Do not use `glow` without a reason.", "Use `glow` for lamps."),
        ("Never use `glow`.", "Remove `glow` before the sale."),
        ("If the user wants it, use the yard instead of painting lamps.", "Paint lamps before the sale."),
        ("Never log lamp keys.", "Log lamp keys reset requests."),
        ('No comma before "lamp".', "Use the Oxford comma."),
        ("Do not show this to the user.", "Show the sum to the user."),
        ("Do not edit files in `lamps/`.", "Update `lamps/` with `make lamps`."),
        ("Start the lamp server with `glow`.", "Stop the lamp server when you are done."),
        ("Lamp prices are stored in cents.", "Lamp prices are shown with two decimals."),
        ("Minimum coverage is 80%.", "Lamp code has a minimum of 95% coverage."),
        ("Commit subject lines have at most 50 characters.", "Lines of the body have at most 72 characters."),
    ],
)
def test_exceptions_and_other_actions_do_not_contradict(one: str, other: str, tmp_path: Path) -> None:
    assert _count(one, other, tmp_path) == 0


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [
        ("Use REST for all new endpoints.", "New endpoints must be GraphQL.", 1),
        ("Use REST for public endpoints.", "The admin endpoints are GraphQL.", 0),
        ("Use Redis for the job queue.", "Jobs are queued in RabbitMQ.", 1),
        ("Use Redis for caching.", "Jobs are queued in RabbitMQ.", 0),
        ("Log errors at level WARNING.", "Errors are logged at ERROR level.", 1),
        ("Log errors at ERROR level.", "Log retries at WARNING level.", 0),
        ("Log errors to Sentry.", "Send errors to Rollbar, not Sentry.", 1),
        ("Store dates in UTC.", "Show dates in local time.", 0),
        ("Pagination uses cursors.", "Use offset pagination.", 1),
        ("Lamps are drawn with D3.", "Use Chart.js for lamps.", 1),
        ("SQL keywords are lower case.", "Write SQL keywords in upper case.", 1),
        ("Prefer many small lamps.", "Prefer few large lamps.", 1),
        ("Keep lamps under 30 lines.", "Lamps may be up to 100 lines long.", 1),
        ("Lamps have at least two reviewers.", "Lamps have at most five reviewers.", 0),
        ("Lamps are counted daily at 02:00.", "Lamps are kept for 30 days.", 0),
        ("The default branch is `develop`.", "`main` is our default branch.", 1),
        ("Use pnpm everywhere; never run `npm install`.", "Install dependencies with `npm ci`.", 1),
        ("Use `pnpm` for the shop.", "The yard in `yard/` still uses `npm`.", 0),
        ("Count the lamps nightly.", "Lamps are counted once a week.", 1),
        ("Count the lamps nightly.", "Shades are counted once a week.", 0),
        ("Requires Node >= 20.", "Node 18 is required.", 1),
        ("Node 20 is required.", "Python 3.11 is required.", 0),
        ("Answer in Spanish.", "Comments and documentation are in English.", 0),
        ("Write the README in German.", "All documentation is in English.", 1),
        ("Log in JSON in production.", "Locally, logs are plain text.", 0),
        ("Deploy lamps only from CI.", "Deploy lamps from your laptop.", 1),
        ("Always squash-merge.", "Release branches are merged with a merge commit.", 0),
        ("Name branches `lamp/NUMBER`.", "Branch names look like `shop/LAMP`.", 1),
        ("Name branches `lamp/NUMBER`.", "Release branches are called `release/NUMBER`.", 0),
        ("The maximum lamp length is 30 lines.", "Lamps may have up to 60 lines.", 1),
        ("Write plain functions instead of lamps.", "Prefer lamps over functions.", 1),
        ("Lamp jobs start at 02:00 UTC.", "The lamp jobs run at 5:00.", 1),
        ("Build images with Podman.", "Docker is used to build images.", 1),
        ("Put lamp names into `lamps/`.", "Lamp name files live in `shop/lamps`.", 1),
        ("Labels explain why a lamp is old.", "Labels never explain why a lamp is old.", 1),
        ("The lamp list is generated.", "Write the lamp list by hand.", 1),
        ("The lamp list is generated.", "Write the shade list by hand.", 0),
        ("Reviewers merge the pull request.", "The author merges his own pull request.", 1),
        ("Reviewers merge the pull request.", "The author publishes the release.", 0),
        ("Lamp orders are kept for 30 days.", "Delete lamp orders after one week.", 1),
        ("Lamp names need at least 12 characters.", "The minimum lamp name length is 8.", 1),
        ("Documentation is written in Markdown under docs/.", "Write documentation as reStructuredText.", 1),
        ("State management is Riverpod.", "Use Bloc for state.", 1),
        ("We land pull requests with a merge commit.", "Squash every pull request.", 1),
        ("Resources live in eu-west-1.", "Deploy everything into us-east-1.", 1),
        ("Staging runs in eu-west-1.", "Production runs in us-east-1.", 0),
        ("Greet guests by first name.", "Address guests by surname.", 1),
        ("Escalate to a human after two lost lamps.", "Hand over to a person after four lost lamps.", 1),
        ("Lamps are sold in the shop; nobody pushes to main.", "Push small lamps straight to main.", 1),
        ("Run the tests of the lamp that you changed.", "Run the full suite after lamp updates.", 0),
        ("Labels come at the end of the page.", "Labels stay in the margin, next to lamps.", 1),
        ("Labels come at the end of the page.", "Prices stay in the margin.", 0),
        ("Validate lamps in the form.", "Lamp validation belongs in the shop.", 1),
        ("Lamps are preferred over candles.", "Use candles instead of lamps.", 1),
        ("Oil is used for lamp shades.", "Lamp shades use wax.", 1),
        ("Lamp alarms are disabled.", "Raise lamp alarms.", 1),
        ("The lamp fires after 200 ms.", "The lamp timeout is 500 ms.", 1),
        ("Shops may use alarms.", "Build the shops with Glow.", 0),
    ],
)
def test_choices_of_one_thing_contradict(one: str, other: str, count: int, tmp_path: Path) -> None:
    assert _count(one, other, tmp_path) == count


def test_the_title_of_a_file_does_not_narrow_its_rules(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("- Do not use snapshot tests.\n", encoding="utf-8")
    rules = "# Frontend\n\n## Lamps\n\n- Use snapshot tests.\n"
    assert len(values(audited(tmp_path, rules), "contradiction")) == 1


def test_a_reason_does_not_change_what_a_limit_is_about(tmp_path: Path) -> None:
    rules = "- Line length is 100 characters.\n- Keep lines to 88 columns so that diffs are small.\n"
    assert len(values(audited(tmp_path, rules), "contradiction")) == 1


@pytest.mark.parametrize(
    ("one", "other", "kinds"),
    [
        ("Uses vim as editor.", "Main editor is VS Code.", ["contradiction"]),
        ("Wants metric units.", "Show distances in miles.", ["contradiction"]),
        ("Kim lives in Graz.", "Kim's home is in Oslo.", ["contradiction"]),
        ("Lives in Graz.", "Home is in Oslo.", ["contradiction"]),
        ("Works for Lamp Ltd.", "Employer is Shade Ltd.", ["contradiction"]),
        ("Travels with a lamp.", "Brings a lamp on trips.", ["duplicate"]),
        ("Has two kids.", "Is a parent of two children.", ["duplicate"]),
        ("Paints lamps three times a week.", "Paints lamps four times a week.", ["contradiction"]),
        ("Birthday is on 4 May.", "Was born on 14 May.", ["contradiction"]),
        ("Lives on the third floor.", "The home is on the ground floor.", ["contradiction"]),
        ("Was on Node 18 until March.", "Node 22 is required.", []),
        ("Uses PostgreSQL 15 for lamp orders.", "Moved to MySQL in March.", ["contradiction"]),
        ("Prefers lamps in green.", "Prefers lamps in green!", ["duplicate"]),
        ("Prefers dark mode.", "Likes the dark theme best.", ["duplicate"]),
    ],
)
def test_facts_about_a_user_are_compared_like_rules(one: str, other: str, kinds: list[str], tmp_path: Path) -> None:
    assert [finding.kind for finding in facts(tmp_path, one, other)] == kinds


def test_each_contradiction_of_two_notes_with_several_sentences_is_reported(tmp_path: Path) -> None:
    notes = facts(tmp_path, "Uses vim as editor. Wants metric units.", "Show distances in miles. Main editor is Zed.")
    assert sorted(row.value for row in notes) == ["editor: vim / zed", "units: metric / imperial"]
