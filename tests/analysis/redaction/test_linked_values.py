"""Values are bound to names by what stands between them, in any notation."""

from __future__ import annotations

import pytest

from inspector.analysis.redaction import Redactor

PASSWORD, HEX, GROUPS = "marigold-8832", "9f2c41d07be65a8340cd19ef7a2b6d58", "K4T7Q-9XWZ2-M8RL5-V3NB6"
PHRASE = "amber kettle sings beneath harbor"


def redacted(text: str) -> str:
    redactor = Redactor()
    return str(redactor.value_of(text, redactor.collect(text)))


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('{"maps_key": {"current": "%s"}}', HEX),
        ('{"smtp_pass": {"sensitive": true, "type": "string", "value": "%s"}}', PASSWORD),
        ('variable "private_token" {\n  type = string\n  default = "%s"\n}', GROUPS),
        ('parser.add_argument("--cookie-secret", default="%s", help="x")', HEX),
        ('public string Password { get; set; } = "%s";', PHRASE),
        ('<entry key="master.key">%s</entry>', HEX),
        ('<hmacKey encrypted="false">%s</hmacKey>', GROUPS),
        ("<server>\n  <signingSecret><![CDATA[%s]]></signingSecret>\n</server>", HEX),
        ('@Value("${storage.account.key:%s}")', GROUPS),
        ("my maps key? it's %s", HEX),
        ("%s <- the cookie secret", HEX),
        ("I used `%s` as storage account key", HEX),
        ("the signing secret got leaked: %s", HEX),
        ("Please use db password %s for the demo", PASSWORD),
        ("Password for the relay in Bern: %s", PASSWORD),
        ("+----+-----------+\n| id | api_token |\n+----+-----------+\n| 1  | %s |", HEX),
        ("user,maps_key,role\nkim,%s,admin", HEX),
        (" id | smtp_pass \n----+-----------\n  1 | %s\n(1 row)", PASSWORD),
        ("clé_api = %s", HEX),
        ("cle\u0301_api = %s", HEX),
        ("κλειδί_api: %s", HEX),
        ("ключ_доступа: %s", HEX),
        ("APIキー: %s", HEX),
        ('conn = pymysql.connect("h", "kim", "%s", "db")', PASSWORD),
        ("<key>SessionToken</key>\n\t<string>%s</string>", GROUPS),
        ("**sendgrid api key**\n```\n%s\n```", HEX),
        ("webhook-secret: !!str %s", HEX),
        ("| `JWT_SECRET` | signs sessions | `%s` |", HEX),
        ("rotate the webhook secret: old %s, new one follows", HEX),
        ('page.get_by_label("Token").fill("%s")', HEX),
        ("The passphrase of your backup is: %s\nKeep it.", PHRASE),
        ("https://api.telegram.org/bot%s/sendMessage", "123456789:AA" + "x7Q" * 11),
        ("http -a kim:%s GET api.example.net", PASSWORD),
        ('env:\n  - name: SMTP_PASSWORD\n    value: "%s"', "harborlantern"),
        ('const DB_PASS: string = "%s";', "harborlantern"),
        ("SESSION_SECRET=%s", "amber_kettle_harbor"),
        ("smtp_pass : %s", "amber_kettle_harbor"),
        ("nmcli dev wifi connect Home password %s", "amber.kettle.harbor"),
        ("var hmacKey = []byte(`%s`)", "qWkTrVbNmZxLpGhJdFsC"),
        ("Authorization: Bearer\n  %s", HEX),
        ("snmpwalk -v3 -u ops -A %s host", "qWkTrVbNmZxL"),
        ("le jeton d'accès : %s", HEX),
        ("melde dich als root mit %s an", "kettle42x"),
        ("when it asks for the password type %s", "kWq7Tmbz.rVx"),
        ("PIN: %s", "482913"),
        ("331 Please specify the password.\nPASS %s\n230 Login successful.", "kettle42x"),
        ("    12 + const PASS = '%s';", "k3ttl3*harbor5"),
    ],
)
def test_a_value_is_found_by_what_links_it_to_its_name(text: str, secret: str) -> None:
    assert secret not in redacted(text % secret)


@pytest.mark.parametrize(
    "text",
    [
        f"1f0e refactor(token-exchange): log the issuer of tokens\n{HEX}0a1b2c3d docs(token): say why",
        "docs/guides/authoring.md:152:This avoids work",
        "- `npm run check` — pass\n- `npm run lint` — pass",
        "the passingCount++ of cases that passed: 12",
        f"Original token count: 21\nOutput:\n256 SHA256:{'aB3x' * 10}xyz kim@host",
        "request req_011CTK4skAqpwdd9xAJnwtjx of the morning",
        "score passes.\n+\n+Composite aggregator",
        f"{HEX}0a1b2c3d add support for token refresh",
        f"cache key: {HEX}",
        f"primary_key: {HEX}",
        f'public_key = "{"aB3x" * 10}="',
        f"token digest {HEX}",
        '"forgotPassword": "Passwort vergessen?"',
        "password: xxxxxxxx",
        "password policy: 12characters",
        "password = user_input",
        "the password is case-sensitive",
        "secret: my-secret-name",
        "pin: 13, pin = 4",
        "--- PASS: TestLogin2 (0.00s)",
    ],
)
def test_what_stands_near_a_name_and_is_no_secret_stays(text: str) -> None:
    assert redacted(text) == text
