// Parts of a page that grow by themselves. The page is fetched again, and its live parts take the place of the old ones:
// whenever the server says that there is something new, where a part names its stream of events; else every few seconds.
// Where a part comes to another state, such as a tournament to its start, the page as a whole is another, and is loaded again.
const parts = () => document.querySelectorAll("[data-live]");
let turn = Promise.resolve();  // one refresh after the other, so that an older page never replaces a newer one

async function refresh() {
  const answer = await fetch(location.href);
  if (!answer.ok) throw new Error(String(answer.status));
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of parts()) {
    const next = fresh.getElementById(part.id);
    if (!next || next.isEqualNode(part)) continue;
    if (next.dataset.state !== part.dataset.state) {
      location.reload();
      return new Promise(() => {});  // so that no later turn loads the page a second time
    }
    globalThis.morph(part, next);
  }
}

async function run(pause) {
  if (document.visibilityState === "visible") {
    try {
      await refresh();
      pause = 0;
    } catch {
      pause = Math.min(pause + 5, 60);  // the server is away: ask less often until it is back
    }
  }
  poll(pause);
}

function poll(pause) {
  const first = parts()[0];
  if (first) setTimeout(run, 1000 * (+first.dataset.live + pause), pause);
}

function listen(address) {
  const stream = new EventSource(address);
  stream.addEventListener("message", () => {
    turn = turn.then(refresh).catch(() => {});  // the next event makes up for it
  });
  stream.addEventListener("over", () => {
    stream.close();
    turn = turn.then(refresh).catch(() => poll(0));
  });
  stream.addEventListener("error", () => {
    if (stream.readyState === EventSource.CLOSED) poll(0);  // refused for good; a line that was lost comes back by itself
  });
}

const address = parts()[0]?.dataset.stream;
if (address) listen(address);
else poll(0);
