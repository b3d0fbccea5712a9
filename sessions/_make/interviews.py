"""Four short chats in the form of chat collections: somebody practises an interview, the model asks the questions."""

from __future__ import annotations

import json

from .prose import prose

Turn = tuple[str, str]
BEES: list[Turn] = [
    (
        "human",
        "Local radio wants ten minutes with me about my bees on Saturday, live. I keep nine hives on the flat roof "
        "of the fire station. Ask me what they would ask, one question at a time, and be a bit nasty.",
    ),
    (
        "gpt",
        "Good evening. Nine hives on a fire station: isn't that the last place where one wants forty thousand "
        "stinging insects?",
    ),
    (
        "human",
        "Each of those has about forty thousand in June, so it is more like three hundred and sixty thousand. The "
        "crew were asked first. They voted 21 to 2, and the two now have a hive each.",
    ),
    (
        "gpt",
        "That answer is gold, start with it. Next: one of your neighbours was stung last summer and went to "
        "hospital. Do you sleep well?",
    ),
    (
        "human",
        "That was in July, a wasp, on the terrace of the café. I know because I brought her flowers and she laughed. "
        "But I do carry adrenaline up there, two pens, dated March 2027.",
    ),
    (
        "gpt",
        "Say the part with the flowers before the word wasp, or it sounds like an excuse. Now the money: honey from "
        "a roof at eleven euros a jar, who pays for that?",
    ),
    (
        "human",
        "Nobody. I sell none. 84 kilos last year, all of it went to the old people's home in Bridge Lane, for their "
        "baking.",
    ),
    (
        "gpt",
        "Then don't let them introduce you as a seller. Last one, the classic: are city bees taking food from wild "
        "bees?",
    ),
    (
        "human",
        "Yes, they can. That is why I went from fourteen hives to nine in 2024, and why the roof is sown with "
        "bellflower and bugle, which mine hardly visit.",
    ),
    (
        "gpt",
        "You have just admitted something live on air and come out stronger. For Saturday: 21 to 2 first, flowers "
        "before the wasp, 84 kilos to Bridge Lane, fourteen down to nine. If you forget all else, keep those four.",
    ),
]
BELLS: list[Turn] = [
    (
        "human",
        "I am to interview my grandfather for the village chronicle. He cast bells until 1979 and hates long "
        "questions. Help me with five short ones. We have an hour, he tires after that.",
    ),
    (
        "gpt",
        "Begin with his hands, not with the bells: 1. What did your hands look like on a Friday evening? What is he "
        "proudest of, do you know?",
    ),
    (
        "human",
        "The one in Saint Brannoc, 1,140 kilos, note e flat. He heard it on his wedding day in 1961. And he once "
        "lost one, it cracked on the second stroke.",
    ),
    (
        "gpt",
        "Then: 2. What did you hear first on your wedding day? (He will get to the bell by himself.) 3. Which one do "
        "you not speak of? Ask it late, and then be silent for as long as it takes.",
    ),
    ("human", "He may get angry at number three."),
    (
        "gpt",
        "He may. Put an easy one before it: 3. How does one tell from the smoke that the metal is ready? Then the "
        "cracked one as 4. And to end, give him the last word: 5. Who should ring for you, and which bell?",
    ),
    ("human", "Number five made me swallow. I'll take it. Should I record or write?"),
    (
        "gpt",
        "Record, and write down only the numbers: 1,140 kilos, e flat, 1961, 1979. Recordings blur numbers, and "
        "those four are what the chronicle will get wrong otherwise.",
    ),
]
TRAM: list[Turn] = [
    (
        "system",
        "You are the training assistant of a tram company. You practise interviews with applicants. Never tell "
        "whether an applicant will be taken. Ask about one real situation at a time.",
    ),
    (
        "human",
        "I've applied as a driver on line 4. I was a baker for sixteen years, up at two every morning. Where do we "
        "start?",
    ),
    (
        "gpt",
        "With the mornings, since you are used to them. First tram is at 04:36. You have overslept by twenty "
        "minutes: what do you do, in order?",
    ),
    (
        "human",
        "Ring the control room before I look for my socks. Then I go. I overslept twice in sixteen years, both times "
        "I rang first.",
    ),
    (
        "gpt",
        "Good order, and a believable number. Next: a man with a pram at the rear door, you are four minutes late, "
        "the door light goes out. What do you look at?",
    ),
    (
        "human",
        "The mirror, not the clock. Four minutes are four minutes. In the bakery it was the oven: you look at the "
        "bread, not at the timer.",
    ),
    (
        "gpt",
        "Keep the oven, it is your own picture. A passenger shouts that you drive like a baker. The whole car is "
        "listening.",
    ),
    ("human", "I'd say: then you know that everything arrives warm. And drive on."),
    (
        "gpt",
        "That is quick and does not hit back. Now without a joke: somebody lies down in front of the tram at the "
        "stop by the hospital. What is the first thing that you do?",
    ),
    (
        "human",
        "Brake, bell, then hands off everything and call. I would not get out before control has cut the current. I "
        "know that from my cousin, who did get out, in 2018. He does not drive any more.",
    ),
    (
        "gpt",
        "Thank you for telling me that. You may say it in the interview if you want to, and you may leave it out. "
        "The order is right: brake, bell, call, wait for the current.",
    ),
    ("human", "And? Would they take me?"),
    (
        "gpt",
        "That I must not say, and I don't know it. What I can say: ring first, mirror before clock, brake, bell, "
        "call. You have put the order first each time, and that is what they listen for.",
    ),
]
GUIDE: list[Turn] = [
    (
        "human",
        "Tomorrow I have to show 30 ten-year-olds round the salt mine. My first tour! Interview me like a child.",
    ),
    ("gpt", "How deep is it and can we get lost?"),
    (
        "human",
        "216 metres, that is the church tower four times on top of itself. And no: there is one rope along the whole "
        "way, red, and whoever holds the rope can't get lost.",
    ),
    ("gpt", "What if the light goes out?"),
    (
        "human",
        "Then we are all quiet for ten seconds and listen to the salt. It crackles. I do that anyway, at the third "
        "hall, so nobody has to be afraid of it later.",
    ),
    ("gpt", "Can I lick the wall?"),
    (
        "human",
        "Yes! Once, behind the second door, there is a piece that is washed every morning. Not the others, two "
        "hundred years of hands have been there.",
    ),
    ("gpt", "My sister says a horse lives down there."),
    (
        "human",
        "Lived. She was called Minka and pulled the carts until 1953, and when she came up she would not eat grass "
        "at first because she did not know it.",
    ),
    (
        "gpt",
        "You are ready. Red rope, ten quiet seconds, the second door, Minka. Just don't begin with the 216 metres, "
        "begin with the rope: those who are afraid hear nothing before they know that.",
    ),
]
TITLES = {"bees-on-the-roof": BEES, "the-cracked-bell": BELLS, "tram-driver": TRAM, "salt-mine-tour": GUIDE}


def make() -> dict[str, str]:
    """The file of this sample, by name."""
    chats = [
        {"id": key, "conversations": [{"from": who, "value": prose(text)} for who, text in turns]}
        for key, turns in TITLES.items()
    ]
    return {"interviews.json": json.dumps(chats, ensure_ascii=False, indent=1) + "\n"}
