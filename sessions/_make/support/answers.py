"""What the tools of the support desk answer: orders, parcels, stock and refunds of an invented shop."""

from __future__ import annotations

from .desk import Block

ORDER, OLD_ORDER = "HR-204417", "HR-203902"
FIRST_PARCEL, SECOND_PARCEL = "0055-1877-3104", "0055-1877-3111"
LAMP = "VES-2-BR"

FOUND: Block = {
    "order": ORDER,
    "placed": "2026-04-19",
    "postcode": "3581 KW",
    "articles": [
        {"article": LAMP, "name": "Vesper floor lamp, brass", "price": 189.00, "parcel": FIRST_PARCEL},
        {"article": "DUN-40-SA", "name": "Dune shade 40 cm, sand", "price": 74.90, "parcel": SECOND_PARCEL},
        {"article": "BLB-E27-4", "name": "Bulbs E27, warm, 4 pieces", "price": 23.60, "parcel": SECOND_PARCEL},
    ],
    "goods": 287.50,
    "code": "SPRING10",
    "discount": -28.75,
    "gift_wrap": 4.50,
    "shipping": 9.80,
    "paid": 273.05,
    "payment": "card",
    "vouchers": [],
}
FOUND_LATER = FOUND | {"exchange": "EX-7719", "refunds": [{"refund": "RF-90342", "amount": 42.53}]}
FIRST_TRACKED: Block = {
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
}
SECOND_TRACKED: Block = {
    "parcel": SECOND_PARCEL,
    "weight_kg": 1.2,
    "state": "delivered",
    "at": "2026-04-25 14:18",
    "left_with": "neighbour, No 17",
    "events": ["2026-04-22 17:05 taken over", "2026-04-25 14:18 delivered"],
}
STOCK: Block = {"article": LAMP, "warehouse": 0, "expected": "2026-05-19", "shops": {"Ghent": 1, "Leiden": 0}}
STOCK_WITH_NOTES = STOCK | {
    "notes": {"Ghent": "display piece since 2026-02-11, 25 % off, small scratch under the foot, serial V2-00871"},
    "carrier_estimate": "3 to 5 working days from Ghent",
}
EXCHANGED: Block = {
    "exchange": "EX-7719",
    "article": LAMP,
    "serial": "V2-00871",
    "source": "Ghent",
    "price": 127.57,
    "reserved_until": "2026-05-02 18:00",
}
FIRST_LABEL: Block = {
    "label": "RL-330052",
    "pickup": "at the door",
    "window": "2026-05-04, 09:00 to 13:00",
    "weight_kg": 6.4,
    "cost": 0.00,
}
SECOND_LABEL: Block = {
    "label": "RL-330061",
    "replaces": "RL-330052",
    "pickup": "neighbour, No 17",
    "window": "2026-05-04, 09:00 to 13:00",
    "cost": 0.00,
}
PAID_BACK: Block = {"refund": "RF-90342", "amount": 42.53, "to": "card, original payment", "usually": "3 working days"}
ACCEPTED: Block = {
    "refund": "RF-90342",
    "amount": 42.53,
    "state": "accepted by the bank",
    "card": "valid until 2028-11",
}
OLD_FOUND: Block = {
    "order": OLD_ORDER,
    "placed": "2026-03-12",
    "postcode": "3581 KW",
    "paid": 41.20,
    "payment": "card",
    "articles": [{"article": "CBL-3M-RD", "name": "Textile cable 3 m, red", "price": 36.30}],
    "shipping": 4.90,
    "returned": "2026-03-30",
}
CAME_BACK: Block = {
    "refund": "RF-88120",
    "amount": 41.20,
    "sent": "2026-04-08",
    "state": "came back",
    "at": "2026-04-13",
    "reason": "card expired",
    "next": "bank transfer after the secure form",
}
FORM: Block = {"sent_to": "address on file", "form": "F-6120", "valid_until": "2026-05-07", "refund": "RF-88120"}
FORM_IN: Block = {
    "refund": "RF-88120",
    "amount": 41.20,
    "state": "form received",
    "leaves": "2026-05-01",
    "by": "bank transfer",
}
VOUCHER: Block = {"voucher": "HR-V-5T2K", "amount": 20.00, "valid_until": "2027-04-30", "order": ORDER}
CASE: Block = {"case": "C-1187", "with": "customer care", "answer_by": "2026-05-01 18:00"}
