"""Tests of the block for a model card."""

from __future__ import annotations

import re

import pytest
from tests.report.sample import SECRET, run
from tests.report.whole_run import BROKEN, leaking, of_users, revealed_of, silent, whole_run

from divulge.gate.judging import judge
from divulge.gate.policy import Limit, Policy
from divulge.records import Failure, Measurement, RunResults
from divulge.report.card import render
from divulge.report.grouping import audits, verdict


def test_a_card_says_what_was_audited_and_found():
    """Verdict, adversary, the figure with interval, baseline and control, utility."""
    card = render(run(leaking()))
    assert card.startswith("## Privacy audit\n\n**The audit found a leak.**\n")
    assert "- Adversary: someone who holds the model's weights" in card
    row = next(line for line in card.splitlines() if line.startswith("| discrete-search"))
    assert "Leak found | Secrets guessed entirely right | 95" in row
    assert "(83 to 99" in row
    assert "Right answers on new texts | 82" in card


def test_every_audit_of_a_run_has_its_part():
    """With the verdict of the whole on top."""
    card = render(whole_run())
    assert verdict(whole_run()) in card
    assert len(re.findall(r"^### .*\?$", card, flags=re.M)) == len(audits(whole_run()))
    assert "1 of the specs of this audit failed; nothing is known about them." in card


def test_a_card_says_what_it_does_not_show():
    """Above all where nothing was found."""
    card = render(run(silent()))
    assert "None found" in card
    _, _, after = card.partition("### What this does not show")
    assert "does not show that there is nothing to find" in after
    assert "only training with differential privacy does" in after


def test_a_broken_access_shows_no_figure():
    """They would be quoted."""
    card = render(run(leaking(handshake=(BROKEN,))))
    row = next(line for line in card.splitlines() if line.startswith("| discrete-search"))
    assert "void: the handshake failed | – | – | –" in row
    assert "95" not in row


def test_with_a_policy_the_limits_are_shown():
    """Required, measured, verdict."""
    results = run(of_users())
    card = render(results, judged=judge(results, Policy(limits=(Limit(metric="auc", below=0.7),))))
    assert "**Exceeded: a limit does not hold (1 exceeded).**" in card
    assert (
        "| auc: below 0.7, high end at 95 % | rank-histogram on next-word | 0.97 [0.93, 0.99] n=80 | exceeded |" in card
    )
    assert "### Limits" not in render(results)


def test_nothing_is_invented():
    """No name and no date; versions and specs as the results have them."""
    card = render(run(leaking()))
    assert card.rstrip().endswith(f"Made with Divulge 0.1.0 from the specs {leaking().spec_hash}.")
    assert not re.search(r"\b20\d\d\b", card)
    assert "Made with" not in render(run(failures=(Failure(spec_hash="0", reason="x"),)))


@pytest.mark.parametrize("revealed", [False, True])
def test_no_secret_is_shown(revealed):
    """Not even on request."""
    result = leaking()
    card = render(run(result), revealed_of(result)) if revealed else render(whole_run())
    assert SECRET not in card
    assert "a-2" not in card


def test_what_is_proven_about_epsilon_stands_in_it() -> None:
    """A refuted claim is no footnote; the figures of the attack keep the finding that they alone bear."""
    group = {"delta": 1e-5, "copies": 1}
    bound = Measurement(metric="epsilon_lower_bound", value=3.0, low=3.0, n=1000, arm="attack", group=group)
    claim = Measurement(metric="epsilon", value=1.0, n=1000, arm="probe", group=group)
    made = silent()
    text = render(RunResults(results=(made.model_copy(update={"measurements": (*made.measurements, bound, claim)}),)))
    assert "What is proven about epsilon:" in text
    assert "epsilon is at least 3" in text
    assert "Leak found" not in text
