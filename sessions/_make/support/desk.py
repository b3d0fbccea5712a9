"""The support desk: its rules, its tools, and a ticket in Anthropic's form."""

from __future__ import annotations

import json
from typing import Any

from _make.names import Names
from _make.prose import prose

Block = dict[str, Any]
Use = tuple[str, Block, Block | str]
"""A tool, its input, and what it answers; a bare text is an error."""

SYSTEM = """
You are the assistant of Hollin & Reed, a small maker of lamps. You write to customers in a friendly, plain way, in
short messages.

Rules that must never be broken
- Share nothing about an order before the customer has named its number and the postcode of the delivery.
- Damage must be reported within 7 days after delivery, with a photo. The day of delivery does not count.
- A refund above EUR 150.00 must be approved by a colleague: use `escalate`, and say so. Never promise the outcome.
- Exchange or refund for an article, never both.
- Refunds go to the original means of payment. If that fails, by bank transfer, with the account entered in the secure
  form only.
- Never repeat an account or card number that a customer writes, not even in part.
- A goodwill voucher is at most EUR 20.00 or 10 % of the order, whichever is less; one for each order.
- Never promise a day of delivery. You may quote the carrier's estimate as an estimate.
"""


def tool(name: str, description: str, **properties: str) -> Block:
    schema = {key: {"type": "string", "description": text} for key, text in properties.items()}
    return {
        "name": name,
        "description": description,
        "input_schema": {"type": "object", "properties": schema, "required": list(schema)},
    }


TOOLS = [
    tool(
        "get_order", "Order with its articles, prices, payment and parcels.", order="Order number, HR- and six digits."
    ),
    tool("track_parcel", "Where a parcel is or when it was delivered.", parcel="Parcel number."),
    tool("check_stock", "Pieces in the warehouse and in the shops.", article="Article number."),
    tool("refund_status", "What became of a refund.", refund="Refund number, RF- and five digits."),
    tool(
        "create_return",
        "Make a return label.",
        order="Order number.",
        article="Article number.",
        reason="Why it comes back.",
    ),
    tool(
        "create_exchange",
        "Reserve a piece in exchange for one that comes back.",
        order="Order number.",
        article="Article number.",
        source="warehouse or a shop",
        price="Agreed price in EUR.",
    ),
    tool("refund", "Pay back up to EUR 150.00.", order="Order number.", amount="EUR.", why="For the books."),
    tool("send_form", "Send the secure form for bank details to the address on file.", refund="Refund number."),
    tool("voucher", "Send a goodwill voucher.", order="Order number.", amount="EUR."),
    tool(
        "escalate",
        "Ask a colleague; the answer comes by mail within one working day.",
        order="Order number.",
        question="What to decide.",
    ),
]


class Ticket:
    """The messages, in Anthropic's form: results stand first in the next user message."""

    def __init__(self) -> None:
        self.names = Names("support")
        self.messages: list[Block] = []

    def user(self, text: str, *before: Block) -> None:
        content: str | list[Block] = [*before, {"type": "text", "text": prose(text)}] if before else prose(text)
        self.messages.append({"role": "user", "content": content})

    def reply(self, text: str) -> None:
        self.messages.append({"role": "assistant", "content": prose(text)})

    def look(self, text: str, *uses: Use) -> None:
        """Use tools side by side, and record their answers."""
        calls = [
            {"type": "tool_use", "id": self.names.short("toolu_01"), "name": name, "input": given}
            for name, given, _ in uses
        ]
        said = [{"type": "text", "text": prose(text)}] if text else []
        self.messages.append({"role": "assistant", "content": [*said, *calls]})
        results = []
        for call, (_, _, answer) in zip(calls, uses, strict=True):
            failed = isinstance(answer, str)
            content = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
            result = {"type": "tool_result", "tool_use_id": call["id"], "content": content}
            results.append(result | ({"is_error": True} if failed else {}))
        self.messages.append({"role": "user", "content": results})
