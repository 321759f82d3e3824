// Stepping through a replay. The server draws every scene; this fetches the next one, swaps it in and keeps a few at hand.
// Of a scene the server sends only the parts that are new: the others are known here by the hash in their comments.
// In a file of `stichkampf view` replay_file.js has all scenes of some views, and there is no server.
const replay = document.getElementById("replay");
const file = globalThis.replayFile;
const scenes = new Map();
const parts = new Map();
const PART = /<!--part (\w+)-->([^]*?)<!--\/part-->/g;
const KEPT = 80;
const BEAT = 900;
const SWIPE = 45;
const TAKE = 160;
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const LAST_LOOK = 4000;  // in a channel, the time for the result before the next match
// Safari refuses more than 100 changes of the address in ten seconds: so many at once, then one a pause
const ADDRESSES = 50;
const ADDRESS_SECONDS = 10;
const ADDRESS_PAUSE = 250;
let timer = null;
let wanted = null;
let turn = Promise.resolve();
let placing = null;
const placed = [];

const now = () => {
  const data = { ...replay.firstElementChild.dataset };
  for (const name of ["step", "view", "first", "last", "steps", "back", "on", "trickBack", "trickOn", "seats"]) data[name] = +data[name];
  return data;
};

function path(step, view, every) {
  const query = new URLSearchParams();
  if (view) query.set("view", view);
  if (every) query.set("every", 1);
  return `${replay.dataset.base}${step}` + (query.size ? `?${query}` : "");
}

// Keep the parts that came, and put in those that did not.
function whole(html) {
  return html.replace(PART, (all, name, content) => {
    if (content) parts.set(name, content);
    return `<!--part ${name}-->${content || parts.get(name) || ""}<!--/part-->`;
  });
}

function scene(address) {
  if (!scenes.has(address)) {
    if (scenes.size >= KEPT) scenes.delete(scenes.keys().next().value);
    const known = [...replay.innerHTML.matchAll(PART)].map((found) => found[1]);
    const loading = file ? file.scene(address) : fetch(address, { headers: { "X-Fragment": "scene", "X-Known": known.join(" ") } }).then(async (answer) => {
      if (!answer.ok) throw new Error(`${answer.status} for ${address}`);
      return whole(await answer.text());
    });
    loading.catch(() => scenes.delete(address));
    scenes.set(address, loading);
  }
  return scenes.get(address);
}

function place() {
  // a part of another page, or a frame in a notebook: both keep their address
  if (replay.dataset.stays !== undefined || location.protocol === "about:") return;
  const put = () => {
    const { step, view, every } = now();
    const address = path(step, view, every);
    const { watch } = replay.dataset;
    const whole = watch ? `${address}${address.includes("?") ? "&" : "?"}watch=${watch}` : address;
    history.replaceState(null, "", file ? `#${address}` : whole);
    placed.push(performance.now());
  };
  while (performance.now() - placed[0] > ADDRESS_SECONDS * 1000) placed.shift();
  if (placed.length < ADDRESSES) return put();
  placing ??= setTimeout(function placeAgain() { placing = null; put(); }, ADDRESS_PAUSE);
}

async function show(step, view, every = now().every) {
  const { steps } = now();
  const address = path(Math.min(Math.max(step, 0), steps), view, every);
  wanted = address;
  let html;
  try {
    html = await scene(address);
  } catch {
    if (!file) location.assign(address);
    return;
  }
  if (wanted !== address) return;
  const focused = document.activeElement?.id;
  const speed = document.getElementById("speed").value;
  const { head } = now();
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const taken = takenTrick(parsed);
  globalThis.morph(replay.querySelector(".replay"), parsed.querySelector(".replay"));
  taken?.();
  document.getElementById("speed").value = speed;
  if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus({ preventScroll: true });
  const speech = replay.querySelector(".speech");
  const said = speech?.querySelector("[aria-current]");
  if (said) speech.scrollTop = said.offsetTop - speech.offsetTop - 40;
  place();
  const title = document.querySelector("[data-part=title]");
  if (title) title.textContent = now().title;
  document.title = document.title.replace(head, now().head);
  mark();
  ahead();
}

// The trick that the next scene no longer has goes to who took it: its cards are copied before they vanish.
function takenTrick(next) {
  const winner = replay.querySelector(".slot.wins");
  if (calm.matches || !winner || next.querySelector(".slot.wins")) return null;
  const place = [...winner.classList].find((name) => name.startsWith("slot-")).slice(5);
  const cards = [...replay.querySelectorAll(".slot .card")].map((card) => [card.cloneNode(true), card.getBoundingClientRect(), getComputedStyle(card).fontSize]);
  return () => {
    const to = replay.querySelector(`.felt > .seat-${place}`)?.getBoundingClientRect();
    if (!to) return;
    for (const [card, { left, top, width, height }, fontSize] of cards) {
      card.classList.add("taken-away");
      card.setAttribute("aria-hidden", "true");
      Object.assign(card.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px`, fontSize });
      document.body.append(card);
      const across = `${to.left + to.width / 2 - left - width / 2}px ${to.top + to.height / 2 - top - height / 2}px`;
      card.animate({ translate: ["0 0", across], scale: [1, 0.4], opacity: [1, 0.2] }, { duration: TAKE, easing: "ease-in" }).finished.finally(() => card.remove());
    }
  };
}

function ahead() {
  const { view, every, steps, on, trickOn } = now();
  for (const next of [on, trickOn]) if (next <= steps) scene(path(next, view, every)).catch(() => {});
}

// One change after the other, each counted from where the last one leads.
const inTurn = (change) => (turn = turn.then(change));
const go = (change) => inTurn(() => move(change));

function move(change) {
  const { step, view, steps, back, on, trickBack, trickOn, dealBack, dealOn, fault, mistake } = now();
  const target = { back, on, "trick-back": trickBack, "trick-on": trickOn, "deal-back": dealBack, "deal-on": dealOn, fault, mistake, first: 0, last: steps }[change];
  return show(target === "" ? step : +target, view);
}

function mark() {
  const button = document.getElementById("play");
  button.setAttribute("aria-pressed", String(timer !== null));
  button.querySelector("path").setAttribute("d", timer === null ? "m7 4 13 8-13 8z" : "M6 4h4v16H6zM14 4h4v16h-4z");
}

function play() {
  const run = async () => {
    if (now().step >= now().steps) {
      const { channel } = replay.dataset;
      if (channel) timer = setTimeout(() => location.assign(channel), LAST_LOOK);
      else stop();
      return;
    }
    await go("on");
    if (timer !== null) timer = setTimeout(run, BEAT / document.getElementById("speed").value);
  };
  timer = setTimeout(run, 0);
  mark();
}

function stop() {
  clearTimeout(timer);
  timer = null;
  mark();
}

replay.addEventListener("click", (event) => {
  if (event.target.closest("#play")) return timer === null ? play() : stop();
  if (event.target.closest("#help")) return document.getElementById("keys").showModal();
  const link = event.target.closest("a[href]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const { pathname, searchParams } = new URL(link.getAttribute("href"), `http://replay${replay.dataset.base}`);
  const step = pathname.slice(replay.dataset.base.length);
  if (!pathname.startsWith(replay.dataset.base) || !/^\d+$/.test(step)) return;
  event.preventDefault();
  stop();
  inTurn(() => show(+step, +(searchParams.get("view") ?? 0), searchParams.get("every") ?? ""));
});

replay.addEventListener("input", (event) => {
  if (event.target.id !== "seek") return;
  stop();
  turn = show(+event.target.value, now().view);  // where the bar is let go counts, not what lies between
});

let touched = null;
replay.addEventListener("touchstart", (event) => {
  const inside = event.target.closest(".felt") && event.touches.length === 1;
  touched = inside ? [event.touches[0].clientX, event.touches[0].clientY] : null;
}, { passive: true });
replay.addEventListener("touchend", (event) => {
  if (!touched) return;
  const across = event.changedTouches[0].clientX - touched[0];
  const down = event.changedTouches[0].clientY - touched[1];
  touched = null;
  if (Math.abs(across) < SWIPE || Math.abs(across) < 2 * Math.abs(down)) return;
  stop();
  go(across < 0 ? "on" : "back");
});

let held = null;  // a key that is held down asks for the next step when the last one is drawn
const KEYS = {
  ArrowLeft: "back", ArrowRight: "on", ArrowUp: "trick-back", ArrowDown: "trick-on", Home: "first", End: "last",
  PageUp: "deal-back", PageDown: "deal-on", x: "fault", m: "mistake",
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input:not(#seek), textarea, select")) return;
  if (event.key in KEYS) {
    event.preventDefault();
    stop();
    if (!event.repeat) return go(KEYS[event.key]);
    held ??= go(KEYS[event.key]).then(() => { held = null; });
  } else if (event.key === " " && !event.target.closest("button, a, summary")) {
    event.preventDefault();
    timer === null ? play() : stop();
  } else if (event.key === "f") {
    inTurn(() => show(now().step, now().view, now().every ? "" : "1"));
  } else if (/^[0-6]$/.test(event.key) && +event.key <= now().seats) {
    inTurn(() => show(now().step, +event.key));
  } else if (event.key === "?") {
    document.getElementById("keys").showModal();
  }
});

whole(replay.innerHTML);
place();
if (file) show(now().step, now().view);
ahead();
if (replay.dataset.channel) play();
