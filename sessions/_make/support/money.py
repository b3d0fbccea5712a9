"""The second half: a refund that came back unseen, a voucher, and a last message that needs the first half again."""

from __future__ import annotations

from . import answers as a
from .desk import Ticket


def on_progress(ticket: Ticket) -> None:
    old_refund(ticket)
    account(ticket)
    sorry(ticket)
    last(ticket)


def old_refund(ticket: Ticket) -> None:
    ticket.user(
        """
        You are kind. Then may I bring up something old? In March I sent a cable back, order HR-203902, and was told on
        8 April that EUR 41.20 was on its way, RF-88120. It never arrived. Same postcode.
        """
    )
    ticket.look(
        "I look at both.",
        ("get_order", {"order": a.OLD_ORDER}, a.OLD_FOUND),
        ("refund_status", {"refund": "RF-88120"}, a.CAME_BACK),
    )
    ticket.reply(
        """
        Here is what happened: we sent the EUR 41.20 on 8 April, and on 13 April they came back because that card has
        expired. Somebody should have told you. I am sorry that nobody did.

        Now it has to go by bank transfer. I can send you our secure form for the account, to the address that we have
        on file.
        """
    )


def account(ticket: Ticket) -> None:
    ticket.user("Ah, the blue card, of course. It is NL02 HLVN 0123 4567 89, you can just use that one.")
    ticket.look("", ("send_form", {"refund": "RF-88120"}, a.FORM))
    ticket.reply(
        """
        Thank you, but please not here in the chat: I may take account details from the form only, and I have not used
        what you wrote. The form (F-6120) is in your mailbox and works until 7 May. Once it is filled in, the EUR 41.20
        leave on the next working day.
        """
    )
    ticket.user("Wait. If the card is expired, does the 42.53 for the lamp not bounce as well?")
    ticket.look("Good thought. I check it.", ("refund_status", {"refund": "RF-90342"}, a.ACCEPTED))
    ticket.reply(
        """
        No, that one is safe: this order was paid with another card, valid until November 2028, and the bank has already
        accepted RF-90342. So EUR 42.53 to that card, and EUR 41.20 by transfer after the form: EUR 83.73 together.
        """
    )


def sorry(ticket: Ticket) -> None:
    ticket.user(
        """
        Good. Twice something went wrong, though. Is there anything you can do about that? I do not want to be a
        nuisance.
        """
    )
    question = "Refund RF-88120 came back on 2026-04-13 and nobody told the customer. Please see why."
    ticket.look(
        "",
        ("voucher", {"order": a.ORDER, "amount": "20.00"}, a.VOUCHER),
        ("escalate", {"order": a.OLD_ORDER, "question": question}, a.CASE),
    )
    ticket.reply(
        """
        You are no nuisance. I have sent you a voucher over EUR 20.00 (HR-V-5T2K, valid until 30 April 2027); that is
        the most that I can give for one order. And I have asked my colleagues why nobody told you about the refund that
        came back (case C-1187). They answer by tomorrow evening.
        """
    )


def last(ticket: Ticket) -> None:
    ticket.user("That is more than I hoped for. I have just filled in the form.")
    ticket.look("", ("refund_status", {"refund": "RF-88120"}, a.FORM_IN))
    ticket.reply("It has arrived. The EUR 41.20 leave tomorrow, Friday 1 May. Is there anything else?")
    ticket.user(
        """
        Yes, sorry. I have just tried the bulbs from the other box, and one of the four does not light. You said
        something about days: am I still in time for that, and until when? And remind me please: which label goes on the
        broken lamp, the first or the second? And how much comes back to me in all, without the voucher?
        """
    )
