"""Choices of which a project makes one, in words of rules."""

from __future__ import annotations

CHOICES = """
package manager [~install dependency package ci add workspace]: npm | pnpm | yarn | bun
Python packages [~install dependency package add python environment virtualenv venv set]: pip | poetry | uv | pipenv\
 | conda | pdm | hatch
Rust or C build [build]: cmake | meson | bazel | make | ninja
Java build [build gradle maven java]: gradle=gradle, gradlew, ./gradlew | maven=maven, mvn, ./mvnw | ant
indentation [indent indentation space ~script level per]: tabs | spaces=spaces, two spaces, 2 spaces, four spaces, 4\
 spaces
indentation width [indent indentation space ~script level per]: 2=2 spaces, two spaces, 2-space, two-space | 4=4 \
spaces, four spaces, 4-space, four-space | 8=8 spaces, eight spaces, 8-space
quotes [quote single-quoted double-quoted ~string text]: single=single, single-quoted | double=double, double-quoted
semicolons [semicolon]: with=end with, use, add, terminate | without=omit, skip, leave, without
database [database db data persist persistence store storage run use production migrate]: postgres=postgresql, \
postgres | mysql | mariadb | sqlite | mongo=mongodb, mongo | oracle | dynamodb | cassandra | cockroachdb
warehouse [analytics warehouse report reporting]: bigquery | snowflake | redshift | clickhouse | databricks | duckdb
weekday*: monday=monday, mondays | tuesday | wednesday | thursday | friday | saturday | sunday
frequency*: hourly=hourly, every hour, once an hour, each hour | daily=daily, nightly, every day, every night, once \
a day, each day, each night | weekly=weekly, every week, once a week, each week | monthly=monthly, every month, once\
 a month, each month | yearly=yearly, annually, every year, once a year | quarterly=quarterly, every quarter, once a\
 quarter
test runner [test testing spec unit]: jest | vitest | mocha | jasmine | ava | karma
Python test runner [test testing ~plain function class]: pytest | unittest=unittest, unittest.testcase | nose=nose, \
nose2 | tox | nox
browser tests [test testing e2e browser end-to-end]: playwright | cypress | selenium | puppeteer | testcafe
HTTP mocks [mock stub http test ~external service]: nock | msw | mirage | wiremock
formatter [format formatting formatter code]: prettier | biome | dprint
Python formatter [format formatting formatter python code]: black | yapf | autopep8 | ruff=ruff format, ruff
linter [lint linter linting check]: eslint | biome | oxlint | standardjs | tslint
Python linter [lint linter linting check python style]: flake8 | pylint | ruff
type checker [type typing check checker]: mypy | pyright | pyre | basedpyright
language of replies [answer answers reply respond response speak talk communicate explain conversation ~user]: \
english | spanish | german | french | italian | portuguese | dutch | japanese | chinese | korean | russian | polish \
| turkish
language of texts* [write written comment document documentation interface ui readme message commit issue email mail\
 newsletter string error text ~send]: english | spanish | german | french | italian | portuguese | dutch | japanese \
| chinese | korean | russian | polish | turkish
mother tongue [native natively tongue ~speak mother]: english | spanish | german | french | italian | portuguese | \
dutch | japanese | chinese | korean | russian | polish | turkish | ukrainian | arabic | hindi
spelling [english spelling spell]: british | american
theme [mode theme]: dark | light
merge method [merge merging merged pr prs pull commit history ~request branch feature]: squash=squash, squash-merge, \
squash-merged | rebase=rebase merge, rebase and, rebase-merge, rebase-merged | merge commit=merge commit, merge \
commits, every commit, individual commits, all \
commits, each commit | fast-forward
update of branches [branch update ~feature git]: rebase | merge=merge main, merge master, merge develop
commit style [commit message ~prefix like subject start begin]: conventional=conventional commits, feat, fix, chore \
| gitmoji | ticket=ticket, ticket number, issue number, issue key, jira key
commit mood [commit message]: imperative | past=past tense, past | present tense
time zone [time timestamp date ~store save saved log]: utc | local=local time, local timezone, local time zone | \
server=server time
naming [~name]: camelcase=camelcase, camel case | snake_case=snake_case, snake case | kebab-case=kebab-case, kebab \
case | pascalcase=pascalcase, pascal case | screaming=screaming_snake_case, upper_case, upper_snake_case
letters [case keyword letter sql]: upper=upper case, uppercase, upper-case, capitals, capital letter | lower=lower \
case, lowercase, lower-case
server state [state data fetch fetching query request cache]: react query=react query, react-query, tanstack query |\
 swr | apollo | rtk query
state library [state store ~global shared client slice]: redux=redux toolkit, redux | zustand | mobx | jotai | \
recoil | pinia | vuex | xstate
ORM [orm orms sql model query database db schema access]: prisma | drizzle | typeorm | sequelize | knex | kysely
Python ORM [orm database query model]: sqlalchemy | django orm | peewee | tortoise | raw sql
styles [style styling css component layout design utility class]: tailwind=tailwind, tailwindcss | \
styled-components=styled-components, styled components | css modules=css modules, .module.css | emotion | sass=sass,\
 scss | vanilla-extract | inline styles | plain css=plain css, vanilla css | bootstrap
layout [layout page css]: grid=css grid, grid | flexbox=flexbox, flex | float=floats, float
UI library [ui component button dialog come]: mui=mui, material ui | chakra=chakra, chakra ui | shadcn=shadcn, \
shadcn/ui | ant design=antd, ant design | mantine
docstring style [docstring ~public function method class module document comment]: google=google, google-style | \
numpy=numpy, numpydoc, numpy-style | sphinx=sphinx, \
restructuredtext, rest | epytext
log library [log logging output debug]: loguru | structlog | winston | pino | logrus | zerolog | slog | print=print,\
 print(), console.log | logging module=logging module
log format [log logging]: json=json, structured | text=plain text, human-readable
log level [level log ~error]: debug=debug level, level debug, at debug | info=info level, level info, at info | \
warn=warn level, level warn, at warn, warning level, level warning, at warning | error=error level, level error, at \
error | critical=critical level, level critical, at critical
editor [editor edit code]: vim | neovim | emacs | vs code=vs code, vscode | pycharm | intellij | zed
API style [endpoint api query client service dashboard]: rest=rest, restful | graphql | grpc | trpc | soap
queue [queue job background message messaging broker]: redis | rabbitmq | kafka | sqs | nats | bullmq | sidekiq | \
celery | solid queue | resque | delayed job | good job | dramatiq | huey | hangfire
cache [cache caching]: redis | memcached
sessions [session]: redis | postgres=postgres, postgresql | memory=memory, in-memory | cookies=cookies, cookie | \
memcached | jwt=jwt, jwts
experiment tracker [experiment run training metric ~track log logged every]: mlflow | wandb=weights biases, wandb | \
neptune | comet | clearml
error tracker [error exception crash report ~log send]: sentry | rollbar | bugsnag | honeybadger | airbrake
password hash [password]: bcrypt | argon2=argon2, argon2id | scrypt | pbkdf2 | md5
kind of id [id ids identifier key ~auto primary]: uuid=uuid, uuids, uuidv4, uuidv7 | ulid=ulid, ulids | \
integer=auto-incrementing, auto-incremented, auto-increment, autoincrement, serial, sequential integers, integers, \
bigint, bigserial | nanoid
money [money price amount currency total balance]: integer=cents, integers, integer, minor units | decimal=decimal, \
decimals, numeric | float=float, floats, floating point
frontend framework [frontend ui component client spa app interface page view]: react | vue=vue, vue.js, vuejs | \
svelte=svelte, sveltekit | angular | solid=solidjs, solid.js | preact | htmx
backend framework [backend server api service endpoint route app]: django | flask | fastapi | express=express, \
express.js | fastify | nestjs | rails | spring=spring, spring boot | laravel | gin | echo
component kind [component ~react es6]: class=class, classes, class-based, class components | function=functional, \
functions, function components, hooks
function syntax [function component callback handler declare]: arrow=arrow functions, arrow function, arrow | \
keyword=function keyword, function declarations, function declaration, named functions
Vue API [component vue api script]: options=options api | composition=composition api
exports [export ~component]: default | named
imports [import]: relative | absolute
reuse [inheritance composition class compose composing extend ~core/ base object]: inheritance=inheritance, base \
class, base classes, extend | composition=composition, compose, composing
default of flags [flag toggle]: off=off, disabled | on=on, enabled
variables [variable declare default const let]: const | let | var
place of tests [test spec ~folder directory top-level source component module cover file they]: next=next to, \
alongside, colocated, co-located, same folder, same directory | apart=top-level, own folder, separate folder, \
separate directory, dedicated folder, tests/, test/, tests folder, tests directory
place of types [type]: next=next to, alongside, colocated, co-located | apart=src/types, types/, central, one place,\
 collected
place of secrets [secret credential token password]: env=.env, env, .env files, environment variables | vault | \
keychain | secrets manager=secrets manager, secret manager | 1password | doppler
test database [test&database db]: memory=in-memory, sqlite | staging | production | container=container, containers,\
 testcontainers, docker
CI [ci pipeline build workflow]: github actions | circleci | jenkins | travis=travis, travis ci | gitlab ci | \
buildkite
hosting [deploy deployment hosted hosting run production]: kubernetes=kubernetes, k8s | nomad | ecs | fly=fly.io | \
heroku | vercel | netlify | cloudflare=cloudflare pages, cloudflare workers, cloudflare | lambda | systemd | render
cloud [cloud deploy deployment hosted infrastructure run]: aws | gcp=gcp, google cloud | azure | hetzner | \
digitalocean
object storage [upload file image attachment artifact store backup asset export]: s3=s3, amazon s3 | gcs=gcs, google\
 cloud storage, cloud storage | disk=local disk, disk, filesystem, file system | database=database, postgres | azure\
 blob=azure blob, blob storage | r2=r2, cloudflare r2 | minio
sign-in [auth authentication authenticate login log-in sign-in session]: jwt=jwt, jwts | cookies=session cookies, \
cookies, cookie, server-side sessions | basic auth | oauth=oauth2, oauth
HTTP client [http request call fetch client]: axios | fetch=fetch, fetch api | got | ky | superagent | ofetch
Python HTTP client [http call client]: requests=requests library, requests | httpx | aiohttp | urllib=urllib3, \
urllib
date order [date ~ui show day first way]: american=american, mm/dd | european=european, dd/mm
date library [date time ~parse parsed parsing]: moment=moment, moment.js, momentjs | dayjs=dayjs, day.js | date-fns \
| luxon | temporal
date format [date time timestamp ~show display render second millisecond utc]: iso=iso, iso-8601, iso 8601, iso8601,\
 yyyy-mm-dd | unix=unix, epoch, posix time | dd.mm.yyyy | mm/dd/yyyy | dd/mm/yyyy
validation [validate validation schema input form]: zod | yup | joi | valibot | ajv
Python models [validate validation schema model setting data ~inherit extend]: pydantic=pydantic, \
pydantic.basemodel, basemodel | marshmallow | attrs | dataclasses=dataclass, dataclasses
bundler [bundle bundler build built]: webpack | vite | rollup | esbuild | parcel | turbopack
JavaScript runtime [runtime run script]: node=node, node.js | deno | bun
branching: trunk-based=trunk-based, trunk based | gitflow=gitflow, git-flow, git flow
main branch [branch pr prs pull target ~off against request feature start open]: main=main | master | \
develop=develop, dev
versions [version versioning release ~number]: semver=semver, semantic versioning, semantic versions | \
calver=calver, calendar versioning, dates, date
settings format [config configuration setting]: yaml | toml | json | ini
line ends [ending end newline]: lf=lf, unix | crlf=crlf, windows
infrastructure [infrastructure infra provision ~change template]: console=console, aws console | terraform | pulumi \
| cloudformation | cdk | ansible | opentofu
search engine [search index]: elasticsearch | opensearch | meilisearch | algolia | typesense | solr
monorepo [monorepo workspace build task]: turborepo=turborepo, turbo | nx | lerna | bazel
documentation tool [documentation docs]: mkdocs | sphinx | docusaurus | vitepress
errors [error fail failure exception failing fails ~function handle]: raise=raise, throw, throws, exceptions | \
return=return none, returns none, return, result type, error codes, error values, result
asynchronous code [async asynchronous callback promise chain]: await=async/await, await | callbacks=callbacks, \
callback | promise=promise chains, .then()
base image [image docker dockerfile container]: alpine | debian=debian, debian-slim, slim | ubuntu | distroless | \
scratch | ubi
API version [endpoint api route url path version]: v1=v1, /v1 | v2=v2, /v2 | v3=v3, /v3
extent of tests [test suite ~finish workspace crate]: all=full, whole, entire, complete, all | part=you changed, \
changed file, \
changed code, changed module, changed test, affected, relevant, related, touched
migration origin [migration ~database sql alembic]: generated=autogenerate, autogenerated, generated, auto-generated\
 | manual=hand, manually, hand-written
form of replies [answer reply response respond explain summary ~full short]: points=bullet points, bullets, lists, \
list, bullet lists, bullet list | text=paragraphs, prose, running text, full sentences | tables=table, tables
length of replies [answer reply response respond explain reason reasoning preamble terse concise brief explanation \
~long short detailed]: short=terse, concise, brief, short, one-liner | long=long, detail, detailed, thorough, \
verbose, step by step, at length
type syntax [type ~interface typescript object]: interface=interface, interfaces | type=type aliases, type alias, \
type
order of tests [test ~add write failing]: before=tests first, test first, failing test first, tdd | after=tests \
after, test after
containers [docker development local locally run]: docker=docker, docker compose, docker-compose, containers | \
native=natively, native
newest [version dependency release api package]: newest=newest, latest | oldest=oldest
deployment trigger [deploy deployment release ship]: automatic=automatically, automatic, by the ci, by ci, triggered\
 by, on merge | manual=hand, manually, manual
imports order [import order sort]: alphabetical=alphabetically, alphabetical | groups=within groups
place of queries [sql query]: files=.sql, .sql files | inline=inline, query builder
units [unit distance measure weight temperature]: metric=metric, kilometers, meters, celsius, km | \
imperial=imperial, miles, feet, pounds, fahrenheit
component place [component]: server=server components, server component, server | client='use client', use client, \
client components
JavaScript language [code file language new script]: typescript=typescript, .ts, ts | javascript=javascript, js, \
.js, plain javascript
synchrony* [~function method call]: async=async, asynchronous, asynchronously, async def | sync=sync, synchronous, \
synchronously
way of making*: generated=generated, auto-generated, autogenerated | manual=hand, manually, hand-written
test files [test spec ~file name call end suffix]: spec=.spec.ts, .spec.tsx, .spec.js | test=.test.ts, .test.tsx, \
.test.js
container engine [image container build run]: docker | podman | buildah
Node versions [node ~version manage manager]: nvm | volta | fnm | asdf | mise | nodenv
Python versions [python&version ~manage manager]: pyenv | asdf | mise
JavaScript target [target compile build emit ~output]: es5 | es6=es6, es2015 | es2017 | es2018 | es2019 | es2020 | \
es2021 | es2022 | es2023 | esnext
version ranges [dependency version pin package ~range]: exact=exact, exact versions | caret=caret, caret ranges | \
tilde=tilde, tilde ranges
ends of functions [return ~function end]: early=early returns, early return, guard clauses | single=single return, \
single exit, one return
markup of documentation [documentation docs write guide manual ~format]: markdown=markdown, md | \
rst=restructuredtext, rst | asciidoc=asciidoc, adoc
SQL parameters [sql parameter placeholder query]: named | positional=positional, question marks
flags [flag feature&flag ~read]: launchdarkly | unleash | flagsmith | configcat | growthbook | files=flags.json, \
flags.yaml, flags.yml, config file | environment=environment variables, env vars
clock [time clock hour ~show display format]: 24=24-hour, 24h, 24 hours | 12=12-hour, 12h, am/pm
rollout [deploy deployment rollout release]: blue-green=blue-green, blue/green | canary | rolling
module system [module import export code file]: esm=es modules, esm, ecmascript modules | commonjs=commonjs, cjs, \
require
literal types [type typescript ~constant]: enum=enum, enums | union=union types, string unions, unions, literal \
unions
absence [value missing absent return result]: null | undefined
Android UI [android ui screen view layout]: compose=jetpack compose, compose | xml=xml, xml layouts
iOS UI [ios ui screen view swift]: swiftui | uikit | storyboards=storyboards, storyboard
Swift packages [swift ios dependency package]: spm=spm, swift package manager | cocoapods | carthage
Flutter state [state flutter widget]: riverpod | bloc | provider | getx
Go router [router go http route ~library]: gin | chi | echo | fiber | gorilla
Rust runtime [async rust runtime]: tokio | async-std | smol
Java tests [test java]: junit | testng | spock
C# tests [test c# .net]: xunit | nunit | mstest
Ruby tests [test ruby spec]: rspec | minitest
PHP tests [test php]: pest | phpunit
mail service [mail email send newsletter]: sendgrid | mailgun | ses=ses, amazon ses | postmark | resend | smtp
payments [payment charge checkout subscription pay]: stripe | paypal | adyen | braintree | mollie | paddle
product analytics [analytics event track tracking]: posthog | mixpanel | amplitude | segment | plausible | matomo | \
google analytics=google analytics, ga4
content network [cdn asset static]: cloudfront | fastly | akamai | bunny
maps [map]: leaflet | mapbox | google maps | openlayers | maplibre
charts [chart graph plot diagram]: d3 | seaborn | altair | bokeh | chart.js | recharts | echarts | plotly | \
highcharts | matplotlib | vega
forms [form]: react hook form=react hook form, react-hook-form | formik | final form
icons [icon]: lucide | heroicons | font awesome | phosphor | feather | tabler
translations [translation translate i18n localization]: i18next=i18next, react-i18next | formatjs=formatjs, \
react-intl | lingui | next-intl | gettext
vector store [vector embedding]: pinecone | qdrant | weaviate | chroma | pgvector | milvus | faiss
data frames [dataframe frame table data]: pandas | polars
command line library [cli command line argument]: click | typer | argparse | docopt | commander | yargs | oclif | \
cobra | clap
task runner [task command script run]: make | just | taskfile | invoke
git hooks [hook]: husky | lefthook | pre-commit | overcommit
shell [shell script write]: bash | zsh | fish | powershell=powershell, pwsh | sh=posix sh, sh
tickets [ticket issue bug task ~track]: jira | linear | github issues | gitlab issues | trello | asana | youtrack
chat [message notify team discuss announce chat]: slack | teams=teams, microsoft teams | discord | mattermost
wiki [document documentation docs write keep wiki page]: confluence | notion | repository wiki=wiki
designs [design mockup]: figma | sketch | penpot
monitoring [monitor monitoring metric alert dashboard]: prometheus | datadog | new relic | cloudwatch
tracing [trace tracing]: jaeger | zipkin | tempo | honeycomb
wire format [message payload serialize wire event]: json | protobuf=protobuf, protocol buffers | msgpack | avro
compression [compress compression response asset]: gzip | brotli | zstd
pagination [pagination paginate page list endpoint]: cursor=cursor, cursors, cursor-based, keyset | offset=offset, \
offsets, offset-based, page numbers
deletion [delete deletion record row user account]: soft=soft, soft-delete, soft-deleted, soft deletes | hard=hard, \
hard-delete, hard-deleted, hard deletes, physically
mutations [mutation submission ~form]: actions=server actions, server action | routes=api routes, api route, route \
handlers, route handler
locking [lock locking]: optimistic | pessimistic
string formatting [format string python]: f-strings=f-strings, f-string | str.format=str.format(), .format() | \
percent=%-formatting, % formatting
paths [path file python]: pathlib | os.path
braces [brace bracket]: same=same line | new=new line, own line
currency [price amount currency invoice bill]: euro=euro, euros, eur | dollar=dollar, dollars, usd | pound=pound, \
pounds, gbp | franc=franc, francs, chf
environment manager [environment virtual virtualenv python]: venv | conda | virtualenv | pipenv | poetry
Next.js router [next.js page route router]: app=app router | pages=pages router
assertions [assert assertion test check]: assert=assert, plain assert | expect | should
audience of names [variable name ~language]: english | german | french | spanish
pull request form [pr ~pull request keep]: draft=draft, drafts | ready=ready
visibility prefix [private member method field]: underscore | hash=#name, #
tone [tone voice speak write address answer reply style formally informally casually ~prefer want]: formal=formal, \
formally, polite | casual=casual, casually, informal, informally, colloquial, relaxed
form of address [customer client user patient guest member visitor greet address ~call]: first=first name, first \
names, given name | last=surname, surnames, last name, last names, family name
time of day* [meeting call work run workout train training study focus deploy appointment session schedule lesson]: \
morning=morning, mornings, before noon, before lunch | afternoon=afternoon, afternoons, after lunch | \
evening=evening, evenings, night, nights, after work
diet [eat diet food meal dish ~be]: vegetarian | vegan | pescatarian | omnivore
hot drink [drink breakfast morning ~prefer]: coffee | tea
operating system [laptop computer machine os pc workstation desktop ~work run]: macos=macos, mac, macbook | windows \
| linux=linux, ubuntu, debian, fedora, arch
phone [phone mobile handset ~carry]: iphone=iphone, ios | android=android, pixel
keyboard layout [keyboard layout]: qwerty | qwertz | azerty | dvorak | colemak
family status: married | single | divorced | engaged
way to work [commute work office ride travel]: bike=bike, bicycle | car=car, drives | train | bus | foot=foot, walks
workplace* [work office]: home=home, remotely, remote | office=office, on site, on-site
contact [contact reach notify message notification reminder ~prefer]: email=email, e-mail, mail | phone=phone, call \
| slack | sms=sms, text message | whatsapp | telegram
Rust errors [error ~return propagate application code enum handle]: anyhow | thiserror | eyre | snafu
Go errors [error wrap wrapped]: fmt=fmt.errorf, %w | pkg/errors=pkg/errors, \
errors.wrap, errors.wrapf | xerrors=xerrors.errorf | cockroachdb=cockroachdb/errors
Rust log [log logging diagnostic print ~crate]: tracing | println=println, println!, eprintln! | env_logger | slog
Rust server [rust server http web route handler]: axum | actix=actix, actix-web | rocket | warp
Rust database [database query sql]: diesel | sqlx | sea-orm
Go database [database query sql orm]: gorm | sqlc | sqlx | ent
Go log [log logging logger]: zap | zerolog | logrus | slog
Java log [log logging logger]: log4j=log4j, log4j2 | logback | java.util.logging
.NET database [database query orm data]: ef core=ef core, entity framework | dapper | nhibernate
.NET mocks [mock test stub]: moq | nsubstitute | fakeiteasy
Java mocks [mock test stub]: mockito | easymock | mockk
Go mocks [mock test stub]: gomock | mockery | moq
Kotlin injection [injection inject dependency]: hilt | koin | dagger
JSON library [json serialize serialization parse]: jackson | gson | moshi | kotlinx.serialization
Python server [server serve run production]: uvicorn | gunicorn | hypercorn | waitress
proxy [proxy tls front ingress]: nginx | caddy | traefik | apache | haproxy
Terraform state [terraform&state]: s3=s3, s3 bucket | local=local file, local, locally | \
cloud=terraform cloud | gcs
game engine [game engine]: unity | unreal | godot | bevy
mobile framework [mobile app ios android]: flutter | react native | expo | ionic | kotlin multiplatform
desktop framework [desktop app]: electron | tauri | qt | gtk
machine learning [train training model network tensor deep]: pytorch=pytorch, torch | tensorflow | jax | keras
workflow scheduler [pipeline orchestrate orchestration dag schedule job etl]: airflow | dagster | prefect | luigi | \
argo
large files [data dataset model binary artifact large version]: dvc | git lfs=git lfs, lfs
identity provider [auth authentication login identity user sign]: auth0 | okta | cognito | keycloak | clerk
content system [cms content article page editor]: contentful | sanity | strapi | wordpress | drupal
site generator [site static blog documentation page publish]: hugo | jekyll | astro | eleventy | gatsby | zola
encoding [encoding encode encoded file text]: utf-8=utf-8, utf8 | latin-1=latin-1, iso-8859-1 | utf-16
separator [csv separator delimiter column separated delimited]: comma=comma, commas, comma-separated | \
semicolon=semicolon, semicolons, semicolon-separated | tab=tab, tabs, tab-separated | pipe=pipe, pipes
graphics format* [~save]: png | jpeg=jpeg, jpg | webp | avif | svg | \
gif
color notation [color colour palette]: hex=hex, hexadecimal | rgb | hsl=hsl, oklch
CSS units [css size spacing font padding margin]: px=px, pixels | rem=rem, rems | em
injection [inject injection injected dependency bean]: constructor=constructor, constructor injection, constructors \
| field=field, field injection, fields, @autowired | setter=setter, setters
architecture [architecture system backend application service split]: microservices=microservices, microservice | \
monolith=monolith, modular monolith | serverless
service calls [service communicate talk exchange]: events=events, messages, event bus, asynchronously | http=http, \
http calls, rest calls, synchronously
change log [changelog change&log release&note]: changesets=changesets, changeset \
| towncrier | manual=manually, hand | conventional-changelog
release tool [release version publish]: semantic-release | release-please | changesets | goreleaser
headings [heading title headline]: sentence=sentence case | title=title case
week start [week calendar]: monday=starts on monday, begins on monday, from monday, monday | sunday=starts on \
sunday, begins on sunday, sunday
calendar [calendar appointment schedule]: google=google calendar | outlook | apple=apple calendar, icloud
notes [note notes knowledge]: obsidian | evernote | onenote | logseq
browser [browser browse ~work main]: firefox | chrome | safari | edge | brave
music [music listen playlist]: spotify | apple music | tidal | youtube music
experience [experience level developer engineer programmer rust python go java]: beginner=beginner, novice, new to, \
newcomer | expert=expert, senior, experienced, veteran
assistant model [model llm assistant prompt completion default]: opus | sonnet | haiku | gpt | gemini | mistral | \
llama
loops [loop iterate list collection transform]: loop=for loop, for loops, loops | functional=map, filter, \
comprehensions, list comprehensions, streams
concatenation [string concatenate concatenation message]: template=template literals, template strings, \
interpolation | plus=concatenation, plus operator
person of texts [documentation docs write text voice instruction guide]: second=second person | first=first person |\
 third=third person
grammatical voice [voice sentence write verb]: active=active voice | passive=passive voice
availability [support hotline service helpdesk desk line reachable available]: always=around the clock, 24/7, day \
and night, at any time | limited=office hours, business hours, working hours, weekdays
texts on screen [string text label message copy ~user see]: translated=l10n, i18n, translation files, translated, \
localized | fixed=hard-coded, hardcoded, inline
programming language [written implemented implement coded programmed rewritten]: python | java | kotlin | scala | \
go=go, golang | rust | c++ | c# | ruby | php | swift | elixir | haskell | clojure | dart
templates [template view page render]: erb | haml | slim | handlebars | pug | jinja=jinja, jinja2 | mustache | \
liquid | \
twig | blade | thymeleaf
drafts of mails [email mail draft]: send=send directly, send right away | draft=draft first, as drafts, as a draft
"""
"""Choices of a project, written by hand: its name, words of which a sentence about it has one, and its values.

A star means that rules with two values must have a common thing. After "=" come the forms of a value.
"""


OPPOSITES = (
    "singular plural, fixed floating, class struct, "
    "keep delete, enable disable, enabled disabled, allow forbid, include exclude, "
    "relative absolute, brief detailed, short long, lowercase uppercase, lower upper, required optional, "
    "many few, small large, sentence title, ground first second third fourth fifth, metric imperial, before after, "
    "manual automatic, manually automatically, eager lazy, eagerly lazily, "
    "early late, ascending descending, newest oldest, top bottom, public private, "
    "mutable immutable, static dynamic, light dark, internal external, past present "
    "imperative, left right, inline separate, one several, strict lenient, on off, first last, "
    "mock real, window aisle, american european, same separate, exact range, home office, deterministic "
    "random, optional mandatory, client server, active passive"
)
"""Words of which a rule about one thing chooses one, written by hand."""
