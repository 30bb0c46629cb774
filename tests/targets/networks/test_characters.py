"""Words read from their characters."""

import pytest
import torch

from divulge.targets.networks.characters import FILTERS, LONGEST, CharacterCnn, alphabet_of, spelt_out


def made(characters: int = 4) -> CharacterCnn:
    """One in double precision."""
    torch.manual_seed(0)
    return CharacterCnn(characters).double()


def by_hand(model: CharacterCnn, word: str, alphabet: str) -> torch.Tensor:
    """Window by window: the largest value of each filter over the places of the word, zeros beyond its ends."""
    weight, bias = model.convolution.weight.detach(), model.convolution.bias.detach()
    numbers = [alphabet.index(character) + 2 if character in alphabet else 1 for character in word]
    vectors = [torch.zeros(30, dtype=torch.float64), *(model.embedding.weight.detach()[number] for number in numbers)]
    vectors.append(torch.zeros(30, dtype=torch.float64))
    best = []
    for chosen in range(FILTERS):
        values = [
            sum((weight[chosen, :, offset] * vectors[place + offset]).sum() for offset in range(3)) + bias[chosen]
            for place in range(len(word))
        ]
        best.append(max(float(value) for value in values))
    return torch.tensor(best, dtype=torch.float64)


@pytest.mark.parametrize("word", ["a", "ab", "bcad", "a?b", "??"])
def test_a_word_is_read_as_by_hand(word: str) -> None:
    """Short and long, with unknown characters."""
    model = made()
    assert torch.allclose(model(spelt_out([word], "abcd"))[0], by_hand(model, word, "abcd"))


def test_padding_does_not_matter() -> None:
    """A short word beside a long one is read as alone, even where all values of a filter are negative."""
    model = made()
    with torch.no_grad():
        model.convolution.bias -= 10
    words = ["a", "abcdabcdabcd", "dc"]
    together = model(spelt_out(words, "abcd"))
    assert torch.allclose(together, torch.cat([model(spelt_out([word], "abcd")) for word in words]))
    assert (together < 0).all()


def test_a_word_without_characters_is_all_zeros() -> None:
    """And passes no gradient on: neither padding nor an unknown word teaches anything."""
    model = made()
    found = model(spelt_out(["", "ab"], "abcd"))
    assert not found[0].any()
    assert found[1].any()
    found[0].sum().backward()
    assert all(weight.grad is None or not weight.grad.any() for weight in model.parameters())


def test_unknown_characters_are_all_alike() -> None:
    """They share one number, which is none of the alphabet's."""
    assert spelt_out(["x", "y", "a"], "ab")[:, 0].tolist() == [1, 1, 2]
    model = made(2)
    x, y, a = model(spelt_out(["x", "y", "a"], "ab"))
    assert torch.equal(x, y)
    assert not torch.allclose(x, a)


def test_spellings_are_numbered_padded_and_cut() -> None:
    """From 2 on, 0 beyond the end, at least a window wide, and no wider than what is read."""
    assert spelt_out(["ba", "c"], "abc").tolist() == [[3, 2, 0], [4, 0, 0]]
    assert spelt_out([], "abc").shape == (0, 3)
    assert spelt_out(["a" * 99], "a").shape == (1, LONGEST)


def test_the_alphabet_is_that_of_what_is_read() -> None:
    """In order, each once; characters that are cut off do not count."""
    assert alphabet_of(["banana", "b"]) == "abn"
    assert alphabet_of(["a" * LONGEST + "z"]) == "a"
    assert alphabet_of([]) == ""
