from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("transformers", reason='transformers is not installed: pip install "divulge[demo]"')

import torch
from safetensors.numpy import save_file
from tests.small_worlds import owner_sample
from tests.tiny_encoders import KINDS, VOCABULARY, WIDTH, hidden_states, save_tiny_bert
from transformers import AutoModel

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.auditing.resolving import Draft, draft_problems
from divulge.data.corpus import Corpus
from divulge.errors import ExecutionError, InputError
from divulge.records import Artefact, Text
from divulge.spec import TargetSpec
from divulge.targets import offline_models
from divulge.targets.networks.encoder import load_encoder
from divulge.targets.offline_models import installed_folder
from divulge.targets.sentence_encoder import SentenceEncoder

WORDS = [("the", "cat", "sat"), (), ("a", "dog", "barked", "at", "night"), ("the", "train")]
CORPUS = Corpus(tuple(Text(tokens=words) for words in WORDS), "pets")


def no_model() -> str | None:
    """Why the real encoder cannot be tried; None where it can."""
    try:
        installed_folder("all-MiniLM-L6-v2")
    except InputError as error:
        return str(error)
    return None


needs_model = pytest.mark.skipif(no_model() is not None, reason=no_model() or "")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT."""
    return save_tiny_bert(tmp_path_factory.mktemp("bert"))


def made(folder: Path, **options: Any) -> tuple[SentenceEncoder, Artefact]:
    """The target of that folder, trained."""
    target = SentenceEncoder({"path": str(folder), **options})
    return target, target.train(CORPUS, np.random.default_rng(0))


@pytest.mark.parametrize(("context", "read"), [(3, ()), (4, ("at",)), (None, ("at", "night"))])
def test_rows_are_the_first_words_of_texts_read_with_their_context(
    folder: Path, context: int | None, read: tuple[str, ...]
) -> None:
    """Every text has its row, the empty one an empty row; what is behind `context` pieces is not read."""
    target, artefact = made(folder, tokens=3, context=context)
    access = target.open(artefact)[EmbeddedRowsAccess]
    assert access.count == 4
    rows = access.rows(range(4))
    assert [row.shape for row in rows] == [(3, WIDTH), (0, WIDTH), (3, WIDTH), (2, WIDTH)]
    assert {row.dtype for row in rows} == {np.dtype(np.float64)}
    cut = hidden_states(folder, ("[CLS]", "a", "dog", "barked", *read, "[SEP]"))[1:4]
    assert np.allclose(rows[2], cut, atol=2e-5)


@pytest.mark.parametrize("unit", ["piece", "word"])
def test_a_word_behind_the_row_shows_in_it_and_the_handshake_knows(folder: Path, unit: str) -> None:
    """The texts of a corpus carry the rest of themselves: rows change with it, and match the oracle only with it."""
    target = SentenceEncoder({"path": str(folder), "tokens": 3, "unit": unit})
    pair = Corpus(tuple(Text(("a", "dog", "barked", "at", last)) for last in ("night", "the")))
    corpus = target.as_read(pair)
    assert [(text.tokens, text.rest) for text in corpus] == [
        (("a", "dog", "barked"), ("at", "night")),
        (("a", "dog", "barked"), ("at", "the")),
    ]
    assert corpus.fingerprint != target.as_read(Corpus(pair.texts[:1] * 2)).fingerprint
    grant = target.open(target.train(corpus, np.random.default_rng(0)))
    rows = grant[EmbeddedRowsAccess].rows([0, 1])
    assert [row.shape for row in rows] == [(3, WIDTH)] * 2
    assert not np.allclose(rows[0], rows[1], atol=1e-3)
    short = Corpus(tuple(Text(text.tokens) for text in corpus))
    checks = [
        [check.passed for check in grant[EmbeddedRowsAccess].handshake(owner_sample(known, grant))]
        for known in (corpus, short)
    ]
    assert checks == [[True], [False]]


def test_context_is_never_more_than_the_encoder_takes(folder: Path) -> None:
    """A text of 600 pieces is read as far as there are positions; a row longer than that is still refused."""
    room = load_encoder(folder, whole=True).room
    target = SentenceEncoder({"path": str(folder), "tokens": 3, "context": 600})
    whole, cut = target.oracle().embed([("cat",) * 600, ("cat",) * room])
    assert np.allclose(whole, cut, atol=1e-6)
    with pytest.raises(ExecutionError, match="longer than"):
        SentenceEncoder({"path": str(folder), "tokens": 600}).oracle().embed([("cat",) * 600])


@pytest.mark.parametrize(
    ("options", "said"),
    [({"pooling": "mean", "context": 128}, "a pooled vector is of all that is read"), ({"context": 3}, "at least")],
)
def test_a_context_that_cannot_be_is_refused(folder: Path, options: dict[str, Any], said: str) -> None:
    """Pooled, the vector would be of another text than the answer; unpooled, the row would not be read."""
    with pytest.raises(InputError, match=said):
        SentenceEncoder({"path": str(folder), "tokens": 4, **options})


@pytest.mark.parametrize("pooling", ["none", "mean", "cls", "max", "last"])
def test_the_oracle_answers_as_the_rows_were_made(folder: Path, pooling: str) -> None:
    """Same text, same vector; the owner's trial holds, also with an empty text in the corpus."""
    target, artefact = made(folder, pooling=pooling, tokens=4)
    grant = target.open(artefact)
    asked = grant[EmbeddingOracleAccess].embed(WORDS)
    rows = grant[EmbeddedRowsAccess].rows(range(4))
    assert all(np.array_equal(one, other) for one, other in zip(asked, rows, strict=True))
    expected = [(min(len(words), 4), WIDTH) if pooling == "none" else (WIDTH,) for words in WORDS]
    assert [row.shape for row in asked] == expected
    checks = [check for access in grant.accesses for check in access.handshake(owner_sample(CORPUS, grant))]
    assert [check.passed for check in checks] == [True, True, True]


@pytest.mark.parametrize("pooling", ["none", "mean"])
def test_a_corpus_without_texts(folder: Path, pooling: str) -> None:
    """No rows, and an encoder that still answers."""
    target = SentenceEncoder({"path": str(folder), "pooling": pooling})
    grant = target.open(target.train(Corpus((), "none"), np.random.default_rng(0)))
    assert grant[EmbeddedRowsAccess].count == 0
    assert len(grant[EmbeddingOracleAccess].embed([("cat",)])) == 1


def test_weights_are_not_kept(folder: Path) -> None:
    """The artefact holds rows in the encoder's own precision, their lengths, and hashes."""
    _, artefact = made(folder)
    assert {name: array.dtype.name for name, array in artefact.arrays.items()} == {
        "rows": "float32",
        "lengths": "int64",
    }
    assert artefact.arrays["rows"].shape == (3 + 0 + 5 + 2, WIDTH)
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= set(artefact.values["files"])


@pytest.mark.parametrize("changed", ["model.safetensors", "tokenizer.json"])
def test_another_encoder_is_refused_when_it_is_opened(tmp_path: Path, changed: str) -> None:
    """The message names the file that is not what it was."""
    folder = save_tiny_bert(tmp_path)
    target, artefact = made(folder)
    other = save_tiny_bert(tmp_path / "other", seed=1) / "model.safetensors"
    content = other.read_bytes() if changed == "model.safetensors" else (folder / changed).read_bytes() + b"\n"
    (folder / changed).write_bytes(content)
    with pytest.raises(ExecutionError, match=rf"another encoder \({changed} changed since\)"):
        target.open(artefact)


def test_a_folder_or_name_that_is_wrong_is_told_before_anything_runs(tmp_path: Path) -> None:
    """The planner already says so, with every problem at once."""
    for settings, problem in (
        ({"path": str(tmp_path / "gone")}, "no folder"),
        ({"path": str(tmp_path)}, "has no weights in safetensors"),
        ({"recipe": {"model": "all-minilm"}}, "unknown pretrained model"),
        ({"recipe": {"tokens": 0}}, "greater than or equal to 1"),
        ({"recipe": {"pooling": "sum"}}, "'none', 'mean', 'cls', 'max', 'last' or 'own'"),
    ):
        spec = TargetSpec.model_validate({"kind": "sentence-encoder", **settings})
        assert any(problem in found for found in draft_problems(Draft(target=spec))), settings


def test_a_missing_library_is_told_before_anything_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the extra that brings it."""
    monkeypatch.setattr(offline_models, "LIBRARIES", ("divulge_trial_gone",))
    with pytest.raises(InputError, match=r'pip install "divulge\[demo\]"'):
        SentenceEncoder({"path": str(folder)})


@needs_model
def test_the_real_encoder_knows_what_is_alike() -> None:
    """Sentences of one meaning are nearer to each other than to a stranger, in pooled vectors."""
    target = SentenceEncoder({"pooling": "mean"})
    said = ("the doctor treated the patient", "a physician cared for the sick man", "the stock market fell sharply")
    grant = target.open(target.train(Corpus(tuple(Text(tokens=tuple(one.split())) for one in said), "said"), rng()))
    rows = np.stack(grant[EmbeddedRowsAccess].rows(range(3)))
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    alike = unit @ unit.T
    assert alike[0, 1] > 0.5
    assert max(alike[0, 2], alike[1, 2]) < 0.3


@needs_model
def test_rows_of_the_real_encoder_are_its_hidden_states() -> None:
    """Against one text, asked alone, without padding and without our code; `glassdale` is of two pieces."""
    text = ("police", "in", "glassdale", "sealed", "the", "offices")
    pieces = ("[CLS]", "police", "in", "glass", "##dale", "sealed", "the", "offices", "[SEP]")
    states = hidden_states(installed_folder("all-MiniLM-L6-v2"), pieces)
    expected = np.stack([states[1], states[2], states[3:5].mean(axis=0), *states[5:8]])
    target = SentenceEncoder({"unit": "word"})
    texts = (Text(tokens=text), Text(tokens=text * 2), Text(tokens=("no",)))
    grant = target.open(target.train(Corpus(texts, "court"), rng()))
    (row,) = grant[EmbeddedRowsAccess].rows([0])
    assert row.shape == expected.shape
    assert np.allclose(row, expected, atol=1e-5)
    assert load_encoder(installed_folder("all-MiniLM-L6-v2")).width == 384


def rng() -> np.random.Generator:
    """A generator, which an encoder does not use."""
    return np.random.default_rng(0)


def test_its_width_is_known_before_anything_runs(folder: Path) -> None:
    """From the configuration: no weights are read."""
    assert SentenceEncoder({"path": str(folder)}).width == WIDTH


def save_modules(folder: Path, width: int) -> Path:
    """Makes a sentence-transformers folder of a tiny BERT: mean, dense layer, unit length; written by hand."""
    modules = ("Transformer", "Pooling", "Dense", "Normalize")
    listed = [
        {"idx": n, "name": str(n), "path": f"{n}_{kind}" if n else "", "type": f"sentence_transformers.models.{kind}"}
        for n, kind in enumerate(modules)
    ]
    (folder / "modules.json").write_text(json.dumps(listed))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 9, "do_lower_case": False}))
    for place in ("1_Pooling", "2_Dense", "3_Normalize"):
        (folder / place).mkdir()
    pooling = {"word_embedding_dimension": width, "pooling_mode_mean_tokens": True}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    dense = {"in_features": width, "out_features": 5, "bias": True}
    named = {"activation_function": "torch.nn.modules.activation.Tanh"}
    (folder / "2_Dense" / "config.json").write_text(json.dumps({**dense, **named}))
    drawn = np.random.default_rng(0).normal(size=(6, width)).astype(np.float32)
    weights = {"linear.weight": np.ascontiguousarray(drawn[:5]), "linear.bias": np.ascontiguousarray(drawn[5, :5])}
    save_file(weights, folder / "2_Dense" / "model.safetensors")
    return folder


def test_pooling_of_its_own_is_what_sentence_transformers_does(tmp_path: Path) -> None:
    """A folder with a dense layer and unit length, texts longer than it takes among them, against the library."""
    folder = save_modules(save_tiny_bert(tmp_path), WIDTH)
    target, artefact = made(folder, pooling="own", tokens=20, unit="word")
    texts = [*WORDS, ("the", "trainers") * 7]
    asked = target.open(artefact)[EmbeddingOracleAccess].embed(texts)
    library = pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    expected = library.SentenceTransformer(str(folder), device="cpu").encode([" ".join(text) for text in texts])
    assert np.allclose(np.stack(asked), expected, atol=1e-5)
    assert np.allclose(np.linalg.norm(asked, axis=1), 1)
    assert target.width is None


@needs_model
def test_the_real_encoder_pools_as_sentence_transformers_does() -> None:
    """As its own folder says: the mean, at unit length."""
    library = pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    said = (("the", "doctor", "treated", "the", "patient"), ("no",))
    target = SentenceEncoder({"pooling": "own"})
    grant = target.open(target.train(Corpus(tuple(Text(tokens=one) for one in said), "said"), rng()))
    folder = str(installed_folder("all-MiniLM-L6-v2"))
    expected = library.SentenceTransformer(folder, device="cpu").encode([" ".join(one) for one in said])
    assert np.allclose(np.stack(grant[EmbeddedRowsAccess].rows(range(2))), expected, atol=1e-5)


def test_the_dense_layer_is_part_of_the_model(tmp_path: Path) -> None:
    """Another one is refused when the rows are opened, and is another recipe."""
    folder = save_modules(save_tiny_bert(tmp_path), WIDTH)
    target, artefact = made(folder, pooling="own")
    weights = np.zeros((5, WIDTH), np.float32)
    save_file({"linear.weight": weights, "linear.bias": weights[:, 0].copy()}, folder / "2_Dense" / "model.safetensors")
    with pytest.raises(ExecutionError, match=r"2_Dense/model.safetensors changed since"):
        target.open(artefact)
    assert SentenceEncoder({"path": str(folder), "pooling": "own"}).options.files != target.options.files


def test_an_adapter_changes_the_vectors(tmp_path: Path) -> None:
    """They are those of model and adapter together; an adapter needs a folder."""
    peft = pytest.importorskip("peft", reason='peft is not installed: pip install "divulge[hf]"')
    base, adapter = save_tiny_bert(tmp_path / "base"), tmp_path / "adapter"
    config = peft.LoraConfig(r=2, target_modules=["query", "value"], init_lora_weights=False)
    wrapped = peft.get_peft_model(AutoModel.from_pretrained(base), config).eval()
    wrapped.save_pretrained(adapter)
    target, artefact = made(base, adapter=str(adapter), pooling="cls")
    (found,) = target.open(artefact)[EmbeddingOracleAccess].embed([("the", "cat", "sat")])
    numbers = [VOCABULARY.index(piece) for piece in ("[CLS]", "the", "cat", "sat", "[SEP]")]
    with torch.no_grad():
        expected = wrapped(input_ids=torch.tensor([numbers])).last_hidden_state[0, 0].numpy()
    assert np.allclose(found, expected, atol=1e-4)
    (plain,) = made(base, pooling="cls")[0].open(made(base, pooling="cls")[1])[EmbeddedRowsAccess].rows([0])
    assert not np.allclose(plain, found, atol=1e-2)
    assert "adapter/adapter_model.safetensors" in artefact.values["files"]
    with pytest.raises(InputError, match="`adapter` needs `path`"):
        SentenceEncoder({"adapter": str(adapter)})


def test_the_width_is_known_beforehand(folder: Path) -> None:
    """From the configuration alone."""
    assert SentenceEncoder({"path": str(folder)}).width == WIDTH


def test_code_of_a_folder_is_refused(tmp_path: Path) -> None:
    """Unless it is trusted by name."""
    folder = save_tiny_bert(tmp_path)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "auto_map": {"AutoModel": "own.Own"}}))
    with pytest.raises(InputError, match="brings code of its own"):
        SentenceEncoder({"path": str(folder)})


# -- in word pieces ---------------------------------------------------------------------------------------

LONG = Text(("the", "trainers", "barked", "at", "glassdale"), keywords=("trainers", "glassdale"))


def test_texts_are_read_in_their_first_pieces(folder: Path) -> None:
    """Words of several pieces are cut, at 15 unless told; keywords that can no longer be read are gone."""
    read = SentenceEncoder({"path": str(folder), "tokens": 4}).as_read(Corpus((LONG,)))
    assert read.texts[0].tokens == ("the", "train", "##er", "##s")
    assert read.texts[0].keywords == ("trainers",)
    more = Corpus((Text(("trainers",) * 9),))
    assert len(SentenceEncoder({"path": str(folder)}).as_read(more).texts[0].tokens) == 15
    assert SentenceEncoder({"path": str(folder), "unit": "word", "tokens": 2}).as_read(Corpus((LONG,))).texts[
        0
    ].tokens == ("the", "trainers")


@pytest.mark.parametrize("pooling", ["none", "mean", "cls", "max", "last"])
def test_rows_in_pieces_are_the_hidden_states(folder: Path, pooling: str) -> None:
    """Of [CLS] pieces [SEP], asked alone without our code; unpooled the special positions are left out."""
    target = SentenceEncoder({"path": str(folder), "pooling": pooling, "tokens": 6})
    read = target.as_read(Corpus((LONG, Text(("cat",)))))
    assert read.texts[0].tokens == ("the", "train", "##er", "##s", "barked", "at")
    rows = target.open(target.train(read, rng()))[EmbeddedRowsAccess].rows([0, 1])
    for text, row in zip(read, rows, strict=True):
        states = hidden_states(folder, ("[CLS]", *text.whole, "[SEP]"))
        ways = {"none": states[1 : 1 + len(text.tokens)], "mean": states.mean(axis=0), "max": states.max(axis=0)}
        assert np.allclose(row, {**ways, "cls": states[0], "last": states[-1]}[pooling], atol=2e-5)


def test_the_oracle_tells_its_pieces(folder: Path) -> None:
    """All that a text can be made of; of words there is no list."""
    for unit, expected in (("piece", VOCABULARY[5:]), ("word", ())):
        target, artefact = made(folder, unit=unit)
        assert target.open(artefact)[EmbeddingOracleAccess].vocabulary == expected
        assert target.oracle().vocabulary == expected


def test_pooling_of_its_own_reads_pieces_too(tmp_path: Path) -> None:
    """Against the library, on the texts themselves; longer ones are cut by the folder's own limit of nine."""
    library = pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    folder = save_modules(save_tiny_bert(tmp_path), WIDTH)
    target = SentenceEncoder({"path": str(folder), "pooling": "own", "tokens": 20})
    corpus = Corpus((LONG, Text(("the", "trainers") * 4), Text(("cat",))))
    rows = target.open(target.train(target.as_read(corpus), rng()))[EmbeddedRowsAccess].rows(range(3))
    written = [" ".join(text.tokens) for text in corpus]
    expected = library.SentenceTransformer(str(folder), device="cpu").encode(written)
    assert np.allclose(np.stack(rows), expected, atol=1e-5)


@pytest.mark.parametrize("unit", ["piece", "word"])
def test_texts_that_its_own_modules_would_cut_are_refused(tmp_path: Path, unit: str) -> None:
    """The folder takes nine pieces, two of them special ones; "trainers" is three: seven fit and eight do not."""
    folder = save_modules(save_tiny_bert(tmp_path), WIDTH)
    target = SentenceEncoder({"path": str(folder), "pooling": "own", "tokens": 8, "unit": unit})
    fits, over = Text(("trainers", "trainers", "cat")), Text(("trainers", "trainers", "cat", "cat"))
    assert target.misfits(target.as_read(Corpus((fits,)))) == []
    (problem,) = target.misfits(target.as_read(Corpus((fits, over))))
    assert "1 of 2 texts are longer than the 9 word pieces that the encoder takes, 2 special ones included" in problem
    assert ("Set recipe.tokens to 7 or less" in problem) == (unit == "piece")


@pytest.mark.parametrize("kind", KINDS)
def test_the_width_is_known_of_every_kind(tmp_path: Path, kind: str) -> None:
    """However its configuration calls it."""
    assert SentenceEncoder({"path": str(KINDS[kind](tmp_path))}).width == WIDTH


def test_what_does_not_fit_is_told_before_anything_runs(folder: Path, tmp_path: Path) -> None:
    """Texts with more pieces than there are positions, and a pooling that a causal model lacks."""
    long = Corpus((Text(("amber",) * 23), Text(("cat",))))
    for tokens, said in ((15, []), (22, []), (23, ["1 of 2 texts are longer than the 24 word pieces"])):
        found = SentenceEncoder({"path": str(folder), "tokens": tokens}).misfits(long)
        assert [one.startswith(two) for one, two in zip(found, said, strict=True)] == [True] * len(said)
    (problem,) = SentenceEncoder({"path": str(KINDS["gpt"](tmp_path)), "pooling": "cls"}).misfits(long)
    assert "'cls' needs an encoder" in problem


@pytest.mark.parametrize(("words", "over"), [(7, 0), (8, 1)])
def test_words_that_are_too_many_pieces_are_told_before_anything_runs(folder: Path, words: int, over: int) -> None:
    """The word "trainers" is three pieces: seven of them and two special tokens fit into 24 positions, eight do not."""
    corpus = Corpus((Text(("trainers",) * words), Text(("cat",))))
    found = SentenceEncoder({"path": str(folder), "unit": "word"}).misfits(corpus)
    assert [problem.startswith("1 of 2 texts are longer than the 24 word pieces") for problem in found] == [True] * over
