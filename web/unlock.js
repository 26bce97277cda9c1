/* unlock.js - opens a granted original in the browser (filterd-seal(7)): the file and the key of its inner layer come from filterd,
 * the identity from a file of the reviewer that is read here and sent nowhere. Nothing is stored; what is shown is cleared when the
 * grant ends. The global `age` is age.js. */
"use strict";
(() => {
  const AGE = "age-encryption.org/", HEAD = /^filterd-sealed\/1 ([0-9a-f]{16})\n/;
  const HEAD_LEN = 34, NONCE = 24, KEY = 32, IDENTITIES_MAX = 65536;
  const STATUS = {401: "confirm", 403: "grant", 404: "gone", 409: "grant", 410: "gone", 422: "why"};
  const encrypted = new Map(); /* by address: a second identity can be tried, and the file is not asked for again */
  let endsAt = 0;
  let isBusy = false;

  const find = (selector) => document.querySelector(selector);

  /* Why it cannot be shown: the name of a sentence that the page has. */
  class Refusal extends Error {}
  const refuse = (name) => { throw new Refusal(name); };

  function say(name) {
    for (const sentence of document.querySelectorAll("[data-say]")) sentence.hidden = sentence.dataset.say !== name;
  }

  /* --- filterd --- */
  async function post(action, fields) {
    const answer = await fetch(action, {method: "POST", body: new URLSearchParams(fields), redirect: "error", cache: "no-store"});
    if (!answer.ok) refuse(STATUS[answer.status] ?? "server");
    return answer;
  }

  async function encryptedFile(form) {
    const action = form.getAttribute("action").replace(/key$/, "file");
    if (!encrypted.has(action)) {
      const csrf = form.parentElement.querySelector(`form[action="${CSS.escape(action)}"] [name=csrf]`).value;
      const answer = await post(action, {csrf, why: form.querySelector("[name=why]")?.value ?? ""});
      encrypted.set(action, new Uint8Array(await answer.arrayBuffer()));
    }
    return encrypted.get(action);
  }

  /* --- layers, from the outermost in --- */
  async function decrypterOf(file) {
    if (!file || file.size > IDENTITIES_MAX) refuse("identity");
    const identities = (await file.text()).split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"));
    const decrypter = new age.Decrypter();
    try {
      for (const identity of identities) decrypter.addIdentity(identity.trim());
    } catch {
      refuse("identity");
    }
    return identities.length > 0 ? decrypter : refuse("identity");
  }

  const beginsWith = (bytes, text) => new TextDecoder("latin1").decode(bytes.subarray(0, text.length)) === text;

  async function openLayers(decrypter, file) {
    const box = await decrypter.decrypt(file).catch(() => refuse("wrong"));
    return beginsWith(box, AGE) ? decrypter.decrypt(box).catch(() => refuse("second")) : box;
  }

  const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));

  function openBox(box, given) {
    const id = HEAD.exec(new TextDecoder("latin1").decode(box.subarray(0, HEAD_LEN)))?.[1], key = bytesOf(given.key);
    if (id === undefined || id !== given.kek || key.length !== KEY) refuse("format");
    const nonce = box.subarray(HEAD_LEN, HEAD_LEN + NONCE);
    try {
      return age.xchacha20poly1305(key, nonce, box.subarray(0, HEAD_LEN)).decrypt(box.subarray(HEAD_LEN + NONCE));
    } catch {
      return refuse("format");
    } finally {
      key.fill(0);
    }
  }

  function partsOf(plain) {
    try {
      return JSON.parse(new TextDecoder().decode(plain)).parts.map((part) => [part.path || part.key || "", part.text ?? `base64: ${part.base64}`]);
    } catch {
      return refuse("format");
    }
  }

  /* --- what is shown --- */
  /* As text, with characters that hide or turn others made visible. */
  const visible = (text) => text.replace(/[^\n\t\P{C}]|[\u2028\u2029]/gu, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);

  function element(name, text) {
    const made = document.createElement(name);
    made.textContent = visible(text);
    return made;
  }

  function show(parts, leftMs) {
    const section = find("[data-original]"), place = section.querySelector("[data-parts]");
    place.replaceChildren();
    for (const [title, text] of parts) {
      const shown = element("pre", text);
      shown.className = "code";
      if (title !== "") place.append(element("h3", title));
      place.append(shown);
    }
    endsAt = Date.now() + leftMs;
    section.hidden = false;
    section.focus();
  }

  function clear() {
    endsAt = 0;
    encrypted.clear();
    find("[data-parts]")?.replaceChildren();
    const section = find("[data-original]");
    if (section) section.hidden = true;
  }

  function clearAtEnd() {
    if (endsAt === 0 || Date.now() < endsAt) return;
    clear();
    say("grant");
  }

  /* --- the way --- */
  async function unlock(form) {
    const decrypter = await decrypterOf(form.querySelector("[type=file]").files[0]);
    const box = await openLayers(decrypter, await encryptedFile(form));
    const answer = await post(form.getAttribute("action"), {csrf: form.querySelector("[name=csrf]").value});
    const given = await answer.json(), plain = openBox(box, given);
    const parts = partsOf(plain);
    plain.fill(0);
    box.fill(0);
    show(parts, given.left_ms);
  }

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.querySelector("[data-unlock]")) return;
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    say("");
    try {
      await unlock(form);
    } catch (error) {
      say(error instanceof Refusal ? error.message : "server");
    }
    form.querySelector("[type=file]").value = "";
    isBusy = false;
  });

  /* The page is loaded again, as opening again needs a reason. */
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-clear]")) return;
    clear();
    location.reload();
  });

  const isMain = (node) => node.nodeName === "MAIN";
  function begin(changes) {
    if (changes.some((change) => [...change.removedNodes].some(isMain))) clear();
    for (const controls of document.querySelectorAll("[data-unlock]")) controls.hidden = false;
  }

  setInterval(clearAtEnd, 1000);
  addEventListener("visibilitychange", clearAtEnd);
  addEventListener("pagehide", clear);
  new MutationObserver(begin).observe(document.body, {childList: true}); /* review.js puts another <main> in place */
  begin([]);
})();
