"""Facts: what a conversation tells that cannot be guessed again, what of it is kept, and what is missed later.

    index = FactIndex(session)              # read once; `index.extended(messages)` when the log grows
    ledger = FactTracker(index)                  # one for each replay
    for each turn:
        ledger.add(messages)                # what has entered the log since the turn before
        ledger.show(turn, window, archived) # only where a compression changed the window
        missed(ledger, turn, reply)         # what the reply needed and the window did not hold
        ledger.retention()                  # how many facts of each class are retained, named, recoverable, lost

No model is asked. Facts are found by patterns, and the recording is the judge of what was needed: a fact is regretted
when a reply, as it was recorded, says it or gives it to a tool while it was neither in the window nor to be had back.
A reply that misses several facts is one regret.

What the extractor gets wrong (`python -m tests.benchmarks.facts --misses` prints all of it for the labelled sample):

- It reads English. In other languages paths, addresses, ids, numbers with a sign, days in digits and code are found,
  and sentences are not.
- Constraints, decisions and things to do are known by words that say so ("must", "never", "only", "decided", "next"),
  and by who says them. In a system prompt every imperative is a rule, and so is every sentence with "should", "cannot"
  or "needs to"; what people type rules by wishes ("I'd rather", "without moving it", "keep all of the names") and
  decides by answers ("yes, go ahead", "let's store it apart"). "Remove the second column", typed, may be a rule, a
  choice or a step: it is none here. An agent's own "let's look" is no decision, and its "should" no rule.
- A warning or a piece of advice that says "must" or "don't" is taken for a constraint. "When sources contradict each
  other, say so", outside of a system prompt, "keep exactly that formula" and "An exchange, please." are missed.
- A failure that somebody tells in words without a sign of it ("it prints 344, and 345 is right") is missed. A line that
  begins with a place in a file and says something behind it is taken for the message of a compiler or a linter.
- Numbers in words ("nine hives"), numbers in the cells of a table without a unit, pairs ("21 to 2"), and where a range
  begins ("3-4 days" tells 4 days) are missed. A number in a formula may be taken for a setting ("score = 0.5 night").
- Ids that look like words or like any number are missed: postcodes, bank accounts, codes of two characters. Capitals
  without any digit are an id only behind a key that says so ("reservation HKTRWQ").
- Years in a list and a winter ("2026/27") are missed; "the 9th" is a day wherever no noun follows it.
- Of names in code only those count that are defined there, stand in a traceback or between backticks, or that no
  ordinary word looks like. Names that are only imported, called or passed on are told, and are no facts.
- What an output of a tool puts in quotation marks is code more often than a quotation, and is left out; so is all that
  pictures and attached documents show.

And what the counting makes of it:

- A number of three digits and more is the same wherever it stands. So 306 minutes are retained while any 306 is in the
  window: fewer losses are seen than there are, never more. To be *needed*, a number must be longer, or named the same.
- A sentence told in other words is retained when one line has three quarters of its words and all of its numbers.
- What the model knew by itself is regretted where no rule knows it for that: a regret says that the recording used the
  fact, not that the model would have failed without it.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
