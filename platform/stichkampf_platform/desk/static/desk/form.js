// The form of a tournament shows the options of the chosen game: another choice asks the server for its form.
for (const name of ["game", "seats"]) {
  document.getElementById(`id_${name}`)?.addEventListener("change", () => {
    document.querySelector("button[name=_choose][value=options]").click();
  });
}

// Below the chosen entrants stands their order, which is dragged, or moved by the arrows beside each name.
function seedingOf(field) {
  const row = document.createElement("div");
  row.className = "form-row seeding";
  row.innerHTML = "<div class='flex-container'><h3></h3><ol></ol></div><div class='help'></div>";
  row.querySelector("h3").textContent = field.dataset.title;
  row.querySelector(".help").textContent = field.dataset.note;
  document.querySelector(".form-row.field-entrants").after(row);
  const list = row.querySelector("ol");
  let dragged = null;

  const told = () => {
    field.value = [...list.children].map((item) => item.dataset.value).join(",");
    row.hidden = list.children.length < 2;
  };
  const moved = (item, before) => {
    list.insertBefore(item, before);
    told();
  };
  const button = (item, name, sign, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = sign;
    made.ariaLabel = field.dataset[name].replace("{name}", item.dataset.name);
    made.addEventListener("click", () => {
      act();
      made.focus();
    });
    return made;
  };
  const added = ({ value, text }) => {
    const item = document.createElement("li");
    Object.assign(item.dataset, { value, name: text });
    item.draggable = true;
    const name = document.createElement("span");
    name.textContent = text;
    item.append(
      button(item, "up", "↑", () => moved(item, item.previousElementSibling ?? item)),
      button(item, "down", "↓", () => moved(item, item.nextElementSibling?.nextElementSibling ?? null)),
      name,
    );
    item.addEventListener("dragstart", () => (dragged = item));
    item.addEventListener("dragend", () => (dragged = null));
    item.addEventListener("dragover", (event) => {
      if (!dragged || dragged === item) return;
      event.preventDefault();
      const { top, height } = item.getBoundingClientRect();
      moved(dragged, event.clientY < top + height / 2 ? item : item.nextElementSibling);
    });
    item.addEventListener("drop", (event) => event.preventDefault());
    list.append(item);
  };
  // the box shows what its filter lets through; its cache has all that are chosen
  const followed = () => {
    const chosen = new Map(SelectBox.cache.id_entrants_to.map((one) => [one.value, one]));
    for (const item of [...list.children]) if (!chosen.delete(item.dataset.value)) item.remove();
    const places = field.value.split(",");
    const place = ({ value }) => (places.includes(value) ? places.indexOf(value) : places.length);
    [...chosen.values()].sort((one, other) => place(one) - place(other)).forEach(added);
    told();
  };
  followed();
  new MutationObserver(followed).observe(document.getElementById("id_entrants_to"), { childList: true });
}

// the administration makes its boxes when everything is loaded
addEventListener("load", () => {
  const field = document.getElementById("id_seeding");
  if (field && document.getElementById("id_entrants_to")) seedingOf(field);
});
