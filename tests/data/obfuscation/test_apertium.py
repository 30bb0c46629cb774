"""Tests of divulge.data.obfuscation.apertium, most of them with a small program in the place of the translator."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from divulge.data.corpus import Corpus
from divulge.data.obfuscation import apertium
from divulge.data.obfuscation.apertium import Apertium
from divulge.errors import ExecutionError, InputError

NOTHING = Corpus(())
# It tells its calls, knows a dog, marks what it does not know, swallows some words, and all but one of several empty
# lines that it is given.
TRANSLATOR = r"""#!/bin/sh
echo "$@" >> "{calls}"
case "$1 $2" in
"-l ") printf '  eng-spa\n  spa-eng\n  spa-eng_US\n  en-gl\n' ;;
"-V ") echo "Apertium {version}" ;;
"-u eng-spa") cat -s | sed -e 's/dog/Perro/g' -e 's/^vanish$/ /' ;;
"-u spa-eng") cat -s | sed -e 's/Perro/Hound/g' -e 's/zork/*zork #zork/' -e 's/^gone$//' -e '{also}' ;;
*) exit 3 ;;
esac
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Puts a translator on the path, in a store and with calls of its own; says where its calls are told."""
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")

    def put(version: str = "1", also: str = "") -> Path:
        (tmp_path / "bin").mkdir(exist_ok=True)
        program, calls = tmp_path / "bin" / "apertium", tmp_path / "calls"
        program.write_text(
            TRANSLATOR.replace("{calls}", str(calls)).replace("{version}", version).replace("{also}", also)
        )
        program.chmod(0o755)
        return calls

    return put


def translations(calls: Path) -> list[str]:
    """The directions that the program was called for."""
    return [line for line in calls.read_text().splitlines() if line.startswith("-u")]


def rewritten(*texts: str, language: str = "es") -> list[str]:
    """Texts there and back, words between blanks."""
    found = Apertium(language).rewrite([tuple(text.split()) for text in texts], NOTHING, 0)
    return [" ".join(text) for text in found]


def test_texts_go_there_and_back_in_one_call_each(install):
    """Each text stays by itself, in lower case and in words of our own; the program is called once per direction."""
    calls = install()
    texts = [f"dog {number} ." for number in range(50)]
    assert rewritten(*texts) == [f"hound {number} ." for number in range(50)]
    assert translations(calls) == ["-u eng-spa", "-u spa-eng"]


def test_what_gets_lost_on_the_way_stays_as_it_was(install):
    """On the way there, on the way back, or with nothing to send: texts before and after are where they were."""
    install()
    assert rewritten("dog a", "gone", "dog b", "vanish", "gone") == ["hound a", "gone", "hound b", "vanish", "gone"]
    assert rewritten() == []
    texts = [("\n",), ("dog",), ("\x00 ", "\u2028")]
    assert Apertium("es").rewrite(texts, NOTHING, 0) == [("\n",), ("hound",), ("\x00 ", "\u2028")]


def test_marks_of_unknown_words_go_and_marks_of_people_stay(install):
    """A mark before a letter is the program's; people's own stand apart."""
    install()
    assert rewritten("a zork * b # 1 @ c") == ["a zork zork * b # 1 @ c"]


def test_words_are_cut_as_in_the_data_sets(install):
    """Line ends inside a word, capitals and contractions; "i" is somebody, on the way."""
    install(also="s/I.m/I am/")
    texts = [("i'm", "a\ndog"), ("i", "Isn't", "it's")]
    assert Apertium("es").rewrite(texts, NOTHING, 0) == [("i", "am", "a", "hound"), ("i", "isn't", "it's")]


def test_a_round_trip_is_kept_for_the_same_texts(install):
    """Another process finds it beside the store; other texts, their order or another version are translated anew."""
    calls = install()
    assert rewritten("dog a", "dog b") == rewritten("dog a", "dog b")
    assert len(translations(calls)) == 2
    rewritten("dog b", "dog a")
    assert len(translations(calls)) == 4
    install(version="2", also="s/Hound/Mutt/")
    apertium._version.cache_clear()  # as in another process
    assert rewritten("dog a", "dog b") == ["mutt a", "mutt b"]


def test_many_texts_are_announced_once(install, caplog):
    """Translating takes a while, and what is kept none; texts are not told."""
    install()
    texts = [f"dog {number}" for number in range(1000)]
    rewritten(*texts)
    rewritten(*texts)
    rewritten(*texts[:999])
    assert [record.message for record in caplog.records] == [
        "apertium: translating 1000 texts once, which may take a minute or two"
    ]


def test_what_is_kept_is_for_its_owner(install, tmp_path):
    """Texts of people lie in it."""
    install()
    rewritten("dog a")
    (kept,) = (tmp_path / "store" / "answers").glob("*.sqlite")
    assert kept.stat().st_mode & 0o077 == 0


def test_rules_and_dictionaries_are_in_the_version(install, tmp_path):
    """A changed dictionary may change every text, and the program's own version does not tell."""
    install()
    modes = tmp_path / "share" / "apertium" / "modes"
    modes.mkdir(parents=True)
    (tmp_path / "words.bin").write_text("one")
    (modes / "spa-eng.mode").write_text(f"lt-proc '{tmp_path}/words.bin' | other '{tmp_path}/missing.bin'")
    found = []
    for words in ("one", "two", "one"):
        (tmp_path / "words.bin").write_text(words)
        apertium._version.cache_clear()
        found.append(Apertium("es").version())
    assert found[0] == found[2] != found[1]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("es", "program apertium is not installed. On Debian: apt-get install apertium apertium-eng-spa"),
        ("qx", "program apertium is not installed. On Debian: apt-get install apertium and a pair of English and 'qx'"),
    ],
)
def test_a_missing_program_is_told_with_what_to_install(language, said, tmp_path, monkeypatch):
    """And with what can be used instead."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError) as caught:
        Apertium(language).rewrite([("a",)], NOTHING, 0)
    assert said in str(caught.value)
    assert "set secrets.obfuscation to 'words'" in str(caught.value)


@pytest.mark.parametrize(("language", "package"), [("eo", "apertium-eo-en"), ("gl", "apertium-en-gl")])
def test_a_missing_pair_is_told_with_what_to_install(install, language, package):
    """One direction is not enough."""
    install()
    with pytest.raises(InputError, match=f"from English into '{language}' and back here.*apt-get install.*{package}"):
        Apertium(language).version()


def test_three_letters_name_a_language_too(install):
    """As the program itself does."""
    install()
    assert rewritten("dog", language="spa") == ["hound"]


@pytest.mark.parametrize(
    ("also", "said"),
    [("1d", "gave back"), ("$!N;s/secretly/a\\n\\nb/", "gave back 2 texts of 1"), ("no such command", "exit code 1")],
)
def test_a_translator_that_fails_is_told_without_texts(install, also, said):
    """Texts that cannot be told apart, or none at all."""
    install(also=also)
    with pytest.raises(ExecutionError, match=said) as caught:
        rewritten("secretly") if "secretly" in also else rewritten("secretly", "dog")
    assert "secretly" not in str(caught.value)


def _directions() -> str:
    if shutil.which("apertium") is None:
        return ""
    return subprocess.run(["apertium", "-l"], capture_output=True, text=True, check=False).stdout


@pytest.mark.skipif("eng-spa" not in _directions().split(), reason="Apertium or its English-Spanish pair is missing")
def test_the_real_translator_keeps_texts_apart(tmp_path, monkeypatch):
    """Words it does not know come back in the text they were in; what it knows comes back in other words."""
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path))
    texts = [f"zork{chr(97 + number)} [said] that * the house is ^big$ / old" for number in range(20)] + [
        "we had a great dinner yesterday ."
    ]
    found = rewritten(*texts)
    assert [text.split()[0] for text in found[:20]] == [f"zork{chr(97 + number)}" for number in range(20)]
    assert all({"*", "[", "]", "^", "$", "/"} <= set(text.split()) for text in found[:20])
    assert found[20] != texts[20]
    assert "dinner" in found[20]
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path / "other"))
    assert rewritten(*texts) == found
