"""Patterns of personal and network data, which are searched only if they are named."""

from __future__ import annotations

from ipaddress import ip_address

from inspector.analysis.redaction.secret_search import SecretPattern
from inspector.core.text import lazy_pattern


def _is_card(value: str) -> bool:
    """Return True if the digits have a correct check digit (Luhn), as those of a payment card do."""
    digits = [int(digit) for digit in value if digit.isdigit()]
    doubled = sum(sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return 13 <= len(digits) <= 19 and len(set(digits)) > 1 and (sum(digits[::-2]) + doubled) % 10 == 0


def _is_iban(value: str) -> bool:
    """Return True if an account number has correct check digits (ISO 13616)."""
    code = value.replace(" ", "").upper()
    return (
        15 <= len(code) <= 34 and int("".join(str(int(character, 36)) for character in code[4:] + code[:4])) % 97 == 1
    )


def _is_ip(value: str) -> bool:
    """Return True if a value is an IP address of a machine, and not that of the machine itself or of any."""
    try:
        address = ip_address(value.split("%")[0])
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified or address.is_multicast)


def _is_phone(value: str) -> bool:
    return 8 <= sum(map(str.isdigit, value)) <= 15


OPTIONAL_PATTERNS = (
    SecretPattern(
        "card", ("3", "4", "5", "6"), lazy_pattern(r"(?<![\w.-])[3-6][0-9]{3}(?:[ -]?[0-9]){9,15}(?![\w-])"), _is_card
    ),
    # DE89 3704 0044 0532 0130 00
    SecretPattern(
        "iban",
        tuple("0123456789"),
        lazy_pattern(r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])"),
        _is_iban,
    ),
    SecretPattern(
        "ip",
        (".", ":"),
        # 203.0.113.77, 2001:db8:85a3::8a2e:370:7334
        lazy_pattern(
            r"(?<![\w.-])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![\w-]|\.[0-9])|(?<![\w:.])(?=[0-9A-Fa-f:]{0,39}:[0-9A-Fa-f]{0,4}:)"
            r"[0-9A-Fa-f:]{3,39}(?![\w:])"
        ),
        _is_ip,
    ),
    SecretPattern(
        "mac",
        (":", "-"),
        lazy_pattern(
            r"(?<![0-9A-Fa-f:-])[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5}|(?:-[0-9A-Fa-f]{2}){5})(?![0-9A-Fa-f:-])"
        ),
    ),
    # +49 170 1234567, (415) 555-2671, 415-555-2671, tel: 0170 1234567
    SecretPattern(
        "phone",
        ("+", "(", "-", "tel", "phone", "call"),
        lazy_pattern(
            r"(?<![\w.+-])\+[1-9][0-9]{0,3}(?:[ ./-]?\(?[0-9]{1,5}+\)?){2,6}(?![\w])"
            r"|(?<![\w.])\([0-9]{3}\) ?[0-9]{3}[ .-][0-9]{4}(?![\w-])"
            r"|(?<![\w.-])[2-9][0-9]{2}-[2-9][0-9]{2}-[0-9]{4}(?![\w-])"
            r"|(?i:tel|phone|mobile|mobil|telefon|call)\.?[:= ]{1,3}(0[0-9]{2,4}[ /-]?[0-9][0-9 -]{4,9}[0-9])(?![\w-])"
        ),
        _is_phone,
    ),
    SecretPattern(
        "ssn", ("-",), lazy_pattern(r"(?<![\w-])(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?![\w-])")
    ),
)
OPTIONAL_KINDS = tuple(pattern.kind for pattern in OPTIONAL_PATTERNS)
"""Kinds that are not searched unless they are named."""
