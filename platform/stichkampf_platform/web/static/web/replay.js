// Stepping through a replay. The server draws every scene; this fetches the next one, swaps it in and keeps a few at hand.
const replay = document.getElementById("replay");
const scenes = new Map();
const KEPT = 80;
const BEAT = 900;
let timer = null;
let wanted = null;

const now = () => {
  const { step, view, first, last, steps, trickBack, trickOn, seats, title } = replay.firstElementChild.dataset;
  return { step: +step, view: +view, first: +first, last: +last, steps: +steps, trickBack: +trickBack, trickOn: +trickOn, seats: +seats, title };
};
const path = (step, view) => `${replay.dataset.base}${step}` + (view ? `?view=${view}` : "");

function scene(address) {
  if (!scenes.has(address)) {
    if (scenes.size >= KEPT) scenes.delete(scenes.keys().next().value);
    const loading = fetch(address, { headers: { "X-Fragment": "scene" } }).then((answer) => {
      if (!answer.ok) throw new Error(`${answer.status} for ${address}`);
      return answer.text();
    });
    loading.catch(() => scenes.delete(address));
    scenes.set(address, loading);
  }
  return scenes.get(address);
}

async function show(step, view) {
  const { steps } = now();
  const address = path(Math.min(Math.max(step, 0), steps), view);
  wanted = address;
  let html;
  try {
    html = await scene(address);
  } catch {
    location.assign(address);  // the page itself says what is wrong
    return;
  }
  if (wanted !== address) return;
  const focused = document.activeElement?.id;
  const scrolled = replay.querySelector(".speech")?.scrollTop;
  const parsed = new DOMParser().parseFromString(html, "text/html");
  replay.replaceChildren(parsed.querySelector(".replay"));
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  const speech = replay.querySelector(".speech");
  if (speech) speech.scrollTop = speech.querySelector("[aria-current]")?.offsetTop - speech.offsetTop - 40 || scrolled;
  history.replaceState(null, "", address);
  document.querySelector("[data-part=title]").textContent = now().title;
  document.title = document.title.replace(/deal \d+, decision \d+/, `deal ${now().title.split(" ")[1]}, decision ${now().step}`);
  mark();
  ahead();
}

function ahead() {
  const { step, view, steps, trickOn } = now();
  for (const next of [step + 1, step + 2, trickOn]) if (next <= steps) scene(path(next, view)).catch(() => {});
}

const go = (change) => {
  const { step, view, steps, trickBack, trickOn } = now();
  const target = { back: step - 1, on: step + 1, "trick-back": trickBack, "trick-on": trickOn, first: 0, last: steps }[change];
  return show(target, view);
};

function mark() {
  const button = document.getElementById("play");
  button.setAttribute("aria-pressed", String(timer !== null));
  button.querySelector("path").setAttribute("d", timer === null ? "m7 4 13 8-13 8z" : "M6 4h4v16H6zM14 4h4v16h-4z");
}

function play() {
  const run = async () => {
    if (now().step >= now().steps) return stop();
    await go("on");
    if (timer !== null) timer = setTimeout(run, BEAT);
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
  const link = event.target.closest("a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || !link.pathname.startsWith(replay.dataset.base)) return;
  const step = link.pathname.slice(replay.dataset.base.length);
  if (!/^\d+$/.test(step)) return;
  event.preventDefault();
  stop();
  show(+step, +(new URL(link.href).searchParams.get("view") ?? 0));
});

replay.addEventListener("input", (event) => {
  if (event.target.id !== "seek") return;
  stop();
  show(+event.target.value, now().view);
});

const KEYS = { ArrowLeft: "back", ArrowRight: "on", ArrowUp: "trick-back", ArrowDown: "trick-on", Home: "first", End: "last" };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input:not(#seek), textarea, select")) return;
  if (event.key in KEYS) {
    event.preventDefault();
    stop();
    go(KEYS[event.key]);
  } else if (event.key === " " && !event.target.closest("button, a")) {
    event.preventDefault();
    timer === null ? play() : stop();
  } else if (/^[0-6]$/.test(event.key) && +event.key <= now().seats) {
    show(now().step, +event.key);
  } else if (event.key === "?") {
    document.getElementById("keys").showModal();
  }
});

document.getElementById("copy").addEventListener("click", async (event) => {
  const button = event.currentTarget;
  await navigator.clipboard.writeText(location.href);
  const text = button.textContent;
  button.textContent = "Link copied";
  setTimeout(() => { button.textContent = text; }, 1600);
});

history.replaceState(null, "", path(now().step, now().view));
ahead();
