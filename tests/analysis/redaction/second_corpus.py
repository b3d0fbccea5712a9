"""Texts with made-up secrets of every promised kind in every notation, and texts that only resemble them."""

from __future__ import annotations

import random
import string
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from typing import NamedTuple

MIXED = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
SMALL = string.ascii_lowercase + "7"
BASE58 = "".join(character for character in MIXED if character not in "0IOl")


class Planted(NamedTuple):
    """A text, and the secret in it that must not remain."""

    kind: str
    text: str
    secret: str


PREFIXES = ("", "MY_", "PROD_", "NEXT_PUBLIC_", "ACME_", "SVC2_")
SUFFIXES = ("", "_PROD", "_2", "_STAGING_EU", "_BASE", "_OLD", "_DEV1")
KEY_WORDS = ("API_KEY", "SECRET", "AUTH_TOKEN", "ACCESS_TOKEN", "CLIENT_SECRET", "SIGNING_KEY", "PRIVATE_KEY")
PASSWORD_WORDS = ("PASSWORD", "PASSWD", "DB_PASS", "PASSPHRASE", "PWD")
FOREIGN_WORDS = ("passwort", "contraseña", "senha", "mot_de_passe", "пароль", "密码", "wachtwoord", "hasło")
NOTATIONS: dict[str, Callable[[str, str], str]] = {
    "env": lambda name, value: f"PORT=80\n{name}={value}\nDEBUG=0",
    "export": lambda name, value: f'export {name}="{value}"',
    "json": lambda name, value: f'{{"port": 80, "{name}": "{value}"}}',
    "escaped json": lambda name, value: f'{{\\"port\\": 80, \\"{name}\\": \\"{value}\\"}}',
    "yaml": lambda name, value: f"port: 80\n{name.lower()}: {value}\nhost: lamp",
    "toml": lambda name, value: f'[lamp]\n{name.lower()} = "{value}"',
    "ini": lambda name, value: f"[lamp]\n{name.lower()} = {value}\n",
    "python": lambda name, value: f"client = Client({name.lower()}='{value}')",
    "shell": lambda name, value: f"setenv {name} {value}",
    "url": lambda name, value: f"https://lamp.example.net/cb?{name.lower()}={value}&z=1",
    "header": lambda name, value: f"X-{name.title().replace('_', '-')}: {value}",
    "flag": lambda name, value: f"lampctl --{name.lower().replace('_', '-')} {value} up",
    "flag with equals": lambda name, value: f"lampctl --{name.lower().replace('_', '-')}={value} up",
    "table": lambda name, value: f"| name | value |\n| {name} | {value} |",
    "continued": lambda name, value: f"{name}=\\\n    {value}",
    "camel case": lambda name, value: f"const {camel(name)} = '{value}';",
    "docker": lambda name, value: f"ENV {name} {value}",
    "xml": lambda name, value: f"<{name.lower()}>{value}</{name.lower()}>",
}


def camel(name: str) -> str:
    first, *rest = name.lower().split("_")
    return first + "".join(map(str.title, rest))


class Corpus:
    """Makes the texts of one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def letters(self, length: int, alphabet: str = MIXED) -> str:
        """Random characters with a digit among them, and with a capital and a small letter if there are any."""
        while True:
            text = "".join(self.random.choices(alphabet, k=length))
            wanted = [test for test in (str.isdigit, str.isupper, str.islower) if any(map(test, alphabet))]
            if all(any(map(test, text)) for test in wanted):
                return text

    def secrets(self) -> list[Planted]:
        return [*self.named(), *self.shaped(), *self.foreign(), *self.phrases(), *self.random_values()]

    def named(self) -> Iterator[Planted]:
        for notation, write in NOTATIONS.items():
            for words, lengths in ((KEY_WORDS, (24, 32, 40)), (PASSWORD_WORDS, (10, 12, 16))):
                for word in self.random.sample(words, 4):
                    name = self.random.choice(PREFIXES) + word + self.random.choice(SUFFIXES)
                    value = self.letters(self.random.choice(lengths))
                    yield Planted(f"{notation} {word}", write(name, value), value)

    def foreign(self) -> Iterator[Planted]:
        for word in FOREIGN_WORDS:
            for write in ("{}: {}", "{}={}", '{{"{}": "{}"}}', "{} = '{}'"):
                value = self.letters(11)
                yield Planted(word, write.format(word, value), value)
        for before in (
            "Das Kennwort lautet",
            "La contraseña es",
            "A senha é",
            "Le mot de passe est",
            "The password is",
        ):
            value = f"{self.letters(9)}!"
            yield Planted("sentence", f"{before} {value} for the lamp server", value)

    def phrases(self) -> Iterator[Planted]:
        words = "maple anchor violet thunder pickle saddle comet ribbon walnut copper lantern meadow".split()  # noqa: SIM905
        for count in (3, 4, 5, 6):
            for write in ("password: {}\n", "passphrase = {}\n", 'db_passphrase: "{}"\n'):
                phrase = " ".join(self.random.sample(words, count))
                yield Planted("pass phrase", write.format(phrase), phrase)
        for count in (12, 12):
            phrase = " ".join(self.random.choices(words, k=count))
            yield Planted("seed phrase", f"mnemonic: {phrase}", phrase)

    def random_values(self) -> Iterator[Planted]:
        for name in ("FERNET", "LAMP_SEED", "NOISE", "RAILS_MASTER", "SESSION_SALT"):
            value = urlsafe_b64encode(self.random.randbytes(32)).decode()
            yield Planted("entropy", f"{name}={value}", value)
            value = self.letters(44)
            yield Planted("entropy", f'{name.lower()}: "{value}"', value)

    def shaped(self) -> Iterator[Planted]:
        for kind, secret in self.shapes():
            for write in ("{}", "use {} for it", "see `{}`.", '["{}"]'):
                yield Planted(kind, write.format(secret), secret)

    def shapes(self) -> Iterator[tuple[str, str]]:
        letters = self.letters
        yield "github", f"ghp_{letters(36)}"
        yield "github fine", f"github_pat_{letters(22)}_{letters(59)}"
        yield "gitlab", f"glpat-{letters(20)}"
        yield "slack", f"xoxb-{letters(12, string.digits)}-{letters(24)}"
        yield "slack hook", f"https://hooks.slack.com/services/T{letters(8)}/B{letters(8)}/{letters(24)}"
        yield "aws", f"AKIA{letters(16, string.ascii_uppercase + string.digits)}"
        yield "anthropic", f"sk-ant-api03-{letters(93)}AA"
        yield "openai", f"sk-proj-{letters(48)}"
        yield "stripe", f"sk_live_{letters(24)}"
        yield "google", f"AIza{letters(35)}"
        yield "google refresh", f"1//0{letters(96)}"
        yield "contentful", f"CFPAT-{letters(43)}"
        yield "mailchimp", f"{letters(32, HEX)}-us7"
        yield "artifactory", f"AKCp{letters(69)}"
        yield "twilio", f"AC{letters(32, HEX)}"
        yield "npm", f"npm_{letters(36)}"
        yield "hugging face", f"hf_{letters(34)}"
        yield "vault", f"hvs.{letters(90)}"
        yield "sendgrid", f"SG.{letters(22)}.{letters(43)}"
        yield "crypt", f"$6${letters(8)}${letters(86)}"
        yield "apache", f"$apr1${letters(8)}${letters(22)}"
        yield "jwt", f"eyJhbGciOiJIUzI1NiJ9.{letters(30)}.{letters(43)}"
        yield (
            "teams",
            f"https://lamp.webhook.office.com/webhookb2/{letters(36)}@{letters(36)}/IncomingWebhook/{letters(32)}",
        )
        yield "zapier", f"https://hooks.zapier.com/hooks/catch/{letters(7, string.digits)}/{letters(7)}"
        yield (
            "bip 32",
            f"xprv9s21ZrQH143K{letters(95, BASE58)}",
        )
        yield "basic", f"Authorization: Basic {b64encode(('lamp:' + letters(12)).encode()).decode()}"
        yield "database", f"postgres://lamp:{letters(14)}@db.lamp.internal:5432/x"
        yield "azure", f"{letters(3)}8Q~{letters(34)}"
        yield "grafana", f"glsa_{letters(32)}_{letters(8, HEX)}"
        yield (
            "address",
            f"{letters(7, SMALL)}.{letters(5, SMALL)}@lamps-berlin.de",
        )


BENIGN = r"""
x = tokens[0:12]
token_type: Bearer
tokenizer = AutoTokenizer.from_pretrained('gpt2')
secret_name: lamp-db-credentials
secretKeyRef: { name: lamp, key: password }
password_field = page.locator('#password')
passwordMinLength = 12
export TOKEN=$(cat token.txt)
API_KEY=${API_KEY:?missing}
api_key = config['api_key']
apiKey: process.env.API_KEY
The tokens are counted twice.
password: must have 12 characters
Enter your password:
Password for git:
secrets.token_urlsafe(32)
token.isalpha() and token.isupper()
auth = HTTPBasicAuth(user, password)
commit 3f786850e387550fdab836ed7e6dc881de23001b
ETag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
md5 d41d8cd98f00b204e9800998ecf8427e
uuid: 6ba7b810-9dad-11d1-80b4-00c04fd430c8
request_id=req_011CSHoEeqs5C35K2UUqR7Fy
toolu_01A09q90qw90lq917835lq9
integrity: sha512-abcdef
"resolved": "https://packages.example.org/lodash-4.17.21.tgz"
keyId = 7
sort_key = lambda row: row.name
author = 'Jane Roe'
authority: lamps
authenticate(request)
credential_type = 'oauth2'
cookie_policy: strict
passing tests: 14
bypass_cache=true
compass: north-east-north
passenger = 'two adults'
PASS tests/test_lamp.py::test_on
pattern: ^[a-z]+$
path=/usr/local/bin:/usr/bin
dispatch_key=ctrl-shift-k
salted caramel: 200 g
PAT = re.compile(x)
class TokenBucket(RateLimiter):
def get_secret_value(self) -> str:
max_output_tokens: 64000
token_budget = 1_000_000
https://docs.lamp.example/authentication/api-keys#rotation
see docs/secrets.md and docs/tokens/README.md
private_key_path = ~/.ssh/id_ed25519
session.token_usage.input_tokens: 18234
Cache-Control: private, max-age=600
signature: (self, value: int) -> None
the password reset page
camelCaseIdentifierWithManyWords = 'anotherLongIdentifierName2'
className="flex items-center justify-between px4"
key={`row-${index}`}
import tokenService2FromSharedModule from './tokenService'
id="mat-input-12-AutofillSelector"
LANG=en_US.UTF-8
PYTHONPATH=src:tests/Unit2Helpers
version: 2.31.0-SNAPSHOT
BUILD_TAG=jenkins-Lamp-Nightly-2041
IMAGE=images.example.com/lamp/service:2026.11.28
const tokenLabel = 'Your API key';
mnemonic: three letters that stand for the instruction
seed: 42
pwd && ls -la
sudo passwd -l lamp
su - postgres
recovery phrase
curl -H 'Authorization: Bearer $LAMP_TOKEN' https://lamp.example
Basic usage of the tokenizer
bearer tokens are described below
dsn = os.environ['SENTRY_DSN']
webhook_url: str | None = None
WEBHOOK_URL=<your webhook url>
hmac.new(key, body, sha256)
psk: optional
""".strip().splitlines()
"""Texts that resemble secrets and are none."""
