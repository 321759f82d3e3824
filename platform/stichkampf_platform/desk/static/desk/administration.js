// Additions to Django's own administration, made when its own scripts are done.
addEventListener("load", () => {
  // a text for screen readers needs a role
  for (const icon of document.querySelectorAll("span[aria-label]:not([role])")) icon.setAttribute("role", "img");
  // a head without a word is no head
  for (const head of document.querySelectorAll(".inline-group thead th"))
    if (!head.innerText.trim()) head.replaceWith(Object.assign(document.createElement("td"), { colSpan: head.colSpan }));
  // on phones a row of a list is a card, in which each value has its column's title
  const titles = [...document.querySelectorAll("#result_list thead th")].map((head) => head.innerText.trim());
  for (const row of document.querySelectorAll("#result_list tbody tr"))
    [...row.cells].forEach((cell, column) => { if (column && titles[column]) cell.dataset.title = titles[column]; });
});
// a double click sends a form once
addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (event.timeStamp - (form.sentAt ?? -Infinity) < 3000) event.preventDefault();
  else form.sentAt = event.timeStamp;
});
