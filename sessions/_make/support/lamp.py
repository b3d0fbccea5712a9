"""The first half of the ticket: a damaged lamp, and another in its place before a birthday."""

from __future__ import annotations

from _make.parcel import photo

from .desk import Ticket

ORDER = "HR-204417"
FIRST_PARCEL, SECOND_PARCEL = "0055-1877-3104", "0055-1877-3111"
ARTICLES = [
    {"article": "VES-2-BR", "name": "Vesper floor lamp, brass", "price": 189.00, "parcel": FIRST_PARCEL},
    {"article": "DUN-40-SA", "name": "Dune shade 40 cm, sand", "price": 74.90, "parcel": SECOND_PARCEL},
    {"article": "BLB-E27-4", "name": "Bulbs E27, warm, 4 pieces", "price": 23.60, "parcel": SECOND_PARCEL},
]


def tell(ticket: Ticket) -> None:
    damage(ticket)
    exchange(ticket)


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
    ticket.look(
        "Thank you, that corner has taken a hard knock. One moment, I look at the order and both parcels.",
        (
            "get_order",
            {"order": ORDER},
            {
                "order": ORDER,
                "placed": "2026-04-19",
                "postcode": "3581 KW",
                "articles": ARTICLES,
                "goods": 287.50,
                "code": "SPRING10",
                "discount": -28.75,
                "gift_wrap": 4.50,
                "shipping": 9.80,
                "paid": 273.05,
                "payment": "card",
                "vouchers": [],
            },
        ),
        (
            "track_parcel",
            {"parcel": FIRST_PARCEL},
            {
                "parcel": FIRST_PARCEL,
                "weight_kg": 6.4,
                "state": "delivered",
                "at": "2026-04-24 10:42",
                "left_with": "doorstep",
                "events": [
                    "2026-04-22 17:05 taken over",
                    "2026-04-23 03:31 sorting centre, outer box damaged (code D4)",
                    "2026-04-24 10:42 delivered",
                ],
            },
        ),
        (
            "track_parcel",
            {"parcel": SECOND_PARCEL},
            {
                "parcel": SECOND_PARCEL,
                "weight_kg": 1.2,
                "state": "delivered",
                "at": "2026-04-25 14:18",
                "left_with": "neighbour, No 17",
                "events": ["2026-04-22 17:05 taken over", "2026-04-25 14:18 delivered"],
            },
        ),
        (
            "check_stock",
            {"article": "VES-2-BR"},
            {"article": "VES-2-BR", "warehouse": 0, "expected": "2026-05-19", "shops": {"Ghent": 1, "Leiden": 0}},
        ),
    )
    ticket.reply(
        """
        I have found everything. The lamp was delivered on Friday 24 April at 10:42, and the carrier itself noted a
        damaged box on the way (code D4). You have reported it within the 7 days, with a photo, so it is our matter
        and not yours.

        You can choose:

        1. **Exchange.** The brass Vesper is out of stock in the warehouse until about 19 May; there is one piece in
          our shop in Ghent.
        2. **Refund of the lamp.** With your 10 % code you paid EUR 170.10 for it. An amount above EUR 150 has to be
          approved by a colleague, so I'd have to ask and cannot promise it.

        What would suit you better?
        """
    )


def exchange(ticket: Ticket) -> None:
    ticket.user(
        "An exchange, please. But the birthday is on Saturday 9 May. What about the one in Ghent, and is it really new?"
    )
    ticket.look(
        "",
        (
            "check_stock",
            {"article": "VES-2-BR/GHENT"},
            "Error 422: unknown article. Use the article number without the shop.",
        ),
    )
    ticket.look(
        "",
        (
            "check_stock",
            {"article": "VES-2-BR"},
            {
                "article": "VES-2-BR",
                "warehouse": 0,
                "expected": "2026-05-19",
                "shops": {"Ghent": 1, "Leiden": 0},
                "notes": {
                    "Ghent": "display piece since 2026-02-11, 25 % off, small scratch under the foot, serial V2-00871"
                },
                "carrier_estimate": "3 to 5 working days from Ghent",
            },
        ),
    )
    ticket.reply(
        """
        Honestly: it is a display piece. It has stood in the shop since 11 February and has a small scratch under the
        foot, where nobody looks. It therefore costs 25 % less, which I would pay back to you.

        The carrier's estimate from Ghent is 3 to 5 working days. Sent tomorrow, Friday 1 May, that would usually be
        before the 9th, but it is an estimate and I must not promise a day.
        """
    )
    ticket.user(
        "A scratch where nobody looks is fine. What is 25 % of it in money? And do I have to bring the broken one "
        "somewhere?"
    )
    ticket.look(
        "",
        (
            "create_exchange",
            {"order": ORDER, "article": "VES-2-BR", "source": "Ghent", "price": "127.57"},
            {
                "exchange": "EX-7719",
                "article": "VES-2-BR",
                "serial": "V2-00871",
                "source": "Ghent",
                "price": 127.57,
                "reserved_until": "2026-05-02 18:00",
            },
        ),
        (
            "create_return",
            {"order": ORDER, "article": "VES-2-BR", "reason": "damaged in transit, D4"},
            {
                "label": "RL-330052",
                "pickup": "at the door",
                "window": "2026-05-04, 09:00 to 13:00",
                "weight_kg": 6.4,
                "cost": 0.00,
            },
        ),
    )
    ticket.look(
        "",
        (
            "refund",
            {"order": ORDER, "amount": "42.53", "why": "display piece, 25 % of 170.10, EX-7719"},
            {
                "refund": "RF-90342",
                "amount": 42.53,
                "to": "card, original payment",
                "usually": "3 working days",
            },
        ),
    )
    ticket.reply(
        """
        Done:

        - The lamp from Ghent (serial V2-00871) is reserved for you as exchange **EX-7719**, at EUR 127.57 instead of
          170.10.
        - You get **EUR 42.53** back to the card you paid with, refund RF-90342, usually within 3 working days.
        - The broken lamp is fetched at your door on Monday 4 May between 9 and 13 o'clock, with label **RL-330052**.
          It costs nothing; put it in the box as it is.
        """
    )
    ticket.user(
        """
        Monday morning I am at work. Could the neighbour at No 17 hand it over? And please nothing on the outside of
        the new parcel, my mother lives downstairs and reads everything.
        """
    )
    ticket.look(
        "",
        (
            "create_return",
            {"order": ORDER, "article": "VES-2-BR", "reason": "damaged in transit, D4; pick up at No 17"},
            {
                "label": "RL-330061",
                "replaces": "RL-330052",
                "pickup": "neighbour, No 17",
                "window": "2026-05-04, 09:00 to 13:00",
                "cost": 0.00,
            },
        ),
        (
            "get_order",
            {"order": ORDER},
            {
                "order": ORDER,
                "placed": "2026-04-19",
                "postcode": "3581 KW",
                "articles": ARTICLES,
                "goods": 287.50,
                "code": "SPRING10",
                "discount": -28.75,
                "gift_wrap": 4.50,
                "shipping": 9.80,
                "paid": 273.05,
                "payment": "card",
                "vouchers": [],
                "exchange": "EX-7719",
                "refunds": [{"refund": "RF-90342", "amount": 42.53}],
            },
        ),
    )
    ticket.reply(
        """
        Yes. There is a new label for that, **RL-330061**, pick-up at No 17; please throw the first one (RL-330052)
        away. The parcel from Ghent goes out in a plain box, "lamp" is nowhere on it, and the gift wrap of your order
        (EUR 4.50) is inside.
        """
    )
