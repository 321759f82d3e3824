// Passkeys: a form with data-passkey asks the browser for one, puts what comes back into its field, and is sent.
const form = document.querySelector("[data-passkey]");
const able = window.PublicKeyCredential?.parseCreationOptionsFromJSON && window.isSecureContext;

function say(text) {
  const note = form.querySelector("[data-passkey-note]");
  note.textContent = text ? form.querySelector(`[data-passkey-text="${text}"]`).content.textContent.trim() : "";
}

async function options() {
  const given = document.getElementById("passkey-options");
  if (given) return JSON.parse(given.textContent);
  const answer = await fetch(form.action, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

async function passkey() {
  const { creation_options: make, request_options: use } = await options();
  if (use) {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(use.publicKey);
    return navigator.credentials.get({ publicKey });
  }
  // one that signs in alone: the device keeps whose it is, and asks who holds it
  const selection = { residentKey: "required", requireResidentKey: true, userVerification: "required" };
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON({
    ...make.publicKey,
    authenticatorSelection: { ...make.publicKey.authenticatorSelection, ...selection },
  });
  return navigator.credentials.create({ publicKey });
}

if (!able) say("missing");
form.querySelector("button").disabled = !able;
form.querySelector("button").addEventListener("click", async () => {
  say("");
  try {
    form.elements.credential.value = JSON.stringify(await passkey());
  } catch {
    say("failed");
    return;
  }
  form.submit();
});
