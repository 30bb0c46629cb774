"""Who gets what: views of exactly one level, on one meter, and a refusal that names both sides."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.adapters import (
    PASSAGES,
    TEXTS,
    Gradients,
    Labels,
    Likelihoods,
    Oracle,
    Rows,
    Tokens,
    ask_everything,
    sentences,
)

import divulge.attacks
from divulge.access import (
    LEVELS,
    Access,
    EmbeddedRowsAccess,
    EmbeddingOracleAccess,
    GradientAccess,
    LabelAccess,
    LabelLikelihoodAccess,
    RankedTokensAccess,
    Supervision,
    TokenLikelihoodAccess,
    TopLabelAccess,
)
from divulge.errors import BudgetExhausted, InputError
from divulge.grants import ForwardLikelihoods, ForwardRanks, Grant, level_of, refusal

QUESTIONS = {
    LabelAccess: {"label", "labels", "label_index", "tags", "tag_names", "answers_vary"},
    TopLabelAccess: {"top"},
    LabelLikelihoodAccess: {"likelihoods", "tag_likelihoods"},
    GradientAccess: {"loss", "vectors", "word_width", "reads_single"},
    RankedTokensAccess: {"ranks", "best", "pieces", "vocabulary", "output_limit"},
    TokenLikelihoodAccess: {"log_likelihoods"},
    EmbeddedRowsAccess: {"rows", "count"},
    EmbeddingOracleAccess: {"embed", "vocabulary"},
}
PLUMBING = {"handshake", "inner", "meter", "remaining"}


def strongest() -> Grant:
    """All there is to grant."""
    return Grant([Gradients(), Tokens(), Rows(sentences()), Oracle()])


@pytest.mark.parametrize("level", LEVELS.values())
def test_a_view_offers_its_level_and_no_more(level: type[Access]) -> None:
    """A strong grant serves a weak request with the questions of that level and weaker ones, and no other."""
    view = strongest()[level]
    offered = {name for name in dir(view) if not name.startswith("_")} - PLUMBING
    assert offered == {name for weaker, names in QUESTIONS.items() if issubclass(level, weaker) for name in names}
    assert level_of(view) is level
    assert not hasattr(strongest()[LabelAccess], "loss")


def test_a_view_answers_as_the_access_behind_it() -> None:
    """Every question is passed on to where it is answered."""
    grant, gradients, tokens = strongest(), Gradients(), Tokens()
    assert grant[LabelAccess].label(TEXTS).tolist() == gradients.label(TEXTS).tolist()
    assert np.array_equal(grant[LabelLikelihoodAccess].likelihoods(TEXTS), gradients.likelihoods(TEXTS))
    numbers, shown = grant[TopLabelAccess].top(TEXTS)
    assert numbers.tolist() == gradients.label(TEXTS).tolist()
    assert shown.tolist() == gradients.likelihoods(TEXTS).max(axis=1).tolist()
    inputs = gradients.vectors(("go", "on"))
    view = grant[GradientAccess]
    assert np.array_equal(view.vectors(("go", "on")), inputs)
    towards = [Supervision("pin")]
    assert float(view.loss(inputs[None], towards)["intent"]) == float(gradients.loss(inputs[None], towards)["intent"])
    assert [r.tolist() for r in grant[RankedTokensAccess].ranks(PASSAGES)] == [
        r.tolist() for r in tokens.ranks(PASSAGES)
    ]
    assert grant[RankedTokensAccess].best(PASSAGES) == tokens.best(PASSAGES)
    assert grant[RankedTokensAccess].vocabulary == tokens.vocabulary
    shown = grant[TokenLikelihoodAccess].log_likelihoods(PASSAGES)
    assert all(np.array_equal(a, b) for a, b in zip(shown, tokens.log_likelihoods(PASSAGES), strict=True))
    rows = Rows(sentences())
    assert grant[EmbeddedRowsAccess].count == rows.count == 12
    assert np.array_equal(grant[EmbeddedRowsAccess].rows([3])[0], rows.rows([3])[0])
    assert np.array_equal(grant[EmbeddingOracleAccess].embed(TEXTS)[1], Oracle().embed(TEXTS)[1])


def test_a_narrower_output_stays_narrow_in_a_view() -> None:
    """What an adapter does not show is not shown by a view of it."""

    class Few(Tokens):
        output_limit = 2  # type: ignore[assignment]

    view = Grant([Few()])[RankedTokensAccess]
    assert view.output_limit == 2
    assert max(int(ranks.max()) for ranks in view.ranks(PASSAGES)) == 2


def test_views_share_one_meter() -> None:
    """Whatever view a question goes through, it is counted once, on the grant."""
    grant = Grant([Gradients(), Tokens()], max_queries=8)
    grant[LabelAccess].label(TEXTS)
    assert grant[RankedTokensAccess].remaining == 5
    grant[RankedTokensAccess].ranks(PASSAGES)
    grant[LabelAccess].label(TEXTS[:1])
    assert grant.meter.asked == {"LabelAccess": 4, "RankedTokensAccess": 2}
    with pytest.raises(BudgetExhausted):
        grant[LabelLikelihoodAccess].likelihoods(TEXTS)
    assert grant.meter.total == 6
    assert grant.accesses[0].meter is None


def test_forwarding_does_not_count_twice() -> None:
    """A view of a view of a defended access charges the outermost meter only."""
    inner = strongest()
    middle = inner.changed(lambda access: ForwardRanks(access) if isinstance(access, RankedTokensAccess) else access)
    outer = middle.limited([RankedTokensAccess, GradientAccess], 100)
    ask_everything(outer[RankedTokensAccess])
    ask_everything(outer[GradientAccess])
    labels = {"LabelAccess": 3, "TopLabelAccess": 1, "LabelLikelihoodAccess": 2, "GradientAccess": 1}
    assert outer.meter.asked == {"RankedTokensAccess": 3, **labels}
    assert (inner.meter.total, middle.meter.total) == (0, 0)


def test_limited_leaves_the_levels_named() -> None:
    """What is not named is gone, even if the access behind could do it; the budget is new each time."""
    grant = strongest()
    few = grant.limited([LabelAccess, EmbeddedRowsAccess], 4)
    assert few.levels == (LabelAccess, EmbeddedRowsAccess)
    assert few.get(LabelLikelihoodAccess) is None
    assert few.get(EmbeddingOracleAccess) is None
    few[LabelAccess].label(TEXTS)
    assert few.meter.remaining == 1
    assert grant.limited([LabelAccess], 4).meter.remaining == 4
    with pytest.raises(InputError, match="requires GradientAccess; granted is LabelAccess, EmbeddedRowsAccess$"):
        few[GradientAccess]
    with pytest.raises(InputError, match="requires LabelLikelihoodAccess"):
        few.limited([LabelLikelihoodAccess], None)


def test_limits_only_ever_narrow() -> None:
    """From what was limited nothing stronger can be had by limiting again."""
    again = strongest().limited([LabelLikelihoodAccess], None).limited([LabelAccess], None)
    assert again.levels == (LabelAccess,)
    assert GradientAccess not in again


def test_changed_passes_each_access_through_the_change() -> None:
    """A defence sees every access once, in order; the budget stays, the counts begin anew."""
    seen: list[type[Access]] = []

    def change(access: Access) -> Access:
        seen.append(type(access))
        return ForwardLikelihoods(access) if isinstance(access, LabelLikelihoodAccess) else access

    grant = Grant([Gradients(), Oracle()], 5)
    grant[LabelAccess].label(TEXTS)
    weaker = grant.changed(change)
    assert seen == [Gradients, Oracle]
    assert weaker.levels == (LabelLikelihoodAccess, EmbeddingOracleAccess)
    assert GradientAccess not in weaker
    assert (weaker.meter.limit, weaker.meter.total) == (5, 0)


def test_a_weak_request_goes_to_the_first_that_can_serve_it() -> None:
    """With two on one ladder, the order of granting decides; a strong request finds the strong one."""

    class Stubborn(Labels):
        def _label(self, texts: Sequence[Any]) -> Any:
            return np.full(len(texts), 2)

    grant = Grant([Stubborn(), Gradients()])
    assert grant[LabelAccess].label(TEXTS).tolist() == [2, 2, 2]
    assert grant[LabelLikelihoodAccess].label(TEXTS).tolist() == [0, 1, 3]


def test_membership_is_about_strength() -> None:
    """A grant holds a level if something in it is at least as strong."""
    grant = Grant([Likelihoods()])
    assert LabelAccess in grant
    assert LabelLikelihoodAccess in grant
    assert GradientAccess not in grant
    assert Grant([]).levels == ()


def test_a_refusal_names_both_sides() -> None:
    """What was asked for, and what there is."""
    with pytest.raises(InputError, match="^this request requires GradientAccess; granted is LabelLikelihoodAccess$"):
        Grant([Likelihoods()])[GradientAccess]
    asked = (EmbeddedRowsAccess, EmbeddingOracleAccess)
    assert refusal("attack 'x'", asked, (LabelAccess, RankedTokensAccess)) == (
        "attack 'x' requires EmbeddedRowsAccess and EmbeddingOracleAccess; granted is LabelAccess, RankedTokensAccess"
    )
    assert refusal("probe 'y'", (), ()) == "probe 'y' requires nothing; granted is nothing"


@pytest.mark.parametrize("wrong", [Access, Gradients, ForwardRanks])
def test_access_is_asked_for_by_level(wrong: type[Access]) -> None:
    """Neither "any access" nor an adapter's own class is a level."""
    with pytest.raises(InputError, match=rf"not as {wrong.__name__}\. Levels: LabelAccess, "):
        strongest()[wrong]


@pytest.mark.parametrize(
    ("access", "level"),
    [
        (Labels(), LabelAccess),
        (Likelihoods(), LabelLikelihoodAccess),
        (Gradients(), GradientAccess),
        (Tokens(), TokenLikelihoodAccess),
        (Rows([]), EmbeddedRowsAccess),
        (Oracle(), EmbeddingOracleAccess),
    ],
)
def test_the_level_of_an_access_is_its_strongest(access: Access, level: type[Access]) -> None:
    """Where on its ladder an adapter stands."""
    assert level_of(access) is level
    assert Grant([access]).levels == (level,)


@pytest.mark.parametrize("wrong", [object(), None, "LabelAccess", LabelAccess])
def test_what_is_no_access_cannot_be_granted(wrong: Any) -> None:
    """Neither a model nor a class; all levels are named."""
    with pytest.raises(InputError, match="must subclass one of LabelAccess, TopLabelAccess, LabelLikelihoodAccess, "):
        level_of(wrong)
    with pytest.raises(InputError, match="must subclass one of"):
        Grant([wrong])


def test_one_access_stands_on_one_ladder() -> None:
    """Rows and encoder in one object would be wrapped, and tried, as only one of the two."""

    class Both(Rows, Oracle):
        pass

    with pytest.raises(InputError, match="Both is EmbeddedRowsAccess and EmbeddingOracleAccess at once: grant one"):
        Grant([Both([])])


def test_no_attack_looks_behind_its_views() -> None:
    """No attack in the package touches what a view is made of, or an underscore method of an access."""
    folder = Path(divulge.attacks.__file__).parent
    underscored = {f"_{name}" for names in QUESTIONS.values() for name in names}
    for path in sorted(folder.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and not (isinstance(node.value, ast.Name) and node.value.id == "self"):
                assert node.attr not in {"inner", "accesses"} | underscored, f"{path.name}:{node.lineno}"
