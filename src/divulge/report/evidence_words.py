"""The sentences of the sheet about one person: for a reader who knows the law and not the statistics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from divulge.metrics.one_person import Decided, Decision, fewest_known_out, smallest_p_value
from divulge.outcomes import PersonFacts, TellingWord
from divulge.report.one_person import listed

__all__ = ["answer_words", "comparable_words", "does_not_prove", "telling_sentence", "would_change"]


def answer_words(decision: Decision, p_value: float | None, known_out: int, alpha: float) -> str:
    """The answer in a sentence or two."""
    if decision == "inconclusive":
        return "This audit cannot tell. It speaks neither for nor against use."
    assert p_value is not None
    reached = round(p_value * (known_out + 1)) - 1
    others = (
        f"{reached} of {known_out} people known to be out" if reached else f"none of {known_out} people known to be out"
    )
    if decision == "member":
        return (
            f"There is evidence that they were. The model knows this person’s words better than one would expect, and "
            f"{others} stand{'s' if reached in (0, 1) else ''} out as much."
        )
    line = f"{100 * alpha:.3g}\N{NO-BREAK SPACE}%"
    return (
        f"It is not shown. {others[0].upper()}{others[1:]} stand{'s' if reached in (0, 1) else ''} out as much or "
        f"more, which is more than the {line} that would count as evidence. That does not show that they were not used."
    )


def comparable_words(words: int, usual: tuple[int, int, int], differs_in: Sequence[str] | None = None) -> str:
    """Whether the person wrote about as much as those they are compared with, and like them; None: nobody looked."""
    least, middle, most = usual
    others = f"people known to be out wrote {least:,} to {most:,}, half of them {middle:,} or less"
    said = f"The person wrote {words:,} words; {others}."
    if differs_in:
        said += f" Not comparable: the person differs from them in {listed(differs_in)}."
    elif differs_in is not None:
        said += (
            " No difference from them was found in length, in unknown and rare words or in topic, by a test that can "
            "miss one."
        )
    if least <= words <= most:
        return said
    amount = "little" if words < least else "much"
    return f"{said} Nobody among those compared with wrote as {amount}: take the answer with caution."


def telling_sentence(one: TellingWord, word: str | None = None) -> str:
    """One telling word: how early the model guessed it, beside what is usual; the word itself only if it is given.

    >>> telling_sentence(TellingWord(text=12, word=3, letters=8, expected=3400.4, found=14.0, by="rank"))
    'a word of 8 letters, text 12: usually about the 3,400th guess, here the 14th'
    """
    named = f"“{word}”" if word is not None else f"a word of {one.letters} letter{'s' * (one.letters != 1)}"
    if one.by == "rank":
        return f"{named}, text {one.text}: usually about the {_nth(one.expected)} guess, here the {_nth(one.found)}"
    return (
        f"{named}, text {one.text}: usually about one chance in {_many(one.expected)}, here one in {_many(one.found)}"
    )


def would_change(found: Decided, facts: PersonFacts, known_out: int, alpha: float) -> Iterator[str]:
    """What could make the answer another one, what matters most first."""
    fewest = fewest_known_out(alpha)
    if "broken access" in found.reasons:
        yield "A connection to the model that passes the trial: report.html says what failed."
    if "too few known out" in found.reasons:
        yield f"{fewest} people known to be out or more to calibrate on (adversary.background.controls)."
    if "too few controls" in found.reasons or "no blind judge" in found.reasons:
        yield (
            f"{fewest} further people known to be out or more (secrets.controls), and a model of one’s own "
            "to practise on (adversary.background.shadows), to see whether the texts stand out by themselves."
        )
    if "blind" in found.reasons or "miscalibrated" in found.reasons:
        yield "People known to be out who are more like the person: same source, years and topics, as many words."
    if found.decision == "member":
        yield (
            "That the people compared with are not like the person after all: another source, other years, or texts "
            "that quote what was trained on. Then the person would stand out for another reason."
        )
        number = f"{100 * alpha:.3g}"
        yield f"Chance: of 100 people whose texts were not used, about {number} or fewer would get such an answer."
        yield "The same texts in the training data under another name, as quotations or as public copies."
    else:
        yield "More texts of the person, or full access (likelihoods, a longer list of best words), which sees more."
        yield f"More people known to be out: the smallest p-value is now {smallest_p_value(known_out):.2g}."
        yield "References of the same kind, trained on texts more like those of the model."
    if not facts.usual_words[0] <= facts.words <= facts.usual_words[2]:
        yield "People known to be out who wrote about as many words as the person."


def does_not_prove(decision: Decision) -> Iterator[str]:
    """What the sheet must not be read as."""
    if decision == "member":
        yield "Who put the texts there, from where, when, or on what legal ground."
        yield "That each single text was used: the answer is about the person’s texts together."
        yield "That the model can recite them to somebody."
    else:
        yield "That the texts were not used. Another test, or more access, may show what this one did not."
        yield "That the texts are not elsewhere: in logs, in backups, in another model."
    yield "Anything about other people, or another version of the model."


def _nth(place: float) -> str:
    number = _rounded(place)
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def _many(number: float) -> str:
    return f"{number:.1f}" if number < 10 else f"{_rounded(number):,}"


def _rounded(number: float) -> int:
    """To two digits above a hundred: a usual guess is an average, and no more exact than that."""
    whole = max(1, round(number))
    step = 10 ** (len(str(whole)) - 2) if whole >= 100 else 1
    return round(whole / step) * step
