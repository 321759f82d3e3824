// The scenes of a replay that stands in one file: `stichkampf view` puts them into it, compressed.
// A scene is stored as it is when stepping passes over forced choices; with `every` it stops at each.
const stored = unpacked(document.getElementById("scenes").innerHTML);

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

globalThis.replayFile = {
  async scene(address) {
    const { parts, scenes, views } = await stored;
    const { pathname, searchParams } = new URL(address, "http://file");
    const step = +pathname.split("/").at(-1);
    const html = scenes[`${searchParams.get("view") ?? 0}/${step}`];
    if (html === undefined) throw new Error(`${address} is not in this file`);
    const whole = html.replace(/<!--part (\w+)--><!--\/part-->/g, (all, name) => `<!--part ${name}-->${parts[name]}<!--/part-->`);
    const page = new DOMParser().parseFromString(whole, "text/html");
    for (const link of page.querySelectorAll("[id^=view-]")) {
      if (!views.includes(+link.id.slice("view-".length))) link.remove();
    }
    if (searchParams.has("every")) stopEverywhere(page, step);
    return page.querySelector(".replay").outerHTML;
  },
};

function stopEverywhere(page, step) {
  const { dataset } = page.querySelector(".replay");
  dataset.every = "1";
  dataset.back = Math.max(step - 1, 0);
  dataset.on = Math.min(step + 1, dataset.steps);
  for (const link of page.querySelectorAll("a[href]")) {
    const [path, query] = link.getAttribute("href").split("?");
    const search = new URLSearchParams(query);
    link.id === "every" ? search.delete("every") : search.set("every", 1);
    const to = { back: dataset.back, on: dataset.on }[link.id];
    const target = to === undefined ? path : path.replace(/[^/]+$/, to);
    link.setAttribute("href", search.size ? `${target}?${search}` : target);
  }
  page.getElementById("every").setAttribute("aria-current", "true");
}
