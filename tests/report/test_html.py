"""The page, read as text; how it looks and behaves is in test_html_in_browser.py."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from tests.report.sample import SECRET, run
from tests.report.whole_run import (
    BROKEN,
    deduplicated,
    grown_run,
    leaking,
    made,
    of_records,
    of_users,
    revealed_of,
    silent,
    whole_run,
    with_epsilon,
)

from divulge.records import RunResults
from divulge.report.html import render


class Page(HTMLParser):
    """A page taken apart: its tags with attributes, and its text by the tag around it."""

    def __init__(self, results: RunResults, **more) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(render(results, **more))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.texts.append((self.open[-1], data))

    @property
    def text(self) -> str:
        """All that is read, on one line."""
        return " ".join(" ".join(text for _, text in self.texts).split())  # also at spaces that do not break

    def of(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of every such tag."""
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def page() -> Page:
    """A page with one of everything."""
    return Page(whole_run())


def test_the_verdict_comes_first(page: Page) -> None:
    """In the title of the window, in the only first heading, then audit by audit."""
    verdict = "2 of 6 audits found a leak; 2 are inconclusive; 1 part of the run failed"
    assert f"<title>{verdict} · Divulge</title>" in render(whole_run())
    assert [text for tag, text in page.texts if tag == "h1"] == [f"{verdict}."]
    assert page.text.index("tagger: can secrets") < page.text.index("What was asked")
    assert "soft-token: secrets guessed entirely right: 95 % (83 to 99 %); without the model 0.01 %" in page.text
    assert "With deduplication (copies 1): none found, 0 % (0 to 9 %)." in page.text


def test_every_audit_says_all_there_is_to_say(page: Page) -> None:
    """In the same order."""
    heads = [
        "What was asked",
        "What was found",
        "What the model is worth",
        "What the attack costs",
        "Was the access sound",
    ]
    heads += ["How to read the figures", "What to do about it", "To run it again"]
    sections = re.split(r"<section id=\"audit-\d\"", render(whole_run()))[1:]
    assert len(sections) == 6
    for section in sections[:-1]:
        places = [section.index(head) for head in heads]
        assert places == sorted(places)
    assert "How to read the figures" not in sections[-1]  # probes alone have no figures of an attack


def test_a_page_needs_nothing_from_elsewhere(page: Page) -> None:
    """No script, no address but its own anchors, and a policy that forbids the rest."""
    assert page.of("script") == page.of("link") == page.of("img") == page.of("iframe") == []
    named = [value for _, attributes in page.tags for key, value in attributes.items() if key in ("src", "href")]
    anchors = {attributes["id"] for _, attributes in page.tags if "id" in attributes}
    assert named
    assert all(value.startswith("#") and value[1:] in anchors for value in named)
    (policy,) = [one["content"] for one in page.of("meta") if one.get("http-equiv") == "Content-Security-Policy"]
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    text = render(whole_run())
    assert "http" not in text.replace("http-equiv", "")
    assert "@import" not in text
    assert "url(" not in text
    assert not any(key.startswith("on") for _, attributes in page.tags for key in attributes)


def test_ids_are_unique(page: Page) -> None:
    """So that anchors and labels lead to one place."""
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_no_secret_is_in_it() -> None:
    """Neither pattern nor candidates nor label nor ids of outcomes."""
    text = render(whole_run())
    assert SECRET not in text
    assert "withheld" in text
    assert "id-0123" not in text


def test_secrets_are_shown_on_request_alone() -> None:
    """Marked, the attack's first, and nothing in them acts."""
    one = leaking()
    shown = Page(run(one, silent("soft-token")), revealed=revealed_of(one))
    assert "This page shows secrets in plain words." in shown.text
    assert shown.text.count("Secrets in plain words: discrete-search") == 1
    assert shown.text.index("a-1") < shown.text.index("a-2") < shown.text.index("c-1")
    assert '<script>alert("x")</script> a|b \'"⟨U+202E⟩`*' in shown.text
    assert shown.of("script") == []
    assert len(shown.of("bdi")) == 9
    assert "plain words" not in Page(run(one), revealed={one.spec_hash: []}).text


def test_names_from_outside_do_not_act() -> None:
    """An attack, a defence or a reason may be called anything."""
    name = "<img src=x onerror=alert(1)>"
    one = leaking(name, target=name, notes=(name,))
    spec = {**one.spec, "defences": [{"name": name, "options": {name: name}}]}
    shown = Page(run(one.model_copy(update={"spec": spec})))
    assert shown.of("img") == []
    assert name in shown.text


def test_a_broken_access_is_loud() -> None:
    """No figure of it is in the verdict, and none is called a leak."""
    shown = Page(run(leaking(handshake=(BROKEN,))))
    assert shown.text.index("no figure below means anything") < shown.text.index("What was asked")
    assert "labels are in their places (3 labels changed places)" in shown.text
    assert ("span", "leak") not in shown.texts
    assert "void: the handshake failed" in shown.text
    assert shown.text.index("83 to 99 %") > shown.text.index("What was found")


def test_failures_are_loud(page: Page) -> None:
    """With their reasons, before the audits."""
    assert "0123456789abcdef worker died <twice>" in page.text
    assert page.text.index("worker died") < page.text.index("What was asked")


def test_an_empty_run_has_a_page() -> None:
    """It says that there is nothing; one with failures only says why."""
    assert "Nothing was audited." in Page(run()).text
    assert "The run holds no result." in Page(run()).text
    failed = Page(run(failures=whole_run().failures))
    assert "No result: 1 part of the run failed." in failed.text
    assert "worker died" in failed.text


def test_probes_alone_make_no_claim() -> None:
    """The owner's view is shown."""
    shown = Page(run(made(*leaking().measurements[-2:], attack=None)))
    assert "The model was measured, but not attacked." in shown.text
    assert "Right answers on new texts" in shown.text


def test_before_and_after_stand_side_by_side() -> None:
    """A column for each setting, and a chart of leak against utility."""
    shown = Page(run(leaking(), silent(defences=deduplicated())))
    assert "Leak against utility." in shown.text
    assert [one for one in shown.of("svg") if one.get("class") == "tradeoff"]
    heads = [text for tag, text in shown.texts if tag == "th"]
    assert heads.index("no defence") < heads.index("deduplication (copies 1)")
    assert "Leak against utility." not in Page(run(leaking())).text


def test_the_figures_that_decide_come_first() -> None:
    """All others wait behind a line; costs are in questions and seconds."""
    text = render(run(of_users(), of_users(attack="blind", queries={})))
    places = [text.index(head) for head in ("People told apart (AUC)", "All other figures (2)", "People found at 1 %")]
    assert places == sorted(places)
    shown = Page(run(of_users()))
    assert "200 000" in shown.text
    assert "Higher means that more leaks." in shown.text


def test_it_can_be_run_again(page: Page) -> None:
    """Hash, fingerprint, versions, and the file without its secrets."""
    assert leaking().spec_hash in page.text
    assert "f" * 64 in page.text
    assert "divulge 0.1.0, python 3.11.7" in page.text
    assert "divulge audit audit.toml --out again" in page.text
    assert 'kind = "tagger"' in page.text


def test_findings_are_listed_gravest_first_with_what_to_do() -> None:
    """Severity, figure with interval, remedy, standards; a refuted claim above all."""
    shown = Page(grown_run())
    top = shown.text[: shown.text.index("What was asked")]
    words = ["severity critical", "severity high", "severity medium", "severity unclear", "severity none"]
    assert [top.index(one) for one in words] == sorted(top.index(one) for one in words)
    assert top.index("its privacy claim is refuted") < top.index("can secrets in its training texts")
    assert "What to do: Withdraw the privacy claim until it is understood." in top
    assert "Standards: OWASP AISVS 11.3.3, MITRE ATLAS AML.T0024.000" in top
    assert top.count("What to do:") == 8


def test_records_have_a_curve_and_those_most_at_risk() -> None:
    """By id, ten of them; the points of the curve are in one table and in no other."""
    shown = Page(run(of_records()))
    assert [one for one in shown.of("svg") if one.get("class") == "curve"]
    assert "The curve in figures" in shown.text
    assert shown.text.count("r-00") == 10
    assert "--show-secrets" in shown.text
    assert "o-0001" not in shown.text
    assert "fpr 0.001" not in shown.text
    two = Page(run(of_records(), of_records(attack="record-loss")))
    assert "The curves of the other attacks (1)" in two.text
    better = tuple(
        one.model_copy(update={"value": 0.99, "low": 0.98, "high": 1.0})
        if one.metric == "auc" and one.arm == "attack"
        else one
        for one in of_records().measurements
    )
    strongest = Page(run(of_records(), of_records(attack="record-loss").model_copy(update={"measurements": better})))
    assert "Members found at few false alarms: record-loss" in strongest.text.partition("The curves of the other")[0]
    assert "most at risk" not in Page(run(of_users())).text.replace("The records most at risk", "")


def test_epsilon_is_set_beside_its_claim() -> None:
    """Loud where it is refuted, plain where there is none."""
    assert "Claimed is at most 2. The claim is refuted" in Page(run(with_epsilon(3.21, 2.0))).text
    plain = Page(run(with_epsilon(1.0)))
    assert "epsilon is at least 1 (95 % confidence, delta 1e-05, 1000 canaries" in plain.text
    assert "refuted" not in plain.text
    assert "proven about epsilon" not in Page(run(leaking())).text


def test_the_ladder_is_told_once() -> None:
    """In the first audit it spans; the others lead there."""
    shown = Page(grown_run())
    assert shown.text.count("Over audits 1, 2, 3, which differ only in access.") == 1
    assert [one["href"] for one in shown.of("a")].count("#audit-1-ladder") == 2
