"""Names of values that are secrets: of keys, tokens and passwords, in several languages, with prefixes and suffixes."""

from __future__ import annotations

import re
from functools import lru_cache

from inspector.core.text import lazy_pattern, word_set


def _by_first_letter(ascii: str, others: str) -> str:
    """Return a regular expression for names that begin with an ASCII character, and for others, that tries one kind."""
    return rf"(?:(?=[\x00-\x7f])(?:{ascii})|(?![\x00-\x7f])(?:{others}))"


_FOREIGN_PASSWORDS = (
    *("zaporka", "sifra", "parolă", "laluan", "sandi", "pasahitza", "contrasinal", "kodeord", "pasfhocal"),
    *("cyfrinair", "contrasenya", "wagwoord", "fjalëkalim", "fjalëkalimi", "nenosiri", "pasvorto", "aðgangsorð"),
    *("parola", "parol", "hasło", "hasla", "hasła", "lozinka", "gesla", "motdepasse", "geheimzahl"),
)
_OTHER_FOREIGN_PASSWORDS = (
    *("šifra", "şifrə", "лозинка", "шифра", "құпиясөз", "құпия", "პაროლი", "գաղտնաբառ", "нууц", "পাসওয়ার্ড"),
    *("கடவுச்சொல்", "پاس_ورڈ", "پاس ورڈ", "كلمة_السر", "كلمة السر", "الرمز_السري", "کلمه عبور", "کلمه_عبور"),
    *("合言葉", "συνθηματικό", "パスコード", "패스워드", "密語", "சொல்"),
)
_FOREIGN_KEYS = (
    *("clau", "cheie", "cheia", "kunci", "khóa", "khoa", "võti", "atslēga", "raktas", "gakoa", "gako", "ključ", "kľúč"),
    *("kluc", "kljuc", "ključa", "kulcsa", "gettone", "segreta", "secreta", "secrète", "clé", "cle", "chave", "chiave"),
    *("llave", "sleutel", "nyckel", "klucz", "klíč", "klič", "klic", "avain", "nøgle", "nøkkel", "nogle", "nokkel"),
    *("anahtar", "anahtarı", "anahtari", "kulcs", "secreto", "segredo", "segreto", "geheimnis", "tajemnica", "jeton"),
)
_OTHER_FOREIGN_KEYS = (
    *("κλειδί", "μυστικό", "מפתח", "مفتاح", "کلید", "कुंजी", "คีย์", "キー", "アクセスキー", "私钥", "私鑰", "鍵"),
    *("ключа", "секретный", "секретний", "токен", "чілт", "кілт", "գաղտնիք"),
)
"""Words for a password and for a key, in Latin letters and in others: alone or between `_`, `-` and `.`."""


def _any_of(words: tuple[str, ...]) -> str:
    """Return a regular expression for some words that are no parts of others."""
    return rf"(?<![^\W_])(?:{'|'.join(sorted(words, key=len, reverse=True))})(?![^\W_])"


_ENGLISH_KEYS = (
    r"api[_-]?key|access[_-]?key(?:[_-]?id)?|secret[_-]?key|private[_-]?key(?:[_-]?id)?|auth[_-]?key|account[_-]?key"
    r"|signing[_-]?key|encryption[_-]?key|master[_-]?key|licen[cs]e[_-]?key|client[_-]?secret|secret[_-]?text|secret"
    r"|(?:session|auth)?[_-]?token|credential|(?<![a-z])creds?(?![a-z])|(?-i:_KEY|_AUTH|(?<![A-Za-z])PAT|_SALT|HMAC)"
    r"|erlang[_-]?cookie"
    r"|webhook(?:[_-]?url)?|(?<![a-z])(?:dsn|hmac(?:[_-]?key)?|pat)(?![a-z])"
    r"|(?<![A-Za-z])_?auth|(?<=[?&])(?:x-amz-)?sig(?:nature)?"
)
# apiKey, access_key_id, client-secret, session_token, credentials, MY_KEY, _auth, ?sig=, GH_PAT, creds, DSN
_LATIN_KEYS = rf"schl(?:ü|ue)ssel(?![a-z])|(?<![a-z])clave(?![a-z])|{_any_of(_FOREIGN_KEYS)}"
_OTHER_KEYS = (
    r"ключ(?![а-я])|токен(?![а-я])|секрет(?![а-я])|密钥|密鑰|秘密鍵|トークン|令牌|(?<![가-힣])키(?![가-힣])|비밀키|토큰|시크릿"
    rf"|(?<=[a-z])キー|{_any_of(_OTHER_FOREIGN_KEYS)}"
)
KEY_NAMES = _by_first_letter(f"{_ENGLISH_KEYS}|(?=[a-z])(?:{_LATIN_KEYS})", _OTHER_KEYS)
KEY_HINTS = {
    **{"key": 12, "secret": 0, "token": 0, "cred": 0, "auth": 1, "sig": 6, "pat": 0, "salt": 1, "hmac": 0},
    **{
        "webhook": 0,
        "erlang": 0,
        "dsn": 0,
        "schl": 0,
        "clave": 0,
        "ключ": 0,
        "токен": 0,
        "секрет": 0,
        "密": 0,
        "秘密鍵": 0,
    },
    **{"erlang": 0, "recovery": 0, "backup": 0, "totp": 0, "トークン": 0, "令牌": 0, "키": 2, "토큰": 0, "시크릿": 0},
    **dict.fromkeys((*_FOREIGN_KEYS, *_OTHER_FOREIGN_KEYS), 0),
}
"""Lower-case strings of which each name contains one, with the maximum number of characters of the name before it."""
_LATIN_PASSWORDS = (
    r"(?:passwort|kennwort|passord|wachtwoord|l(?:ö|o)senord|adgangskode|salasana)(?-i:[a-z]{1,3}(?![^\W_]))?"
    r"|(?:wlan|wi-?fi)-?schl(?:ü|ue)ssel"
    r"|contrase(?:ñ|ny?)a|kata[_ ]?sandi|lozink[au]|parool(?![a-z])|lykilor(?:ð|d)"
    r"|(?<![a-z])senha|mots?[_ -]?de[_ -]?passe"
    r"|has(?:ł|l)(?:o|em|u)(?![a-z])|(?<![a-z])hesl(?:o|em|u)|jelsz(?:ó|o)"
    r"|(?<![a-z])sifre|parola(?![a-z])|parol(?![a-z])|m(?:ậ|a)t[_ ]?kh(?:ẩ|a)u|mật[_ ]?mã"
    r"|(?<![a-z])(?:mdp|psw(?:d|rd)?|pw(?:o?r)?d|pass(?:wrd|wrod|w)|contrasenia|gesl[oa])(?![a-z])"
    rf"|sala(?:sõna|v(?:ā|a)rds)|slapta(?:ž|z)odis|{_any_of(_FOREIGN_PASSWORDS)}"
)
_OTHER_PASSWORDS = (
    r"парол(?:[аяьюи]|ем)(?![а-я])|密码|密碼|パスワード|비밀번호|(?<![a-z])şifre|κωδικός"
    r"|סיסמה|كلمة[_ ]المرور|رمز[_ ]عبور|पासवर्ड|รหัสผ่าน|口令|암호|비번|暗証番号|סיסמא|گذرواژه"
    rf"|{_any_of(_OTHER_FOREIGN_PASSWORDS)}"
)
"""Words for a password in German, Spanish, Portuguese, French, Russian, Chinese, Japanese, Korean and others."""
_ACCOUNTS = (
    "db sa pg my mysql root user admin login smtp mail ftp ssh ldap bind http proxy wifi sudo become key store app svc "
    "web vnc rpc auth redis mongo sql test bot guest"
)
"""Words that are written together with `pass` and `pw`: `dbpass`, `rootpw`. Other words end with `pass`: `compass`."""
_AFTER_ACCOUNTS = "|".join(rf"(?<=(?<![a-z]){word})" for word in _ACCOUNTS.split())
_ENGLISH_PASSWORDS = (
    r"passwords?|passwd|pass[_ -]?phrase|passcode|pwd|(?<=[_.-])pass(?![a-z])|(?<=[_-])pw(?![a-z])"
    r"|(?<![a-z])(?-i:PASS|DBPASS|PGPASS)(?=_)|(?-i:(?<=[a-z])P(?:ass|w)(?![a-z]))|(?<![a-z])psk(?![a-z])"
    rf"|(?:{_AFTER_ACCOUNTS})(?:pass|pw)(?![a-z])|(?:security|secret)[ _-]?answer|snmp[_-]community"
    r"|(?<![a-z])(?:requirepass|masterauth|(?:wi-?fi|wlan)[ _-]?key)(?![a-z])"
)
PASSWORD_NAMES = _by_first_letter(f"{_ENGLISH_PASSWORDS}|(?=[a-z])(?:{_LATIN_PASSWORDS})", _OTHER_PASSWORDS)
PASSWORD_HINTS = {
    **{"pass": 2, "pwd": 0, "pw": 0, "kennwort": 0, "contrase": 0, "senha": 0, "mot": 0, "пароль": 0, "密": 0},
    **{"パスワード": 0, "비밀번호": 0, "has": 0, "wacht": 0, "senord": 2, "adgangskode": 0, "salasana": 0, "heslo": 0},
    **{"jelsz": 0, "ifre": 1, "parol": 0, "khẩu": 5, "khau": 5, "κωδικός": 0, "סיסמה": 0, "المرور": 5},
    **{"masterauth": 0, "answer": 9, "snmp": 0, "wlan": 0, "wifi": 0, "wi-fi": 0, "requirepass": 0},
    **{"mdp": 0, "psw": 0, "gesl": 0, "salas": 0, "salav": 0, "slapta": 0, "парол": 0, "口令": 0, "암호": 0},
    **{"비번": 0, "暗証番号": 0, "mật": 0, "סיסמא": 0, "گذرواژه": 0},
    **{"psk": 0, "पासवर्ड": 0, "รหัสผ่าน": 0, "lozink": 0, "parool": 0, "lykilor": 0, "عبور": 4},
    **dict.fromkeys((*_FOREIGN_PASSWORDS, *_OTHER_FOREIGN_PASSWORDS), 0),
    "sandi": 5,
}
"""Lower-case strings of which each name contains one, with the maximum number of characters of the name before it."""
_NO_SECRETS = (
    "the a an is are this that these each every any no one two which what your wrong right same public pub primary "
    "foreign cache sort partition hash object dict map index column unique composite natural surrogate arrow enter "
    "escape esc tab shift control ctrl alt function fn space home end delete backspace any hot short shortcut config "
    "storage row group range search lookup message translation locale label json yaml data query param header env "
    "item node react list by with for of to in on or and if per new next last first second third partition shard "
    "routing idempotency dedup dedupe session tenant event topic kafka redis lock trace span ssh gpg pgp host image "
    "file s3 bucket memo state store prop field attribute meta press pressed value string name tree test low high "
    "only major important minor turn mon don whis jo tur disk donkey monkey turkey compare parent child join from "
    "dimension metric setting feature flag issue project jira sorting grouping filter signature verification verify "
    "subject authority"
)
"""Words before `key` in names that are not those of secrets."""
ANY_KEY = (
    rf"(?<![A-Za-z0-9])(?!(?:{'|'.join(dict.fromkeys(_NO_SECRETS.split()))})[ _.-]?keys?(?![a-z]))"
    r"[A-Za-z][A-Za-z0-9]{1,20}(?:[ _.-]key|(?-i:Key))(?![a-z])"
)
"""Any word and `key`, in any notation."""
TAIL = r"s?(?P<tail>(?:[_.-]?[0-9]{1,6})?(?:(?:[_.-]|(?-i:(?<=[a-z0-9])(?=[A-Z])))[^\W_][\w.-]{0,30}+)?)"
"""Rest of a name after the word that makes it a secret: `_PROD` in `API_KEY_PROD`, `2` in `API_KEY2`."""
NAMED_KEYS = lazy_pattern(
    rf"(?:.*[^a-z])?(?:(?P<password>{PASSWORD_NAMES})|{KEY_NAMES}|authorization|cookie){TAIL}", re.IGNORECASE
)
"""Names of JSON fields that contain secrets. Names of passwords have a named group."""

_ANY_KEY = lazy_pattern(rf"{ANY_KEY}\Z", re.IGNORECASE)
_MAX_NAME = 40
_NAME_HINTS = (*PASSWORD_HINTS, *KEY_HINTS, "cookie")
_WORDS = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_OTHER_VALUES = word_set(
    "name names path paths file files filename dir folder count counts length len limit limits size max min type "
    "types expires expiry expiration expired in at ttl timeout age header headers field fields label prefix "
    "suffix usage used budget ratio cost costs price ref uri endpoint host user username version index format "
    "policy required enabled disabled valid strength env var provider service status encoding rotation created "
    "updated date algorithm alg method mode style class kind source scope scopes issuer audience subject "
    "generator arn validator manager store input output reset change hint help text title description url page link "
    "form error message placeholder column total per rate estimate counter model regex pattern pairs set map "
    "hasher hashers validators backend backends providers policies pool cache position positions ids start end special"
)
"""Last words of names that do not contain the secret itself: `secretName`, `token_count`, `private_key_path`."""


def is_about_secret(tail: str) -> bool:
    """Return True if the rest of a name says that its value describes a secret, as in `secretName`."""
    words = _WORDS.findall(tail)
    while words and words[-1].isdigit():
        words.pop()
    return bool(words) and words[-1].casefold() in _OTHER_VALUES


@lru_cache(10_000)
def secret_name(name: str) -> re.Match[str] | None:
    """Return the match of a name if a column with it contains secrets, or None."""
    if len(name) > _MAX_NAME or "=" in name or ":" in name:
        return None
    folded = name.casefold()
    match = NAMED_KEYS.fullmatch(name) if any(hint in folded for hint in _NAME_HINTS) else None
    return _ANY_KEY.search(name) if match is None else None if is_about_secret(match["tail"] or "") else match
