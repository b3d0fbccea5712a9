"""Facts: values and statements of a conversation that cannot be guessed, and whether a compressed window retains them.

    index = FactIndex(session)               # read once; `index.extended(messages)` when the log grows
    tracker = FactTracker(index)             # one per replay
    for each turn:
        tracker.add(messages)                # messages logged since the previous turn
        tracker.show(turn, window, archived) # only if a compression changed the window
        find_unmet_needs(tracker, turn, reply) # facts the reply needed that the window did not contain
        tracker.retention()                  # counts by class: retained, named, recoverable, lost

No model is used. Facts are found by patterns, and the recording decides which of them were needed: a fact counts as a
regret if a recorded reply states it or passes it to a tool while it was neither in the window nor recoverable. A reply
that misses several facts is one regret.

Known errors of the extractor (`python -m tests.benchmarks.facts --misses` prints all of them for the labelled sample):

- Sentences are recognised in English only. In other languages it still finds paths, URLs, ids, signed numbers, numeric
  dates and code.
- Constraints, decisions and tasks are recognised by cue phrases ("must", "never", "only", "decided", "next") and by
  speaker, and confirmed by a linear model (`sentence_model`). In a system prompt every imperative is a rule, and so is
  every sentence with "should", "cannot" or "needs to". Users state rules as wishes ("I'd rather", "without moving it",
  "keep all of the names") and decisions as answers ("yes, go ahead", "let's store it apart"). A typed "Remove the
  second column" could be a rule, a choice or a step, and is not classified. An agent's "let's look" is not a decision,
  and its "should" is not a rule.
- Some warnings and advice with "must" or "don't" are classified as constraints. Outside a system prompt, "When sources
  contradict each other, say so" is missed.
- Failures described without any error cue ("it prints 344, and 345 is right") are missed. A line that starts with a
  file position followed by text is classified as a compiler or linter message.
- Numbers in words ("nine hives"), table cells without a unit, scores ("21 to 2") and the start of a range ("3-4 days"
  yields 4 days) are missed. A number in a formula can be read as a setting ("score = 0.5 night").
- Ids that look like words or plain numbers are missed: postcodes, bank accounts, two-character codes. Capital letters
  without a digit are an id only after a key that names one ("reservation HKTRWQ").
- Years in a list and seasons ("2026/27") are missed. "the 9th" is a date unless a noun follows it.
- Names in code are facts only if they are defined there, appear in a traceback or between backticks, or cannot be
  ordinary words. Names that are only imported, called or passed on are recorded but are not facts.
- Quoted strings in tool output are usually code and are ignored, as is everything in images and attached documents.

Known errors of the counting:

- A number with three or more digits is the same fact wherever it appears. "306 minutes" counts as retained while any
  306 is in the window: this undercounts losses and never overcounts them. To be *needed*, a number must be longer or
  have the same name.
- A reworded sentence counts as retained if a text has most words of its main clause close to each other, and all of its
  numbers. A value in a summary counts as retained near words of a sentence that stated it (`relation`).
- Knowledge the model already had counts as a regret unless a rule excludes it. A regret says that the recording used
  the fact, not that the model would have failed without it.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
