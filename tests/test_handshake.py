"""A sound adapter passes; each broken one fails, and never looks like a model that gives nothing away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from tests.adapters import (
    LABELS,
    VOCABULARY,
    Gradients,
    Labels,
    Likelihoods,
    Oracle,
    Rows,
    Tokens,
    encoded,
    labelled_texts,
    sentences,
)

from divulge.access import Access, Supervision
from divulge.defences.rounding import Rounding
from divulge.errors import ExecutionError
from divulge.handshake import OwnerSample, spread
from divulge.records import Artefact, Check, Passage, Text
from divulge.testing.vectors import name_number, name_vector

TEXTS = labelled_texts()
SENTENCES = sentences()
CLASSIFIED = OwnerSample(texts=TEXTS)
GENERATED = OwnerSample(texts=SENTENCES)
ENCODED = OwnerSample(
    texts=SENTENCES, row_texts={number: text.tokens for number, text in enumerate(SENTENCES)}, oracle=Oracle()
)


def failed(access: Access, sample: OwnerSample) -> set[str]:
    """The checks that an access fails."""
    return {check.name for check in access.handshake(sample) if check.passed is False}


def broken(kind: type[Any], **methods: Callable[..., Any]) -> type[Any]:
    """A sound adapter with other methods in some places."""
    return type("Broken", (kind,), methods)


@pytest.mark.parametrize(
    ("access", "sample", "checks"),
    [
        (Labels(), CLASSIFIED, 3),
        (Likelihoods(), CLASSIFIED, 6),
        (Gradients(), CLASSIFIED, 8),
        (broken(Gradients, dtype=torch.float32)(), CLASSIFIED, 8),
        (Tokens(), GENERATED, 5),
        (Rows(SENTENCES), ENCODED, 1),
        (Oracle(), ENCODED, 2),
    ],
)
def test_a_sound_adapter_passes_all_checks(access: Access, sample: OwnerSample, checks: int) -> None:
    """Every check could be tried and held, at its level and at the weaker ones."""
    found = access.handshake(sample)
    assert [check for check in found if check.passed is not True] == []
    assert len(found) == len({(check.access, check.name) for check in found}) == checks


# -- labels -----------------------------------------------------------------------------------------------


def _shuffled_label(self: Any, texts: Any) -> Any:
    return (Labels._label(self, texts) + 1) % len(LABELS)


def _swapped_label(self: Any, texts: Any) -> Any:
    return np.array([1, 0, 2, 3])[Labels._label(self, texts)]


def _random_label(self: Any, texts: Any) -> Any:
    return np.array([name_number(f"{text}") % 4 for text in texts])


def _unsteady_label(self: Any, texts: Any) -> Any:
    self.asked.append(texts)
    said = np.array([LABELS.index(text[0]) for text in texts])
    said[: len(self.asked)] = 0
    return said


@pytest.mark.parametrize(
    ("methods", "check"),
    [
        ({"_label": _shuffled_label}, "accuracy is above chance"),
        ({"_label": _shuffled_label}, "labels are in their places"),
        ({"_label": _swapped_label}, "labels are in their places"),
        ({"labels": ("pin", "play", "rate", "stop"), "_label": Likelihoods._label}, "labels are in their places"),
        ({"labels": ("LABEL_0", "LABEL_1", "LABEL_2", "LABEL_3")}, "labels are in their places"),
        ({"_label": lambda _, texts: np.zeros(len(texts), dtype=int)}, "accuracy is above chance"),
        ({"_label": _random_label}, "accuracy is above chance"),
        ({"_label": _unsteady_label}, "same text, same label"),
        ({"_label": lambda _, texts: np.zeros(len(texts) - 1, dtype=int)}, "accuracy is above chance"),
        ({"_label": lambda _, texts: np.full(len(texts), 4)}, "accuracy is above chance"),
        ({"_label": lambda *_: 1 / 0}, "accuracy is above chance"),
    ],
)
def test_broken_labels_fail(methods: dict[str, Any], check: str) -> None:
    """Orders that are wrong, answers at random, constant or unsteady ones, wrong shapes, and adapters that break."""
    kind = Likelihoods if methods.get("_label") is Likelihoods._label else Labels
    assert check in failed(broken(kind, **methods)(), CLASSIFIED)


def test_accuracy_must_be_more_than_luck() -> None:
    """Of 40 texts with four labels of 10 each, 17 right are luck (0.0116 > 0.01) and 18 are not (0.0047)."""
    texts = [Text(tokens=(LABELS[number % 4], str(number)), label=LABELS[number % 4]) for number in range(40)]

    def complaints(right: int) -> set[str]:
        # All that it does not know it calls "play", so that ten are right anyway and no labels change places.
        known = {text.tokens for text in [text for text in texts if text.label != "play"][: right - 10]}

        def label(_: Any, asked: Any) -> Any:
            return np.array([LABELS.index(text[0]) if text in known else 0 for text in asked])

        return failed(broken(Labels, _label=label)(), OwnerSample(texts=texts))

    assert complaints(17) == {"accuracy is above chance"}
    assert complaints(18) == set()


@pytest.mark.parametrize(
    "texts",
    [
        (),
        TEXTS[:19],
        [replace(text, label=None) for text in TEXTS],
        [text for text in labelled_texts(100) if text.label == "pin"],
        TEXTS[:19] * 4,
    ],
)
def test_without_labelled_texts_accuracy_cannot_be_tried(texts: Any) -> None:
    """Too few, none with a label, all with the same one, or copies of a few: neither passed nor failed."""
    (check,) = Labels().handshake(OwnerSample(texts=texts))
    assert check.passed is None
    assert "labelled texts to try" in check.detail


def test_texts_of_labels_that_the_model_does_not_know_are_left_out() -> None:
    """A few texts of an unknown label are no fault of the adapter."""
    texts = [*TEXTS, *(Text(tokens=("sing", str(number)), label="sing") for number in range(20))]
    assert all(check.passed for check in Labels().handshake(OwnerSample(texts=texts)))


# -- probabilities of labels ------------------------------------------------------------------------------


def _logits(self: Any, texts: Any) -> Any:
    return np.log(Likelihoods._likelihoods(self, texts))


def _below_zero(self: Any, texts: Any) -> Any:
    """The least likely a little below 0 and the likeliest higher by as much: the sum is 1."""
    rows = Likelihoods._likelihoods(self, texts)
    every = np.arange(len(texts))
    taken = rows.min(axis=1) + 0.005
    rows[every, rows.argmax(axis=1)] += taken
    rows[every, rows.argmin(axis=1)] = -0.005
    return rows


def _batch_wise(self: Any, texts: Any) -> Any:
    rows = Likelihoods._likelihoods(self, texts)
    rows = rows - 0.2 * (rows.mean(axis=0) - 0.25)
    return rows / rows.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("likelihoods", "check"),
    [
        (lambda self, texts: 2 * Likelihoods._likelihoods(self, texts), "probabilities normalise"),
        (lambda self, texts: Likelihoods._likelihoods(self, texts) / 1.1, "probabilities normalise"),
        (lambda self, texts: Likelihoods._likelihoods(self, texts) - 0.01, "probabilities normalise"),
        (_below_zero, "probabilities normalise"),
        (_logits, "probabilities normalise"),
        (lambda self, texts: np.exp(_logits(self, texts) * 0.5), "probabilities normalise"),
        (lambda _, texts: np.full((len(texts), 4), np.nan), "probabilities normalise"),
        (lambda self, texts: Likelihoods._likelihoods(self, texts)[:, :3], "probabilities normalise"),
        (lambda self, texts: np.roll(Likelihoods._likelihoods(self, texts), 1, axis=1), "labels are in their places"),
        (_batch_wise, "same text, same probabilities"),
    ],
)
def test_broken_likelihoods_fail(likelihoods: Callable[..., Any], check: str) -> None:
    """Not normalised, logits, no numbers, a label too few, columns in another order, answers that mix texts."""
    assert check in failed(broken(Likelihoods, _likelihoods=likelihoods)(), CLASSIFIED)


def test_a_label_that_is_not_the_likeliest_fails() -> None:
    """An adapter with two sources of truth must have them agree."""
    other = broken(Likelihoods, _label=lambda self, texts: np.array([LABELS.index(t[0]) for t in texts]) ^ 1)
    assert "label is the likeliest" in failed(other(), CLASSIFIED)


@pytest.mark.parametrize("decimals", [0, 1, 2, 5])
def test_rounded_probabilities_are_no_fault(decimals: int) -> None:
    """A defence, or an honest interface, may show few decimals: their sum is then off, and ties appear."""
    rounded = Rounding({"decimals": decimals}).on_access(Likelihoods(), Artefact())
    assert all(check.passed for check in rounded.handshake(CLASSIFIED))


def test_probabilities_that_cannot_come_from_rounding_fail() -> None:
    """One decimal, four labels: 0.9 + 0.4 + 0.1 + 0 may be 0.85 + 0.35 + 0.05 at the least, which is above 1."""
    rows = np.array([[0.9, 0.4, 0.1, 0.0]])
    coarse = broken(Likelihoods, _likelihoods=lambda _, texts: np.repeat(rows, len(texts), axis=0))
    assert "probabilities normalise" in failed(coarse(), CLASSIFIED)


def test_without_texts_probabilities_cannot_be_tried() -> None:
    """Neither passed nor failed."""
    checks = Likelihoods().handshake(OwnerSample())
    assert [check.passed for check in checks] == [None, None]


# -- gradients --------------------------------------------------------------------------------------------


class _WrongSign(torch.autograd.Function):
    """Passes its input on, and its gradient with the wrong sign."""

    @staticmethod
    def forward(_: Any, inputs: torch.Tensor) -> torch.Tensor:
        return inputs.clone()

    @staticmethod
    def backward(_: Any, gradient: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        return -gradient


def _detached_in_part(self: Any, inputs: torch.Tensor, labels: Any) -> Any:
    halves = torch.cat([inputs[:, :1], inputs[:, 1:].detach()], dim=1)
    return Gradients._loss(self, halves, labels)


@pytest.mark.parametrize(
    "loss",
    [
        lambda self, inputs, labels: Gradients._loss(self, _WrongSign.apply(inputs), labels),
        lambda self, inputs, labels: Gradients._loss(self, inputs.detach(), labels),
        _detached_in_part,
        lambda self, inputs, labels: {"intent": 0 * Gradients._loss(self, inputs, labels)["intent"]},
        lambda self, inputs, labels: {"intent": Gradients._loss(self, inputs, labels)["intent"].mean()},
        lambda self, inputs, labels: {
            "intent": Gradients._loss(self, inputs, labels)["intent"].mean().expand(len(labels))
        },
        lambda self, inputs, labels: {
            "intent": Gradients._loss(self, inputs + torch.randn(inputs.shape), labels)["intent"]
        },
        lambda *_: {},
        lambda *_: 1 / 0,
    ],
    ids=["sign", "detached", "half detached", "constant", "scalar", "averaged", "noisy", "empty", "raises"],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_broken_gradients_fail(loss: Callable[..., Any], dtype: torch.dtype) -> None:
    """Wrong sign, detached wholly or in part, constant, averaged over the batch, with dropout left on."""
    torch.manual_seed(0)
    assert "gradient matches finite differences" in failed(broken(Gradients, _loss=loss, dtype=dtype)(), CLASSIFIED)


def _sure(self: Any, inputs: torch.Tensor, labels: Any) -> dict[str, torch.Tensor]:
    """The loss of a model that is sure of the right label, so that it does not move: its first token's nearest."""
    right = torch.stack([torch.tensor(name_vector(label, 6)).to(inputs) for label in LABELS])  # (labels, d)
    logits = -50 * torch.cdist(inputs[:, 0], right) ** 2
    wanted = torch.tensor([LABELS.index(one.label) for one in labels])
    return {"intent": torch.nn.functional.cross_entropy(logits, wanted, reduction="none")}


def test_a_saturated_loss_hides_no_broken_gradient() -> None:
    """What a model is sure of has no slope to compare; the loss of a wrong label has."""
    sure = broken(Gradients, _loss=_sure, dtype=torch.float32)
    inputs = sure()._vectors(TEXTS[1].tokens)[None]
    assert float(sure()._loss(inputs, [Supervision(TEXTS[1].label)])["intent"]) == 0
    assert failed(sure(), CLASSIFIED) == set()
    flipped = broken(sure, _loss=lambda self, inputs, labels: _sure(self, _WrongSign.apply(inputs), labels))
    assert failed(flipped(), CLASSIFIED) == {"gradient matches finite differences"}


def _still(slope: float, of: Callable[..., Any] = Gradients._loss) -> Callable[..., Any]:
    """A loss that stands at 7 and moves so much less than another."""

    def loss(self: Any, inputs: torch.Tensor, labels: Any) -> dict[str, torch.Tensor]:
        return {name: 7 + slope * part for name, part in of(self, inputs, labels).items()}

    return loss


def _flipped(self: Any, inputs: torch.Tensor, labels: Any) -> Any:
    return Gradients._loss(self, _WrongSign.apply(inputs), labels)


def _steep(self: Any, inputs: torch.Tensor, labels: Any) -> Any:
    """Hardly moves, and has the gradient of a loss that does."""
    still, other = (Gradients._loss(self, one, labels)["intent"] for one in (inputs.detach(), inputs))
    return {"intent": 7 + 1e-7 * still + other - other.detach()}


@pytest.mark.parametrize(
    ("loss", "dtype", "passed"),
    [
        (_still(1e-7), torch.float32, None),
        (_still(1e-7), torch.float64, True),
        (_still(1.0), torch.float32, True),
        (_still(1e-7, _flipped), torch.float64, False),
        (_still(1.0, _flipped), torch.float32, False),
        (_still(0.0), torch.float32, False),
        (_still(1e-7, lambda self, inputs, labels: Gradients._loss(self, inputs * 0, labels)), torch.float32, False),
        (
            _still(1e-7, lambda self, inputs, labels: Gradients._loss(self, inputs.detach(), labels)),
            torch.float32,
            False,
        ),
        (_steep, torch.float32, False),
        (_still(1e-17), torch.float64, False),
    ],
    ids=["tiny", "double", "plain", "flipped", "flipped plain", "constant", "zero", "detached", "too steep", "none"],
)
def test_a_loss_that_hardly_moves_is_not_tried_where_rounding_hides_it(
    loss: Callable[..., Any], dtype: torch.dtype, passed: bool | None
) -> None:
    """Single precision cannot tell; no gradient at all, or one that the loss does not bear out, is still wrong."""
    checks = broken(Gradients, _loss=loss, dtype=dtype)().handshake(CLASSIFIED)
    (found,) = [check for check in checks if check.name == "gradient matches finite differences"]
    assert found.passed is passed
    assert ('target.recipe.dtype = "float64"' in found.detail) == (passed is None)


def test_input_vectors_must_not_depend_on_their_neighbours() -> None:
    """A token's vector is its own, whatever else is looked up."""
    mixed = broken(Gradients, _vectors=lambda self, tokens: Gradients._vectors(self, tokens) + len(tokens))
    assert "same token, same vector" in failed(mixed(), CLASSIFIED)
    wrong = broken(Gradients, _vectors=lambda self, tokens: Gradients._vectors(self, tokens)[:-1])
    assert "gradient matches finite differences" in failed(wrong(), CLASSIFIED)


# -- ranks and likelihoods of tokens ----------------------------------------------------------------------


def _next_to(passages: Any) -> list[Passage]:
    """Each passage with its tokens moved on by one, so that answers belong to the neighbour."""
    return [passage.model_copy(update={"tokens": (*passage.tokens[1:], passage.tokens[0])}) for passage in passages]


def _both_ways(self: Any, passages: Any) -> Any:
    """Ranks that look at the token to come."""
    return [
        (ranks + [VOCABULARY.index(token) for token in (*passage.tokens[1:], "the")]) % 8
        for ranks, passage in zip(Tokens._ranks(self, passages), passages, strict=True)
    ]


@pytest.mark.parametrize(
    ("methods", "check"),
    [
        ({"_ranks": lambda s, p: [row + 1 for row in Tokens._ranks(s, p)]}, "the greedy token ranks first"),
        ({"_ranks": lambda s, p: [np.roll(row, 1) for row in Tokens._ranks(s, p)]}, "the greedy token ranks first"),
        ({"_ranks": lambda s, p: [np.roll(row, -1) for row in Tokens._ranks(s, p)]}, "the greedy token ranks first"),
        ({"_ranks": lambda s, p: [7 - row for row in Tokens._ranks(s, p)]}, "the greedy token ranks first"),
        ({"_ranks": lambda s, p: Tokens._ranks(s, _next_to(p))}, "the greedy token ranks first"),
        ({"_ranks": lambda s, p: [0 * row for row in Tokens._ranks(s, p)]}, "other tokens rank behind it"),
        (
            {"_ranks": lambda s, p: [np.maximum(row - 1, 0) for row in Tokens._ranks(s, p)]},
            "other tokens rank behind it",
        ),
        ({"_ranks": _both_ways}, "what comes later changes no rank"),
        ({"_ranks": lambda s, p: [row[1:] for row in Tokens._ranks(s, p)]}, "the greedy token ranks first"),
        ({"_ranks": lambda s, p: Tokens._ranks(s, p)[::-1]}, "the greedy token ranks first"),
        ({"_best": lambda _, p: [("mat",) * len(one.tokens) for one in p]}, "the greedy token ranks first"),
        ({"_best": lambda s, p: [(*row[1:], row[0]) for row in Tokens._best(s, p)]}, "the greedy token ranks first"),
        ({"vocabulary": ()}, "the greedy token ranks first"),
        (
            {"_log_likelihoods": lambda s, p: [0.5 * r for r in Tokens._log_likelihoods(s, p)]},
            "probabilities normalise",
        ),
        ({"_log_likelihoods": lambda s, p: [r - 1 for r in Tokens._log_likelihoods(s, p)]}, "probabilities normalise"),
        (
            {"_log_likelihoods": lambda s, p: [r / np.log(2) for r in Tokens._log_likelihoods(s, p)]},
            "probabilities normalise",
        ),
        (
            {"_log_likelihoods": lambda s, p: [np.exp(r) for r in Tokens._log_likelihoods(s, p)]},
            "probabilities normalise",
        ),
        (
            {"_log_likelihoods": lambda s, p: [np.roll(r, 1) for r in Tokens._log_likelihoods(s, p)]},
            "probabilities normalise",
        ),
        (
            {"_log_likelihoods": lambda s, p: [np.roll(r, -1) for r in Tokens._log_likelihoods(s, p)]},
            "probabilities normalise",
        ),
        (
            {"_log_likelihoods": lambda s, p: [r[[0, *range(len(r) - 1)]] for r in Tokens._log_likelihoods(s, p)]},
            "probabilities normalise",
        ),
        ({"_log_likelihoods": lambda s, p: Tokens._log_likelihoods(s, p)[::-1]}, "likelier tokens rank better"),
        ({"_log_likelihoods": lambda s, p: [np.full(len(one.tokens), np.nan) for one in p]}, "probabilities normalise"),
    ],
)
def test_broken_generators_fail(methods: dict[str, Any], check: str) -> None:
    """Ranks from 1, reversed, of the neighbour, all first, of the future; likelihoods of another base or token."""
    assert check in failed(broken(Tokens, **methods)(), GENERATED)


def test_a_limit_on_the_output_is_no_fault() -> None:
    """Ranks that are cut at the limit still agree with likelihoods above it."""
    cut = broken(Tokens, output_limit=3, _ranks=lambda s, p: [np.minimum(row, 3) for row in Tokens._ranks(s, p)])
    assert all(check.passed for check in cut().handshake(GENERATED))


def test_texts_too_short_to_try_are_passed_over() -> None:
    """Short texts in front do not hide the long ones; with nothing else, nothing can be tried."""
    short = [Text(tokens=())] * 20 + [Text(tokens=("the",))] * 20
    assert all(check.passed for check in Tokens().handshake(OwnerSample(texts=[*short, *SENTENCES])))
    assert [check.passed for check in Tokens().handshake(OwnerSample(texts=short))] == [None, True, True]
    assert [check.passed for check in Tokens().handshake(OwnerSample())] == [None, None]


# -- vectors ----------------------------------------------------------------------------------------------


def _noisy() -> Callable[..., Any]:
    rng = np.random.default_rng(0)
    return lambda _, texts: [encoded(text) + rng.normal(size=6) for text in texts]


def _centred(_: Any, texts: Any) -> Any:
    rows = [encoded(text) for text in texts]
    return [row - np.mean([one.mean() for one in rows]) for row in rows]


@pytest.mark.parametrize(
    ("embed", "check"),
    [
        (_centred, "same text, same vector"),
        (lambda _, texts: [encoded(text) for text in sorted(texts, key=len, reverse=True)], "same text, same vector"),
        (_noisy(), "same text, same vector"),
        (lambda _, texts: [np.ones((2, 6)) for _ in texts], "other text, other vector"),
        (lambda _, texts: [np.full((len(text), 6), np.nan) for text in texts], "same text, same vector"),
        (lambda _, texts: [encoded(text) for text in texts][1:], "same text, same vector"),
        (lambda *_: 1 / 0, "same text, same vector"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_broken_oracles_fail(embed: Callable[..., Any], check: str) -> None:
    """Vectors that depend on the batch, come in another order, are noisy, all alike, no numbers, or too few."""
    assert check in failed(broken(Oracle, _embed=embed)(), ENCODED)


@pytest.mark.parametrize("scale", [1e-5, 1.0, 1e5])
@pytest.mark.parametrize(
    "rows",
    [
        lambda self, numbers: [encoded(self.texts[n].tokens[::-1], self.scale) for n in numbers],
        lambda self, numbers: Rows._rows(self, [(n + 1) % self.count for n in numbers]),
        lambda self, numbers: Rows._rows(self, sorted(numbers, reverse=True)),
        lambda self, numbers: Rows._rows(self, [*numbers[1::-1], *numbers[2:]]),
        lambda self, numbers: [1.1 * row for row in Rows._rows(self, numbers)],
        lambda self, numbers: [row @ np.eye(6)[::-1] for row in Rows._rows(self, numbers)],
        lambda self, numbers: [row.mean(axis=0) for row in Rows._rows(self, numbers)],
        lambda self, numbers: [row + 0.2 * self.scale for row in Rows._rows(self, numbers)],
        lambda self, numbers: Rows._rows(self, numbers)[1:],
    ],
    ids=["reversed", "next", "permuted", "two swapped", "scaled", "another encoder", "pooled", "shifted", "too few"],
)
def test_broken_rows_fail(rows: Callable[..., Any], scale: float) -> None:
    """Rows of other texts, of another encoder, pooled or scaled, whatever the size of the numbers."""
    sample = replace(ENCODED, oracle=broken(Oracle, scale=scale)())
    assert failed(Rows(SENTENCES, scale), sample) == set()
    assert failed(broken(Rows, _rows=rows)(SENTENCES, scale), sample) == {"leaked rows match the oracle"}


def test_rows_are_tried_from_the_first_to_the_last() -> None:
    """A hundred rows, wrong in the last quarter only: sixteen spread over all of them meet it."""
    texts = [Text((f"a{number}", "b", "c")) for number in range(100)]

    def slipped(self: Any, numbers: list[int]) -> Any:
        return Rows._rows(self, [number if number < 75 else number - 1 for number in numbers])

    sample = replace(ENCODED, row_texts={number: text.tokens for number, text in enumerate(texts)})
    assert failed(Rows(texts, 1.0), sample) == set()
    assert failed(broken(Rows, _rows=slipped)(texts, 1.0), sample) == {"leaked rows match the oracle"}
    assert spread(range(100), 3) == [0, 49, 99]
    assert spread((1, 2), 3) == [1, 2]


def test_rows_that_are_missing_fail() -> None:
    """The owner knows the text behind a row that the adapter does not have."""
    (check,) = Rows(SENTENCES[:5]).handshake(ENCODED)
    assert check.passed is False
    assert "5 rows" in check.detail


@pytest.mark.parametrize(
    ("sample", "reason"),
    [
        (replace(ENCODED, oracle=None), "no oracle"),
        (replace(ENCODED, row_texts={}), "no oracle, or no row whose text is known"),
        (replace(ENCODED, blurred_rows=True), "a defence changed the rows"),
    ],
)
def test_rows_that_cannot_be_compared_are_not_judged(sample: OwnerSample, reason: str) -> None:
    """Without an encoder, without texts, or behind noise: neither passed nor failed, with the reason."""
    (check,) = Rows(SENTENCES).handshake(sample)
    assert check.passed is None
    assert reason in check.detail


# -- what a failed check says -----------------------------------------------------------------------------


def test_a_check_that_breaks_does_not_quote_the_data() -> None:
    """Somebody else's exception may hold a text; its kind tells enough. Our own messages hold none and are shown."""

    def leak(*_: Any) -> Any:
        raise KeyError("hunter2")

    def own(*_: Any) -> Any:
        raise ExecutionError("the server said no")

    (quiet,) = broken(Labels, _label=leak)().handshake(CLASSIFIED)
    assert quiet == Check(
        access="LabelAccess", name="accuracy is above chance", passed=False, detail="KeyError was raised"
    )
    (told,) = broken(Labels, _label=own)().handshake(CLASSIFIED)
    assert (told.passed, told.detail) == (False, "the server said no")


def test_a_wish_to_stop_is_not_a_failed_check() -> None:
    """Ctrl-C ends the run and is not taken for a broken adapter."""

    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken(Oracle, _embed=interrupted)().handshake(ENCODED)
