"""The language of a text, by its script and its most common words. Short or mixed texts have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from itertools import chain

from inspector.core.text import lazy_pattern, word_set

_WORDS: Mapping[str, frozenset[str]] = {
    "en": word_set(
        "the a an and is are was were to of in that it for you this with not be have has will would now next all i as "
        "on at by from which they their its we can but if so my your our been do does then there when what also into "
        "only let me how some any no more before after because just don't should could here where why who him her "
        "them these those about please still"
    ),
    "de": word_set(
        "der die das des dem den und ist nicht ich ein eine einen einem einer zu zur zum mit auf für werden wird "
        "wurde es jetzt alle sind noch von im vom am als auch aber wir sie er man nur dann wenn dass hat habe haben "
        "kann nach bei aus oder wie um so ihr sein bereits danach bitte mal mir dir mich dich mein meine kannst "
        "könntest du euch uns warum wieso weshalb was wer wo welche welcher welches diese dieser dieses hier dort "
        "schon gerade immer nie mehr weniger beim zwischen ohne gegen durch damit weil ob denn doch kein keine keinen "
        "muss müssen soll sollen sollte will wollen mach mache zuerst zuletzt liegt läuft gibt geht steht prüfe "
        "schaue erst fehlt"
    ),
    "fr": word_set(
        "le la les l et est une des dans pour que qui sur avec pas ne je nous vous du au aux sont maintenant tous "
        "toutes il elle on ce cette ces puis d se son sa ses par plus mais ou où être été ont fait leur comme d'abord "
        "tout un peux peut pouvez pourrais veux veut tu te ton ta tes mon ma mes pourquoi quand quoi quel quelle "
        "quels quelles ici là déjà encore toujours jamais moins sans contre entre chez donc car si parce bien très "
        "aussi après avant depuis cela ça c'est qu'il qu'elle j'ai n'est d'accord fais faire faut doit dois regarde "
        "vérifie corrige merci manque"
    ),
    "es": word_set(
        "el la los las lo y es una un en para que por con del al se no está están ahora todos todas son como más pero "
        "yo he ha han su sus este esta esto ya si donde dónde cuando después primero luego cada fue ser hay o de muy "
        "sobre también puedes puede podrías quiero quiere tú te tu tus mi mis me nos qué cuál cuáles quién aquí allí "
        "siempre nunca nada algo menos sin contra entre desde hasta porque entonces bien falla falta hace hacer debe "
        "debes tengo tiene tienes vamos voy favor gracias mira revisa corrige"
    ),
    "it": word_set(
        "il lo la gli le un e è una per che di del della dei delle con non sono nel nella al alla ora tutti tutte ho "
        "ha hanno questo questa più anche come si da dal poi prima dove quando ogni ma o se su essere stato puoi può "
        "potresti voglio vuole tu ti tuo tua mio mia mi ci vi perché cosa quale quali chi qui lì sempre mai niente "
        "qualcosa meno senza contro tra fra fino allora bene certo va fa fare deve devi hai abbiamo grazie controlla "
        "controllo guarda guardo manca già ancora solo dai sul sulla nei l"
    ),
    "pt": word_set(
        "o a os as e é uma um para que com não do da dos das em no na nos nas ao são agora todos todas mais está "
        "estão eu foi este esta esse essa isso seu sua já se onde quando depois primeiro cada tudo por mas ou como "
        "também ser num numa pode podes poderia quero quer você te teu tua meu minha me nós porque qual quais quem "
        "aqui ali sempre nunca nada algo menos sem contra entre desde até então bem falta faz fazer deve tenho tem "
        "vamos vou favor obrigado obrigada veja verifica corrige ainda só isto pelo pela à às"
    ),
    "nl": word_set(
        "de het een en is zijn van niet ik dat die deze dit op te met voor nu alle worden wordt er naar ook in aan "
        "als maar om of bij uit dan wat heeft hebben heb kan nog over eerst daarna we je mijn geen jij jou jouw u kun "
        "kunt zou wil wilt mij me ons onze waarom wie waar welke hier daar altijd nooit niets iets minder meer zonder "
        "tegen tussen want dus goed gaat doet doen moet moeten door sinds tot al eens even graag bedankt kijk "
        "controleer werkt ontbreekt"
    ),
    "pl": word_set(
        "i w na nie jest są się to że z ze do jak po teraz wszystkie wszystko dla już przez oraz o od który która "
        "które ale co za tym tego ten ta czy tylko jeszcze potem najpierw zostały można bo dlaczego dobrze gdy żeby "
        "mam był była było możesz może mógłbyś chcę chce ty mi mnie ciebie nam nas czemu kiedy gdzie kto jaki jaka "
        "jakie tutaj zawsze nigdy nic coś mniej więcej bez przeciw między przed więc bardzo działa trzeba musi muszę "
        "proszę dzięki sprawdź popraw zrób brakuje mój moja twoje będzie"
    ),
    "sv": word_set(
        "och är att det den som en ett på för inte av med jag har till nu alla om de vi du i så men var kan från "
        "eller också sedan först efter när ska blir bara detta denna kolla varför vad vem där här alltid aldrig inget "
        "något mindre mer utan mot mellan eftersom därför bra går gör måste skulle vill mig dig min mitt din oss sig "
        "tack titta fixa snälla saknas blev hade kunde finns"
    ),
    "tr": word_set(
        "ve bir bu için ile değil da de şimdi tüm olarak ben var daha gibi o çok ama sonra önce her ki ne mi kadar en "
        "olan artık bütün sadece misin mısın musun lütfen neden niçin nasıl kim nerede burada hiç şey az fazla "
        "olmadan karşı arasında çünkü iyi mı mu gerekiyor istiyorum bana sana bize teşekkürler bak düzelt eksik eğer "
        "ise olur yap"
    ),
    "cs": word_set(
        "a se na je že to v s z do pro ne ale jak když jsem byl bylo už ještě také po tak jen by co který která které "
        "jsou má nebo aby od teď všechny můžeš může mohl chci chce ty mi mě tebe nám nás proč kdy kde kdo jaký jaká "
        "jaké tady tam vždy nikdy nic něco méně více bez proti mezi před takže protože velmi funguje musí prosím díky "
        "podívej oprav udělej chybí můj moje tvoje bude"
    ),
    "da": word_set(
        "og det er ikke at en et på til med jeg har nu alle fra den som af der vi du så men var kan eller også først "
        "efter når skal bliver kun dette denne blev hvorfor hvad hvem hvor her altid aldrig intet noget mindre mere "
        "uden mod mellem fordi derfor godt går gør må ville vil mig dig min mit din os sig tak kig ret venligst "
        "mangler havde kunne findes"
    ),
    "fi": word_set(
        "ja on ei että se ovat mutta kun niin myös oli nyt kaikki tai jos voi mitä tämä sen olen ole vielä vain "
        "sitten ensin koska voitko voisitko miksi milloin missä kuka mikä täällä siellä aina koskaan mitään jotain "
        "vähemmän enemmän ilman vastaan välillä ennen siis hyvä toimii pitää minä sinä minun sinun meidän kiitos "
        "tarkista korjaa puuttuu"
    ),
    "hu": word_set(
        "a az és nem hogy egy is ez van meg már csak most de ha mert volt lesz minden kell még azt ezt vagy után "
        "először"
    ),
    "ro": word_set(
        "și nu este în de la cu pe un o că pentru sunt care mai din să acum toate dar am fost se dacă doar după întâi"
    ),
    "vi": word_set(
        "và là không của có cho được một này đã với các trong những tôi khi để người cũng từ đó rồi sẽ chưa nếu"
    ),
    "id": word_set(
        "dan yang di tidak ini itu untuk dengan dari ke ada akan sudah saya kita bisa juga pada adalah karena jika "
        "tapi semua dulu sekarang"
    ),
}
"""The commonest words of each language."""
_SCRIPTS = (
    ("ja", lazy_pattern(r"[\u3040-\u30ff]")),
    ("zh", lazy_pattern(r"[\u4e00-\u9fff]")),
    ("ko", lazy_pattern(r"[\uac00-\ud7af]")),
    ("ru", lazy_pattern(r"[\u0400-\u04ff]")),
    ("ar", lazy_pattern(r"[\u0600-\u06ff]")),
    ("he", lazy_pattern(r"[\u0590-\u05ff]")),
    ("el", lazy_pattern(r"[\u0370-\u03ff]")),
    ("hi", lazy_pattern(r"[\u0900-\u097f]")),
    ("th", lazy_pattern(r"[\u0e00-\u0e7f]")),
)
_CODES: Mapping[str, tuple[str, ...]] = {
    word: tuple(code for code, words in _WORDS.items() if word in words) for word in frozenset().union(*_WORDS.values())
}
"""The languages in which a word is common."""
LANGUAGE_NAMES: Mapping[str, str] = {
    name: code
    for code, names in (
        (
            "en",
            "english englisch anglais inglés ingles inglese inglês engels angielsku engelska 英語 英语 英文 영어 "
            "английск",
        ),
        ("de", "german deutsch allemand alemán aleman tedesco alemão duits ドイツ語 德语 독일어 немецк"),
        ("fr", "french französisch français francais francés francese francês フランス語 法语 프랑스어 французск"),
        ("es", "spanish spanisch espagnol español espanol spagnolo espanhol スペイン語 西班牙语 스페인어 испанск"),
        ("es", "castellano"),
        ("it", "italian italienisch italien italiano"),
        ("pt", "portuguese portugiesisch portugais portugués português"),
        ("nl", "dutch niederländisch nederlands"),
        ("pl", "polish polnisch polsku polski"),
        ("cs", "czech tschechisch česky čeština"),
        ("da", "danish dansk dänisch"),
        ("fi", "finnish suomeksi suomi finnisch"),
        ("hu", "hungarian magyarul ungarisch"),
        ("ro", "romanian română rumänisch"),
        ("vi", "vietnamese"),
        ("id", "indonesian"),
        ("sv", "swedish svenska schwedisch"),
        ("tr", "turkish türkçe türkisch"),
        ("ja", "japanese japonais japonés giapponese 日本語 日语 일본어 японск"),
        ("zh", "chinese chinois chino cinese mandarin 中文 中国語 汉语 중국어 китайск"),
        ("ko", "korean 한국어 韓国語 韩语 корейск"),
        ("ru", "russian russe ruso russisch русск ロシア語 俄语 러시아어"),
    )
    for name in names.split()
}
"""The codes of languages by their names in several languages, in lower case."""
_ASKED = lazy_pattern(
    r"(?i)\b(?:in|auf|en|to|em|på|po|speak|parle|habla|reads?|speaks|understands?|knows?)\s+(?:plain |only )?"
    rf"({'|'.join(filter(str.isascii, LANGUAGE_NAMES))})\b"
    f"|{'|'.join(name for name in LANGUAGE_NAMES if not name.isascii())}"
)
"""The name of a language after a word that asks for it: "in French", "auf Deutsch"."""
_SHORT_REQUEST = lazy_pattern(
    rf"(?im)(?:^|[,;:.!] ?|\bon,? )({'|'.join(filter(str.isascii, LANGUAGE_NAMES))}),? (?:please|is (?:fine|ok(?:ay)?)"
    r"|from (?:now|here) on|only(?=[.,;!]|$| please| from))\b"
)
"""A request of few words: "English please", "from here on German only"."""
_TOGETHER = lazy_pattern(
    r"(?i)\b(?:wir (?:reden|sprechen|schreiben)|parlons|on (?:se )?parle|hablemos|hablamos|fal[ae]mos|parliamo"
    rf"|we (?:talk|speak|write)|let[’']?s (?:talk|speak))\b[^.;!?\n]{{0,40}}\b({'|'.join(LANGUAGE_NAMES)})\b"
)
"""Words about the language of a conversation: "Wir reden hier deutsch miteinander"."""
_REQUEST = lazy_pattern(
    r"(?i)\b(?:answer|write to|repl(?:y|ies)|respon[ds]\w*|r[ée]pon[dsz]\w*|talk|speak|continu\w*|contin[uú]a\w*"
    r"|switch|antwort\w*"
    r"|schreib\w*|sprich"
    r"|sprache|wechsle|parle|cont[eé]sta\w*|escr[ií]be\w*"
    r"|habla\w*|rispond\w*|scriv\w*|parla\w*|fal[ae]r?|escrev\w*|antwoord\w*|schrijf\w*|odpowiadaj|odpisuj|pisz\w*"
    r"|svara|skriv\w*|odpov[ií]dej|piš|from now|ab jetzt|from here|отвеча\w*|пиши\w*|продолж\w*|language)"
    r"|^(?:please,? |bitte )?(?:in|auf|en) |用|で|로(?: |$)"
)
"""Words of a sentence that asks for answers in a language."""
_OF_OTHER_TEXT = lazy_pattern(
    r"(?i)(?:commits?\b|commit[- ]|\b(?:code|codice|código|kode?|comment\w*|kommentar\w*|coment[aá]rios?|commenti"
    r"|doc(?:s|string\w*"
    r"|umentation)?|doku\w*|readme|change-?log|names?|identifiers?|variables?|tests?|strings?|labels?|ui|copy|pages?"
    r"|errors?"
    r"|logs?|prs?|pull requests?|titles?|subjects?|e-?mails?|release notes|translations?|texts?|texte|testi|textos"
    r"|interface|website|site|app|report|article|book|letter)\b|提交|注释|代码|文档|コミット|コメント|コード|커밋|주석)"
)
"""Texts of the project, of which a language can be wanted: "write commit messages in Spanish"."""
_TO_USER = lazy_pattern(
    r"(?i)\b(?:answer|repl(?:y|ies)|respon[ds]|r[ée]pon[dsz]|talk|speak|antwort|sprich|cont[eé]sta|rispond|(?:write"
    r"|schreib\w*"
    r"|scriv\w*|escr[ií]b\w*|écri\w*) (?:to )?(?:me|mir|us|uns))"
)
_CLAUSE = lazy_pattern(r"[,;()]\s|\s[-–—]\s|\s(?:and|but|und|aber|et|mais|y|pero|e|ma|en|maar|i|ale)\s")
_WORD = lazy_pattern(r"[^\W\d_]+")
_NAME_MARKS = lazy_pattern(r"[/\\_=<>{}]")
"""Characters of paths, names and markup."""
_QUOTED = lazy_pattern(r"[“„«\"][^“”„«»\"\n]{10,300}[”“»\"]")
_ENDS = "\n.!?。！？"
_MIN_WORDS = 6
_MIN_HITS = 3
_SAMPLE = 600
"""Characters of prose that are read."""


@lru_cache(maxsize=64)
def language_of(text: str) -> str:
    """Return the code of a text's language, such as "de"; "" if the text is short, code, or in several languages.

    Cached: each reply is compared with the same few texts.
    """
    prose = _prose(text)
    words = _WORD.findall(prose.lower())
    letters = 0 if prose.isascii() else sum(map(len, words))
    if letters and (code := _script_of(prose, letters)):
        return code
    if len(words) < _MIN_WORDS:
        return ""
    hits = Counter(chain.from_iterable(filter(None, map(_CODES.get, dict.fromkeys(words)))))
    most = max(hits.values(), default=0)
    first = next((code for code, count in hits.items() if count == most), "")
    second = max((count for code, count in hits.items() if code != first), default=0)
    return first if most >= max(_MIN_HITS, 0.15 * len(words)) and most >= 1.5 * second else ""


def _script_of(prose: str, letters: int) -> str:
    """Return the code of the language whose script many letters of a text belong to; "" for Latin letters."""
    return next((code for code, script in _SCRIPTS if len(script.findall(prose)) > 0.3 * letters), "")


def is_latin(text: str) -> bool:
    """Return True if hardly any letter of a text belongs to another script than the Latin one."""
    return text.isascii() or not _script_of(text, sum(map(len, _WORD.findall(text))))


def uses_script_of(code: str, text: str) -> bool:
    """Return True if a text has words in the script of a language that is not written in Latin letters."""
    return any(own == code and len(script.findall(text)) >= _MIN_WORDS for own, script in _SCRIPTS)


def _prose(text: str) -> str:
    """Return the beginning of a text without code, quotes, paths, names and addresses."""
    text = text[:4_000]
    prose = " ".join("".join(text.split("```")[::2]).split("`")[::2]) if "`" in text else text
    prose = _QUOTED.sub(" ", prose)[:_SAMPLE]
    if not _NAME_MARKS.search(prose):
        return prose
    return " ".join(word for word in prose.split() if not _NAME_MARKS.search(word))


def is_in_other_language(text: str, code: str, least: int = 2) -> bool:
    """Return True if a short text has words that are common in other languages, and none of those of a language.

    Args:
        text: The text.
        code: Code of the language.
        least: Fewest words of other languages.
    """
    known = [codes for word in frozenset(_WORD.findall(_prose(text).lower())) if (codes := _CODES.get(word))]
    return len(known) >= least and not any(code in codes for codes in known)


def is_common(word: str) -> bool:
    """Return True if a word in lower case is one of the commonest of a language."""
    return word in _CODES


def requested_language(text: str) -> str:
    """Return the language that a user asks for: "Bitte antworte immer auf Deutsch" gives "de"; "" for none."""
    low = text[:4_000].lower()
    if not any(name in low for name in LANGUAGE_NAMES):
        return ""
    for short in (*_SHORT_REQUEST.finditer(text[:4_000]), *_TOGETHER.finditer(text[:4_000])):
        if not _is_of_project(text[:4_000], short.start(1)):
            return LANGUAGE_NAMES[short[1].lower()]
    for match in _ASKED.finditer(text[:4_000]):
        start = _sentence_start(text, match.start())
        end = min((place for mark in _ENDS if (place := text.find(mark, match.end())) >= 0), default=len(text))
        is_request = _REQUEST.search(text[start : max(end, match.end() + 1)].strip()) is not None
        if is_request and not _is_of_project(text, match.start()):
            return LANGUAGE_NAMES[(match[1] or match[0]).lower()]
    return ""


def _sentence_start(text: str, place: int) -> int:
    return max(text.rfind(end, 0, place) for end in _ENDS) + 1


def _is_of_project(text: str, place: int) -> bool:
    """Return True if the clause before a place is about texts of the project, not about the replies."""
    clause = _CLAUSE.split(text[_sentence_start(text, place) : place])[-1]
    return _OF_OTHER_TEXT.search(clause) is not None and not _TO_USER.search(clause)


def named_language(text: str) -> str:
    """Return the code of the first language that a text names; "" for none."""
    low = text.lower()
    return next((code for name, code in LANGUAGE_NAMES.items() if name in low), "")


def language_names(code: str) -> tuple[str, ...]:
    """Return the names of a language, in lower case."""
    return tuple(name for name, own in LANGUAGE_NAMES.items() if own == code)
