/* review.js - keyboard shortcuts, and changes without a full page load. Every page works without it: it only presses buttons and
 * follows links that are on the page. An element names its key in data-key; a link of the navigation is found by its address. */
"use strict";
(() => {
  const root = document.documentElement;
  const go = {q: "queue", r: "records", o: "groups", u: "rules", a: "agents", x: "exceptions", v: "reveals", s: "sampling",
    p: "policies", e: "exports", l: "access", c: "record"};
  let waitsForPlace = 0;
  let isBusy = false;
  let refreshing = 0;

  const all = (selector) => [...document.querySelectorAll(selector)];
  const remembered = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
  const remember = (name, value) => { try { localStorage.setItem(name, value); } catch { /* not available in some private windows */ } };
  const areKeysOn = () => remembered("filterd-keys") !== "off";

  /* --- rows --- */
  const rows = () => all("tbody tr").filter((row) => row.querySelector(".lead a"));
  const currentRow = () => document.activeElement?.closest?.("tbody tr") ?? null;
  const boxOf = (row) => row?.querySelector(".pick input");

  function move(step, isExtending) {
    const list = rows();
    const from = list.indexOf(currentRow());
    const to = from < 0 ? (step > 0 ? 0 : list.length - 1) : Math.min(Math.max(from + step, 0), list.length - 1);
    if (list.length === 0) return;
    if (isExtending) {
      choose(list[from], true);
      choose(list[to], true);
    }
    list[to].querySelector(".lead a").focus();
    list[to].scrollIntoView({block: "nearest"});
  }

  function choose(row, isChosen) {
    const box = boxOf(row);
    if (!box) return;
    box.checked = isChosen ?? !box.checked;
    markChosen();
  }

  function markChosen() {
    for (const row of rows()) row.classList.toggle("chosen", boxOf(row)?.checked ?? false);
  }

  /* Without a selection, a disposition applies to the current row. */
  function press(element) {
    const form = element.form;
    const boxes = form ? [...form.querySelectorAll(".pick input")] : [];
    if (boxes.length > 0 && !boxes.some((box) => box.checked)) {
      if (!currentRow()) return move(1, false);
      choose(currentRow(), true);
    }
    element.click();
  }

  /* --- changes in place --- */
  /* Replaces <main> with that of the response. A document parsed by XMLHttpRequest runs no script. */
  function send(form, button) {
    const request = new XMLHttpRequest();
    const fields = new URLSearchParams(new FormData(form));
    const at = rows().indexOf(currentRow());
    if (button?.name) fields.append(button.name, button.value);
    isBusy = true;
    request.open("POST", form.action);
    request.responseType = "document";
    request.onloadend = () => {
      isBusy = false;
      const main = request.response?.querySelector("main");
      if (main) show(request, main, at);
      else location.assign(location.href); /* let the browser show the error */
    };
    request.send(fields);
  }

  function show(request, main, at) {
    const navigation = request.response.querySelector("header nav");
    document.querySelector("main").replaceWith(document.adoptNode(main));
    if (navigation) document.querySelector("header nav").replaceWith(document.adoptNode(navigation));
    document.title = request.response.title;
    if (request.status === 200) history.replaceState(null, "", request.responseURL);
    const list = rows();
    const row = at < 0 ? null : list[Math.min(at, list.length - 1)];
    (row?.querySelector(".lead a") ?? document.querySelector("main")).focus({preventScroll: row === null});
    begin();
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post" || !form.closest("main") || form.querySelector("[type=password], [data-whole]")) return;
    event.preventDefault();
    if (!isBusy) send(form, event.submitter);
  });

  /* --- keyboard shortcuts --- */
  function isTyping(target) {
    return target.closest("textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=submit], [type=button])") !== null;
  }

  function pressKey(key) {
    const element = all("[data-key]").find((e) => e.dataset.key === key && !e.disabled && e.offsetParent !== null);
    if (!element) return false;
    if (element.matches("input, textarea, select")) element.focus();
    else press(element);
    return true;
  }

  function help() {
    const keys = document.querySelector(".keys");
    if (!keys) return;
    keys.open = !keys.open;
    if (keys.open) keys.querySelector("summary").focus();
  }

  const special = {
    j: (e) => move(1, e.shiftKey), k: (e) => move(-1, e.shiftKey),
    x: () => choose(currentRow()),
    u: () => document.querySelector("main [rel=up]")?.click(),
    "?": help,
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !areKeysOn() || isBusy) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const waited = waitsForPlace;
    clearTimeout(waitsForPlace);
    waitsForPlace = 0;
    if (waited !== 0 && go[key]) {
      event.preventDefault();
      document.querySelector(`header nav a[href="/review/${go[key]}"]`)?.click();
    } else if (key === "g") { /* alone: policy gap; before another letter: go to a screen */
      event.preventDefault();
      waitsForPlace = setTimeout(() => {
        waitsForPlace = 0;
        pressKey("g");
      }, 700);
    } else if (special[key]) {
      event.preventDefault();
      special[key](event);
    } else if (pressKey(key)) {
      event.preventDefault();
    }
  });

  /* --- progress --- */
  /* Replaces only the element, because a form on the page may be partly filled in. */
  function refresh(element) {
    const request = new XMLHttpRequest();
    request.open("GET", element.querySelector("a").href);
    request.responseType = "document";
    request.onloadend = () => {
      const now = request.status === 200 ? request.response?.getElementById(element.id) : null;
      if (!now || !element.isConnected) return;
      element.replaceWith(document.adoptNode(now));
      waitForChange();
    };
    request.send();
  }

  function waitForChange() {
    const element = document.querySelector("main [data-refresh]");
    clearTimeout(refreshing);
    if (element) refreshing = setTimeout(refresh, 2000, element);
  }

  /* --- initialization of a new <main> --- */
  function begin() {
    root.classList.add("script");
    root.classList.toggle("no-keys", !areKeysOn());
    for (const button of all("[data-switch=keys]")) {
      button.hidden = false;
      button.setAttribute("aria-pressed", String(areKeysOn()));
      button.onclick = () => {
        remember("filterd-keys", areKeysOn() ? "off" : "on");
        begin();
      };
    }
    for (const box of all("[data-all]")) {
      box.closest("label").hidden = false;
      box.onchange = () => rows().forEach((row) => choose(row, box.checked));
    }
    markChosen();
    waitForChange();
  }

  document.addEventListener("change", (event) => { if (event.target.closest(".pick")) markChosen(); });
  begin();
  document.querySelector("header nav [aria-current]")?.scrollIntoView({block: "nearest", inline: "nearest"});
})();
