"""The first half of the ticket: a damaged lamp, and another in its place before a birthday."""

from __future__ import annotations

from _make.parcel import photo

from . import answers as a
from .desk import Ticket


def on_progress(ticket: Ticket) -> None:
    damage(ticket)
    look_up(ticket)
    exchange(ticket)
    reserve(ticket)
    neighbour(ticket)


def damage(ticket: Ticket) -> None:
    ticket.user(
        """
        Hello, my lamp came last week and it is broken. I only opened the parcel today because it is a present for my
        mother's seventieth. Order HR-204417. I am quite upset, to be honest.
        """
    )
    ticket.reply(
        """
        I'm sorry, that is a bad moment to open a present. I'd like to put it right. May I have the postcode that the
        parcel went to, and a photo of the damage, the parcel too if you still have it?
        """
    )
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": photo()}}
    ticket.user(
        """
        3581 KW. This is the parcel as it stood on the mat. The foot of the lamp inside is bent on the same corner, it
        rocks. The shade and the bulbs came in another box and look fine.
        """,
        picture,
    )


def look_up(ticket: Ticket) -> None:
    ticket.look(
        "Thank you, that corner has taken a hard knock. One moment, I look at the order and both parcels.",
        ("get_order", {"order": a.ORDER}, a.FOUND),
        ("track_parcel", {"parcel": a.FIRST_PARCEL}, a.FIRST_TRACKED),
        ("track_parcel", {"parcel": a.SECOND_PARCEL}, a.SECOND_TRACKED),
        ("check_stock", {"article": a.LAMP}, a.STOCK),
    )
    ticket.reply(
        """
        I have found everything. The lamp was delivered on Friday 24 April at 10:42, and the carrier itself noted a
        damaged box on the way (code D4). You have reported it within the 7 days, with a photo, so it is our matter and
        not yours.

        You can choose:

        1. **Exchange.** The brass Vesper is out of stock in the warehouse until about 19 May; there is one piece in our
          shop in Ghent.
        2. **Refund of the lamp.** With your 10 % code you paid EUR 170.10 for it. An amount above EUR 150 has to be
          approved by a colleague, so I'd have to ask and cannot promise it.

        What would suit you better?
        """
    )


def exchange(ticket: Ticket) -> None:
    ticket.user(
        "An exchange, please. But the birthday is on Saturday 9 May. What about the one in Ghent, and is it really new?"
    )
    wrong = "Error 422: unknown article. Use the article number without the shop."
    ticket.look("", ("check_stock", {"article": f"{a.LAMP}/GHENT"}, wrong))
    ticket.look("", ("check_stock", {"article": a.LAMP}, a.STOCK_WITH_NOTES))
    ticket.reply(
        """
        Honestly: it is a display piece. It has stood in the shop since 11 February and has a small scratch under the
        foot, where nobody looks. It therefore costs 25 % less, which I would pay back to you.

        The carrier's estimate from Ghent is 3 to 5 working days. Sent tomorrow, Friday 1 May, that would usually be
        before the 9th, but it is an estimate and I must not promise a day.
        """
    )


def reserve(ticket: Ticket) -> None:
    ticket.user(
        """
        A scratch where nobody looks is fine. What is 25 % of it in money? And do I have to bring the broken one
        somewhere?
        """
    )
    wanted = {"order": a.ORDER, "article": a.LAMP}
    ticket.look(
        "",
        ("create_exchange", wanted | {"source": "Ghent", "price": "127.57"}, a.EXCHANGED),
        ("create_return", wanted | {"reason": "damaged in transit, D4"}, a.FIRST_LABEL),
    )
    why = {"order": a.ORDER, "amount": "42.53", "why": "display piece, 25 % of 170.10, EX-7719"}
    ticket.look("", ("refund", why, a.PAID_BACK))
    ticket.reply(
        """
        Done:

        - The lamp from Ghent (serial V2-00871) is reserved for you as exchange **EX-7719**, at EUR 127.57 instead of
          170.10.
        - You get **EUR 42.53** back to the card you paid with, refund RF-90342, usually within 3 working days.
        - The broken lamp is fetched at your door on Monday 4 May between 9 and 13 o'clock, with label **RL-330052**. It
          costs nothing; put it in the box as it is.
        """
    )


def neighbour(ticket: Ticket) -> None:
    ticket.user(
        """
        Monday morning I am at work. Could the neighbour at No 17 hand it over? And please nothing on the outside of the
        new parcel, my mother lives downstairs and reads everything.
        """
    )
    reason = "damaged in transit, D4; pick up at No 17"
    ticket.look(
        "",
        ("create_return", {"order": a.ORDER, "article": a.LAMP, "reason": reason}, a.SECOND_LABEL),
        ("get_order", {"order": a.ORDER}, a.FOUND_LATER),
    )
    ticket.reply(
        """
        Yes. There is a new label for that, **RL-330061**, pick-up at No 17; please throw the first one (RL-330052)
        away. The parcel from Ghent goes out in a plain box, "lamp" is nowhere on it, and the gift wrap of your order
        (EUR 4.50) is inside.
        """
    )
