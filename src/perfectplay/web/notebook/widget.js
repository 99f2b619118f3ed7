// The explorer in a notebook: links and forms of its pages go to Python, which sends the next page.
const NEEDS_SERVER = "This needs the server: perfectplay explore.";

function load(root, html) {
  const page = document.createElement("template"); // inert: nothing in it is fetched or run
  page.innerHTML = html;
  page.content.querySelectorAll("script, link, [src]").forEach((each) => each.remove());
  const focused = root.activeElement !== null;
  root.querySelector(".page").replaceChildren(page.content);
  if (focused) root.querySelector(".page").focus({ preventScroll: true });
}

function listen(root, go) {
  root.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    const address = link?.getAttribute("href") ?? "";
    if (!address.startsWith("/")) return; // a link to elsewhere, or within the page
    event.preventDefault();
    if (address.startsWith("/g/")) go(address);
  });
  root.addEventListener("submit", (event) => {
    event.preventDefault();
    const form = event.target;
    if (form.method === "get") {
      go(`${form.getAttribute("action")}?${new URLSearchParams(new FormData(form, event.submitter))}`);
    } else {
      form.replaceChildren(NEEDS_SERVER);
    }
  });
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    event.stopPropagation(); // other notebooks have shortcuts, too
    if (event.target.closest("input, select, textarea")) return;
    const digit = /^[1-9]$/.test(event.key) && root.querySelectorAll(".moves a.button")[event.key - 1];
    const link = root.querySelector(`[data-key="${CSS.escape(event.key)}"]`) || digit;
    if (!link) return;
    event.preventDefault();
    link.click();
  });
  const mark = (event, on) => {
    const link = event.target.closest("table.moves a[data-move]");
    if (!link) return;
    const same = `.places a[data-move="${CSS.escape(link.dataset.move)}"]`;
    root.querySelectorAll(same).forEach((place) => place.classList.toggle("hint", on));
  };
  for (const name of ["mouseover", "focusin"]) root.addEventListener(name, (event) => mark(event, true));
  for (const name of ["mouseout", "focusout"]) root.addEventListener(name, (event) => mark(event, false));
}

function render({ model, el }) {
  const host = document.createElement("div");
  host.dataset.lmSuppressShortcuts = "true"; // JupyterLab's own keys wait while this has the focus
  const root = host.attachShadow({ mode: "open" }); // styles and shortcuts stay inside
  const style = document.createElement("style");
  style.textContent = model.get("style_sheet");
  const page = document.createElement("div");
  page.className = "page";
  page.tabIndex = -1;
  root.append(style, page);
  el.append(host);
  const show = () => load(root, model.get("fragment"));
  listen(root, (address) => {
    model.set("address", address);
    model.save_changes();
  });
  model.on("change:fragment", show);
  show();
  return () => model.off("change:fragment", show);
}

export default { render };
