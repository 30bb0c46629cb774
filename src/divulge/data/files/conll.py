"""CoNLL: a token a line with its tag in another column, a blank line after each sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from divulge.data.files.lines import read_lines
from divulge.data.files.problems import Problems
from divulge.records import Text

__all__ = ["read_conll"]

DOCUMENT_START = "-DOCSTART-"


def read_conll(
    path: Path,
    split: str,
    *,
    token_column: int,
    tag_column: int,
    comment: str | None,
    lower: bool,
    problems: Problems,
) -> Iterator[Text]:
    """Yields the sentences of a CoNLL file. Columns count from 1, or from -1 backwards."""
    needed = max(2, abs(token_column), abs(tag_column))
    width: int | None = None
    sentence: list[tuple[str, str]] = []
    for number, line in read_lines(path, problems):
        cells = [cell.strip() for cell in line.split("\t")] if "\t" in line.strip() else line.split()
        if comment is not None and line.startswith(comment):
            continue
        if not any(cells) or cells[0] == DOCUMENT_START:
            if sentence:
                yield _text(sentence, split, lower=lower)
            sentence = []
            continue
        width = width or len(cells)
        if len(cells) != width:
            problems.add(path, number, f"has {len(cells)} columns, but the first token has {width}")
        elif width < needed or _place(token_column, width) == _place(tag_column, width):
            reason = f"token_column {token_column} and tag_column {tag_column} do not name two of them"
            problems.add(path, number, f"has {width} columns; {reason}")
            return  # every other line would be wrong in the same way
        else:
            token, tag = cells[_place(token_column, width)], cells[_place(tag_column, width)]
            if len(token.split()) != 1 or len(tag.split()) != 1:
                problems.add(path, number, "has a token or tag that is empty or holds white space")
            sentence.append((token, tag))
    if sentence:
        yield _text(sentence, split, lower=lower)


def _text(sentence: list[tuple[str, str]], split: str, *, lower: bool) -> Text:
    tokens = tuple(token.lower() if lower else token for token, _ in sentence)
    return Text(tokens=tokens, tags=tuple(tag for _, tag in sentence), split=split)


def _place(column: int, width: int) -> int:
    return column - 1 if column > 0 else width + column
