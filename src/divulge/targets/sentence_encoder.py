"""A pretrained sentence encoder and the vectors it made of private texts, as they lie in a leaked vector store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess, TokenTuple
from divulge.data.corpus import Corpus
from divulge.errors import ExecutionError, InputError
from divulge.grants import Grant
from divulge.records import Artefact, FloatArray, LeakedRow, Record
from divulge.targets.base import Target
from divulge.targets.offline_models import (
    file_hashes,
    folder_problems,
    installed_file,
    installed_folder,
    missing_libraries,
    offline_folder,
    offline_hashes,
)
from divulge.targets.own.rows import KeptRows
from divulge.targets.own.transformers_folder import EXTRA, adapter_faults, adapter_hashes, code_faults, fingerprint
from divulge.targets.sentence_context import Reading
from divulge.targets.sentence_modules import SentenceModules, encoder_folder, state_width

if TYPE_CHECKING:
    from divulge.targets.networks.encoder import Vectors, WordEncoder

__all__ = ["SentenceEncoder"]

FEW = 16  # word pieces that any encoder takes


class SentenceEncoder(Target):
    """Embeds the texts it is handed: those are the leaked rows; the encoder itself is granted separately.

    Texts are read in the tokenizer's word pieces, with one space between any two words. Unpooled, a row is (pieces, d)
    of the first `tokens` pieces, without special tokens, as the encoder makes them of the first `context` pieces: what
    comes behind a row shows in it, and is not asked for. Pooled, a row is the vector of the first `tokens` pieces. With
    `unit` = "word" rows line up with the corpus's words instead: the vector of a word of several pieces is the mean of
    theirs, and zeros stand for a word that the tokenizer drops. The weights stay where they are: what is kept is the
    rows and the hashes of the model's files, and other files are refused when it is opened again.
    """

    name = "sentence-encoder"
    summary = "a pretrained transformers encoder from an installed package or a local folder, and the rows it made"
    grants = (EmbeddedRowsAccess, EmbeddingOracleAccess)
    hints = (LeakedRow,)
    revision = 2

    class Options(Record):
        """Which encoder, how many tokens of a text it reads, of which unit, and how it pools them.

        `tokens` of a text are leaked and asked for, and `context` word pieces are read: unpooled 128 as in gu2023, or
        what the encoder takes if that is less. A pooled vector is of `tokens` and nothing else, so that it is asked
        for just what is in it: `context` is then refused, and `tokens` says how much of a text is pooled.

        `path` is a local folder of transformers or sentence-transformers with weights in safetensors; it takes the
        place of `model`, the name of one that comes in a package: all-MiniLM-L6-v2, the causal SmolLM2-135M-Instruct
        (dequantised from four bits), the static vectors of wordllama. Pooled as in sentence-transformers: over all
        positions, special ones included. A causal model has no special token for "cls"; its "last" position has read
        all others. "own" does what the modules.json of a sentence-transformers folder says, dense layers and all.
        `adapter` is the folder of a PEFT adapter on the model in `path`; `trust_remote_code` lets that folder bring
        code of its own, `allow_pickle` weights that are not in safetensors. `files` fills itself in.
        """

        model: str = "all-MiniLM-L6-v2"
        path: str | None = None
        adapter: str | None = None
        tokens: Annotated[int, Field(ge=1)] = 15
        context: Annotated[int, Field(ge=1)] | None = None
        unit: Literal["piece", "word"] = "piece"
        pooling: Literal["none", "mean", "cls", "max", "last", "own"] = "none"
        trust_remote_code: bool = False
        allow_pickle: bool = False
        files: str = ""

        @model_validator(mode="before")
        @classmethod
        def _with_files(cls, values: Any) -> Any:
            """So that the key of the rows sees what lies in a folder of your own."""
            path = values.get("path") if isinstance(values, dict) else None
            return {**values, "files": fingerprint(path, values.get("adapter"))} if isinstance(path, str) else values

    def __init__(self, options: Record | Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        problems = missing_libraries()
        try:
            _reading(self.options)
            if self.options.path is not None:
                problems += _own_faults(self.options)
            elif self.options.adapter is not None:
                problems.append("`adapter` needs `path`, the folder of the model that it was made for")
            else:
                installed_file(self.options.model)
            if self.options.pooling == "own" and not problems:
                SentenceModules(self._named_folder())
        except InputError as error:
            problems += error.problems
        if problems:
            raise InputError(problems)

    @property
    def reads(self) -> int | None:
        """The first tokens of a text."""
        return int(self.options.tokens)

    @property
    def cuts_texts(self) -> bool:
        """In word pieces, yes; in words, where more is read than its row shows."""
        return self._in_pieces or _reading(self.options).goes_on

    def as_read(self, corpus: Corpus) -> Corpus:
        """The first word pieces of each text, or its first words; what else is read is the rest of a text."""
        reading = _reading(self.options)
        if not self._in_pieces and not reading.goes_on:
            return super().as_read(corpus)
        texts = [text.tokens for text in corpus]
        own = self.options.pooling == "own"
        read = SentenceModules(self._folder()).written(texts) if own else [" ".join(text) for text in texts]
        return reading.corpus(self._tokenizer(), corpus, read)

    @property
    def pools(self) -> bool | None:
        """As the recipe says."""
        return bool(self.options.pooling != "none")

    @property
    def width(self) -> int | None:
        """That of the encoder's states; what modules of its own make of them is not known before."""
        if self.options.pooling == "own":
            return None
        return state_width(encoder_folder(self._named_folder()))

    def misfits(self, corpus: Corpus) -> list[str]:
        """A pooling that the encoder does not have, or texts that it has no positions for."""
        from divulge.targets.networks.tokenizing import must_start_specially, special_around

        tokenizer = self._tokenizer()
        problems: list[str] = []
        try:
            if self.options.pooling == "cls":
                must_start_specially(tokenizer)
        except InputError as error:
            problems += error.problems
        around = sum(map(len, special_around(tokenizer)))
        lengths = [count + around for count in self._counts(tokenizer, corpus)]
        # Modules cut longer texts in silence: pieces that are not in a vector would be asked for.
        limit = SentenceModules(self._folder()).longest if self.options.pooling == "own" else None
        if max(lengths, default=0) <= min(FEW, limit or FEW):
            return problems
        takes = _encoder(self._folder(), self.options).longest
        longest = min(takes, limit or takes)
        over = sum(length > longest for length in lengths)
        if over:
            most = f"to {longest - around} or less" if self._in_pieces else "lower"
            problems.append(
                f"{over} of {len(lengths)} texts are longer than the {longest} word pieces that the encoder takes, "
                f"{around} special ones included. Set recipe.tokens {most}"
            )
        return problems

    def _counts(self, tokenizer: Any, corpus: Corpus) -> list[int]:
        """How many word pieces of each text are read, special ones left out."""
        from divulge.targets.networks.tokenizing import piece_counts, pieces_of

        read = [text.tokens[: self.options.tokens] for text in corpus]
        if self._in_pieces:
            return [len(text) for text in read]
        if self.options.pooling != "own":
            return piece_counts(tokenizer, read)
        return [len(pieces) for pieces in pieces_of(tokenizer, SentenceModules(self._folder()).written(read))]

    def oracle(self) -> EmbeddingOracleAccess:
        """The encoder alone, whatever rows there are."""
        return _Oracle(self._folder(), self.options)

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Embeds every text of the corpus, in order; nothing is learnt."""
        del rng
        folder = self._folder()
        rows = _embedded(folder, [text.whole for text in corpus], self.options)
        arrays: dict[str, npt.NDArray[Any]] = {"rows": _stacked(rows, folder, self.options)}
        if self.options.pooling == "none":
            arrays["lengths"] = np.array([len(row) for row in rows], dtype=np.int64)
        return Artefact(values={"files": self._hashes(folder)}, arrays=arrays)

    def open(self, artefact: Artefact) -> Grant:
        """Grants the rows and the encoder, which must be the one that made them.

        Raises:
            ExecutionError: The files of the model are not those that the rows were made with.
        """
        folder = self._folder()
        made, now = artefact.values["files"], self._hashes(folder)
        changed = sorted(name for name in {*made, *now} if made.get(name) != now.get(name))
        if changed:
            raise ExecutionError(
                f"{folder}: the rows were made by another encoder ({', '.join(changed)} changed since). "
                "Put its files back, or forget the rows: divulge cache clear --kind train-target"
            )
        return Grant([KeptRows(artefact), _Oracle(folder, self.options)])

    @property
    def _in_pieces(self) -> bool:
        return bool(self.options.unit == "piece")

    def _folder(self) -> Path:
        return offline_folder(self.options.model) if self.options.path is None else Path(self.options.path)

    def _named_folder(self) -> Path:
        """The same, its content not checked yet."""
        return installed_folder(self.options.model) if self.options.path is None else Path(self.options.path)

    def _hashes(self, folder: Path) -> dict[str, str]:
        if self.options.path is None:
            return offline_hashes(self.options.model)
        found, adapter = file_hashes(folder, pickled=self.options.allow_pickle), self.options.adapter
        return found if adapter is None else found | adapter_hashes(Path(adapter))

    def _tokenizer(self) -> Any:
        from divulge.targets.networks.tokenizing import load_tokenizer

        whole, own_code = self.options.pooling == "own" or self._in_pieces, self.options.trust_remote_code
        return load_tokenizer(encoder_folder(self._folder()), whole=whole, own_code=own_code)


class _Oracle(EmbeddingOracleAccess):
    """The encoder, loaded when it is first asked."""

    def __init__(self, folder: Path, options: SentenceEncoder.Options) -> None:
        self._folder, self._options = folder, options

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """All pieces of the tokenizer; of words there is no list."""
        if self._options.unit == "word":
            return ()
        from divulge.targets.networks.tokenizing import load_tokenizer, whole_vocabulary

        own_code = self._options.trust_remote_code
        return whole_vocabulary(load_tokenizer(encoder_folder(self._folder), whole=True, own_code=own_code))

    def _embed(self, texts: Sequence[TokenTuple]) -> list[FloatArray]:
        return [row.astype(np.float64) for row in _embedded(self._folder, texts, self._options)]


def _own_faults(options: SentenceEncoder.Options) -> list[str]:
    """What speaks against reading a folder of the user's, and the adapter on it."""
    folder = Path(options.path or "")
    inner = encoder_folder(folder) if folder.is_dir() else folder
    problems = folder_problems(inner, pickled=options.allow_pickle)
    problems += code_faults(inner, trusted=options.trust_remote_code)
    if options.adapter is not None:
        problems += missing_libraries(EXTRA, ("peft",))
        problems += adapter_faults(Path(options.adapter), inner, pickled=options.allow_pickle)
    return problems


def _embedded(folder: Path, texts: Sequence[TokenTuple], options: SentenceEncoder.Options) -> list[Vectors]:
    encoder = _encoder(folder, options)
    in_pieces = options.unit == "piece"
    read = _reading(options).cut(encoder.tokenizer, texts, encoder.room)
    if options.pooling == "none":
        return [row[: options.tokens] for row in encoder.embed(read, in_pieces=in_pieces)]
    if options.pooling != "own":
        return encoder.embed(read, options.pooling, in_pieces=in_pieces)
    modules = SentenceModules(folder)
    if in_pieces:
        return encoder.embed_whole(read, modules.vector, modules.longest, in_pieces=True)
    return encoder.embed_whole(modules.written(read), modules.vector, modules.longest)


def _reading(options: SentenceEncoder.Options) -> Reading:
    pooled, in_words = options.pooling != "none", options.unit == "word"
    return Reading.of(options.tokens, options.context, pooled=pooled, in_words=in_words)


def _encoder(folder: Path, options: SentenceEncoder.Options) -> WordEncoder:
    from divulge.targets.networks.encoder import load_encoder

    adapter = None if options.adapter is None else Path(options.adapter)
    whole, code = options.pooling == "own" or options.unit == "piece", options.trust_remote_code
    return load_encoder(encoder_folder(folder), adapter, whole=whole, own_code=code)


def _stacked(rows: Sequence[Vectors], folder: Path, options: SentenceEncoder.Options) -> Vectors:
    """All rows in one array, as single precision as the encoder made them; (words, d), or (texts, d) if pooled."""
    if not rows:
        return np.empty((0, _encoder(folder, options).width), dtype=np.float32)
    return np.concatenate([row if row.ndim == 2 else row[None] for row in rows])
