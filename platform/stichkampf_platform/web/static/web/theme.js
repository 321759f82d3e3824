// Light or dark: the reader's choice outlives the visit; without one the system's holds. Runs before the first paint.
const root = document.documentElement;
root.classList.add("js");
const kept = localStorage.getItem("theme");
if (kept) root.dataset.theme = kept;

// On a phone a row of tabs is wider than the screen; the present one shall be seen.
document.addEventListener("DOMContentLoaded", () => {
  const row = document.querySelector(".tabs");
  const tab = row?.querySelector("[aria-current]");
  if (tab) row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
});

document.addEventListener("click", (event) => {
  if (!event.target.closest("#theme")) return;
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const next = (root.dataset.theme ?? system) === "dark" ? "light" : "dark";
  root.dataset.theme = next;
  localStorage.setItem("theme", next);
});
