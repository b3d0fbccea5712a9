"""Words that determine the meaning of their neighbours (units, labels, months, currencies), and false positives."""

from __future__ import annotations

from inspector.core.text import lazy_pattern, word_set

UNITS = word_set(
    """
    s ms us ns µs sec secs min mins h hr hrs d k K b kb mb gb tb B kB KB MB GB TB KiB MiB GiB bit byte px pt em
    rem % °C °F ° C F bar A mA V mV W kW kWh MWh Hz kHz MHz GHz km m cm mm nm kg g mg t l L ml m² m³ km² km/h
    m/s mph rpm fps dpi char chars x lb lbs oz ft yd mi gal percent children people men women data degrees
    """
)
"""Units a number can have that are not plurals, also within one word."""
LABELS = word_set(
    """
    week line lines no nr number order sector port version build note attempt turn issue pr ticket case job row
    column col status http total sum count limit threshold timeout size seed rank score paper channel chapter
    section room floor release revision rev round level layer epoch batch phase pid uid gid step stage page
    suite apt apartment gate seat building terminal bug task rule milestone figure fig appendix article
    question requirement lesson exercise unit comment option
    node node.js python java jdk ruby php postgres postgresql mysql sqlite redis react django rails kubernetes
    typescript npm cuda gcc llvm terraform ubuntu debian fedora macos ios android
    width height depth length weight max min maximum minimum average mean median average budget
    """
)
"""Words whose value can be the number after them."""
LINKS = word_set(
    """
    of is was to at by are = : equals
    """
)
"""Words that can be between a label and its number."""
LISTED = word_set(
    """
    then next and or but so first second third also e.g i.e example note step q a
    """
)
"""Words before a colon that are not keys."""
POSITIONS = word_set("offset i j k")
"""Keys of positions in what is read."""
HEX_COLOUR = lazy_pattern(r"#(?:(?=\d{0,7}[A-Fa-f])(?:[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})|([0-9A-Fa-f])\1\1)(?!\w)")
MODEL = lazy_pattern(r"(?i)(?:claude|gpt|gemini|llama|mistral|qwen|deepseek|o[134])-[\w.:-]{1,60}")
"""The name of a published model, which every author knows."""
WORDLESS = word_set(
    """
    less news always across besides perhaps yes was has is its his hers ours theirs this thus as us plus minus
    times versus does goes says means makes takes gives comes lies stands ends starts begins needs wants
    keeps shows works lets gets puts uses becomes remains follows holds falls rises opens closes differs
    fails returns contains expects equals looks seems appears adds counts
    """
)
"""Words that end like plurals but count nothing."""
CURRENCIES = {
    name: currency
    for currency, names in (
        ("EUR", "eur € euro euros"),
        ("USD", "usd $ us$ dollar dollars"),
        ("GBP", "gbp £ pounds"),
        ("JPY", "jpy ¥ yen"),
        ("CHF", "chf francs"),
        ("cents", "cents"),
        ("INR", "inr ₹ rupees"),
        ("CNY", "cny rmb"),
        ("AUD", "aud"),
        ("CAD", "cad"),
        ("SEK", "sek"),
        ("NOK", "nok"),
        ("DKK", "dkk"),
        ("PLN", "pln"),
        ("BTC", "btc"),
    )
    for name in names.split()
}
"""Currency code by name or symbol."""
SCALES = {"thousand": 3, "million": 6, "millions": 6, "mio": 6, "mn": 6, "billion": 9, "bn": 9, "trillion": 12}
"""Number of zeros that a word adds."""
MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        1,
    )
    for name in names.split()
}
YEAR_CUES = word_set(
    """
    in since until till of from to by before after during and dated year years between around circa summer
    winter spring autumn fall © ©️
    """
)
"""Words that can precede a year."""
NO_ADJECTIVES = word_set(
    """
    of the and or to in on at by for from with without as than then that this these those are were is was be
    been has have had will would can could may must do does did not no only also less most each every all
    any both another about above below over under after before between into out up down off again still
    just now here there later ago per via instead if when while where which who so but nor it he she they we you
    """
)
"""Words between a number and a noun that belong to neither."""
EXTENSIONS = word_set(
    """
    py pyi ipynb js jsx mjs cjs ts tsx mts vue svelte json jsonl ndjson json5 yaml yml toml ini cfg conf env
    lock md mdx rst txt log csv tsv parquet sql db sqlite sqlite3 html htm css scss sass less xml xsl svg png
    jpg jpeg gif webp ico bmp tif tiff heic pdf doc docx xls xlsx ppt pptx odt rtf zip tar gz tgz bz2 xz 7z whl
    jar war deb rpm iso dmg exe dll so dylib cc cpp cxx hpp hh mm rs go java kt kts scala swift rb erb php pl pm
    lua jl ex exs erl hs ml mli fs cs vb dart zig nim sh bash zsh fish ps1 bat cmd proto thrift graphql gql tf
    tfvars gradle cmake mk make patch diff bak tmp pem crt cer key pub ics eml mp3 mp4 wav flac ogg mov avi mkv
    webm ttf woff woff2 snap map tape tcss
    """
)
"""File extensions. Single letters are too ambiguous."""
FILES = word_set(
    """
    Makefile Dockerfile Containerfile Procfile Gemfile Rakefile Vagrantfile Jenkinsfile Justfile .gitignore .env
    .gitattributes .dockerignore .editorconfig .npmrc .bashrc .zshrc .profile .bash_profile .vimrc .netrc .nvmrc
    .git .github .gitlab .circleci .husky .vscode .idea .claude .cursor .codex .venv .tox .nox .cache .config .local
    .ssh .aws .kube .docker .npm .cargo .terraform .pytest_cache .ruff_cache .mypy_cache .coverage .coveragerc
    .eslintrc .prettierrc .babelrc .flake8 .pylintrc .gitmodules .gitkeep .python-version .node-version .tool-versions
    .next .nuxt .gradle .m2 .devcontainer .storybook LICENSE CHANGELOG Brewfile Cargo.lock go.mod go.sum CODEOWNERS
    """
)
"""File names without an extension."""
ROOTS = word_set(
    """
    tmp etc usr home var opt root srv bin sbin dev lib app mnt media proc sys Users Applications Volumes
    workspace workspaces repo data testbed code src work project private
    """
)
"""First steps that make a short absolute path a path."""
TOPS = word_set(
    """
    com org net io dev ai edu gov app co uk de eu fr nl ch at us info cloud tech
    """
)
"""Top-level domains of hosts that are followed by a path."""
NO_NAMES = word_set(
    """
    node.js next.js vue.js react.js nuxt.js three.js d3.js express.js e.g i.e etc.py JavaScript TypeScript
    GitHub GitLab OpenAI MacOS macOS iOS iPhone iPad iPadOS PostgreSQL MySQL SQLite YouTube LinkedIn PowerShell
    WebSocket WebSockets DevOps NodeJS VSCode PyPI PyTorch TensorFlow NumPy SciPy FastAPI LaTeX BibTeX eBay
    LangChain LlamaIndex DeepSeek ChatGPT MongoDB GraphQL CoffeeScript WordPress BitBucket DocString McDonald
    AirBnB AirBnb FedEx MasterCard PayPal LaGuardia DoorDash DropBox Dropbox EasyJet JetBlue WhatsApp TikTok SoundCloud
    CloudFlare CloudFront HubSpot MailChimp SalesForce ServiceNow SharePoint OneDrive OneNote PowerPoint QuickBooks
    QuickTime YouTuber AirPods AirTag AirPlay MacBook iCloud iTunes iMessage eBook eCommerce WiFi BlueTooth PlayStation
    XBox GeForce CrossFit GoPro BuzzFeed HuffPost SpaceX OpenStreetMap StackOverflow IntelliJ PyCharm WebStorm
    GoLand JetBrains CircleCI TravisCI GitOps DevTools DevOps LangGraph LangSmith CrewAI AutoGen HuggingFace
    DeepMind XAI ScaleAI McKinsey MacOSX FreeBSD OpenBSD NetBSD OpenSSL OpenSSH OpenAPI JSONL YAMLs PhD MSc BSc
    node_modules site-packages alpine.js backbone.js ember.js angular.js socket.io moment.js chart.js discord.js
    OpenCode OpenHands OpenRouter DeepWiki CodeRabbit LangFuse LlamaParse TypeBox
    electron.js p5.js svelte.js solid.js remix.js asp.net ASP.NET
    """
)
"""Product names that look like names from code or like files."""
NO_IDS = word_set(
    """
    utf-8 utf-16 utf-32 utf8 sha-1 sha-256 sha-512 sha256 sha1 md5 latin-1 iso-8859-1 x86-64 x86_64 win32 win64
    covid-19 base64 http2 http3 ipv4 ipv6 aes-128 aes-256 rs256 hs256 es2015 es2020 es2022 cp1252 fp16 fp32
    int32 int64 uint8 float32 float64 i18n l10n k8s oauth2
    0.0.0.0 127.0.0.1 255.255.255.255
    base64-encoded utf16le arm64 amd64 html5 css3 h264 h265 iso8601
    """
)
"""Names of encodings, algorithms and platforms that look like ids, and addresses of every machine."""
_YEARS = lazy_pattern(r"(?:19|20)\d\d-\d\d(?:\d\d)?")
SINGULARS = word_set(
    """
    file line error warning test commit minute hour day week month year second item match result message passenger
    bag insertion deletion issue failure change page word row record token step point person entry night guest stop
    variable argument parameter value check rule host server user request response connection bug branch tag release
    version package dependency module class method function property attribute field key node task job worker thread
    process byte character section reply comment review vote star child adult seat ticket flight room piece session
    checkpoint attempt retry run case warning problem conflict vulnerability conversation query table column image
    """
)
"""Nouns that are counted as one, as in "1 file changed"."""
TIMED = word_set(
    """
    second minute hour day night week month year line page byte mile inch foot digit person pixel column character point
    char word bit item step core phase stage
    """
)
"""Nouns in compounds like "a 3-week trip"."""
CODE_HOSTS = word_set(
    """
    github.com gitlab.com bitbucket.org golang.org gopkg.in k8s.io go.uber.org google.golang.org sigs.k8s.io
    """
)
"""Hosts whose addresses without a scheme are imports in code."""
HOST_ENDS = word_set("com org net edu gov io dev")
"""Top-level domains of hosts that are not followed by a path."""
NO_HOSTS = word_set("asp.net vb.net java.net socket.io node.io ado.net")
PAGING = lazy_pattern(
    r'"(?:offset|limit|timeout|timeout_ms|timeout_seconds|head_limit|page|page_size|per_page|max_results|num_results'
    r'|max_lines|num_lines|line_limit|yield_time_ms|max_output_tokens)" ?: ?"?\d+"?'
)
"""Call argument that limits the output or the waiting time, which is not a fact: `"limit": 200`."""
NAME_BEGINNINGS = ("Mc", "Mac", "La", "Fitz", "Van")
"""First letters of names of people and places with a capital in the middle."""


def is_range(word: str) -> bool:
    """Return True if two numbers with a hyphen are a range of years or lines: the second is greater."""
    first, _, last = word.partition("-")
    return bool(_YEARS.fullmatch(word)) or (len(first) == len(last) <= 4 and first < last and last.isdecimal())


_HOST = lazy_pattern(r"(?:[a-z0-9][a-z0-9-]{0,62}\.){1,4}[a-z]{2,4}")


def is_host(name: str) -> bool:
    """Return True if a dotted word is a host name, even without a path after it."""
    return bool(_HOST.fullmatch(name)) and name.rpartition(".")[2] in HOST_ENDS and name not in NO_HOSTS


def is_constant(name: str) -> bool:
    """Return True for a name in capitals with at least two words: "MODEL_20B_ID_FIELD"."""
    return name.isupper() and sum(part.isalpha() and len(part) >= 3 for part in name.split("_")) >= 2
