"""Decide whether a value in the place of a secret is one, and whether an account name is generic."""

from __future__ import annotations

import re
from itertools import pairwise
from math import log2

from inspector.analysis.redaction.secret_names import PASSWORD_NAMES
from inspector.core.text import lazy_pattern, word_set


def has_digit(value: str) -> bool:
    return any(map(str.isdigit, value))


def _is_mixed(value: str) -> bool:
    """Return True if a value contains digits, or capitals after its first letter, as ordinary words do not."""
    return has_digit(value) or (any(map(str.islower, value)) and any(map(str.isupper, value[1:])))


def is_token(value: str) -> bool:
    """Return True if a value in the shape of a token is mixed, and not the sample of a documentation."""
    return _is_mixed(value) and not value.endswith("EXAMPLE")


_NO_SECRETS = word_set(
    "string str text number integer boolean object null none nil undefined true false required optional default "
    "value password passwd secret token username example placeholder changeme redacted hidden masked unset empty "
    "your my the process import return const self this env environ environment"
)
"""Words that appear in the place of a secret and are not one."""
# Beginnings of placeholders: `${TOKEN}`, `!vault |`, `$HOME`, `%PASS%`, `<token>`, `***`, `xxxx`, `----`, `your-key`,
# and `?missing` of `${TOKEN:?missing}`
_PLACEHOLDER = lazy_pattern(
    r"\$(?:[{(]|(?-i:[A-Z0-9_]+|[a-z0-9_]+)(?![A-Za-z0-9_]))|%[A-Za-z_]{1,60}%|#\{|[<{\[(]|\*{3}|\.\.\.|[xX•]{4}|-{4}"
    r"|change[-_ ]?(?:me|it|this)|arn:aws|%[sdv](?![A-Za-z0-9])"
    r"|&(?:'static )?(?:mut )?(?:str|string)(?![a-z])|(?:required|nullable|sometimes)\|"
    r"|!(?:vault|secret|env|ref|sub|include)(?![a-z])|\?[^0-9]{0,60}$"
    r"|(?:your|my|the|some|example|dummy|fake)[-_ ][^0-9]{0,60}$",
    re.IGNORECASE,
)
_PLAIN_WORDS = word_set(
    "hash hashed salted encrypted plaintext plain input output field label type text email login forgot reset change "
    "confirm confirmation repeat retype enter prompt missing incorrect wrong invalid valid correct expired weak strong "
    "authentication authorization credentials validation please click here unknown unchanged disabled enabled generate "
    "generated random hunter getpass bytes bool float array list dict tuple function column varchar nullable unique "
    "exact partial contains equals ignored omitted blank never always none failed success error pending changed saved "
    "obligatoire obligatorio obligatoria obligatorisch obligatoriskt pakollinen erforderlich mindestens falsch "
    "verplicht requis requerido requerida incorrecta incorrecto errata zorunlu povinne"
)
"""Words that describe a password, or replace one in code."""
_ABOUT_SECRETS = lazy_pattern(r"pass|secret|hash|token|credential|key")
_STOP_WORDS = word_set(
    "the a an is are was be but has have had to of and that with in on not for it this or don't doesn't when if must "
    "should can your you we i"
)
# Names of algorithms, protocols and versions: `sha-256`, `base64`, `oauth2`, `ipv6`, `rfc7519`, `PKCS#8`, `v2`
ALGORITHMS = lazy_pattern(
    r"(?:sha|md|base|utf|bcrypt|argon|pbkdf|scrypt|aes|rsa|oauth|https?|ipv|iso|rfc|pkcs|fips)[-_#]?[0-9]|x\.?509\b"
    r"|v[0-9]{1,2}(?:[.-]|\Z)",
    re.IGNORECASE,
)
_BREAKS = lazy_pattern(r"[\s,;]+")
_SIGNS = frozenset("!@#$%^&*~?+=")
_PATHS = lazy_pattern(r"[A-Za-z_]+(?:\??\.[A-Za-z_]+)+(?:\.[A-Z][A-Z_]+[0-9]?)?|[a-z_]+\.[A-Z][A-Z_]+[0-9]?", re.ASCII)
# /run/secrets/token, ~/work/token
_FILES = lazy_pattern(
    r"(?:~|\.{1,2}|/(?:Users|Volumes)|[A-Za-z]:)?(?:[/\\]{1,4}(?:\.?[a-z][a-z0-9_.-]{0,80}|[0-9]{1,8}(?![^/\\]))){2,40}/?",
    re.ASCII,
)
# pw.txt, ./pw.txt, @pw.txt
_FILE_NAMES = lazy_pattern(
    r"@?(?:\.{1,2}/)?[\w-]{1,60}(?:\.[a-z]{1,10})?\.(?:txt|json|ya?ml|toml|pem|key|env|ini|cfg|conf|py|js|ts|sh|gpg)",
    re.ASCII,
)
# smtp://localhost:1025
_HOSTS = lazy_pattern(r"[a-z0-9+]{2,20}://[a-z0-9.-]{1,100}(?::[0-9]{1,5})?/?", re.ASCII)
_TYPES = lazy_pattern(
    r"(?:[A-Z][a-z]{1,30}){1,6}(?<=Str|ing|eld|put|ype|der|ice|ger|ash|ror|ion|fig|ory|ies|ter)", re.ASCII
)
"""Names of types: `SecretStr`, `PasswordField`, `TokenProvider`."""
_DIGEST = lazy_pattern(r"(?:sha|md)[0-9]{1,3}[:-]", re.IGNORECASE)
_NAMES = lazy_pattern(r"[A-Za-z_]+\(?", re.ASCII)
"""Values that are names: a field of an object, a variable or a function."""


def is_password(value: str) -> bool:
    """Return True if the value of a password field is a password, and not a type name, a placeholder or a variable."""
    words = value.strip("\"' ")
    named = words.rstrip(".,;:!?")
    if len(words) < 4 or named.casefold() in _NO_SECRETS or _PLACEHOLDER.match(words):
        return False
    if _is_place(words) or _is_code(named) or _is_prose(words) or _is_label(named):
        return False
    return not _NAMES.fullmatch(named) or (any(map(str.islower, words)) and any(map(str.isupper, words)))


def _is_place(words: str) -> bool:
    """Return True if a value is the path of a file, or the address of a host."""
    return any(map(bool, (_FILES.fullmatch(words), _FILE_NAMES.fullmatch(words), _HOSTS.fullmatch(words))))


def _is_code(words: str) -> bool:
    """Return True if a value is the name of a field, a function or a type, or a word in another alphabet."""
    is_foreign = words.isalpha() and words.islower() and not words.isascii()
    is_function = "." in words and ALGORITHMS.match(words.rpartition(".")[2]) is not None  # hashlib.sha256
    return is_foreign or is_function or _PATHS.fullmatch(words) is not None or _TYPES.fullmatch(words) is not None


def _is_label(words: str) -> bool:
    """Return True if a value is a label of a field, as translations contain it: `Passwort vergessen?`."""
    return words.replace(" ", "").isalpha() and _PASSWORD_WORDS.search(words) is not None


def _is_prose(words: str) -> bool:
    """Return True if a value is a sentence with function words, which passphrases do not contain."""
    pieces = words.casefold().split()
    return len(pieces) >= 5 and sum(piece in _STOP_WORDS for piece in pieces) >= 2


def is_plain_password(value: str) -> bool:
    """Return True if one or more lower-case words in the place of a password are one, and not about passwords."""
    if is_joined_words(value, 2):
        return True
    if not (4 <= len(value) <= 64 and value.isascii() and value.isalpha() and value.islower()):
        return False
    is_filler = len(set(value)) < 3
    return not (is_filler or value in _NO_SECRETS or value in _PLAIN_WORDS or _ABOUT_SECRETS.search(value))


_JOINED = lazy_pattern(r"[A-Za-z][a-z]{2,20}(?:[-_.][A-Za-z][a-z]{2,20}){1,6}")
_CODE_WORDS = word_set(
    "user new old get set data config settings args req request res body params form state self app auth login admin "
    "database server client service file path name code key current raw temp tmp default base case read write from use "
    "out and not non only well hard pre post multi single short long end time safe api http json yaml env var secret "
    "sensitive known lived encoded protected based managed changed once none local remote store vault manager provider "
    "handler helper model view test util utils index main module class object item list map com org net www docs"
)
"""Words of names, paths and compound adjectives, which are joined as those of a passphrase are."""


def is_joined_words(value: str, least: int = 3) -> bool:
    """Return True if some words are joined as in a passphrase (`copper-lantern-meadow`), and not as in a name of code.

    Args:
        value: Value in the place of a secret.
        least: Minimum number of words.
    """
    if _JOINED.fullmatch(value) is None:
        return False
    words = _JOINTS.split(value.casefold())
    others = (_STOP_WORDS, _NO_SECRETS, _PLAIN_WORDS, _CODE_WORDS)
    is_other = any(word in some for word in words for some in others) or _ABOUT_SECRETS.search(value.casefold())
    return len(words) >= least and not is_other


_JOINTS = lazy_pattern(r"[-_.]")
_PASSWORD_WORDS = lazy_pattern(rf"(?<!\w)(?:{PASSWORD_NAMES})", re.IGNORECASE)
_BETWEEN_WORDS = lazy_pattern(r"[ ,-]+")


def is_passphrase(value: str) -> bool:
    """Return True if several words after the name of a password are a passphrase, and not a sentence or a label."""
    words = _BETWEEN_WORDS.split(value.casefold())
    if len(words) < 3 or any(
        word in _STOP_WORDS or word in _NO_SECRETS or _ABOUT_SECRETS.search(word) for word in words
    ):
        return False
    return 4 * sum(word in _PLAIN_WORDS for word in words) <= len(words)


def is_wallet_phrase(value: str) -> bool:
    """Return True if a dozen words after `seed phrase` are not a sentence. Some of them, as `donkey`, contain `key`."""
    words = _BETWEEN_WORDS.split(value.casefold())
    return 6 * sum(word in _STOP_WORDS for word in words) <= len(words)


def is_random(value: str) -> bool:
    """Return True if a value has capitals, small letters and digits, and its characters hardly repeat."""
    tests = (str.islower, str.isupper, str.isdigit)
    if len(value) < 16 or not all(any(map(test, value)) for test in tests) or not is_key(value):
        return False
    counts = [value.count(character) / len(value) for character in set(value)]
    changes = sum(a.isdigit() != b.isdigit() or a.islower() != b.islower() for a, b in pairwise(value))
    return -sum(share * log2(share) for share in counts) >= _MIN_ENTROPY and 3 * changes >= len(value)


def is_strong(value: str) -> bool:
    """Return True if a value is random, or a number of many hexadecimal digits."""
    return _HEX_KEY.fullmatch(value) is not None or is_random(value)


_HEX_KEY = lazy_pattern(r"(?:0x)?[0-9a-fA-F]{32,128}")
_MIN_ENTROPY = 3.6
"""Minimum bits for each character of a random value. A name in camel case has fewer, or changes less often."""


def is_address(value: str) -> bool:
    """Return True if an e-mail address can be that of a person, and not one of a documentation."""
    name, _, host = value.casefold().partition("@")
    if name in _NOBODY:
        return False
    return not (host in ("example.com", "example.org", "example.net") and name in SHARED_NAMES | _OFFICES)


_NOBODY = word_set("noreply no-reply donotreply do-not-reply git")
_OFFICES = word_set("support info contact hello sales help mail team press")


def is_home_name(value: str) -> bool:
    """Return True if the name of a home folder is not that of a shared or preset account."""
    return value.casefold() not in _PRESET_HOMES


_PRESET_HOMES = word_set("user ubuntu public shared default runner node vscode codespace ec2-user")


def is_own_name(value: str) -> bool:
    """Return True if the name of an account is not generic and not a placeholder."""
    return value.casefold() not in SHARED_NAMES and not value.startswith(("redacted-", "your_", "my_"))


def is_mixture(value: str) -> bool:
    """Return True if a value mixes too many kinds of characters to be a word or a name."""
    words = value.rstrip(".,;:")
    tests = (str.islower, str.isupper, str.isdigit, _SIGNS.__contains__)
    if len(words) < 6 or sum(any(map(test, words)) for test in tests) < 3 or "://" in words:
        return False
    return is_password(words) and not ALGORITHMS.match(words)


# marigold-42, CopperViolet4913!, Copper-Violet-Marble5
_WORDY = lazy_pattern(
    r"[^\W\d_]{3}(?:[-_.]?[^\W\d_]){0,60}[-_.!#$%*+]?[0-9]{2,8}[-_.!#$%&*?@+]{0,2}"
    r"|[A-Z][a-z]{2,20}(?:-[A-Z][a-z]{2,20}){2,5}-?[0-9]"
)


def is_wordy(value: str) -> bool:
    """Return True if a value consists of words and a number, as passwords do that people choose, or is a mixture."""
    if is_mixture(value):
        return True
    words = value.rstrip(".,;:")
    is_made = len(words) >= 8 and any(map(str.islower, words)) and _WORDY.fullmatch(words) is not None
    return is_made and is_password(words) and not ALGORITHMS.match(words)


def is_credential(value: str) -> bool:
    """Return True if a word after `Authorization` is a secret: it has a digit and is neither a path nor a variable."""
    if value.endswith("="):
        return has_digit(value) or is_password(value)
    words = (word for word in _BREAKS.split(value) if len(word) >= 6)
    return any(has_digit(word) and not word.startswith(("/", "http", "$", "<", "{", "%")) for word in words)


def is_key(value: str) -> bool:
    """Return True if the value of a key or token field is one: long, mixed and not a variable."""
    is_long = len(value) >= (12 if has_digit(value) else 16)
    if not is_long or any(map(str.isspace, value)) or not any(map(str.isalpha, value)):
        return False
    return _is_mixed(value) and is_password(value) and not _DIGEST.match(value)


def is_blob(value: str) -> bool:
    """Return True if a long run is encoded data. Words and paths have fewer capitals and digits."""
    capitals, digits = sum(map(str.isupper, value)), sum(map(str.isdigit, value))
    return 100 * capitals >= 15 * len(value) and 100 * digits >= 3 * len(value) and not value.isupper()


SHARED_NAMES = word_set(
    "user users home root admin administrator ubuntu debian node app runner work test tester dev developer vscode "
    "codespace shared public default guest git build builder agent sandbox jovyan pi data service daemon deploy "
    "docker container linux worker coder claude codex workspace project projects openhands nonroot me "
    "name username yourname yourusername youruser your-name your-username myuser myname you someone somebody example "
    "foo bar baz demo temp tmp testuser user1 user2 src lib bin docs app apps api web site server client main local"
)
"""Generic account names. Outside of home folders they are ordinary words."""
