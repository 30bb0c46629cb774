"""Banking77: questions of a bank's customers, each with one of 77 intents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pydantic import Field

from divulge.data.class_sizes import ClassifiedTexts, ClassSizes
from divulge.data.corpus import Corpus
from divulge.data.files.delimited import read_named
from divulge.data.files.problems import Problems
from divulge.data.places import DataFile
from divulge.records import Text

__all__ = ["Banking77"]

FILES = {"train": "train.csv", "test": "test.csv"}
INTENTS = """Refund_not_showing_up activate_my_card age_limit apple_pay_or_google_pay atm_support automatic_top_up
    balance_not_updated_after_bank_transfer balance_not_updated_after_cheque_or_cash_deposit
    beneficiary_not_allowed cancel_transfer card_about_to_expire card_acceptance card_arrival
    card_delivery_estimate card_linking card_not_working card_payment_fee_charged card_payment_not_recognised
    card_payment_wrong_exchange_rate card_swallowed cash_withdrawal_charge cash_withdrawal_not_recognised
    change_pin compromised_card contactless_not_working country_support declined_card_payment
    declined_cash_withdrawal declined_transfer direct_debit_payment_not_recognised disposable_card_limits
    edit_personal_details exchange_charge exchange_rate exchange_via_app extra_charge_on_statement
    failed_transfer fiat_currency_support get_disposable_virtual_card get_physical_card getting_spare_card
    getting_virtual_card lost_or_stolen_card lost_or_stolen_phone order_physical_card passcode_forgotten
    pending_card_payment pending_cash_withdrawal pending_top_up pending_transfer pin_blocked receiving_money
    request_refund reverted_card_payment? supported_cards_and_currencies terminate_account
    top_up_by_bank_transfer_charge top_up_by_card_charge top_up_by_cash_or_cheque top_up_failed top_up_limits
    top_up_reverted topping_up_by_card transaction_charged_twice transfer_fee_charged transfer_into_account
    transfer_not_received_by_recipient transfer_timing unable_to_verify_identity verify_my_identity
    verify_source_of_funds verify_top_up virtual_card_not_working visa_or_mastercard why_verify_identity
    wrong_amount_of_cash_received wrong_exchange_rate_for_cash_withdrawal"""


class Banking77(ClassifiedTexts):
    """13,023 questions that differ, 77 intents; the published test set is the split test.

    Split at white space; valid is drawn from the published training set, in which an intent has 35 to 187 questions.
    Those that are in the test set too, up to case and punctuation, are left out of it.
    """

    name = "banking77"
    summary = "Questions of a bank's customers with 77 intents (Casanueva et al. 2020)."
    source = (
        "GitHub PolyAI-LDN/task-specific-datasets, commit 57ec275d8078af65b7731c2a98be812d844a6d6b, "
        "folder banking_data."
    )
    licence = "CC BY 4.0, PolyAI, as stated upstream."
    files = (
        DataFile(
            path=FILES["train"],
            size=839073,
            sha256="b06e26ac675513959a63135f11b94ea7786ed02da65db93a5650d8838cbc664b",
        ),
        DataFile(
            path=FILES["test"],
            size=239961,
            sha256="d12d6e3bc4c3103966ae786dc435913c0c563dfa328f5a3646d0e62cfeeb474d",
        ),
    )
    known_labels = tuple(INTENTS.split())

    class Options(ClassSizes):
        """Which intents and how many questions of each; all of the test set, if `test_each` is None."""

        valid_each: Annotated[int, Field(ge=0)] = 10
        test_each: Annotated[int, Field(ge=0)] | None = None

    def load(self, root: Path | None = None) -> Corpus:
        """Reads the questions, train first, class by class within a split."""
        folder = self.require_files(root)
        problems = Problems()
        questions = list(_questions(folder, problems))
        problems.finish()
        return Corpus(self.sized(questions), self.name)


def _questions(folder: Path, problems: Problems) -> Iterator[Text]:
    known = set(Banking77.known_labels)
    for split, file in FILES.items():
        for number, (question, intent) in enumerate(read_named(folder / file, ("text", "category"), problems), 1):
            if intent in known:
                yield Text(tuple(question.split()), label=intent, split=split)
            else:
                problems.add(folder / file, None, f"row {number} has a category that is none of the set's")
