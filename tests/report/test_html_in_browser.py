"""The page in a real browser: nothing is fetched, nothing overflows, all can be read and reached by keyboard."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.report.sample import SECRET, run
from tests.report.whole_run import grown_run, leaking, revealed_of, whole_run

from divulge.records import RunResults
from divulge.report.html import render
from divulge.spec import PartSpec

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
playwright_api = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="needs a browser: apt-get install chromium")

WIDTHS = (360, 1280)
LONG = "an-attack-of-a-very-long-name-" * 6
# The contrast of every text with the ground it stands on, by the formula of WCAG 2.
CONTRASTS = """() => {
  const parse = value => [...value.match(/[\\d.]+/g).map(Number), 1].slice(0, 4);
  const linear = one => one <= .03928 ? one / 12.92 : ((one + .055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => .2126 * linear(r / 255) + .7152 * linear(g / 255) + .0722 * linear(b / 255);
  const ground = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour[3] === 1) return colour;
    }
    return [255, 255, 255, 1];
  };
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some(one => one.nodeType === 3 && one.data.trim());
    if (element.closest('svg') || !own) continue;
    const pair = [light(parse(getComputedStyle(element).color)), light(ground(element))].sort((a, b) => b - a);
    found.push([(pair[0] + .05) / (pair[1] + .05), element.outerHTML.slice(0, 80)]);
  }
  return found;
}"""
OVERFLOWING = """() => [...document.querySelectorAll('body *')]
  .filter(element => !element.closest('svg, .scroll, pre, .skip'))
  .filter(element => element.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map(element => element.outerHTML.slice(0, 120))"""
NAMELESS = """() => {
  const labelled = one => document.getElementById(one.getAttribute('aria-labelledby'));
  const every = query => [...document.querySelectorAll(query)];
  return [
    ...every('svg').filter(one => !one.parentElement.closest('svg'))
      .filter(one => one.getAttribute('role') !== 'img' || !one.getAttribute('aria-label')),
    ...every('table').filter(one => !one.caption && !labelled(one)),
    ...every('[role=region], nav').filter(one => !one.getAttribute('aria-label')),
    ...every('section').filter(one => !labelled(one)),
  ].map(one => one.outerHTML.slice(0, 100));
}"""
HEADINGS = "[...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(one => Number(one.tagName[1]))"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser for all tests of this file."""
    with playwright_api.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Pages as addresses of files: one of everything, one with secrets, one with too much of everything."""
    folder = tmp_path_factory.mktemp("pages")
    return {
        "whole": _write(folder / "whole.html", whole_run()),
        "grown": _write(folder / "grown.html", grown_run()),
        "revealed": _write(folder / "revealed.html", run(leaking()), revealed=revealed_of(leaking())),
        "crowded": _write(folder / "crowded.html", _crowded()),
        "empty": _write(folder / "empty.html", run()),
    }


@pytest.fixture
def visit(browser: Any, written: dict[str, str]) -> Iterator[Any]:
    """Opens a page as a browser of some kind would, and closes it after the test."""
    contexts = []

    def opened(name: str, width: int = 1280, **kind: Any) -> Any:
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, **kind))
        page = contexts[-1].new_page()
        page.goto(written[name])
        return page

    yield opened
    for context in contexts:
        context.close()


def _write(path: Path, results: RunResults, **more: Any) -> str:
    path.write_text(render(results, **more), encoding="utf-8")
    return path.as_uri()


def _crowded() -> RunResults:
    """Long names and many results."""
    defences = [(), *((PartSpec(name=f"{LONG}{n}", options={"strength": n, LONG: LONG}),) for n in range(3))]
    return run(*(leaking(f"{LONG}{n}", target=LONG, defences=one) for n in range(2) for one in defences))


def test_it_reads_without_script_and_without_network(browser: Any, written: dict[str, str]) -> None:
    """With scripts off, the verdict is there, nothing is asked of anybody, and nobody complains."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    for address in written.values():
        page.goto(address)
        assert page.locator("h1").is_visible()
    assert asked == list(written.values())
    assert said == []
    context.close()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["whole", "grown", "revealed", "crowded", "empty"])
def test_nothing_runs_out_of_the_page(visit: Any, name: str, width: int) -> None:
    """Neither closed nor with all details open; only regions made for it scroll."""
    page = visit(name, width)
    for _ in range(2):
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(OVERFLOWING) == []
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["whole", "grown", "revealed"])
def test_all_text_can_be_read(visit: Any, name: str, scheme: str) -> None:
    """At least 4.5 to 1 between text and ground, in both schemes."""
    page = visit(name, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    found = page.evaluate(CONTRASTS)
    assert len(found) > 50
    assert [one for one in found if one[0] < 4.5] == []


def test_light_and_dark_differ(visit: Any) -> None:
    """Ground and text change places; paper is always light."""
    colours = {}
    for scheme in ("light", "dark"):
        page = visit("whole", color_scheme=scheme)
        colours[scheme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.emulate_media(media="print", color_scheme=scheme)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert colours == {"light": "rgb(255, 255, 255)", "dark": "rgb(19, 23, 30)"}


def test_marks_differ_by_shape_and_stand_out(visit: Any) -> None:
    """Attack, baseline and control are a disc, a diamond and a square; each mark is within its strip."""
    page = visit("whole", 360)
    shapes = {
        arm: page.locator(f"svg.strip.{arm} > svg > *").first.evaluate(
            "one => one.outerHTML.replace(/ xmlns=\\S+/, '')"
        )
        for arm in ("attack", "baseline", "control")
    }
    assert len(set(shapes.values())) == 3
    outside = """() => [...document.querySelectorAll('svg.strip')].filter(strip => {
      const around = strip.getBoundingClientRect();
      if (!around.width) return false;
      const mark = strip.querySelector('svg > *').getBoundingClientRect();
      return mark.left < around.left - 1 || mark.right > around.right + 1; }).length"""
    assert page.evaluate(outside) == 0


def test_the_keyboard_reaches_everything_in_order(visit: Any) -> None:
    """First the way past the list, then the audits, then details and regions; each with a visible outline."""
    page = visit("whole")
    reached = []
    for _ in range(200):
        page.keyboard.press("Tab")
        at = page.evaluate(
            "() => { const at = document.activeElement, look = getComputedStyle(at); return [at.tagName, at.className,"
            " at.getAttribute('href') || '', parseFloat(look.outlineWidth), look.outlineStyle,"
            " at.getBoundingClientRect().left]; }"
        )
        if at[0] == "BODY":
            break
        reached.append(at)
    assert reached[0][1:3] == ["skip", "#main"]
    assert reached[0][5] >= 0  # it comes into view
    links = [one[2] for one in reached[1:8]]
    assert links == [f"#audit-{number}" for number in (3, 1, 4, 5, 6, 2)] + ["#failures"]  # the gravest first
    kinds = [one[0] for one in reached]
    assert kinds.count("SUMMARY") == page.locator("summary").count()
    assert [one[1] for one in reached].count("scroll") == page.locator(".scroll:visible").count()
    assert all(one[3] >= 2 and one[4] == "solid" for one in reached)


def test_the_skip_link_leads_past_the_list(visit: Any) -> None:
    """The next stop is inside the audits."""
    page = visit("whole")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")


def test_details_open_by_keyboard(visit: Any) -> None:
    """Enter shows the other figures, Enter hides them."""
    page = visit("whole")
    first = page.locator("details").first
    inner = first.locator("table").first
    assert not inner.is_visible()
    first.locator("summary").focus()
    page.keyboard.press("Enter")
    assert inner.is_visible()
    page.keyboard.press("Enter")
    assert not inner.is_visible()


def test_paper_shows_what_is_folded(visit: Any) -> None:
    """Nobody can open details on paper."""
    page = visit("whole")
    page.emulate_media(media="print")
    height = page.locator("details pre").first.evaluate("one => one.getBoundingClientRect().height")
    assert height > 100


@pytest.mark.parametrize("name", ["whole", "grown", "revealed", "crowded", "empty"])
def test_headings_have_no_gaps(visit: Any, name: str) -> None:
    """One first heading, and none is more than one step deeper than the one before."""
    levels = visit(name).evaluate(HEADINGS)
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


@pytest.mark.parametrize("name", ["whole", "grown", "revealed"])
def test_pictures_and_tables_have_names(visit: Any, name: str) -> None:
    """Every picture says in words what it shows; every table and region is labelled."""
    page = visit(name)
    assert page.evaluate(NAMELESS) == []
    assert page.locator("svg.strip").count() > 3


def test_stacked_tables_are_still_tables(visit: Any) -> None:
    """On a phone the rows of figures are laid out anew; whoever listens still hears rows and cells."""
    page = visit("whole", 360)
    table = page.get_by_role("table", name=re.compile("Secrets guessed entirely right")).first
    assert table.get_by_role("rowheader", name="soft-token").count() >= 1
    assert table.get_by_role("cell").count() >= 24  # four results, three arms, a figure and a strip each


def test_secrets_are_seen_on_request_alone(visit: Any) -> None:
    """Not even in what is folded; and a script in a secret stays text."""
    assert SECRET not in visit("whole").content()
    page = visit("revealed")
    assert page.get_by_text(SECRET, exact=True).count() == 1
    assert page.get_by_text('<script>alert("x")</script>').count() == 1
    assert page.evaluate("document.scripts.length") == 0


@pytest.mark.parametrize("width", WIDTHS)
def test_a_curve_is_drawn_inside_its_field(visit: Any, width: int) -> None:
    """Marks stand over their rates: to the right and upwards, the attack's above the judge's who never asks."""
    page = visit("grown", width)
    places = """arm => {
      const curve = document.querySelector('svg.curve'), field = curve.getBoundingClientRect();
      return [...curve.querySelectorAll(`g.${arm} > svg > svg > *`)].map(one => one.getBoundingClientRect()).map(at => [
        (at.left + at.right) / 2 - field.left, field.bottom - (at.top + at.bottom) / 2, field.width, field.height]);
    }"""
    attack, blind = page.evaluate(places, "attack"), page.evaluate(places, "baseline")
    assert len(attack) == len(blind) == 6
    for marks in (attack, blind):
        assert all(0 <= x <= wide + 5 and 0 <= y <= high for x, y, wide, high in marks)
        assert [one[0] for one in marks] == sorted(one[0] for one in marks)
        assert [one[1] for one in marks] == sorted(one[1] for one in marks)
    assert all(above[1] > below[1] for above, below in zip(attack, blind, strict=True))
    # 0.1 % to 100 % are three decades: 1 % is a third of the way, between edges of 3 per cent.
    third, wide = attack[2][0], attack[2][2]
    assert third == pytest.approx(wide * (0.03 + 0.94 / 3), abs=1.5)


def test_a_refuted_claim_is_the_first_thing_seen(visit: Any) -> None:
    """Above all other findings, on a ground of its own, with a way to what it rests on."""
    page = visit("grown")
    first = page.locator(".verdicts > li").first
    assert "privacy claim is refuted" in first.inner_text()
    plain = page.locator(".verdicts > li").nth(1)
    ground = "one => getComputedStyle(one).backgroundColor"
    assert first.evaluate(ground) != plain.evaluate(ground)
    first.locator("a").click()
    assert page.evaluate("document.querySelector(':target').innerText") == "What is proven about epsilon"
