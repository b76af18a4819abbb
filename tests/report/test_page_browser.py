"""The audit page in a real browser: drawn whole, without requests, with mouse, keyboard, phone and paper."""

import chromium
import patience
import pytest

from proofs_checks import theory as statements

pytestmark = pytest.mark.skipif(
    chromium.find() is None, reason="no chromium here: install it (apt-get install chromium) to test the page itself"
)


@pytest.fixture(scope="module")
def browser():
    with chromium.Chromium() as started:
        started.size(1200, 900)
        yield started


@pytest.fixture
def tab(browser, written):
    browser.size(1200, 900)
    browser.prefer("light")
    browser.open(written)
    return browser


SHOWN = "[...document.querySelectorAll('.card')].filter(c => c.offsetParent !== null)"


def test_mathematics_is_drawn_without_a_request_or_a_complaint(tab, written):
    tab.run("document.getElementById('open-all').click()")
    heights = tab.run("[...document.querySelectorAll('.claim math')].map(m => m.getBoundingClientRect().height)")
    assert len(heights) >= len(statements.ALL)
    assert min(heights) > 5
    assert tab.complaints() == []
    assert [url for url in tab.requests() if not url.startswith("data:")] == [written.as_uri()]
    assert tab.run("[...document.fonts].map(f => f.family + ' ' + f.status)") == ["Formulas loaded"]


def test_filters_narrow_the_list_and_open_again(tab):
    total = tab.run(f"{SHOWN}.length")
    tab.run("document.querySelector('.filters [data-value=substance]').click()")
    assert tab.run(f"{SHOWN}.every(c => c.dataset.finding === 'substance')")
    refuted = tab.run(f"{SHOWN}.length")
    assert refuted == sum(s.finding == "substance" and s.said != "tempting" for s in statements.ALL)
    tab.run("document.querySelector('.filters [data-value=random]').click()")
    assert tab.run(f"{SHOWN}.every(c => c.dataset.rank === 'random')")
    assert (
        tab.run("document.getElementById('count').textContent") == f"{tab.run(f'{SHOWN}.length')} of {total} statements"
    )
    for value in ("substance", "random"):
        tab.run(f"document.querySelector('.filters [data-value={value}]').click()")
    assert tab.run(f"{SHOWN}.length") == total
    tab.run(
        "(search => { search.value = 'thm:augmented'; search.dispatchEvent(new Event('input')); })"
        "(document.getElementById('search'))"
    )
    assert 0 < tab.run(f"{SHOWN}.length") < total


def test_a_node_of_the_graph_opens_its_card_even_if_filtered_away(tab):
    card = "document.getElementById('s-thm-augmented')"
    tab.run("document.querySelector('.filters [data-value=holds]').click()")
    assert tab.run(f"{card}.hidden")
    tab.run(
        "document.querySelector('.node[href=\"#s-thm-augmented\"]')"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))"
    )
    wait_until(tab, f"{card}.open")
    assert not tab.run(f"{card}.hidden")
    assert tab.run(f"document.activeElement === {card}.querySelector('summary')")


def test_the_label_of_the_paper_is_a_deep_link(tab):
    card = "document.getElementById('s-lem-genbound')"
    tab.run("document.querySelector('.filters [data-value=holds]').click()")
    assert tab.run(f"{card}.hidden && !{card}.open")
    tab.run("location.hash = '#lem:genbound'")
    wait_until(tab, f"{card}.open")
    assert not tab.run(f"{card}.hidden")


def test_the_graph_can_be_seen_whole(tab):
    wide = "document.querySelector('.graph').getBoundingClientRect().width"
    assert tab.run(wide) > 1200
    tab.run("document.getElementById('fit').click()")
    assert tab.run(wide) <= 1200


def test_the_page_works_with_the_keyboard_alone(tab):
    tab.run("document.querySelector('.card summary').focus()")
    tab.press("Enter", 13)
    assert tab.run("document.querySelector('.card').open")
    tab.run("document.querySelector('.node').focus()")
    target = tab.run("document.querySelector('.node').getAttribute('href').slice(1)")
    tab.press("Enter", 13)
    wait_until(tab, f"document.getElementById('{target}').open")


def test_a_phone_needs_no_sideways_scrolling(tab):
    tab.size(390, 844)
    tab.run("document.getElementById('open-all').click()")
    assert tab.run("document.documentElement.scrollWidth") <= 390
    # Nor is anything cut off: what is wider than the screen stands in a box that scrolls by itself.
    cut = """[...document.querySelectorAll('.card *, header *')].filter(e => {
        if (e.getBoundingClientRect().right <= 391) return false;
        for (let box = e; box; box = box.parentElement)
            if (['auto', 'scroll'].includes(getComputedStyle(box).overflowX)) return false;
        return true;
    }).map(e => e.outerHTML.slice(0, 80))"""
    assert tab.run(cut) == []


def test_dark_mode_is_dark_and_light_mode_is_light(tab):
    brightness = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
    assert min(tab.run(brightness)) > 200
    tab.prefer("dark")
    assert max(tab.run(brightness)) < 60


def test_paper_shows_every_card_that_is_shown_open(tab):
    tab.run("document.querySelector('.filters [data-value=gap]').click()")
    tab.run(
        "addEventListener('beforeprint', () => { window.opened = document.querySelectorAll('.card[open]').length; })"
    )
    assert tab.pdf().startswith(b"%PDF")
    assert tab.run("window.opened") == tab.run(f"{SHOWN}.length") > 0
    assert tab.run("document.querySelectorAll('.card[open]').length") == 0


def wait_until(tab, condition: str) -> None:
    patience.wait_until(lambda: tab.run(condition), f"{condition} did not come true", pause=0.05)
