// A solved game in one file. The data are those of page_table.py; what is shown is in the address,
// after the #, with the names that the explorer uses: at, line, ply, seed, play, hide, click.
const SVG = "http://www.w3.org/2000/svg";
const CHANCE = -1, OVER = -2;
const PERSON = "person";
const LONGEST_LINE = 2000, MOST_STARTS = 500, MAIN_LINE = 8, PAUSE = 700;
const byId = (id) => document.getElementById(id);
let data, numbers, chance;

// -- Elements. Words only ever become text, never markup. ----------------------------------------

function fill(node, given, inside) {
  for (const [name, value] of Object.entries(given)) if (value !== undefined) node.setAttribute(name, value);
  node.append(...inside.filter((each) => each !== "" && each != null));
  return node;
}
const make = (tag, given = {}, ...inside) => fill(document.createElement(tag), given, inside);
const draw = (tag, given = {}, ...inside) => fill(document.createElementNS(SVG, tag), given, inside);
const link = (state, words, more = {}) => make("a", { href: address(state), ...more }, words);
const rows = (cells) => make("tr", {}, ...cells.map((each) => (each instanceof HTMLTableCellElement ? each : make("td", {}, each))));
const heads = (...words) => make("thead", {}, make("tr", {}, ...words.map((each) => make("th", {}, each))));

// -- The state, and its address. -----------------------------------------------------------------

function stateOf(hash) {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  const listed = (name, sign) => (query.get(name) ?? "").split(sign).filter(Boolean);
  const whole = (name) => (/^\d{1,9}$/.test(query.get(name) ?? "") ? Number(query.get(name)) : null);
  const line = listed("line", ".").slice(0, LONGEST_LINE).map(Number);
  const ply = whole("ply");
  return {
    at: query.get("at") ?? "", line, ply: ply !== null && ply < line.length ? ply : null, seed: whole("seed") || 1,
    play: listed("play", ","), hide: query.has("hide"), click: listed("click", ".").map(Number),
  };
}

function address(state) {
  const words = [];
  if (state.at) words.push(["at", state.at]);
  if (state.line.length) words.push(["line", state.line.join(".")]);
  if (state.ply !== null) words.push(["ply", state.ply]);
  if (state.seed !== 1) words.push(["seed", state.seed]);
  if (state.play.length) words.push(["play", state.play.join(",")]);
  if (state.hide) words.push(["hide", 1]);
  if (state.click.length) words.push(["click", state.click.join(".")]);
  return `#${new URLSearchParams(words)}`;
}

const shown = (state) => (state.ply === null ? state.line : state.line.slice(0, state.ply));
const jump = (state, ply) => ({ ...state, ply: ply >= state.line.length ? null : ply, click: [] });
function after(state, number) {
  const line = [...shown(state), number];
  const along = line.every((each, i) => each === state.line[i]);
  return along ? jump(state, line.length) : { ...state, line, ply: null, click: [] };
}

// -- Positions. ----------------------------------------------------------------------------------

function position(number, ply, step) {
  const [text, mover, values, frame, parts, moves, clicks, note] = data.positions[number];
  const turned = data.alternate && ply % 2 === 1; // positions are seen by the player to move
  return {
    number, ply, step, text, frame, parts, moves, clicks, note,
    mover: turned && mover === 0 ? 1 : mover, values: turned ? [...values].reverse() : values,
  };
}

function next(now, number) {
  if (now.mover === CHANCE) {
    const event = now.moves[number];
    if (!event) return null;
    const words = `${data.words[event[0]]}: ${data.positions[event[1]][0]}`;
    return position(event[1], now.ply + 1, { by: CHANCE, words });
  }
  const move = now.moves.find((each) => each[0] === number);
  return move ? position(move[2], now.ply + 1, { by: now.mover, words: data.words[move[1]], move }) : null;
}

function replay(state) {
  const start = state.at ? numbers.get(state.at) : 0;
  if (start === undefined) throw new Error(`${state.at} is not a position that can arise.`);
  const found = [position(start, 0, null)];
  for (const number of state.line) {
    const then = next(found.at(-1), number);
    if (!then) throw new Error(`Move ${number} of ply ${found.length} does not exist: this link belongs to another game, or was cut.`);
    found.push(then);
  }
  return found;
}

// -- Dice, seeded, with exact probabilities; and those who play. ---------------------------------

function dice(seed, ply) {
  let state = 2166136261;
  for (const each of `${seed}/${ply}`) state = Math.imul(state ^ each.codePointAt(0), 16777619);
  const word = () => { // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
  word();
  return (below) => { // a whole number from 0 to below - 1, each with the same chance
    const digits = Math.ceil(below.toString(2).length / 32);
    const all = 1n << BigInt(32 * digits);
    for (;;) {
      let drawn = 0n;
      for (let i = 0; i < digits; i++) drawn = (drawn << 32n) | BigInt(word());
      if (drawn < all - (all % below)) return drawn % below;
    }
  };
}

const gcd = (a, b) => (b ? gcd(b, a % b) : a);
function thrown(now, roll) {
  const parts = now.moves.map(([word]) => `${data.words[word]}/1`.split("/").slice(0, 2).map(BigInt));
  const common = parts.reduce((all, [, below]) => (all / gcd(all, below)) * below, 1n);
  let drawn = roll(common);
  return parts.findIndex(([top, below]) => (drawn -= (top * common) / below) < 0n);
}

const ROLES = ["perfect", "random", "skill:70"];
/** In how many of 100 cases somebody makes the best move, else any; null if nobody is called that. */
function skill(role) {
  const much = /^skill:(\d\d?|100)$/.exec(role);
  return role === "perfect" ? 100n : role === "random" ? 0n : much ? BigInt(much[1]) : null;
}

function reply(now, role, roll) {
  const best = roll(100n) < skill(role);
  return now.moves[best ? 0 : Number(roll(BigInt(now.moves.length)))][0];
}

function seated(state) {
  const known = state.play.every((role) => role === PERSON || skill(role) !== null);
  const count = state.play.length || data.players.length;
  if (!known || count !== data.players.length) throw new Error(`Nobody can play as ${state.play.join(", ")} here.`);
  return state;
}

/** The state in which a person is to move or play has ended; one move only if no person plays. */
function advanced(state) {
  if (!state.play.length || state.ply !== null) return state;
  const line = [...state.line];
  let now = replay(state).at(-1);
  while (now.mover !== OVER && line.length < LONGEST_LINE) {
    const roll = dice(state.seed, line.length);
    if (now.mover !== CHANCE && state.play[now.mover] === PERSON) break;
    const number = now.mover === CHANCE ? thrown(now, roll) : reply(now, state.play[now.mover], roll);
    line.push(number);
    now = next(now, number);
    if (!state.play.includes(PERSON)) break;
  }
  return { ...state, line };
}

// -- The board. ----------------------------------------------------------------------------------

function picture(ids, into) {
  let here = into;
  for (const id of ids) {
    const part = data.parts[id];
    if (part === 0) here = here.parentNode;
    else if (typeof part === "string") here.append(part);
    else {
      const node = draw(part[0], part[1], part[2] ?? "");
      here.append(node);
      if (part.length === 2) here = node;
    }
  }
  return into;
}

function placed(box, kind) {
  const [x, y, width, height] = data.boxes[box];
  return draw("rect", { class: kind, x, y, width, height, rx: 4 });
}

function places(state, now) {
  let here = now.clicks;
  for (const box of state.click) here = here.find((each) => each[0] === box)?.[1] ?? [];
  const group = draw("g", { class: "places", "aria-hidden": "true" }), marks = [];
  if (state.click.length) {
    const back = { href: address({ ...state, click: [] }), tabindex: -1 };
    group.append(draw("a", back, draw("rect", { class: "nothing", width: "100%", height: "100%" })));
    group.append(...state.click.filter((box) => data.boxes[box]).map((box) => placed(box, "selected")));
  }
  const tones = state.hide ? new Map() : new Map(now.moves.map((each) => [each[0], data.costs[each[4]][1]]));
  const ready = (Array.isArray(here) ? here : []).map((each) => each[1]).filter((then) => typeof then === "number");
  const spread = ready.some((move) => ready.filter((each) => each === move).length > 2); // changes all over the picture
  const telling = !spread && new Set(tones.values()).size > 1; // where all moves are as good, there is nothing to mark
  for (const [box, then] of Array.isArray(here) ? here : []) {
    const made = typeof then === "number";
    const to = made ? after(state, then) : { ...state, click: [...state.click, box] };
    const given = { href: address(to), tabindex: -1, "data-move": made ? then : undefined };
    if (state.click.length) given.class = "selectable";
    const words = made ? data.words[now.moves.find((each) => each[0] === then)[1]] : "";
    group.append(draw("a", given, words && draw("title", {}, words), placed(box, "place")));
    if (telling) marks.push(toneMark(box, best(then, tones)));
  }
  group.append(...marks);
  return group;
}

const TONES = ["good", "late", "bad"];
const best = (then, tones) => // the tone of the best move that is made by a click, or begun there
  typeof then === "number" ? tones.get(then) : TONES.find((tone) => then.some((each) => best(each[1], tones) === tone));

function toneMark(box, tone) {
  const [left, y, width, height] = data.boxes[box];
  const r = Math.min(Math.max(0.1 * Math.min(width, height), 3), 5);
  const [cx, cy] = [left + width - r - 3, y + r + 3];
  if (tone === "good") return draw("circle", { class: "tone good", cx, cy, r });
  return tone === "bad" ? draw("path", { class: "tone bad", d: `M${cx - r} ${cy}h${2 * r}` }) : "";
}

function board(state, now, mine) {
  const [view, font] = data.frames[now.frame];
  const drawing = draw("g", { role: "img", "aria-label": now.text });
  picture([...data.before, ...now.parts, ...data.after], drawing);
  const given = { class: "board", viewBox: view, "font-family": font };
  const links = mine ? places(state, now) : "";
  byId("board").replaceChildren(draw("svg", given, drawing, links));
  const said = links && links.querySelector(".place") ? ["Click on the board or choose from the list."] : [];
  for (const [kind, words] of [["good", "● best"], ["bad", "\u2013 a mistake"]]) if (links && links.querySelector(`.tone.${kind}`)) said.push(words);
  byId("hints").textContent = said.join(" ");
}

// -- What a position is worth, and its moves. ----------------------------------------------------

const middle = (value) => Number(data.values[value][3]);
const named = (value) => make("span", { title: data.values[value][2] }, data.values[value][0]);

function result(now) {
  const winner = data.outcome || (data.unit === "chance to win" && data.players.length > 1);
  if (!winner) return now.values.map((value, i) => `${data.players[i]}: ${data.values[value][0]}`).join(", ");
  const won = now.values.findIndex((value) => middle(value) > 0);
  return won < 0 ? "a draw" : `${data.players[won]} wins`;
}

function answer(state, now, mine) {
  const who = now.mover === OVER ? "Play has ended" : now.mover === CHANCE ? "Chance decides" : `${data.players[now.mover]} to move`;
  const hidden = state.hide && now.mover !== OVER;
  const own = data.values[now.values[Math.max(now.mover, 0)]];
  const whose = now.mover === CHANCE && data.players.length > 1 ? `to ${data.players[0]}` : "";
  const unit = make("small", {}, [data.unit, whose, own[1]].filter(Boolean).join(", "));
  const parts = [make("h2", {}, who)];
  if (hidden) parts.push(make("p", { class: "faint" }, "Values are hidden."));
  else if (now.mover === OVER) parts.push(make("p", { class: "value" }, result(now)));
  else parts.push(make("p", { class: "value" }, own[0], " ", unit));
  if (!hidden && now.mover !== OVER && own[2] !== own[0]) {
    parts.push(make("details", {}, make("summary", {}, "in full"), make("p", { class: "full" }, own[2])));
  }
  if (!hidden && now.mover !== OVER && (data.players.length > 2 || now.mover < 0)) {
    const each = now.values.map((value, i) => make("li", {}, `${data.players[i]}: `, named(value)));
    parts.push(make("ul", { class: "values" }, ...each));
  }
  if (now.note) parts.push(make("p", { class: "faint" }, now.note));
  if (now.mover === CHANCE) parts.push(...events(state, now, hidden));
  else if (mine) parts.push(moves(state, now, hidden));
  byId("answer").replaceChildren(...parts);
}

function moves(state, now, hidden) {
  const listed = hidden ? [...now.moves].sort((a, b) => a[0] - b[0]) : now.moves;
  const finite = now.moves.map((each) => middle(each[3])).filter(Number.isFinite);
  let [low, high] = [Math.min(...finite), Math.max(...finite)];
  if (data.minimise) [low, high] = [high, low];
  const body = listed.map(([number, word, , value, cost]) => {
    const button = link(after(state, number), data.words[word], { class: "button", "data-move": number });
    if (hidden) return rows([button]);
    const [words, tone] = data.costs[cost];
    const share = data.unit === "chance to win" ? 100 * middle(value) : high === low ? 100 : 15 + (85 * (middle(value) - low)) / (high - low);
    const bar = draw("rect", { width: Math.min(Math.max(share || 0, 2), 100).toFixed(1), height: 8, rx: 2 });
    const wide = draw("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" }, bar);
    const row = rows([make("td", {}, button), make("td", { class: "bar" }, wide), make("td", { class: "n" }, named(value)), words]);
    row.className = tone;
    return row;
  });
  const head = hidden ? heads("move") : heads("move", make("span", { class: "hide" }, "how good"), "value", "costs");
  if (!hidden) head.querySelectorAll("th")[1].className = "bar";
  return make("table", { class: "moves" }, head, make("tbody", {}, ...body));
}

function events(state, now, hidden) {
  const to = after(state, thrown(now, dice(state.seed, now.ply)));
  const body = now.moves.map(([word, child], number) => {
    const [text, , values] = data.positions[child];
    const cells = [make("td", { class: "n" }, data.words[word]), link(after(state, number), text, { class: "button" })];
    return rows(hidden ? cells : [...cells, make("td", { class: "n" }, named(values[0]))]);
  });
  const words = ["chance", "position after", ...(hidden ? [] : [`value to ${data.players[0]}`])];
  return [
    make("p", {}, link(to, "Throw", { class: "button strong", "data-key": "r" }), " ", make("span", { class: "faint" }, "or choose what happens:")),
    make("table", { class: "moves events" }, heads(...words), make("tbody", {}, ...body)),
  ];
}

// -- The moves so far, and best play from here on. -----------------------------------------------

function steps(state) {
  const ply = shown(state).length;
  const first = { ...state, at: "", line: [], ply: null, click: [] };
  const button = (words, to, key) => link(to, words, { class: "button", "data-key": key });
  byId("steps").replaceChildren(...[
    ply > 0 && button("Undo", jump(state, ply - 1), "ArrowLeft"),
    state.ply !== null && button("Redo", jump(state, ply + 1), "ArrowRight"),
    button("Start", first, "Home"),
    button(state.hide ? "Show values" : "Hide values", { ...state, hide: !state.hide }),
  ].filter(Boolean));
}

function listed(items) {
  const made = items.map(([words, to, now]) => make("li", {}, link(to, words, now ? { "aria-current": "step" } : {})));
  return make("ol", { class: "steps" }, ...made);
}

function history(state, positions, hidden) {
  const parts = [];
  if (positions.length > 1) {
    const ply = shown(state).length;
    const line = listed(positions.map((each, i) => [each.step?.words ?? "start", jump(state, i), i === ply]));
    line.setAttribute("start", 0);
    parts.push(make("h2", {}, hidden ? "Moves" : `How the value went, to ${data.players[0]}`), hidden ? "" : graph(state, positions), line);
    if (!hidden) parts.push(...mistakes(state, positions));
  }
  byId("history").replaceChildren(...parts);
}

function graph(state, positions) {
  const known = positions.map((each) => middle(each.values[0]));
  const finite = known.filter(Number.isFinite);
  let [low, high] = [Math.min(...finite), Math.max(...finite)];
  if (data.outcome) [low, high] = [-1, 1];
  else if (data.unit === "chance to win" && data.players.length > 1) [low, high] = [0, 1];
  else if (!(high > low)) [low, high] = [(low || 0) - 1, (low || 0) + 1];
  const x = (i) => (52 + (334 * i) / Math.max(positions.length - 1, 1)).toFixed(1);
  const y = (value) => (126 - (112 * (Math.min(Math.max(value, low), high) - low)) / (high - low)).toFixed(1);
  const said = (value) => (data.outcome ? ["loss", "draw", "win"][Math.round(value) + 1] : `${+value.toPrecision(4)}`);
  const marks = [high, (low + high) / 2, low].flatMap((value) => [
    draw("text", { x: 42, y: y(value), dy: 4, "text-anchor": "end" }, said(value)),
    draw("line", { class: "zero", x1: 52, x2: 386, y1: y(value), y2: y(value) }),
  ]);
  const dots = known.map((value, i) => {
    const now = i === shown(state).length;
    const dot = draw("circle", { class: now ? "now" : "dot", cx: x(i), cy: y(value), r: now ? 6 : 4 });
    const words = draw("title", {}, `after ${i}: ${data.values[positions[i].values[0]][0]}`);
    return draw("a", { href: address(jump(state, i)), tabindex: -1 }, words, dot);
  });
  const curve = draw("polyline", { class: "curve", points: known.map((value, i) => `${x(i)},${y(value)}`).join(" ") });
  const words = `Value to ${data.players[0]} after each move`;
  return draw("svg", { class: "history", viewBox: "0 0 400 140", role: "group", "aria-label": words }, ...marks, curve, ...dots);
}

function mistakes(state, positions) {
  const costly = positions.filter((each) => each.step?.move && data.costs[each.step.move[4]][1] !== "good");
  const over = positions.at(-1).mover === OVER;
  if (!costly.length) return over ? [make("p", {}, "No mistakes: every move was best.")] : [];
  const body = costly.map(({ ply, step }) => {
    const better = data.words[positions[ply - 1].moves[0][1]];
    return rows([link(jump(state, ply - 1), ply), data.players[step.by], step.words, better, data.costs[step.move[4]][0]]);
  });
  return [make("h2", {}, "Mistakes"), make("table", {}, heads("move", "by", "played", "better", "cost"), make("tbody", {}, ...body))];
}

/** Best play in a game without chance: of equally good moves one to a new position. */
function mainLine(state, now, hidden) {
  const found = [], seen = new Set([now.number]);
  for (let here = now, to = state; here.mover >= 0 && found.length < MAIN_LINE && !hidden && !chance;) {
    const best = here.moves.filter((each) => data.costs[each[4]][1] === "good");
    const [number, word, child] = best.find((each) => !seen.has(each[2])) ?? best[0];
    to = after(to, number);
    found.push([data.words[word], to, false]);
    if (seen.has(child)) break;
    seen.add(child);
    here = next(here, number);
  }
  byId("best").replaceChildren(...(found.length ? [make("h2", {}, "Best play from here"), listed(found)] : []));
}

// -- Forms. --------------------------------------------------------------------------------------

function options() {
  const others = ROLES, count = data.players.length;
  if (count === 1) return [PERSON, ...others].map((role) => [role === PERSON ? "you" : role, role]);
  const rest = (role) => Array(count - 1).fill(role);
  if (count > 2) return [...others.map((role) => [`you against ${role}`, [PERSON, ...rest(role)].join()]), ["all are people", Array(count).fill(PERSON).join()]];
  return [
    ...others.map((role) => [`you against ${role}`, `${PERSON},${role}`]),
    ...others.map((role) => [`${role} against you`, `${role},${PERSON}`]),
    ["two people", `${PERSON},${PERSON}`], ["perfect against perfect", "perfect,perfect"],
  ];
}

function forms(state, now) {
  const play = byId("play").elements;
  byId("go").elements.at.value = now.text;
  play.seed.value = state.seed;
  play.hide.checked = state.hide;
  if (state.play.length) play.play.value = state.play.join();
  const words = state.play.length ? `Playing: ${data.players.map((name, i) => `${name}: ${state.play[i]}`).join(", ")}. ` : "";
  byId("playing").replaceChildren(...(words ? [words, link({ ...state, play: [], hide: false }, "Stop playing")] : []));
}

function listen() {
  const first = data.positions.slice(0, Math.min(data.starts, MOST_STARTS));
  if (first.length > 1) byId("starts").append(...first.map(([value]) => make("option", { value })));
  byId("play").elements.play.append(...options().map(([words, value]) => make("option", { value }, words)));
  byId("play").addEventListener("submit", (event) => {
    event.preventDefault();
    const { play, seed, hide } = event.target.elements;
    const state = stateOf("");
    go({ ...state, play: play.value.split(","), seed: Number(seed.value) || 1, hide: hide.checked });
  });
  byId("go").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = event.target.elements.at.value.trim();
    if (!numbers.has(text)) return say(`${text} is not a position that can arise.`);
    const { seed, hide } = stateOf(location.hash);
    go({ ...stateOf(""), at: text, seed, hide });
  });
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the address holds the position
    byId("main").focus();
  });
  addEventListener("hashchange", show);
}

// -- The page. -----------------------------------------------------------------------------------

let timer = 0;
const say = (words) => { byId("notice").textContent = words; };
function go(state) {
  if (address(state) === location.hash) show();
  else location.hash = address(state);
}

function show() {
  clearTimeout(timer);
  try {
    const asked = seated(stateOf(location.hash)), watched = asked.play.length && !asked.play.includes(PERSON);
    const state = watched ? asked : advanced(asked);
    const ended = render(state);
    if (address(state) !== address(asked)) window.history.replaceState(null, "", address(state));
    if (watched && !ended && state.ply === null) timer = setTimeout(() => go(advanced(state)), PAUSE);
    byId("main").dataset.shown = location.hash;
    say("");
  } catch (error) {
    render(stateOf(""));
    say(error.message);
  }
}

function render(state) {
  const positions = replay(state);
  const now = positions[shown(state).length];
  const hidden = state.hide && now.mover !== OVER;
  const mine = now.mover >= 0 && (!state.play.length || state.play[now.mover] === PERSON || state.ply !== null);
  const listing = document.activeElement?.closest("#answer, #board");
  board(state, now, mine);
  steps(state);
  history(state, positions, hidden);
  answer(state, now, mine);
  mainLine(state, now, hidden);
  forms(state, now);
  byId("main").hidden = false;
  if (listing) (document.querySelector("#answer a.button") ?? byId("main")).focus({ preventScroll: true });
  return now.mover === OVER;
}

async function unpacked() {
  const bytes = Uint8Array.from(atob(byId("data").textContent), (each) => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

try {
  if (!("DecompressionStream" in window)) throw new Error("This browser is too old for this page: Chrome 92, Firefox 113 and Safari 16.4 can show it.");
  data = await unpacked();
  numbers = new Map(data.positions.map((each, i) => [each[0], i]).reverse());
  chance = data.positions.some((each) => each[1] === CHANCE);
  listen();
  show();
} catch (error) {
  say(error.message);
}
