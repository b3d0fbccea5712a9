"""Tools of which a project uses one for a purpose, with the words and the symbols of code by which each is known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from inspector.engine.facts import stem_set

_TOOLS = """
JavaScript packages [install dependency package manager script run]: npm | pnpm | yarn | bun
Python packages [install dependency package environment add]: `pip | poetry | uv | pipenv | conda | pdm
JavaScript tests [test unit spec component]: jest=jest, `jest., `jest.fn, `jest.mock | vitest=vitest, `vi., `vi.fn, \
`vi.mock | mocha | jasmine
browser tests [test e2e end browser]: playwright | cypress=cypress, `cy. | selenium | puppeteer
Python tests [test unit]: pytest=pytest, `pytest. | unittest=unittest, `unittest.testcase, `testcase, \
`self.assertequal
JavaScript formatter [format code]: prettier | biome | dprint
Python formatter [format code]: black | yapf | autopep8
type checker [type check]: mypy | pyright
client state [state client global store ui shared feature]: redux=redux, redux toolkit, `createslice, `useselector, \
`usedispatch, `configurestore, `createasyncthunk | zustand | mobx=mobx, `makeautoobservable | jotai | recoil | pinia \
| vuex
server state [state server data fetch cache request]: react query=tanstack query, react query, react-query, \
`usequery, `usemutation | swr=swr, `useswr | apollo
HTTP client [http request call api fetch]: axios | fetch=`fetch, `window.fetch | ky=`ky
dates [date time]: moment=moment.js, `moment | dayjs=dayjs, day.js | date-fns | luxon
validation [validate schema input form]: zod=zod, `z. | yup | joi | valibot
JavaScript database [database query schema model]: prisma | drizzle | typeorm | sequelize | knex | kysely
Python database [database query schema model]: sqlalchemy=sqlalchemy, `sa. | peewee | tortoise | django orm
styles [style component css page]: tailwind=tailwind, tailwindcss | styled-components=styled-components, styled \
components, `styled. | emotion | css modules=css modules, css module, `module.css | vanilla-extract | bootstrap
UI library [ui component]: mui=mui, material ui | chakra=chakra, chakra ui | shadcn=shadcn, shadcn/ui | ant \
design=antd, ant design | mantine
forms [form]: react hook form=react hook form, react-hook-form, `useform | formik
Python HTTP client [http request call client api]: requests=`requests, `requests. | httpx=httpx, `httpx. | aiohttp
Python log [log logger message]: loguru | structlog | logging=`logging., `logging
JavaScript log [log logger message]: winston | pino | console=`console., `console.log
Go log [log logger message]: zap=zap, `zap. | zerolog | logrus | slog=slog, `slog.
Go assertions [test assert assertion]: testify=testify, `require., `assert.equal, `assert.noerror, `require.noerror \
| go-cmp=go-cmp, `cmp.diff
Java mocks [mock test]: mockito | easymock | mockk
Java assertions [test assert assertion]: assertj=assertj, `assertthat | hamcrest
Java tests [test unit]: junit=junit, junit 5 | testng | spock | kotest
accessors [class field]: lombok=lombok, `@data, `@builder, `@getter, `@setter, `@slf4j, `@requiredargsconstructor, \
`@allargsconstructor, `@noargsconstructor
Kotlin injection [injection inject dependency]: hilt | koin | dagger
data frames [data frame table dataframe]: pandas=pandas, `pd., `pd.dataframe, `pd.series | polars=polars, `pl., \
`pl.dataframe
training [train model training]: pytorch=pytorch, `torch., `torch | tensorflow=tensorflow, `tf. | jax=jax, `jnp. | \
keras
experiments [experiment run metric tracking]: mlflow=mlflow, `mlflow. | wandb=wandb, `wandb., weights biases | \
neptune
pipelines [pipeline job schedule dag]: airflow | dagster | prefect | luigi
infrastructure [infrastructure resource]: terraform | pulumi | cloudformation | cdk
CI [ci pipeline build workflow]: github actions | circleci | jenkins=jenkins, jenkinsfile | travis | gitlab ci | \
buildkite
Python jobs [job task background queue]: celery=celery, `@shared_task | dramatiq | huey
Ruby jobs [job task background queue]: sidekiq=sidekiq, `perform_async | resque | delayed job | good job | solid \
queue
broker [message event queue publish]: rabbitmq | kafka | sqs | nats
Java build [build]: gradle=gradle, gradlew, `./gradlew | maven=maven, mvn, `./mvnw, `pom.xml | ant=`build.xml
Rust server [server http route]: axum | actix=actix, actix-web | rocket | warp
Rust runtime [runtime async]: tokio | async-std | smol
Swift concurrency [async asynchronous network request call work]: combine=combine, `anypublisher, \
`passthroughsubject, `sink, `currentvaluesubject, `@published | async await=async/await, structured concurrency
Swift packages [dependency package]: spm=spm, swift package manager, `package.swift | cocoapods=cocoapods, `pod, \
`podfile | carthage=carthage, `cartfile
Flutter state [state widget]: riverpod=riverpod, `ref.watch | bloc=bloc, `blocbuilder | getx=getx, `getxcontroller
Ruby tests [test spec]: rspec | minitest
Ruby data [test data]: factories=factory_bot, factorybot | fixtures=fixtures, yaml fixtures
PHP tests [test]: pest | phpunit
.NET tests [test unit]: xunit | nunit | mstest
.NET mocks [mock test]: moq=`moq, moq | nsubstitute | fakeiteasy
.NET database [database query data]: ef core=ef core, entity framework, `dbcontext | dapper
database [database data store persist]: postgres=postgres, postgresql | mysql | mariadb | mongodb=mongodb, mongo
documentation [documentation docs site]: mkdocs | sphinx | docusaurus | vitepress
hooks [hook commit]: husky | lefthook | pre-commit
translations [translation string text]: i18next=i18next, `usetranslation | formatjs=formatjs, react-intl | lingui
errors [error report crash]: sentry | rollbar | bugsnag | honeybadger
analytics [event track analytics]: posthog | mixpanel | amplitude
mail [mail email send]: sendgrid | postmark | mailgun
monorepo [task build workspace]: turborepo=turborepo, turbo | nx | lerna
releases [release version]: changesets=changesets, changeset | semantic-release | release-please
commits [commit message]: conventional commits=conventional commits, conventional-commit, conventional commit | \
gitmoji
branches [branch]: trunk-based=trunk-based | gitflow=gitflow, git-flow
utilities [utility helper]: lodash=lodash, `_. | ramda
DOM [dom]: jquery=jquery
Vue API [component vue api]: composition=composition api, `script setup | options=options api
spelling [spelling english orthography]: american=american spelling, american english | british=british spelling, \
british english, british orthography
header guards [header guard]: pragma=`pragma once, `#pragma | macros=include guards, `#ifndef
Unity waiting [time run delay]: unitask | coroutines=coroutine, coroutines, `startcoroutine, `ienumerator
Elixir tests [test mock]: mox=mox, `mox. | meck
Go server [server http route router]: gin=`gin., gin | chi=chi, `chi. | echo=`echo. | fiber=`fiber. | gorilla
Go errors [error wrap wrapping]: fmt=`fmt.errorf | pkg/errors=`errors.wrap, `errors.wrapf | xerrors=`xerrors.errorf
Go database [database query sql]: gorm=gorm, `gorm. | sqlc | ent=`ent.
search [search index]: elasticsearch | opensearch | meilisearch | algolia | typesense
flags [flag feature]: launchdarkly | unleash | flagsmith
secrets [secret credential]: vault | doppler | 1password | sops
containers [container image]: docker | podman
hosting [deploy host run]: kubernetes=kubernetes, k8s | heroku | vercel | netlify | fly=fly.io
"""
"""Purposes with words of sentences about them, and their tools. A form after "`" counts in code only; one that ends
with "." is the start of a name in code."""


class ProjectTool(NamedTuple):
    """A tool, and what a project uses it for."""

    purpose: str
    name: str


@cache
def tool_forms() -> tuple[Mapping[str, Sequence[tuple[tuple[str, ...], ProjectTool]]], Mapping[str, ProjectTool]]:
    """Return the forms in prose by their first words, longest first, and those that count in code only."""
    plain: dict[str, list[tuple[tuple[str, ...], ProjectTool]]] = defaultdict(list)
    code: dict[str, ProjectTool] = {}
    for line in _TOOLS.strip().split("\n"):
        head, _, row = line.partition("]: ")
        purpose = head.partition(" [")[0]
        for value in row.split(" | "):
            name, _, forms = value.partition("=")
            tool = ProjectTool(purpose, name.strip().removeprefix("`"))
            for form in (forms or name).split(","):
                words = form.strip()
                if words.startswith("`"):
                    code[words[1:]] = tool
                else:
                    plain[words.split()[0]].append((tuple(words.split()), tool))
    for rows in plain.values():
        rows.sort(key=lambda row: -len(row[0]))
    return plain, code


@cache
def words_of_purpose(purpose: str) -> frozenset[str]:
    """Return the stems of words that any sentence about a purpose may have."""
    line = next(line for line in _TOOLS.strip().split("\n") if line.startswith(f"{purpose} ["))
    return stem_set(line.partition("[")[2].partition("]")[0])
