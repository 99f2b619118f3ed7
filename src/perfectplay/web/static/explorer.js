// What links cannot do: arrow keys, moves marked on the board while the mouse is on the list.
const typing = (target) => target.closest("input, select, textarea, [contenteditable]");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || typing(event.target)) return;
  const link = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  const row = /^[1-9]$/.test(event.key) && document.querySelectorAll(".moves a.button")[event.key - 1];
  const found = link || row;
  if (found) {
    event.preventDefault();
    found.click();
  }
});

const mark = (event, on) => {
  const link = event.target.closest?.("table.moves a[data-move]");
  if (!link) return;
  const same = `.places a[data-move="${CSS.escape(link.dataset.move)}"]`;
  document.querySelectorAll(same).forEach((place) => place.classList.toggle("hint", on));
};
for (const [name, on] of [["mouseover", true], ["focusin", true], ["mouseout", false], ["focusout", false]]) {
  document.addEventListener(name, (event) => mark(event, on));
}
