// The form of a tournament shows the options of the chosen game: another choice asks the server for its form.
for (const name of ["game", "seats"]) {
  document.getElementById(`id_${name}`)?.addEventListener("change", () => {
    document.querySelector("button[name=_choose][value=options]").click();
  });
}
