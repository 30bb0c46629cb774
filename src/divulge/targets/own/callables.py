"""Asking code of the user's own: in batches, each question once, with answers checked, kept, and faults put in words.

A callable that raises costs nothing that was answered before: the batch is asked again one by one, the example that
it raised at is named by an opaque id, and the next run goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Generic, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from divulge.canonical import digest, freeze
from divulge.errors import ExecutionError, InputError, OwnCodeError
from divulge.handshake import is_trying
from divulge.records import FrozenMapping, Record
from divulge.targets.own.answers_kept import KeptAnswers
from divulge.targets.own.example_ids import example_id
from divulge.targets.own.loading import NAMED, made, must_fit, source_of, where_raised

__all__ = ["CallableRecipe", "Named", "Names", "OwnCallable", "can_be_made"]

A = TypeVar("A")


def _once_each(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        raise ValueError("one is named twice")
    return names


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


Named = Annotated[str, Field(pattern=NAMED)]
Names = Annotated[tuple[str, ...], BeforeValidator(_as_tuple), AfterValidator(_once_each)]
MOST_AFRESH = 32  # how many questions that come again in a handshake are really asked again
HOW_ONLY = frozenset({"batch", "keep_answers"})  # settings that change no answer


class CallableRecipe(Record):
    """What all recipes by "module:name" share.

    `path`, the file or folder that the model is read from, and `arguments` go to a class, or to a function that makes
    the model. What lies at `path`, and at `files` that your code reads by itself, is in the key: another model there is
    another target. Answers are kept beside the store, so that no question is paid for twice. `source`, the hash of the
    code and of those files, fills itself in.
    """

    path: str | None = None
    files: Names = ()
    arguments: FrozenMapping = Field(default_factory=lambda: freeze({}))
    batch: Annotated[int, Field(ge=1)] = 64
    keep_answers: bool = True
    source: str = ""

    @model_validator(mode="before")
    @classmethod
    def _with_source(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        paths = [path for path in (values.get("path"), *_listed(values.get("files"))) if isinstance(path, str)]
        for field in cls._named_fields():
            named = values.get(field)
            if isinstance(named, str) and ":" in named:
                return {**values, "source": source_of(named, field, paths)}
        return values

    @classmethod
    def _named_fields(cls) -> Iterator[str]:
        """The settings that hold "module:name" of code whose source counts, in the order they are looked at."""
        return (name for name in ("train", "predict", "tag", "score", "embed") if name in cls.model_fields)


def can_be_made(recipe: CallableRecipe, field: str, methods: Sequence[str]) -> None:
    """Raises an InputError if what the recipe names cannot be asked, as far as that is seen without making it."""
    must_fit(getattr(recipe, field), field, _arguments(recipe), methods)


class OwnCallable(Generic[A]):
    """Something of the user's own that answers a list of questions with one answer each.

    Args:
        recipe: Where it is, and how it is asked.
        field: The setting of the recipe that names it.
        methods: What is called on an object, first choice first; an object without any of them is called itself.
        read: Makes of a raw answer to some questions one checked answer each, or tells what is wrong with it.
        pack: Spells an answer as bytes.
        unpack: Reads it again, exactly.
        spell: Makes of a question what its hash is made of.
    """

    def __init__(
        self,
        recipe: CallableRecipe,
        field: str,
        methods: Sequence[str],
        *,
        read: Callable[[Any, Sequence[Any], str], list[A]],
        pack: Callable[[A], bytes],
        unpack: Callable[[bytes], A],
        spell: Callable[[Any], str] = str,
    ) -> None:
        self.named: str = getattr(recipe, field)
        self.model = made(self.named, field, recipe.source, _arguments(recipe), methods)
        chosen = [getattr(self.model, one) for one in methods if callable(getattr(self.model, one, None))]
        self._function: Callable[[list[Any]], Any] = chosen[0] if chosen else self.model
        self._batch, self._read, self._pack, self._unpack, self._spell = recipe.batch, read, pack, unpack, spell
        about = {name: value for name, value in recipe.model_dump(mode="json").items() if name not in HOW_ONLY}
        self._kept = KeptAnswers(digest({"field": field, "recipe": about}) if recipe.keep_answers else None)
        self._met: set[str] = set()
        self._afresh_left = MOST_AFRESH

    def ask(self, questions: Sequence[Any]) -> list[A]:
        """One answer each: kept ones, and new ones for the rest.

        Raises:
            OwnCodeError: The callable raised; what it answered before is kept.
            ExecutionError: What it answered is not what it must be.
        """
        spelt = {self._spell(question): question for question in questions}
        afresh = self._to_ask_again(spelt)
        found = {one: self._unpack(answer) for one, answer in self._kept.get(list(spelt)).items() if one not in afresh}
        missing = [one for one in spelt if one not in found]
        for start in range(0, len(missing), self._batch):
            found.update(self._answered({one: spelt[one] for one in missing[start : start + self._batch]}))
        return [found[self._spell(question)] for question in questions]

    def _to_ask_again(self, spelt: Mapping[str, Any]) -> frozenset[str]:
        """In a handshake, questions that come again: whether the model gives other answers is what it must find out."""
        if not is_trying():
            return frozenset()
        again = [one for one in spelt if one in self._met][: self._afresh_left]
        self._afresh_left -= len(again)
        self._met.update(spelt)
        return frozenset(again)

    def _answered(self, asked: Mapping[str, Any]) -> dict[str, A]:
        try:
            found = self._called(asked)
        except OwnCodeError:
            if len(asked) == 1:
                raise
            # One by one, to find the example; should it pass now, nothing is lost.
            found = {}
            for one, question in asked.items():
                found |= self._answered({one: question})
            return found
        self._kept.put({one: self._pack(answer) for one, answer in found.items()})
        return found

    def _called(self, asked: Mapping[str, Any]) -> dict[str, A]:
        questions = list(asked.values())
        try:
            raw = self._function(questions)
            raw = list(raw) if isinstance(raw, Iterator) else raw
        except (InputError, ExecutionError):
            raise
        except Exception as error:
            name, place = type(error).__name__, where_raised(error, self.named)
            raise OwnCodeError(
                f"{self.named} raised {name} at example {example_id(next(iter(asked)))} ({place}). "
                "Run the same command again: what it answered before is kept, as long as its code is the same"
            ) from error
        return dict(zip(asked, self._read(raw, questions, self.named), strict=True))


def _arguments(recipe: CallableRecipe) -> dict[str, Any]:
    return {**recipe.arguments, **({} if recipe.path is None else {"path": recipe.path})}


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()
