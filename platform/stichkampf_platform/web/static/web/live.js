// Parts of a page that grow by themselves: every few seconds the page is fetched again, and its live parts take the place of the old ones.
const parts = () => document.querySelectorAll("[data-live]");

async function refresh() {
  const answer = await fetch(location.href);
  if (!answer.ok) throw new Error(String(answer.status));
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of parts()) {
    const next = fresh.getElementById(part.id);
    if (!next || next.isEqualNode(part)) continue;
    const focused = document.activeElement?.id;
    part.replaceWith(document.adoptNode(next));
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
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
  const first = parts()[0];
  if (first) setTimeout(run, 1000 * (+first.dataset.live + pause), pause);
}

if (parts().length) setTimeout(run, 1000 * +parts()[0].dataset.live, 0);
