// What every page does.

// Light or dark: the reader's choice outlives the visit; without one the system's holds. Runs before the first paint.
const root = document.documentElement;
root.classList.add("js");

// A browser that keeps no data of sites throws where the storage is only named.
function remembered(use) {
  try {
    return use(localStorage);
  } catch (error) {
    if (error.name !== "SecurityError" && error.name !== "QuotaExceededError") throw error;
    return null;
  }
}
const kept = remembered((storage) => storage.getItem("theme"));
if (kept) root.dataset.theme = kept;

// After a form that was refused, the first field to mend is at hand.
document.addEventListener("DOMContentLoaded", () => {
  const field = document.querySelector("main [aria-invalid=true]");
  const list = document.querySelector("main .errorlist");
  if (list) list.tabIndex = -1;
  (field ?? list)?.focus();
});

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
  remembered((storage) => storage.setItem("theme", next));
});

// A button copies the text of the part that it names, or the address of the page. Where a site has no encryption, browsers have
// no clipboard, and others refuse it: then the text is selected as if by hand.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const part = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(part ? part.textContent : location.href);
  } catch {
    if (!part) return;
    getSelection().selectAllChildren(part);
    document.execCommand("copy");
  }
  const text = button.textContent;
  button.textContent = button.dataset.copied;
  setTimeout(() => { button.textContent = text; }, 1600);
});

// A menu closes as menus do: by Escape, and by a press elsewhere.
const openMenus = () => document.querySelectorAll("details.menu[open]");
document.addEventListener("click", (event) => {
  for (const menu of openMenus()) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of openMenus()) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// Make a part of the page like a fresh one. What a reader holds stays in place: the bar being dragged, an open menu or list,
// the row scrolled to, the field being typed in. All else that differs is replaced.
const isHeld = (part) => part.contains(document.activeElement)
  || [part, ...part.querySelectorAll("details, .scroll")].some((each) => each.matches("details[open]") || each.scrollLeft > 0);

globalThis.morph = (old, fresh) => {
  if (old.isEqualNode(fresh)) return;
  const alike = old.nodeType === Node.ELEMENT_NODE && old.nodeName === fresh.nodeName && old.id === fresh.id;
  if (!alike || !isHeld(old)) return old.replaceWith(fresh);
  for (const { name } of [...old.attributes]) if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) {
    if (name === "open" || old.getAttribute(name) === value) continue;
    old.setAttribute(name, value);
    if (name === "value") old.value = value;
  }
  const next = [...fresh.childNodes];
  for (const child of [...old.childNodes].slice(next.length)) child.remove();
  next.forEach((child, index) => (old.childNodes[index] ? globalThis.morph(old.childNodes[index], child) : old.append(child)));
};
