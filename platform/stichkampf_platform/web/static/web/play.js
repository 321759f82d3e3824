// A table at which a person plays. Every button is a form's. This sends the form, and shows the steps that come back one after the other.
const PACE = { card: 320, trick: 900, forced: 400, again: 300, away: 300 };
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const said = document.getElementById("said");
const forced = document.getElementById("forced");
const twice = document.getElementById("twice");
const keys = document.getElementById("keys");
const table = () => document.getElementById("table");
const buttons = () => [...table().querySelectorAll("button[name=move]")];
let busy = false;
let skip = null;
let looking = null;
let shownAt = Date.now(); // when the step was shown
let queued = null; // a deed pressed while steps are still shown

const pause = (milliseconds) => new Promise((done) => {
  skip = done;
  setTimeout(done, milliseconds);
});

// What is said of one step is added to what was, so that a screen reader leaves none out.
function speak(words) {
  if (!words) return;
  if (said.childElementCount > 12) said.firstElementChild.remove();
  said.append(Object.assign(document.createElement("span"), { textContent: `${words}. ` }));
}

function put(fresh) {
  const focused = document.activeElement;
  const inside = table().contains(focused);
  const value = focused?.value;
  const folds = () => [...table().querySelectorAll("details")];
  const open = folds().map((each) => each.open);
  if (!fresh.querySelector(".side")) fresh.append(table().querySelector(".side")); // of a step that has passed
  table().replaceWith(document.adoptNode(fresh));
  shownAt = Date.now();
  folds().forEach((each, at) => { each.open ||= open[at]; });
  speak(table().dataset.said);
  if (!inside) return;
  const again = value && buttons().find((button) => button.value === value);
  (again || buttons()[0] || table().querySelector("a, button"))?.focus({ preventScroll: true });
}

async function show(html) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const templates = [...parsed.querySelectorAll("template")].map((each) => each.content.querySelector("#table"));
  const steps = templates.length ? templates : [parsed.getElementById("table")].filter(Boolean);
  if (!steps.length) return location.reload();
  for (const [at, step] of steps.entries()) {
    if (at || table().dataset.turn === "wait") await (queued || pause(shownAt + stays() - Date.now()));
    put(step);
  }
}

// A step that nobody was asked at stays until it has been seen: the end of a deal until a press.
const trickOr = (pace) => table().querySelector(".taken-by") ? PACE.trick : pace;
const stays = () => table().querySelector("#next") ? 1e9 : trickOr(calm.matches ? 0 : PACE.card);

const ask = (options, headers = {}) => fetch(location.pathname, { ...options, headers: { "X-Fragment": "steps", ...headers } });

async function send(name, value) {
  if (busy) {
    if (name === "deed") queued = value;
    return skip?.();
  }
  busy = true;
  looking?.abort();
  const body = new FormData(document.getElementById("act"));
  body.delete("move");
  body.set(name, value);
  try {
    const answer = await ask({ method: "POST", body });
    if (answer.status >= 500) throw new Error(answer.status);
    await show(await answer.text());
  } catch {
    await siteIsBack();
    location.reload();
  }
  busy = false;
  goOn();
}

async function siteIsBack() {
  const answers = () => fetch(location.pathname, { method: "HEAD" }).then((answer) => answer.status < 500, () => false);
  while (!await answers()) await pause(PACE.away);
}

// While others think, and once a choice is the only one.
async function goOn() {
  if (queued && !busy) {
    const deed = queued;
    queued = null;
    return send("deed", deed);
  }
  const { turn, version, step, forced: only } = table().dataset;
  if (busy) return;
  if (turn === "mine" && only && forced.checked) {
    await pause(trickOr(PACE.forced));
    if (!busy && table().dataset.version === version) send("move", only);
  } else if (turn === "wait" && !document.hidden && !looking) {
    await look({ "X-Step": step, "X-Version": version });
    setTimeout(goOn, PACE.again);
  }
}

// Ask what came since. A press meanwhile ends the question.
async function look(since) {
  const mine = (looking = new AbortController());
  try {
    const answer = await ask({ signal: mine.signal }, since);
    const html = await answer.text();
    if (busy || mine.signal.aborted) return;
    busy = true;
    if (answer.ok) await show(html);
    else await pause(PACE.away);
    busy = false;
  } catch {
    if (!mine.signal.aborted) await pause(PACE.away);
  } finally {
    if (looking === mine) looking = null;
  }
}

document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (event.target.id !== "act" || !button?.value) return;
  event.preventDefault();
  if (button.name === "move" && twice.checked && !button.classList.contains("aimed")) {
    buttons().forEach((each) => each.classList.toggle("aimed", each === button));
    return speak(button.getAttribute("aria-label") || button.textContent.trim());
  }
  button.classList.add("chosen");
  send(button.name, button.value);
});

document.addEventListener("click", (event) => {
  if (busy && !event.target.closest("button:not(#next), a, label")) skip?.();
});

const press = (choice) => table().querySelector(choice)?.click();
const KEYS = {
  h: () => press("button[value=hint]"),
  u: () => press("button[value=back]"),
  s: () => press("#tell"),
  l: () => document.getElementById("last-trick")?.focus(),
  "?": () => keys.showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog")) return;
  const { key } = event;
  if (key === "Enter" && (busy || event.repeat)) event.preventDefault(); // it is not for a button that is about to come
  if (busy) return key !== "Tab" && skip?.();
  const keyed = /^[\w?]$/.test(key) && table().querySelector(`button[data-key="${CSS.escape(key.toLowerCase())}"]`);
  if (keyed) keyed.click();
  else if (key in KEYS) KEYS[key]();
  else if (key.startsWith("Arrow")) move(key);
  else return;
  event.preventDefault();
});

// Left and right go through everything that can be pressed, up and down to what lies above or below.
function move(key) {
  const can = buttons();
  if (!can.length) return;
  const at = can.indexOf(document.activeElement);
  const on = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
  if (at < 0) return can[on > 0 ? 0 : can.length - 1].focus();
  if (key === "ArrowUp" || key === "ArrowDown") {
    const middle = (each) => { const box = each.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
    const [x, y] = middle(can[at]);
    const beyond = can.map((each) => [each, ...middle(each)]).filter(([, , other]) => on * (other - y) > 8);
    beyond.sort((one, two) => Math.abs(one[1] - x) + 2 * Math.abs(one[2] - y) - Math.abs(two[1] - x) - 2 * Math.abs(two[2] - y));
    if (beyond.length) return beyond[0][0].focus();
  }
  can[(at + on + can.length) % can.length].focus();
}

// Settings stay with the browser.
for (const box of [forced, twice]) {
  const name = `play.${box.id}`;
  const usual = box.checked || ("touch" in box.dataset && matchMedia("(pointer: coarse)").matches);
  box.checked = (remembered((storage) => storage.getItem(name)) ?? (usual ? "yes" : "no")) === "yes";
  box.addEventListener("change", () => {
    remembered((storage) => storage.setItem(name, box.checked ? "yes" : "no"));
    goOn();
  });
}
document.getElementById("help").addEventListener("click", () => keys.showModal());
document.addEventListener("visibilitychange", goOn);
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
speak(table().dataset.said);
goOn();
