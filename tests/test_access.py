"""The levels, their order, what each question costs, and what stops it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from tests.adapters import (
    PASSAGES,
    TEXTS,
    Gradients,
    Labels,
    Likelihoods,
    Oracle,
    Rows,
    Tokens,
    Tops,
    ask_everything,
    labelled_texts,
    sentences,
)

from divulge.access import (
    LEVELS,
    Ablatable,
    Access,
    EmbeddedRowsAccess,
    EmbeddingOracleAccess,
    GradientAccess,
    LabelAccess,
    LabelLikelihoodAccess,
    QueryMeter,
    RankedTokensAccess,
    Supervision,
    TokenLikelihoodAccess,
    TopLabelAccess,
)
from divulge.errors import BudgetExhausted, ExecutionError, InputError
from divulge.grants import Grant
from divulge.handshake import OwnerSample
from divulge.records import Passage


@pytest.mark.parametrize("weaker", LEVELS.values())
@pytest.mark.parametrize("stronger", LEVELS.values())
def test_the_order_of_strength(weaker: type[Access], stronger: type[Access]) -> None:
    """Two ladders and two levels apart: nothing else serves anything else."""
    ladders = (
        (LabelAccess, TopLabelAccess, LabelLikelihoodAccess, GradientAccess),
        (RankedTokensAccess, TokenLikelihoodAccess),
        (EmbeddedRowsAccess,),
        (EmbeddingOracleAccess,),
    )
    serves = any(
        weaker in ladder and stronger in ladder and ladder.index(weaker) <= ladder.index(stronger) for ladder in ladders
    )
    assert issubclass(stronger, weaker) == serves
    assert {level for ladder in ladders for level in ladder} == set(LEVELS.values())


@pytest.mark.parametrize("level", LEVELS.values())
def test_a_level_alone_is_no_adapter(level: type[Access]) -> None:
    """Granting is a decision: what answers must be written."""
    with pytest.raises(TypeError, match="abstract"):
        level()


@pytest.mark.parametrize(
    ("access", "asked"),
    [
        (Labels(), {"LabelAccess": 3}),
        (Tops(), {"LabelAccess": 3, "TopLabelAccess": 1}),
        (Likelihoods(), {"LabelAccess": 3, "TopLabelAccess": 1, "LabelLikelihoodAccess": 2}),
        (Gradients(), {"LabelAccess": 3, "TopLabelAccess": 1, "LabelLikelihoodAccess": 2, "GradientAccess": 1}),
        (Tokens(), {"RankedTokensAccess": 3, "TokenLikelihoodAccess": 2}),  # ranks of 2 and best of 1
        (Rows(sentences()), {"EmbeddedRowsAccess": 3}),
        (Oracle(), {"EmbeddingOracleAccess": 3}),
    ],
)
def test_examples_are_counted_by_the_level_that_defines_the_question(access: Access, asked: dict[str, int]) -> None:
    """A strong access that is asked a weak question is charged for the weak one; looking up vectors is free."""
    access.meter = QueryMeter()
    ask_everything(access)
    assert access.meter.asked == asked
    assert access.meter.total == sum(asked.values())
    assert access.remaining is None


@pytest.mark.parametrize("access", [Labels(), Gradients(), Tokens(), Rows(sentences()), Oracle()])
def test_an_access_without_a_meter_counts_for_itself(access: Access) -> None:
    """No question goes uncounted, and two accesses never share a meter by accident."""
    assert access.meter is None
    ask_everything(access)
    assert access.meter is not None
    assert access.meter.total > 0
    assert Labels().meter is None


def test_a_budget_stops_before_the_question_is_asked() -> None:
    """With 2 left, 3 are refused whole: nothing is asked or counted; 2 still go, then none."""
    access = Labels()
    access.meter = QueryMeter(5)
    access.label(TEXTS)
    assert access.remaining == 2
    with pytest.raises(BudgetExhausted, match=r"3 more examples at LabelAccess .* max_queries = 5 \(3 asked so far\)"):
        access.label(TEXTS)
    assert (access.meter.total, len(access.asked)) == (3, 1)
    access.label(TEXTS[:2])
    assert access.remaining == 0
    access.label([])
    with pytest.raises(BudgetExhausted):
        access.label(TEXTS[:1])
    assert access.meter.total == 5


def test_a_budget_holds_for_all_questions_together() -> None:
    """One limit over every level."""
    access = Gradients()
    access.meter = QueryMeter(5)
    access.label(TEXTS)
    access.likelihoods(TEXTS[:2])
    with pytest.raises(BudgetExhausted):
        access.loss(access.vectors(("go",))[None], [Supervision("pin")])
    assert access.meter.asked == {"LabelAccess": 3, "LabelLikelihoodAccess": 2}


@pytest.mark.parametrize("access", [Labels(), Likelihoods(), Gradients(), Tokens(), Rows(sentences()), Oracle()])
def test_the_handshake_costs_nothing(access: Access) -> None:
    """The owner's trials are not the adversary's questions."""
    access.meter = QueryMeter(0)
    texts = labelled_texts() if isinstance(access, LabelAccess) else sentences()
    checks = access.handshake(OwnerSample(texts=texts, row_texts={0: texts[0].tokens}, oracle=Oracle()))
    assert checks
    assert all(check.passed for check in checks)
    assert access.meter.total == 0


def test_labels_are_found_by_name() -> None:
    """The index of a label; an unknown one is answered with those that are near: labels may be people's names."""
    assert Labels().label_index("rate") == 2
    with pytest.raises(InputError, match="knows 4 labels, and 'pins' is none of them. Did you mean 'pin'\\?$"):
        Labels().label_index("pins")

    class Many(Labels):
        labels = tuple(f"l{number}" for number in range(21))  # type: ignore[assignment]

    with pytest.raises(InputError, match=r"knows 21 labels, and 'x' is none of them\.$"):
        Many().label_index("x")


def test_the_label_is_the_likeliest_unless_an_adapter_says_otherwise() -> None:
    """An adapter of probabilities need not write the weaker question."""
    access = Likelihoods()
    assert access.label(TEXTS).tolist() == access.likelihoods(TEXTS).argmax(axis=1).tolist() == [0, 1, 3]


def test_ranks_beyond_the_limit_become_the_limit() -> None:
    """All that is known of a token which is not shown is that it is not shown."""

    class Few(Tokens):
        output_limit = 3  # type: ignore[assignment]

        def _ranks(self, passages: Any) -> Any:
            return [np.arange(6)[: len(passage.tokens)] for passage in passages]

    six = Passage(tokens=("the",) * 6)
    assert Few().ranks([six])[0].tolist() == [0, 1, 2, 3, 3, 3]
    assert Tokens().output_limit == 8


@pytest.mark.parametrize("number", [-1, 4, 400])
def test_rows_that_do_not_exist_cannot_be_read(number: int) -> None:
    """The range is told, and nothing is counted."""
    access = Rows(sentences(4))
    with pytest.raises(InputError, match=rf"rows run from 0 to 3. Got \[{number}\]"):
        access.rows([0, np.int64(number)])  # type: ignore[list-item]
    assert access.meter is None
    with pytest.raises(InputError, match="there are no rows"):
        Rows([]).rows([0])


def test_a_loss_needs_inputs_that_fit_its_labels() -> None:
    """(batch, tokens, d) and one label each; a wrong question is not counted."""
    access = Gradients()
    for inputs, labels in ((torch.ones(3, 6), 3), (torch.ones(2, 3, 6), 3), (torch.ones(1, 2, 3, 6), 1)):
        with pytest.raises(InputError, match=rf"loss needs inputs of shape .* and {labels} labels"):
            access.loss(inputs, [Supervision("pin")] * labels)
    assert access.meter is None


def test_a_loss_can_be_differentiated() -> None:
    """The gradient reaches the input vectors through the seam."""
    access = Gradients()
    inputs = access.vectors(("go", "on"))[None].requires_grad_()
    access.loss(inputs, [Supervision("pin")])["intent"].sum().backward()
    assert inputs.grad is not None
    assert float(inputs.grad.abs().sum()) > 0


@pytest.mark.parametrize(
    ("kind", "method", "answer", "question"),
    [
        (Labels, "_label", np.zeros(2, dtype=int), lambda access: access.label(TEXTS)),
        (Labels, "_label", np.full(3, 4), lambda access: access.label(TEXTS)),
        (Likelihoods, "_likelihoods", np.ones((3, 3)), lambda access: access.likelihoods(TEXTS)),
        (Likelihoods, "_likelihoods", np.full((3, 4), np.nan), lambda access: access.likelihoods(TEXTS)),
        (Gradients, "_vectors", torch.ones(3, 6), lambda access: access.vectors(("go",))),
        (Gradients, "_loss", {"x": torch.tensor(1.0)}, lambda a: a.loss(torch.ones(1, 2, 6), [Supervision("pin")])),
        (Tokens, "_ranks", [[0, 1, 2]], lambda access: access.ranks(PASSAGES)),
        (Tokens, "_ranks", [[0, 1], [2]], lambda access: access.ranks(PASSAGES)),
        (Tokens, "_best", [("a", "b"), ("c",)], lambda access: access.best(PASSAGES)),
        (Tokens, "_log_likelihoods", [[0.0, 0.0, 0.0]], lambda access: access.log_likelihoods(PASSAGES)),
        (Tokens, "_log_likelihoods", [[-1.0] * 3, [np.nan]], lambda access: access.log_likelihoods(PASSAGES)),
        (Oracle, "_embed", [np.ones(6)], lambda access: access.embed(TEXTS)),
        (Oracle, "_embed", [np.ones(6), np.ones(6), np.ones(5)], lambda access: access.embed(TEXTS)),
    ],
)
def test_a_wrong_answer_is_a_fault_of_the_adapter(kind: Any, method: str, answer: Any, question: Any) -> None:
    """Whatever an adapter answers in a wrong shape stops the work, with the name of the method that did it."""

    class Broken(kind):  # type: ignore[misc]
        """Sound but for one method."""

    setattr(Broken, method, lambda *_: answer)
    with pytest.raises(ExecutionError, match=f"^Broken.{method} must "):
        question(Broken())


def test_wrong_rows_are_a_fault_of_the_adapter() -> None:
    """Fewer rows than were read, or a row of another width."""

    class Broken(Rows):
        def _rows(self, numbers: Any) -> Any:
            return super()._rows(numbers)[1:]

    with pytest.raises(ExecutionError, match=r"^Broken\._rows must give one answer for each of 2 questions. Got 1"):
        Broken(sentences()).rows([0, 1])


class Tagger(Labels):
    """A sound tagger: every word gets its own tag."""

    tag_names = ("O", "B-word")

    def _tags(self, texts: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
        return [("B-word",) * len(text) for text in texts]


def test_a_tagger_is_asked_for_tags_like_for_labels() -> None:
    """One tag per word, counted as examples at LabelAccess."""
    access = Tagger()
    assert access.tags(TEXTS) == [("B-word", "B-word"), ("B-word",), ("B-word", "B-word", "B-word")]
    assert access.meter is not None
    assert access.meter.asked == {"LabelAccess": 3}


def test_a_plain_classifier_has_no_tags() -> None:
    """It says so, and nothing is counted."""
    access = Labels()
    assert access.tag_names == ()
    with pytest.raises(InputError, match="is no tagger"):
        access.tags(TEXTS)
    assert access.meter is None


@pytest.mark.parametrize(
    "answer", [[("O",)] * 3, [("O", "O"), ("X",), ("O", "O", "O")], [("O", "O")], ["OO", "O", "OOO"]]
)
def test_tags_that_do_not_fit_are_a_fault_of_the_adapter(answer: list[object]) -> None:
    """Too few, unknown, not one answer per text, or text instead of tags."""

    class Broken(Tagger):
        def _tags(self, texts: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
            return answer  # type: ignore[return-value]

    with pytest.raises(ExecutionError, match=r"Broken\._tags must"):
        Broken().tags(TEXTS)


def test_units_are_the_owners_and_in_no_view() -> None:
    """Whoever can ablate is told by the method; a view of it cannot."""

    class Units(Tokens):
        def ablated(self, share: float, rng: np.random.Generator) -> RankedTokensAccess:
            raise NotImplementedError

    assert isinstance(Units(), Ablatable)
    assert not isinstance(Tokens(), Ablatable)
    assert not isinstance(Grant([Units()])[RankedTokensAccess], Ablatable)
