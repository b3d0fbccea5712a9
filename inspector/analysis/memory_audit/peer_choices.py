"""Choices of which a project makes one: tools of one kind, places, forms and defaults."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from inspector.core.text import lazy_pattern
from inspector.engine.facts import stem_set


class PeerChoice(NamedTuple):
    """A choice between values, and the words without which they mean something else."""

    name: str
    near: str
    """Words of which a sentence about the choice has one, in any form. One of those after "&" is needed as well."""
    values: re.Pattern[str]
    """Its values, each in a group with its name."""

    @property
    def context(self) -> Sequence[frozenset[str]]:
        """The stems of the words near it."""
        return _stems_of_context(self.near)

    def values_in(self, sentence: str, stems: frozenset[str]) -> Iterator[tuple[str, int, int]]:
        """Yield the name, start and end of each value in a sentence with these stems."""
        if all(stems & part for part in self.context):
            for match in self.values.finditer(sentence):
                if not _LEFT.match(sentence[: match.start()][-1:]) and not _RIGHT.match(sentence, match.end()):
                    yield str(match.lastgroup), match.start(), match.end()


_LEFT = lazy_pattern(r"[\w./@-]")
_RIGHT = lazy_pattern(r"[\w/-]|\.\w")


@cache
def _stems_of_context(words: str) -> Sequence[frozenset[str]]:
    return [stem_set(part) for part in words.split("&") if part.strip()]


CHOICES = (
    PeerChoice(
        "API style",
        "endpoint api query client service dashboard",
        lazy_pattern(r"(?P<rest>rest(?:ful)?)|(?P<graphql>graphql)|(?P<grpc>grpc)|(?P<trpc>trpc)|(?P<soap>soap)", re.I),
    ),
    PeerChoice(
        "queue",
        "queue job background message messaging broker",
        lazy_pattern(
            r"(?P<redis>redis)|(?P<rabbitmq>rabbitmq)|(?P<kafka>kafka)|(?P<sqs>sqs)|(?P<nats>nats)"
            r"|(?P<bullmq>bullmq)|(?P<sidekiq>sidekiq)",
            re.I,
        ),
    ),
    PeerChoice("cache", "cache", lazy_pattern(r"(?P<redis>redis)|(?P<memcached>memcached)", re.I)),
    PeerChoice(
        "error tracker",
        "error exception crash report",
        lazy_pattern(
            r"(?P<sentry>sentry)|(?P<rollbar>rollbar)|(?P<bugsnag>bugsnag)|(?P<honeybadger>honeybadger)"
            r"|(?P<airbrake>airbrake)",
            re.I,
        ),
    ),
    PeerChoice(
        "password hash",
        "password",
        lazy_pattern(
            r"(?P<bcrypt>bcrypt)|(?P<argon2>argon2(?:id)?)|(?P<scrypt>scrypt)|(?P<pbkdf2>pbkdf2)|(?P<md5>md5)"
            r"|(?P<sha>sha-?\d+)",
            re.I,
        ),
    ),
    PeerChoice(
        "kind of id",
        "id identifier key",
        lazy_pattern(
            r"(?P<uuid>uuids?(?:v\d|[ _]v\d)?)|(?P<ulid>ulids?)"
            r"|(?P<integer>auto-?increment(?:ing)?|autoincrement|serials?|bigserial|sequential[ _]integers?"
            r"|integers?|bigints?)|(?P<nanoid>nanoid)",
            re.I,
        ),
    ),
    PeerChoice(
        "money",
        "money price amount currency total",
        lazy_pattern(
            r"(?P<integer>cents|integers?|minor[ _]units)|(?P<decimal>decimals?|numeric)"
            r"|(?P<float>floats?|floating.point)",
            re.I,
        ),
    ),
    PeerChoice(
        "frontend framework",
        "frontend ui component client spa app interface",
        lazy_pattern(
            r"(?P<react>react)|(?P<vue>vue(?:\.?js)?)|(?P<svelte>svelte(?:kit)?)|(?P<angular>angular)"
            r"|(?P<solid>solid(?:\.?js))|(?P<preact>preact)|(?P<htmx>htmx)",
            re.I,
        ),
    ),
    PeerChoice(
        "backend framework",
        "backend server api service endpoint route",
        lazy_pattern(
            r"(?P<django>django)|(?P<flask>flask)|(?P<fastapi>fastapi)|(?P<express>express(?:\.?js)?)"
            r"|(?P<fastify>fastify)|(?P<nestjs>nestjs)|(?P<rails>rails)|(?P<spring>spring(?:[ _]boot)?)"
            r"|(?P<laravel>laravel)",
            re.I,
        ),
    ),
    PeerChoice(
        "kind of component",
        "component",
        lazy_pattern(r"(?P<class>class(?:es|-based)?)|(?P<function>functions?|functional|hooks)", re.I),
    ),
    PeerChoice("exports", "export", lazy_pattern(r"(?P<default>default)|(?P<named>named)", re.I)),
    PeerChoice("imports", "import", lazy_pattern(r"(?P<relative>relative)|(?P<absolute>absolute)", re.I)),
    PeerChoice(
        "reuse",
        "inheritance & composition",
        lazy_pattern(
            r"(?P<prefer>(?:prefer|favou?r|use)[ _]inheritance)|(?P<prefer2>(?:prefer|favou?r|use)[ _]composition)",
            re.I,
        ),
    ),
    PeerChoice(
        "length of replies",
        "answer reply response respond explanation",
        lazy_pattern(
            r"(?P<short>brief|briefly|concise|concisely|short|terse|succinct)"
            r"|(?P<long>detailed|long|thorough|verbose|in-depth|comprehensive|at[ _]length|in[ _]detail)",
            re.I,
        ),
    ),
    PeerChoice(
        "form of replies",
        "answer reply response respond explain summary",
        lazy_pattern(
            r"(?P<points>bullet(?:ed)?[ _]points?|bullet(?:ed)?[ _]lists?|bullets)"
            r"|(?P<text>(?:full[ _])?paragraphs|prose|full[ _]sentences)|(?P<tables>tables?)",
            re.I,
        ),
    ),
    PeerChoice(
        "default of flags", "flag toggle", lazy_pattern(r"(?P<off>off|disabled)|(?P<on>on(?![ _]by)|enabled)", re.I)
    ),
    PeerChoice(
        "variables", "variable declare default", lazy_pattern(r"(?P<const>const)|(?P<let>let)|(?P<var>var)", re.I)
    ),
    PeerChoice(
        "log level",
        "level",
        lazy_pattern(
            r"(?P<debug>debug)|(?P<info>info)|(?P<warn>warn(?:ing)?)|(?P<error>error)|(?P<critical>critical)", re.I
        ),
    ),
    PeerChoice(
        "place of tests",
        "test spec",
        lazy_pattern(
            r"(?P<beside>next[ _]to|beside|alongside|co-?located?|in[ _]the[ _]same[ _](?:folder|directory))"
            r"|(?P<apart>(?:own|separate|top-level|dedicated|single)[ _]`?(?:\w+/?`?[ _])?(?:folder|directory)"
            r"|in(?:to|side)?[ _](?:the[ _])?(?:top-level[ _])?`?tests?/?`?(?:[ _]|$|\.)(?:folder|directory|dir"
            r"|tree)?)",
            re.I,
        ),
    ),
    PeerChoice(
        "place of secrets",
        "secret credential key token password",
        lazy_pattern(
            r"(?P<env>\.env(?:[ _]files?)?)|(?P<vault>vault)|(?P<keychain>keychain)"
            r"|(?P<secretsmanagers>secrets?[ _]managers?)|(?P<onepassword>1password)|(?P<doppler>doppler)",
            re.I,
        ),
    ),
    PeerChoice(
        "test database",
        "test & database db",
        lazy_pattern(
            r"(?P<memory>in-memory)|(?P<staging>staging)|(?P<production>production)"
            r"|(?P<container>containers?|testcontainers)",
            re.I,
        ),
    ),
    PeerChoice(
        "CI",
        "ci pipeline build workflow",
        lazy_pattern(
            r"(?P<githubactions>github[ _]actions)|(?P<circleci>circleci)|(?P<jenkins>jenkins)|(?P<travis>travis)"
            r"|(?P<gitlabci>gitlab[ _]ci)|(?P<buildkite>buildkite)",
            re.I,
        ),
    ),
    PeerChoice(
        "hosting",
        "deploy deployment hosted hosting run production",
        lazy_pattern(
            r"(?P<kubernetes>kubernetes|k8s)|(?P<nomad>nomad)|(?P<ecs>ecs)|(?P<flyio>fly\.io|fly)"
            r"|(?P<heroku>heroku)|(?P<vercel>vercel)|(?P<netlify>netlify)"
            r"|(?P<cloudflarepages>cloudflare(?:[ _]pages|[ _]workers)?)|(?P<lambda>lambda)|(?P<systemd>systemd)"
            r"|(?P<render>render)",
            re.I,
        ),
    ),
    PeerChoice(
        "cloud",
        "cloud deploy deployment hosted infrastructure run",
        lazy_pattern(
            r"(?P<aws>aws)|(?P<gcp>gcp|google[ _]cloud)|(?P<azure>azure)|(?P<hetzner>hetzner)"
            r"|(?P<digitalocean>digitalocean)",
            re.I,
        ),
    ),
    PeerChoice(
        "sign-in",
        "auth authentication authenticate login log-in sign-in session",
        lazy_pattern(
            r"(?P<jwts>jwts?)|(?P<sessioncookies>session[ _]cookies?|cookies?|server.side[ _]sessions)"
            r"|(?P<basicauth>basic[ _]auth)|(?P<oauth2>oauth2?)",
            re.I,
        ),
    ),
    PeerChoice(
        "linter",
        "lint linter linting check style",
        lazy_pattern(
            r"(?P<eslint>eslint)|(?P<biome>biome)|(?P<oxlint>oxlint)|(?P<standardjs>standardjs)|(?P<tslint>tslint)",
            re.I,
        ),
    ),
    PeerChoice(
        "Python linter",
        "lint linter linting check style python",
        lazy_pattern(r"(?P<flake8>flake8)|(?P<pylint>pylint)|(?P<ruff>ruff)", re.I),
    ),
    PeerChoice(
        "type checker",
        "type typing check checker",
        lazy_pattern(r"(?P<mypy>mypy)|(?P<pyright>pyright)|(?P<pyre>pyre)|(?P<basedpyright>basedpyright)", re.I),
    ),
    PeerChoice(
        "HTTP client",
        "http request call fetch client",
        lazy_pattern(
            r"(?P<axios>axios)|(?P<fetch>fetch)|(?P<got>got)|(?P<ky>ky)|(?P<superagent>superagent)"
            r"|(?P<ofetch>ofetch)",
            re.I,
        ),
    ),
    PeerChoice(
        "Python HTTP client",
        "http call client",
        lazy_pattern(r"(?P<requests>requests)|(?P<httpx>httpx)|(?P<aiohttp>aiohttp)|(?P<urllib3>urllib3?)", re.I),
    ),
    PeerChoice(
        "dates",
        "date time",
        lazy_pattern(
            r"(?P<moment>moment(?:\.?js)?)|(?P<dayjs>dayjs|day\.js)|(?P<datefns>date-fns)|(?P<luxon>luxon)", re.I
        ),
    ),
    PeerChoice(
        "format of dates",
        "date time timestamp",
        lazy_pattern(
            r"(?P<iso>iso(?:[-[ _]]?8601)?|yyyy-mm-dd)|(?P<unix>unix|epoch|posix[ _]time)"
            r"|(?P<ddmmyyyy>dd\.mm\.yyyy)|(?P<mmddyyyy>mm/dd/yyyy)|(?P<ddmmyyyy2>dd/mm/yyyy)",
            re.I,
        ),
    ),
    PeerChoice(
        "validation",
        "validate validation schema input form",
        lazy_pattern(r"(?P<zod>zod)|(?P<yup>yup)|(?P<joi>joi)|(?P<valibot>valibot)|(?P<ajv>ajv)", re.I),
    ),
    PeerChoice(
        "Python models",
        "validate validation schema model setting data",
        lazy_pattern(
            r"(?P<pydantic>pydantic)|(?P<marshmallow>marshmallow)|(?P<attrs>attrs)|(?P<dataclasses>dataclasses)", re.I
        ),
    ),
    PeerChoice(
        "bundler",
        "bundle bundler build built",
        lazy_pattern(
            r"(?P<webpack>webpack)|(?P<vite>vite)|(?P<rollup>rollup)|(?P<esbuild>esbuild)|(?P<parcel>parcel)"
            r"|(?P<turbopack>turbopack)",
            re.I,
        ),
    ),
    PeerChoice(
        "JavaScript runtime",
        "runtime run script",
        lazy_pattern(r"(?P<node>node(?:\.?js)?)|(?P<deno>deno)|(?P<bun>bun)", re.I),
    ),
    PeerChoice(
        "branching",
        "",
        lazy_pattern(r"(?P<trunkbased>trunk-based(?:[ _]development)?)|(?P<gitflow>git-?[ _]?flow)", re.I),
    ),
    PeerChoice(
        "versions",
        "version versioning release",
        lazy_pattern(
            r"(?P<semver>semver|semantic[ _]version(?:ing|s)?)|(?P<calver>calver|calendar[ _]version(?:ing|s)?)", re.I
        ),
    ),
    PeerChoice("spelling", "english spelling", lazy_pattern(r"(?P<british>british)|(?P<american>american)", re.I)),
    PeerChoice(
        "format of settings",
        "config configuration setting",
        lazy_pattern(r"(?P<yaml>yaml)|(?P<toml>toml)|(?P<json>json)|(?P<ini>ini)", re.I),
    ),
    PeerChoice("line ends", "ending end newline", lazy_pattern(r"(?P<lf>lf|unix)|(?P<crlf>crlf|windows)", re.I)),
    PeerChoice(
        "file uploads",
        "upload file image attachment & store stored save saved kept keep put go",
        lazy_pattern(
            r"(?P<s3>s3)|(?P<gcs>gcs)|(?P<localdisk>local[ _]disk|disk|file[ _]?system)|(?P<database>database)", re.I
        ),
    ),
    PeerChoice(
        "infrastructure",
        "infrastructure infra provision",
        lazy_pattern(
            r"(?P<terraform>terraform)|(?P<pulumi>pulumi)|(?P<cloudformation>cloudformation)|(?P<cdk>cdk)"
            r"|(?P<ansible>ansible)|(?P<opentofu>opentofu)",
            re.I,
        ),
    ),
    PeerChoice(
        "search",
        "search index",
        lazy_pattern(
            r"(?P<elasticsearch>elasticsearch)|(?P<opensearch>opensearch)|(?P<meilisearch>meilisearch)"
            r"|(?P<algolia>algolia)|(?P<typesense>typesense)|(?P<solr>solr)",
            re.I,
        ),
    ),
    PeerChoice(
        "Python ORM",
        "database orm model query",
        lazy_pattern(
            r"(?P<sqlalchemy>sqlalchemy)|(?P<djangoorm>django[ _]orm)|(?P<peewee>peewee)|(?P<tortoise>tortoise)"
            r"|(?P<rawsql>raw[ _]sql)",
            re.I,
        ),
    ),
    PeerChoice(
        "monorepo",
        "monorepo workspace build task",
        lazy_pattern(r"(?P<turborepo>turborepo|turbo)|(?P<nx>nx)|(?P<lerna>lerna)|(?P<bazel>bazel)", re.I),
    ),
    PeerChoice(
        "documentation",
        "documentation docs",
        lazy_pattern(
            r"(?P<mkdocs>mkdocs)|(?P<sphinx>sphinx)|(?P<docusaurus>docusaurus)|(?P<vitepress>vitepress)", re.I
        ),
    ),
    PeerChoice(
        "errors",
        "error fail failure",
        lazy_pattern(
            r"(?P<raise>(?:raise|throw)(?:s|ing)?(?:[ _]\w+)?[ _](?:exceptions?|errors?))"
            r"|(?P<return>return(?:s|ing)?[ _](?:\w+[ _])?(?:error[ _]values?|errors?|results?|codes?))",
            re.I,
        ),
    ),
    PeerChoice(
        "asynchronous code",
        "async asynchronous callback promise chain",
        lazy_pattern(
            r"(?P<await>async/await|await)|(?P<callbacks>callbacks?)|(?P<promise>promise[ _]chains|\.then)", re.I
        ),
    ),
)
