/* passkey.js - registers a passkey, or signs a challenge with one: the form has what the browser needs, and gets what it returns. */
"use strict";
(() => {
  const boxes = document.querySelectorAll("[data-passkey]");
  const canUse = "credentials" in navigator && "PublicKeyCredential" in window;

  const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const textOf = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

  function say(name) {
    for (const sentence of document.querySelectorAll("[data-say]")) sentence.hidden = sentence.dataset.say !== name;
  }

  const known = (box) => box.dataset.ids.split(" ").filter(Boolean).map((id) => ({type: "public-key", id: bytesOf(id)}));

  async function register(box) {
    const {challenge, rp, person, algorithms, timeout} = box.dataset;
    const {response} = await navigator.credentials.create({publicKey: {
      rp: {id: rp, name: "filterd"},
      user: {id: crypto.getRandomValues(new Uint8Array(32)), name: person, displayName: person},
      challenge: bytesOf(challenge), timeout: Number(timeout), attestation: "none", excludeCredentials: known(box),
      pubKeyCredParams: algorithms.split(" ").map((alg) => ({type: "public-key", alg: Number(alg)})),
      authenticatorSelection: {userVerification: "required", residentKey: "discouraged"},
    }});
    return {client: response.clientDataJSON, auth: response.getAuthenticatorData()};
  }

  async function sign(box) {
    const {challenge, rp, timeout} = box.dataset;
    const {rawId, response} = await navigator.credentials.get({publicKey: {
      rpId: rp, challenge: bytesOf(challenge), timeout: Number(timeout), allowCredentials: known(box), userVerification: "required",
    }});
    return {id: rawId, client: response.clientDataJSON, auth: response.authenticatorData, signature: response.signature};
  }

  document.addEventListener("submit", async (event) => {
    const form = event.target, box = form.querySelector("[data-passkey]");
    if (!box) return;
    event.preventDefault();
    say("");
    try {
      const values = await (box.dataset.passkey === "register" ? register(box) : sign(box));
      for (const [name, value] of Object.entries(values)) form.querySelector(`[name=${name}]`).value = textOf(value);
      form.submit();
    } catch (error) {
      say(error.name === "InvalidStateError" ? "known" : "passkey");
    }
  });

  if (!canUse) return;
  for (const box of boxes) box.hidden = false;
  for (const sentence of document.querySelectorAll("[data-without]")) sentence.hidden = true;
})();
