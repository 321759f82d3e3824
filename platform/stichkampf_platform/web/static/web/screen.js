// The big screen: its slides follow by themselves, and by the keys of a remote control. The match on show plays beside them.
const BEAT = 4000;   // after this the slide is looked at again
const BEATS = 3;     // and after so many the next one comes
const HELD = 60000;  // where somebody went on by hand, none comes for this time
let beat = 0;
let held = 0;
let pressing = false;
let turn = Promise.resolve();

const slide = () => document.getElementById("slide");

async function show(number) {
  const answer = await fetch(`${location.pathname}?slide=${number}`);
  if (!answer.ok) return;  // the server is away: the next beat asks again
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const first = !document.getElementById("replay") && fresh.getElementById("replay");
  if (first) {  // the first match can be watched
    location.reload();
    return new Promise(() => {});  // so that no later turn loads the page a second time
  }
  for (const id of ["slide", "next"]) globalThis.morph(document.getElementById(id), fresh.getElementById(id));
}

function go(by) {
  const { number, slides } = slide().dataset;
  turn = turn.then(() => show((+number + by + +slides) % +slides)).catch(() => {});
}

setInterval(() => {
  beat += 1;
  go(beat % BEATS === 0 && performance.now() > held ? 1 : 0);
}, BEAT);

// Where the organiser reveals results, going on is a press of the first button; the next waits for its answer.
async function reveal(form) {
  const data = new FormData(form);
  data.set("press", form.parentElement.dataset.press);
  await fetch(form.action, { method: "POST", body: data });
  await show(0);
}

const KEYS = { PageDown: 1, PageUp: -1, Enter: 1 };
window.addEventListener("keydown", (event) => {
  if (!(event.key in KEYS) || event.target.closest?.("a, button, select")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  held = performance.now() + HELD;
  const form = document.querySelector("[data-press] form");
  if (!form || KEYS[event.key] < 0) return go(KEYS[event.key]);
  if (pressing || event.repeat) return;
  pressing = true;
  turn = turn.then(() => reveal(form)).catch(() => {}).finally(() => { pressing = false; });
}, { capture: true });
