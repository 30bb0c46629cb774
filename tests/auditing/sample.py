"""Small audits of the stand-in targets, and parts of one's own that watch, spend, meddle or break."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from divulge.access import LabelAccess, LabelLikelihoodAccess
from divulge.attacks.base import Attack
from divulge.data.loading import load_corpus
from divulge.defences.base import Defence
from divulge.grants import ForwardLikelihoods, Grant
from divulge.parts import validate
from divulge.records import Artefact, Gaps, LeakedRow, Ranking, Record, RecordText, UserTexts, Verdict
from divulge.spec import AuditFile, AuditSpec, DataSpec, apply_settings
from divulge.testing.classifier import FakeClassifier
from divulge.testing.encoder import FakeEncoder

HERE = "tests.auditing.sample"

FILES: dict[str, dict[str, Any]] = {
    "canaries": {
        "target": {"kind": "fake-classifier"},
        "data": {"name": "synthetic-utterances", "options": {"size": 60}},
        "secrets": {
            "pattern": "my pin at <name*2> is {digit*2}",
            "label": "PinIntent",
            "count": 6,
            "controls": 5,
            "decoys": 20,
        },
        "attacks": [{"name": "label-likelihood"}],
    },
    "users": {
        "target": {"kind": "fake-generator"},
        "data": {"name": "synthetic-users", "options": {"users": 30, "texts": 3}},
        "secrets": {"kind": "users", "count": 8, "controls": 8},
        "adversary": {"background": {"shadows": 1}},
        "attacks": [{"name": "rank-histogram"}],
    },
    "rows": {
        "target": {"kind": "fake-encoder"},
        "data": {"name": "synthetic-sentences", "options": {"size": 30}},
        "secrets": {"kind": "rows", "count": 12},
        "adversary": {
            "background": {"corpus": {"name": "synthetic-sentences", "options": {"size": 80, "seed": 1}}},
        },
        "attacks": [{"name": "parallel-decoder"}],
    },
}
FILES["records"] = {
    "target": {"kind": "fake-classifier"},
    "data": {"name": "synthetic-utterances", "options": {"size": 90}},
    "secrets": {"kind": "records", "count": 12, "controls": 12},
    "attacks": [{"name": "record-loss"}],
}
PUBLIC = 'adversary.background.corpus={name="synthetic-utterances", options={size=50, seed=1}}'


def file_of(kind: str, *settings: str) -> AuditFile:
    """One of the small audit files, with `--set` settings."""
    return validate(AuditFile, apply_settings(FILES[kind], settings), kind)


def specs_of(kind: str, *settings: str) -> tuple[AuditSpec, ...]:
    """Its specs."""
    return file_of(kind, *settings).specs()


def reading(folder: Path, unit: str, tokens: int) -> str:
    """The setting that names an encoder of two pieces a word, saved to `folder`."""
    from tests.tiny_encoders import save_cutting_bert

    specs = [DataSpec.model_validate(FILES["rows"]["data"])]
    specs.append(DataSpec.model_validate(FILES["rows"]["adversary"]["background"]["corpus"]))
    words = sorted({word.lower() for spec in specs for text in load_corpus(spec) for word in text.tokens})
    recipe = f"recipe={{tokens={tokens}, unit='{unit}'}}"
    return f"target={{kind='sentence-encoder', path='{save_cutting_bert(folder, words)}', {recipe}}}"


def attacking(*names: str) -> str:
    """The setting that names attacks of this module."""
    return f"attacks=[{', '.join(f'{{name={_own(name)!r}}}' for name in names)}]"


def defended(*names: str, options: str = "{}") -> str:
    """The setting that names defences, registered or of this module."""
    return f"defences=[{', '.join(f'{{name={_own(name)!r}, options={options}}}' for name in names)}]"


def target_of(name: str) -> str:
    """The setting that names a target of this module."""
    return f"target.kind={_own(name)}"


def _own(name: str) -> str:
    return f"{HERE}:{name}" if name[0].isupper() else name


class Watcher(Attack):
    """Keeps whatever crosses the seam, and answers nothing."""

    name = "watcher"
    summary = "keeps what it is shown"
    requires = ()
    hints = (Gaps, UserTexts, LeakedRow)
    shown: ClassVar[list[tuple[str, Any]]] = []

    def prepare(self, background, rng):
        self.shown.append(("prepare", background))
        return Artefact()

    def guess(self, access, hints, knowledge, rng) -> Iterator[Any]:
        self.shown.append(("guess", (access, hints, knowledge)))
        yield from ()

    def score(self, access, hint, completions, knowledge):
        self.shown.append(("score", (access, hint, completions, knowledge)))
        return np.zeros(len(completions))


class Told(Watcher):
    """Is told how the private texts begin, as some published protocols have it."""

    name = "told"

    class Options(Record):
        """How many tokens."""

        as_published: bool = True

    @property
    def told_tokens(self) -> int:
        return 3 if self.options.as_published else 0


class Spender(Attack):
    """Asks one question about each secret, and answers with the first candidates."""

    name = "spender"
    summary = "one question per secret"
    requires = (LabelAccess,)
    hints = (Gaps,)

    def guess(self, access, hints, knowledge, rng):
        for secret_id, hint in hints.items():
            filling = tuple(words[0] for words in hint.candidates)
            access[LabelAccess].label([hint.filled(filling)])
            yield Ranking(secret_id=secret_id, candidates=(filling,))


class Meddler(Attack):
    """Answers about a secret that nobody asked about."""

    name = "meddler"
    summary = "answers unasked"
    requires = ()
    hints = (Gaps,)

    def guess(self, access, hints, knowledge, rng):
        yield Ranking(secret_id="0" * 16, candidates=(("1", "2"),))


class Breaker(Attack):
    """Raises in the middle, with the hint in its words."""

    name = "breaker"
    summary = "breaks"
    requires = ()
    hints = (Gaps,)

    def guess(self, access, hints, knowledge, rng):
        for secret_id, hint in hints.items():
            yield Ranking(secret_id=secret_id, candidates=(tuple(words[0] for words in hint.candidates),))
            raise RuntimeError(f"cannot go on with {hint.tokens}")


class Trained(FakeClassifier):
    """Keeps which texts it was trained on."""

    name = "trained"
    summary = "remembers its training texts"
    saw: ClassVar[list[tuple[Any, ...]]] = []

    def train(self, corpus, rng):
        self.saw.append(corpus.texts)
        return super().train(corpus, rng)


class Read(FakeClassifier):
    """A target that reads an existing model."""

    name = "read"
    summary = "a model that lies somewhere"

    class Options(FakeClassifier.Options):
        """Where it lies."""

        path: str = "nowhere"


class Finished(Read):
    """A target that knows what it knows, whatever the texts of the audit are."""

    name = "finished"
    summary = "a model that was trained elsewhere"
    learns = False


class Asker(Attack):
    """Asks the adversary's own models about the very secrets it is asked about, and keeps how many there were."""

    name = "asker"
    summary = "asks its practice models online"
    requires = ()
    requires_one_of = (LabelAccess,)
    hints = (Gaps, RecordText)
    asks_practice = True
    heard: ClassVar[list[tuple[int, int]]] = []

    def guess(self, access, hints, knowledge, rng):
        texts = [tuple(token or "0" for token in hint.tokens) for hint in hints.values()]
        said = [one.access[LabelAccess].label(texts) for one in knowledge.practice]
        self.heard.append((len(knowledge.practice), sum(map(len, said))))
        for secret_id, hint in hints.items():
            if isinstance(hint, RecordText):
                yield Verdict(secret_id=secret_id, statistic=0.0)
            else:
                yield Ranking(secret_id=secret_id, candidates=(tuple(words[0] for words in hint.candidates),))


class Unnormalised(FakeClassifier):
    """A target whose adapter forgets to normalise."""

    name = "unnormalised"
    summary = "likelihoods that do not sum to one"
    grants = (LabelLikelihoodAccess,)

    def open(self, artefact):
        (access,) = super().open(artefact).accesses
        return Grant([_Doubled(access)])


class _Doubled(ForwardLikelihoods):
    def _likelihoods(self, texts):
        return 2 * self.inner._likelihoods(texts)


class Bare(FakeEncoder):
    """An encoder without a recipe."""

    name = "bare"
    summary = "nothing to set"

    class Options(Record):
        """No options."""

    def train(self, corpus, rng):
        return FakeEncoder().train(corpus, rng)


class Fitted(Defence):
    """Keeps which texts it was fitted on; what it fitted is a secret."""

    name = "fitted"
    summary = "remembers the texts"
    levels = (LabelLikelihoodAccess, *FakeEncoder.grants)
    keeps_secret = True
    blurs_rows = True
    saw: ClassVar[list[tuple[tuple[str, ...], ...]]] = []

    def fit(self, corpus, access, rng):
        self.saw.append(tuple(text.tokens for text in corpus))
        return Artefact(values={"texts": len(corpus)})
