"""Values of attributes that sentences of memories choose or reject."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.core.text import word_set

# "PostgreSQL 15", "tabs", "Thursdays"
VALUES: Mapping[str, str] = {
    "package manager": r"npm(?! packages?\b)|pnpm|yarn|bun",
    "Python package manager": r"pip|poetry|uv|pipenv|conda",
    "indentation": r"tabs?|spaces",
    "quotes": r"(?:single|double)(?=[- ]quot)",
    "database": r"postgres(?:ql)?|mysql|mariadb|sqlite|mongo(?:db)?|oracle|dynamodb|cassandra|cockroachdb|sql server",
    "weekday": r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?",
    "test runner": r"jest|vitest|mocha|jasmine|ava",
    "Python test runner": r"pytest|unittest|nose2?",
    "browser tests": r"playwright|cypress|selenium|puppeteer",
    "formatter": r"prettier|biome|dprint",
    "language": r"english|spanish|german|french|italian|portuguese|dutch|japanese|chinese|korean|russian|polish"
    r"|turkish",
    "theme": r"(?:dark|light)(?= (?:mode|theme))",
    "merge": r"rebas(?:e|ing)|squash(?:ing)?(?:-merg\w{1,4})?|merge commits?",
    "commit language": r"conventional commits|gitmoji",
    "commit mood": r"imperative|past tense|present tense",
    "time zone": r"utc|local time(?: ?zone)?|server time",
    "naming": r"camelcase|camel case|snake_case|snake case|kebab-case|pascalcase",
    "server state": r"react[- ]query|tanstack query|swr|apollo",
    "state library": r"redux|zustand|mobx|jotai|recoil|pinia|vuex",
    "ORM": r"prisma|drizzle|typeorm|sequelize|knex",
    "styles": r"tailwind(?: ?css)?|styled-components|css modules|emotion|sass|scss",
    "docstring style": r"google|numpy(?:doc)?|sphinx|restructuredtext|epytext",
    "Python formatter": r"black|yapf|autopep8|ruff format",
    "log library": r"loguru|structlog|winston|pino|logrus|zerolog",
    "editor": r"vim|neovim|emacs|vs ?code|pycharm|intellij",
}
ALIASES = {
    "postgresql": "postgres",
    "mongodb": "mongo",
    "tab": "tabs",
    "rebasing": "rebase",
    "squashing": "squash",
    "squash-merge": "squash",
    "squash-merging": "squash",
    "tailwindcss": "tailwind",
    "tailwind css": "tailwind",
    "vscode": "vs code",
    "scss": "sass",
    "camel case": "camelcase",
    "snake case": "snake_case",
    "local time zone": "local time",
    "local timezone": "local time",
    "react-query": "react query",
}
FIRST_WORDS = word_set(
    "npm pnpm yarn bun pip poetry uv pipenv conda tab tabs spaces single double postgres postgresql mysql mariadb "
    "sqlite mongo mongodb oracle dynamodb cassandra cockroachdb sql monday mondays tuesday tuesdays wednesday "
    "wednesdays thursday thursdays friday fridays saturday saturdays sunday sundays jest vitest mocha jasmine ava "
    "pytest unittest nose nose2 playwright cypress selenium puppeteer prettier biome dprint english spanish german "
    "french italian portuguese dutch japanese chinese korean russian polish turkish dark light rebase rebasing squash "
    "squashing merge conventional gitmoji imperative past present utc local server camelcase camel snake_case snake "
    "kebab pascalcase react tanstack swr apollo redux zustand mobx jotai recoil pinia vuex prisma drizzle typeorm "
    "sequelize knex tailwind tailwindcss styled css emotion sass scss google numpy numpydoc sphinx restructuredtext "
    "epytext black yapf autopep8 ruff loguru structlog winston pino logrus zerolog vim neovim emacs vs vscode pycharm "
    "intellij"
)
"""First words of the values."""
