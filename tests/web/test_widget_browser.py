"""The widget's script in a real browser. A stand-in for Jupyter's model carries what the script
sets to the Python half, and back; the page has no server and asks nobody for anything."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from perfectplay import load, solve
from perfectplay.web.notebook.widget import ExplorerWidget

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    pytest.skip("Chromium is not installed: apt-get install chromium", allow_module_level=True)
sync_api = pytest.importorskip("playwright.sync_api")

pytestmark = pytest.mark.xdist_group("browser")

MODEL = """
class Model {
  constructor(number, traits) { Object.assign(this, { number, traits, heard: {} }); }
  get(name) { return this.traits[name]; }
  set(name, value) { this.traits[name] = value; }
  on(name, do_) { this.heard[name] = do_; }
  off(name) { delete this.heard[name]; }
  async save_changes() {
    const answer = await python(this.number, this.traits.address);
    if (answer.fragment === this.traits.fragment) return;
    Object.assign(this.traits, answer);
    this.heard["change:fragment"]?.();
  }
}
const code = URL.createObjectURL(new Blob([ESM], { type: "text/javascript" }));
const widget = (await import(code)).default;
for (const [number, traits] of TRAITS.entries()) {
  const el = document.createElement("section");
  el.id = `w${number}`;
  document.body.append(el);
  widget.render({ model: new Model(number, traits), el });
}
"""


def traits(widget: ExplorerWidget) -> dict[str, str]:
    return {name: getattr(widget, name) for name in ("style_sheet", "address", "fragment")}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as played:
        found = played.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


def shown(browser: Any, *widgets: ExplorerWidget) -> tuple[Any, list[str]]:
    """A page with widgets, and what it complains of or asks for."""
    import json

    page = browser.new_page()
    heard: list[str] = []
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("console", lambda message: heard.append(message.text))
    page.on(
        "request",
        lambda asked: None if asked.url.startswith("blob:") else heard.append(asked.url),
    )

    def python(number: int, address: str) -> dict[str, str]:
        widgets[number].address = address
        return traits(widgets[number])

    page.expose_function("python", python)
    given = json.dumps([traits(each) for each in widgets])
    script = MODEL.replace("ESM", json.dumps(ExplorerWidget._esm)).replace("TRAITS", given)
    page.set_content("<!doctype html><body><p>A notebook</p>")
    page.add_script_tag(content=script, type="module")
    page.wait_for_selector(f"#w{len(widgets) - 1} h2")
    return page, heard


def test_clicks_forms_and_keys_reach_python_and_two_widgets_keep_apart(browser: Any) -> None:
    nim = solve(load("nim", ["heaps=1,2,2"]), plain=True)
    one, two = nim.explore(), nim.explore()
    page, heard = shown(browser, one, two)
    before = two.fragment
    page.click("#w0 table.moves a.button >> nth=0")
    page.wait_for_selector("#w0 >> text=/^Undo$/")
    assert nim.game.text(one.position) == "0 2 2"
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("#w0 >> text=/^Undo$/", state="detached")
    assert one.position == nim.start
    page.fill("#w0 input[name=at]", "0 1 1")
    page.click("#w0 >> text=Go")
    page.wait_for_selector("#w0 input[value='0 1 1']")
    assert nim.game.text(one.position) == "0 1 1"
    assert two.fragment == before
    assert page.locator("#w1 >> text=/^Undo$/").count() == 0
    assert page.evaluate("getComputedStyle(document.querySelector('p')).fontSize") == "16px"
    assert not heard
    page.close()


def test_boards_are_clicked(browser: Any) -> None:
    game = solve(load("noughts-and-crosses"), plain=True)
    widget = game.explore()
    page, heard = shown(browser, widget)
    page.locator("#w0 .places a").nth(4).click()
    page.wait_for_selector("#w0 >> text=/^Undo$/")
    assert widget.position != game.start
    assert not heard
    page.close()
