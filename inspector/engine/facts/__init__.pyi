from inspector.engine.facts.cache import FactCache as FactCache
from inspector.engine.facts.classes import (
    CLASSES as CLASSES,
    NAMES as NAMES,
    SENTENCES as SENTENCES,
    FactClass as FactClass,
    SentenceClass as SentenceClass,
    Source as Source,
    Weights as Weights,
    fact_class as fact_class,
)
from inspector.engine.facts.classify import (
    SentenceClassifier as SentenceClassifier,
    sentence_classes as sentence_classes,
)
from inspector.engine.facts.extraction import Fact as Fact, extract as extract, read_numbers as read_numbers
from inspector.engine.facts.fact_extracts import FACTS_EXTRACTOR as FACTS_EXTRACTOR
from inspector.engine.facts.fact_index import FactIndex as FactIndex, FactRecord as FactRecord
from inspector.engine.facts.instructions import is_imperative as is_imperative
from inspector.engine.facts.needs import Need as Need, Regret as Regret
from inspector.engine.facts.quotes import quote as quote
from inspector.engine.facts.relation import (
    RelatedText as RelatedText,
    content_words as content_words,
    is_negated as is_negated,
    related_text as related_text,
    sentence_of as sentence_of,
)
from inspector.engine.facts.retained_facts import (
    STATES as STATES,
    RetainedFact as RetainedFact,
    Retention as Retention,
    State as State,
)
from inspector.engine.facts.retention import FactTracker as FactTracker, kept_in as kept_in
from inspector.engine.facts.sentence_ends import sentences_of as sentences_of
from inspector.engine.facts.sentence_facts import (
    decides_or_fails as decides_or_fails,
    message_classes as message_classes,
    source_of as source_of,
    spoken_sentences as spoken_sentences,
    text_classes as text_classes,
)
from inspector.engine.facts.stated_texts import StatedTexts as StatedTexts
from inspector.engine.facts.summary_facts import units_of as units_of
from inspector.engine.facts.text_match import arguments_in as arguments_in
from inspector.engine.facts.todo_calls import closed_tasks as closed_tasks
from inspector.engine.facts.unmet_needs import find_unmet_needs as find_unmet_needs
from inspector.engine.facts.value_sources import source_words as source_words
from inspector.engine.facts.word_matches import best_match as best_match, shared_words as shared_words
from inspector.engine.facts.word_presence import may_relate as may_relate, may_restate as may_restate
from inspector.engine.facts.word_stems import stem as stem, stem_set as stem_set
