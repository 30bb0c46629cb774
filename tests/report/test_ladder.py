"""The access ladder."""

from tests.report.sample import arms, run
from tests.report.whole_run import BROKEN, deduplicated, leaking, made, of_rows, of_users, silent

from divulge.records import SpecResult
from divulge.report.grouping import audits
from divulge.report.ladder import FAMILIES, Ladder, ladders
from divulge.report.severity import RUNGS

LABELS, SCORES, WEIGHTS = ("LabelAccess",), ("LabelLikelihoodAccess",), ("GradientAccess",)


def reaching(value: float, access: tuple[str, ...], attack: str = "a", **more) -> SpecResult:
    """A result at some access, with an interval of 0.05 to both sides."""
    figures = arms("accuracy", (value, value - 0.05, value + 0.05), 0.0001, (0.0, 0.0, 0.01))
    return made(*figures, attack=attack, access=access, **more)


def ladder(*results: SpecResult) -> Ladder:
    """The only ladder of some results."""
    (only,) = ladders(audits(run(*results))).values()
    return only


def said(one: Ladder) -> str:
    """Its sentence, with plain spaces."""
    return one.sentence.replace("\N{NO-BREAK SPACE}", " ")


def test_results_that_differ_only_in_access_share_a_ladder() -> None:
    """Three audits, one ladder, at the first of them; rung by rung from the weakest."""
    found = audits(run(silent("m", access=LABELS), leaking("l", access=SCORES), leaking("s", access=WEIGHTS)))
    assert len(found) == 3
    (number,) = ladders(found)
    one = ladders(found)[number]
    assert (number, one.numbers) == (1, (1, 2, 3))
    assert [step.level for step in one.steps] == ["LabelAccess", "LabelLikelihoodAccess", "GradientAccess"]
    assert [step.entry.attack for step in one.steps] == ["m", "l", "s"]


def test_another_question_has_a_ladder_of_its_own() -> None:
    """Another target, or other secrets."""
    found = audits(run(leaking(), leaking(target="other"), of_users(), of_rows()))
    assert sorted(ladders(found)) == [1, 2, 3, 4]


def test_attacks_of_one_audit_stand_at_the_level_they_asked() -> None:
    """Whatever was granted; the strongest level asked counts, and of several attacks the strongest."""
    weak = reaching(0.1, WEIGHTS, "weak", queries={"LabelAccess": 5})
    strong = reaching(0.3, WEIGHTS, "strong", queries={"LabelAccess": 5})
    both = reaching(0.9, WEIGHTS, "both", queries={"LabelAccess": 5, "GradientAccess": 1})
    one = ladder(weak, both, strong)
    assert [step.entry and step.entry.attack for step in one.steps] == ["strong", None, "both"]
    assert [step.said.replace("\N{NO-BREAK SPACE}", " ") for step in one.steps] == [
        "30 % (25 to 35 %, n = 40)",
        "not tried",  # by the probabilities alone
        "90 % (85 to 95 %, n = 40)",
    ]


def test_what_was_granted_and_not_asked_for_is_not_called_untried() -> None:
    """An attack that had the weights and was content with probabilities stands there; nobody is told to try weights."""
    one = ladder(reaching(0.1, LABELS), reaching(0.5, WEIGHTS, queries={"LabelLikelihoodAccess": 5}))
    assert [step.entry is None for step in one.steps] == [False, False, True]
    assert one.steps[2].said == "granted, and not asked for"
    assert "not tried" not in said(one)
    lower = ladder(reaching(0.5, SCORES))
    assert [step.said for step in lower.steps if step.entry is None] == ["not tried", "not tried"]


def test_the_sentence_says_what_each_step_buys() -> None:
    """More, nothing that can be told, or an attack that wastes its access; and what was not tried."""
    rising = ladder(reaching(0.1, LABELS), reaching(0.5, SCORES), reaching(0.52, WEIGHTS))
    assert said(rising) == (
        "Whoever sees the label only reaches 10 % (5 to 15 %) by the figure “secrets guessed entirely right”; the "
        "probabilities of labels take it to 50 % (45 to 55 %); gradients and weights add nothing that the intervals "
        "can tell."
    )
    falling = ladder(reaching(0.8, SCORES), reaching(0.2, WEIGHTS))
    assert "gradients and weights does worse, which is the attack's fault" in said(falling)
    assert said(falling).endswith("; not tried: the label only.")


def test_a_step_is_compared_with_the_best_below_it() -> None:
    """An attack between them that fails does not make the next one look good."""
    one = ladder(reaching(0.8, LABELS), reaching(0.2, SCORES), reaching(0.8, WEIGHTS))
    assert said(one).endswith("gradients and weights add nothing that the intervals can tell.")


def test_the_best_label_alone_is_a_rung_only_where_it_was_tried() -> None:
    """Between the label and all probabilities; nobody is told to try what few interfaces show."""
    top = ("TopLabelAccess",)
    assert [step.level for step in ladder(reaching(0.2, top)).steps][1] == "TopLabelAccess"
    assert "TopLabelAccess" not in [step.level for step in ladder(reaching(0.2, WEIGHTS)).steps]


def test_one_figure_is_chosen_that_most_rungs_have() -> None:
    """Rungs are compared by the same figure; one that lacks it says so."""
    other = made(*arms("hdt", (0.5, 0.4, 0.6), 0.9, (0.9, 0.8, 1.0)), access=LABELS, attack="other")
    one = ladder(other, leaking("l", access=SCORES), leaking("s", access=WEIGHTS))
    assert one.figure == "Missing words guessed wrong"
    lonely = ladder(other, reaching(0.8, SCORES), reaching(0.8, WEIGHTS))
    assert lonely.figure == "Secrets guessed entirely right"
    assert lonely.steps[0].said == "tried, but not measured by this figure"


def test_what_never_asked_is_void_or_defended_is_no_rung() -> None:
    """A defended result counts only where nothing else is there."""
    nothing = [leaking(queries={}), leaking(handshake=(BROKEN,)), made(attack=None)]
    assert [ladders(audits(run(one))) for one in nothing] == [{}, {}, {}]
    assert ladder(reaching(0.2, WEIGHTS), reaching(0.9, WEIGHTS, defences=deduplicated())).steps[2].said[:2] == "20"
    assert ladder(reaching(0.9, WEIGHTS, defences=deduplicated())).steps[2].said[:2] == "90"


def test_every_family_has_its_words() -> None:
    """Rows with the encoder are a rung above rows alone."""
    assert {level for family in FAMILIES for level, _ in family} == set(RUNGS)
    assert [step.said == "not tried" for step in ladder(of_rows()).steps] == [True, False]
    assert [step.said == "not tried" for step in ladder(of_users()).steps] == [False, True]
