"""Tests of the sheet about one person: all that was promised is on it, and no name or word unless asked for."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from tests.report.people import NAME, WORD, about_person, facts
from tests.report.sample import figure

from divulge.report.evidence import Evidence, as_html, as_json, evidence_of

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
TRAITS = {"number of texts": 0.3, "topic": 0.02, "rare words": 0.05}
DECIDED = {
    "member": about_person(),
    "not shown": about_person(0.3),
    "inconclusive": about_person(blind=(0.02, 40), accused=(0.5, 40)),
    "broken": about_person(broken=True),
}


def sheet(name="member", **more):
    """The page without names."""
    return as_html(evidence_of(DECIDED[name], facts(**{"control_queries": {"RankedTokensAccess": 1500}, **more})))


def test_the_sheet_says_all_that_it_must():
    """Question, answer, access, questions asked, statistic, p-value, calibration, what would change it, limits."""
    text = re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", sheet())).replace("\N{NO-BREAK SPACE}", " ")
    for said in (
        "Were the texts of this person used to train this model?",
        "There is evidence that they were",
        "RankedTokensAccess: a user of a keyboard",
        "2,700 texts were put to the model: 1,200 of the person and of the people known to be out",
        "and 1,500 more to try the test on others known to be out",
        "2.5: how far the person is beyond the test’s own line for members",
        "0.01",
        "with those of 40 people known to be out: p-value 0.4, the texts do not stand out by themselves",
        "No difference from them was found in length, in unknown and rare words or in topic",
        "Calibrated at 5 %. Tried on 40 other people known to be out: 5 % accused (95 % interval 1 % to 50 %)",
        "What would change this",
        "What it does not prove",
        "a word of 8 letters, text 12: usually about the 3,400th guess, here the 14th",
        "a word of 1 letter, text 2: usually about one chance in 250, here one in 1.2",
    ):
        assert said in text


def test_a_person_who_is_not_comparable_is_said_to_be():
    """With the traits in which the texts differ, in the answer's reason, in the comparison and in the JSON."""
    traits = [figure("trait_p_value", value, None, None, 40, "baseline", trait=name) for name, value in TRAITS.items()]
    result = about_person(blind=(0.02, 40))
    result = result.model_copy(update={"measurements": (*result.measurements, *traits)})
    found = evidence_of(result, facts())
    assert (found.decision, found.differs_in) == ("inconclusive", ("topic", "rare words"))
    assert "not comparable with the people known to be out, who differ in topic and rare words" in found.reasons[0]
    assert "Not comparable: the person differs from them in topic and rare words." in as_html(found)


@pytest.mark.parametrize("name", DECIDED)
def test_the_json_is_the_record(name):
    """It reads back as what it was."""
    found = evidence_of(DECIDED[name], facts())
    assert Evidence.model_validate_json(as_json(found)) == found
    assert found.decision == (name if name != "broken" else "inconclusive")


def test_figures_are_carried_over():
    """From the measurements of the result."""
    found = evidence_of(DECIDED["inconclusive"], facts())
    assert (found.p_value, found.known_out, found.smallest_p_value) == (0.01, 99, 0.01)
    assert (found.blind_p_value, found.blind_controls, found.statistic) == (0.02, 40, 2.5)
    assert found.false_positive_rate is not None
    assert (found.false_positive_rate.value, found.false_positive_rate.n) == (0.5, 40)
    assert len(found.reasons) == 2
    broken = evidence_of(DECIDED["broken"], facts())
    assert (broken.sound, broken.p_value, broken.false_positive_rate) == (False, None, None)


def test_names_and_words_are_shown_on_request_alone():
    """In the page, escaped and with a warning; never in the JSON."""
    found = evidence_of(DECIDED["member"], facts())
    shown = as_html(found, NAME, [WORD, "i"])
    assert NAME in shown
    assert "&lt;b&gt;swordfish" in shown
    assert WORD not in shown
    assert "Keep it as you keep the texts" in shown
    plain = as_html(found)
    assert NAME not in plain
    assert "swordfish" not in plain
    assert "withheld" in plain


def test_the_truth_is_told_where_it_is_known():
    """Of a model that was trained here."""
    assert "the answer is known" not in sheet()
    assert "the texts were used" in sheet(used=True)
    assert "the texts were not used" in sheet(used=False)


def test_a_test_that_weighs_no_words_says_so():
    """In place of the list."""
    assert "this test does not weigh single words" in sheet(telling=())


def test_a_stand_in_is_called_one():
    """Nobody must take it for a real model."""
    result = about_person()
    spec = json.loads(result.model_dump_json())["spec"]
    spec["target"]["kind"] = "fake-generator"
    found = evidence_of(type(result)(**{**result.model_dump(), "spec": spec}), facts())
    assert found.model == "fake-generator (a stand-in, no real model)"


def test_nothing_is_fetched_and_nothing_runs():
    """No script, no address but of the schema of nothing."""
    text = sheet()
    assert "<script" not in text
    assert re.findall(r"(?:src|href)=", text) == []
    assert "default-src 'none'" in text


@pytest.mark.skipif(BROWSER is None, reason="needs a browser: apt-get install chromium")
def test_the_sheet_in_a_browser(tmp_path):
    """Fits a phone of 360 points, reads in the dark, and prints on one page of A4, however it was decided."""
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
    from tests.report.test_html_in_browser import CONTRASTS, OVERFLOWING

    telling = facts().telling[:1] * 10
    with api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        asked = []
        for name in DECIDED:
            path = tmp_path / f"{name}.html"
            path.write_text(sheet(name, telling=telling, words=9000), encoding="utf-8")
            for scheme in ("light", "dark"):
                page = browser.new_page(viewport={"width": 360, "height": 800}, color_scheme=scheme)
                page.on("request", lambda request: asked.append(request.url))
                page.goto(path.as_uri())
                assert page.evaluate("document.documentElement.scrollWidth") <= 360
                assert page.evaluate(OVERFLOWING) == []
                assert [one for one in page.evaluate(CONTRASTS) if one[0] < 4.5] == []
                printed = page.pdf(prefer_css_page_size=True)
                assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
                page.close()
        assert all(address.startswith("file:") for address in asked)
        assert len(asked) == 2 * len(DECIDED)
        browser.close()
