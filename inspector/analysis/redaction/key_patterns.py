"""Patterns of keys and tokens that are recognisable by the prefix of the service that issues them.

The prefixes are published by the services, most of them in GitHub's list of patterns for secret scanning
(https://docs.github.com/code-security/secret-scanning/introduction/supported-secret-scanning-patterns). Prefixes that
the list does not spell out have a link next to them. Lengths that the services do not document are those of the rules
of https://github.com/gitleaks/gitleaks.
"""

from __future__ import annotations

import re

from inspector.analysis.redaction.likelihood import is_mixed
from inspector.analysis.redaction.patterns import SecretPattern

_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2}))"
"""Possible start of a token: not after a letter or a digit, except one that ends an escape sequence."""


def _token(kind: str, pattern: str, *hints: str, start: str = _START) -> SecretPattern:
    return SecretPattern(kind, hints, re.compile(f"{start}(?:{pattern})"), is_mixed)


TOKEN_PATTERNS = (
    _token("aws-key", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])", "akia", "asia", "abia", "acca"),
    _token(
        "github-token",
        r"gh[pousr]_[A-Za-z0-9]{20,300}|github_pat_[A-Za-z0-9_]{20,300}",
        *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        start="",
    ),
    _token("gitlab-token", r"gl(?:pat|dt|rt|ptt|cbt|ft|soat|agent|imt|oas)-[A-Za-z0-9_.-]{20,300}", "gl"),
    # xoxb-… and xapp-… tokens, hooks.slack.com/services/T…/B…/… and discord.com/api/webhooks/123…/…
    _token(
        "slack-token",
        r"xox[abcdeoprs]-[A-Za-z0-9-]{10,300}|xapp-[A-Za-z0-9-]{10,300}"
        r"|hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,200}"
        r"|discord(?:app)?\.com/api/webhooks/[0-9]{5,25}/[A-Za-z0-9_-]{10,200}",
        *("xox", "xapp-", "hooks.slack.com", "webhooks/"),
    ),
    _token("stripe-key", r"(?:[rsp]k_(?:live|test)|whsec)_[A-Za-z0-9+/=]{10,300}", "k_live", "k_test", "whsec_"),
    _token("api-key", r"sk-(?:ant|proj|or|svcacct|admin|lf)-[A-Za-z0-9_-]{16,300}", "sk-", start=""),
    _token("api-key", r"sk-(?=[A-Za-z_-]{0,300}[0-9])[A-Za-z0-9_-]{20,300}", "sk-"),
    _token(
        "google-key",
        r"AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,300}|GOCSPX-[A-Za-z0-9_-]{20,60}",
        *("aiza", "ya29.", "gocspx-"),
    ),
    # hf_…, gsk_…, npm_…, shpat_…, dckr_pat_…, rubygems_… and other prefixes that end with an underscore
    _token(
        "api-key",
        r"(?:hf|gsk|r8|npm|lin_api|ntn|glsa|glc|sbp|figd|do[opr]_v1|shp(?:at|ca|pa|ss)|dckr_pat|lsv2_(?:pt|sk)|rnd|phc|phx"
        r"|rubygems|pscale_(?:pw|tkn)|secret|sntry[su]|fm2|dapi)_[A-Za-z0-9_+/=]{20,300}",
        *(
            "hf_",
            "gsk_",
            "r8_",
            "npm_",
            "api_",
            "ntn_",
            "gls",
            "glc_",
            "sbp_",
            "figd_",
            "_v1_",
            "shp",
            "_pat_",
            "lsv2_",
        ),
        *("rnd_", "phc_", "phx_", "rubygems_", "pscale_", "secret_", "sntry", "fm2_", "dapi_"),
    ),
    # xai-…, pplx-…, SG.…, PMAK-…, ATATT…, SK and 32 hexadecimal digits, and similar tokens
    _token(
        "api-key",
        r"(?:xai|pplx|tvly|nvapi|pypi|PMAK|NRAK|hvs|hvb|SG|dapi|AGE-SECRET-KEY|HRKU|key|fc|jina|voyage|exa|sq0[a-z]{3})"
        r"[-._](?=[A-Za-z_.=-]{0,300}[0-9])[A-Za-z0-9_.=-]{22,300}|ATATT[A-Za-z0-9_=-]{40,300}"
        r"|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,100}|SK[0-9a-f]{32}(?![A-Za-z0-9])|cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"
        r"|oy2[a-z0-9]{43}(?![A-Za-z0-9])|EAAA[A-Za-z0-9_-]{56,64}(?![A-Za-z0-9])",
        *(
            "xai-",
            "pplx-",
            "tvly-",
            "nvapi-",
            "pypi-",
            "pmak-",
            "nrak-",
            "hv",
            "sg.",
            "dapi-",
            "age-secret",
            "sk",
            "cio",
        ),
        *("hrku-", "key-", "fc-", "jina_", "voyage-", "exa-", "sq0", "atatt", "atlasv1", "oy2", "eaaa"),
    ),
    # API tokens, app passwords and access tokens of Bitbucket and Jira:
    # https://community.atlassian.com/forums/Bitbucket-questions/Can-we-confirm-BitBucket-s-token-prefixes/qaq-p/3093481
    _token("api-key", r"ATBB[A-Za-z0-9_=.-]{28,64}|ATCTT[A-Za-z0-9_=-]{40,300}", "atbb", "atctt"),
    # https://docs.databricks.com/aws/en/dev-tools/auth/pat
    _token("api-key", r"dapi[0-9a-f]{32}(?:-[0-9])?(?![A-Za-z0-9])", "dapi"),
    # https://airtable.com/developers/web/api/authentication
    _token("api-key", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![A-Za-z0-9])", "pat"),
    # https://vercel.com/docs/vercel-blob/using-blob-sdk
    _token("api-key", r"vercel_blob_rw_[A-Za-z0-9_]{20,120}", "vercel_blob_rw_"),
    # https://docs.pinecone.io/guides/projects/manage-api-keys
    _token("api-key", r"pcsk_[A-Za-z0-9_]{30,120}", "pcsk_"),
    # https://elevenlabs.io/docs/api-reference/authentication
    _token("api-key", r"sk_[0-9a-f]{48}(?![A-Za-z0-9])", "sk_"),
    # https://docs.voyageai.com/docs/api-key-and-installation
    _token("api-key", r"pa-(?=[a-z0-9_-]{0,48}[A-Z])(?=[A-Za-z_-]{0,48}[0-9])[A-Za-z0-9_-]{40,50}", "pa-"),
    # https://inference-docs.cerebras.ai/quickstart
    _token("api-key", r"csk-[a-z0-9]{40,64}", "csk-"),
    # https://docs.fireworks.ai/getting-started/quickstart
    _token("api-key", r"fw_(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{20,64}", "fw_"),
    # https://docs.wandb.ai/ref/cli/wandb-login: the key has no prefix, as in `wandb login --relogin 0123abcd…`
    _token(
        "api-key",
        r"wandb[ \t]{1,4}login[ \t]{1,4}(?:--[a-z]{1,20}(?:=\S{1,60})?[ \t]{1,4}){0,3}([0-9a-f]{40})(?![A-Za-z0-9])",
        "wandb",
    ),
    # https://tailscale.com/kb/1277/key-prefixes
    _token("api-key", r"tskey-(?:api|auth|client|scim|webhook)-[A-Za-z0-9-]{16,120}", "tskey-"),
    # https://docs.doppler.com/reference/auth-token-formats
    _token("api-key", r"dp\.(?:pt|st|ct|sa|said|scim|audit)\.(?:[a-z0-9_-]{1,40}\.)?[A-Za-z0-9]{36,48}", "dp."),
    # https://discord.com/developers/docs/reference#authentication: the bot's id in base64, a timestamp and a digest
    _token("bot-token", r"[MNO][DTjz][A-Za-z0-9]{22,26}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}", "."),
    _token("bot-token", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}", ":aa"),
    _token("jwt", r"eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_.-]+", "eyj", start=r"(?<![A-Za-z0-9_-])"),
)
