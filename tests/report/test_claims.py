"""What is proven about epsilon."""

from tests.report.sample import figure, result
from tests.report.whole_run import with_epsilon

from divulge.report.claims import claims


def test_the_bound_names_all_that_it_rests_on() -> None:
    """Confidence, delta, canaries, copies; and what was claimed."""
    (one,) = claims(with_epsilon(1.234, 8.0))
    assert (
        one.proof == "epsilon is at least 1.23 (95 % confidence, delta 1e-05, 1000 canaries, a coin each, planted once)"
    )
    assert one.claim == "at most 8"
    assert one.judgement == "The claim is neither refuted nor confirmed."
    assert not one.refuted


def test_a_claim_is_refuted_by_more_than_it_allows() -> None:
    """Exactly as much is allowed."""
    assert [claims(with_epsilon(value, 2.0))[0].refuted for value in (1.99, 2.0, 2.01)] == [False, False, True]
    (one,) = claims(with_epsilon(2.01, 2.0))
    assert one.judgement.startswith("The claim is refuted: the accountant, the implementation of the training, or")
    assert one.sentence.startswith("The privacy claim (epsilon at most 2) is refuted: epsilon is at least 2.01 (")


def test_a_bound_of_nothing_proves_nothing() -> None:
    """It is not said that epsilon is 0, nor that the claim holds."""
    said = "The bound is 0, which proves nothing: it does not show that epsilon is 0."
    assert claims(with_epsilon(0.0))[0].judgement == said
    assert claims(with_epsilon(0.0, 1.0))[0].judgement == f"{said} The claim is neither refuted nor confirmed."
    assert "No claim of an accountant was given" in claims(with_epsilon(0.5))[0].judgement


def test_several_copies_are_a_group() -> None:
    """The claim is set beside the bound of the same group alone."""
    (one,) = claims(with_epsilon(5.0, 4.0, copies=3))
    assert (one.copies, one.refuted) == (3, True)
    assert "planted 3 times" in one.proof
    assert one.claim == "at most 4 for a group of 3 equal records"
    other = (
        figure("epsilon_lower_bound", 5.0, 5.0, None, delta=1e-5, copies=1),
        figure("epsilon", 4.0, None, None, arm="probe", delta=1e-5, copies=2),
    )
    assert [one.claimed for one in claims(result(*other))] == [None]


def test_without_a_bound_there_is_no_claim() -> None:
    """A claim alone, or a bound that could not be measured, says nothing."""
    figures = (figure("epsilon", 4.0, None, None, arm="probe"), figure("epsilon_lower_bound", None, None, None))
    assert claims(result(*figures)) == ()
