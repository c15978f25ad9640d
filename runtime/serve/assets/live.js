// Keeps a page up to date. The server renders everything; this script only loads the page again
// when something has changed, and exchanges the parts that differ.
"use strict";
(() => {
  const news = document.getElementById("news");
  // say tells people something, which stays until the next news if keep is true.
  const say = (text, keep = false) => {
    if (news.textContent !== text) news.textContent = text;
    news.dataset.keep = keep ? "1" : "";
  };

  // load fetches the content of a page of this server.
  const load = async (address) => {
    const reply = await fetch(address, { headers: { "X-Part": "1" }, redirect: "error" });
    if (!reply.ok) throw new Error(String(reply.status));
    return new DOMParser().parseFromString(await reply.text(), "text/html");
  };

  // Parts of a page that are only loaded when somebody opens them.
  const fill = async (place) => {
    try {
      const page = await load(place.dataset.load);
      place.replaceChildren(...page.body.childNodes);
    } catch { place.removeAttribute("data-busy"); }
  };
  document.addEventListener("toggle", (event) => {
    const place = event.target.open && event.target.querySelector(":scope > [data-load]");
    if (place && !place.dataset.busy) {
      place.dataset.busy = "1";
      fill(place);
    }
  }, true);

  const hashes = (part) => [...part.querySelectorAll("[data-hash]")].map((e) => e.dataset.hash).join();
  const before = new Map();

  // The same questions may have got approvals: that keeps what somebody writes.
  const note = (now, next) => {
    const fresh = next.querySelectorAll("[data-note]");
    now.querySelectorAll("[data-note]").forEach((old, i) => {
      if (!fresh[i] || old.textContent === fresh[i].textContent) return;
      old.textContent = fresh[i].textContent;
      say(old.textContent, true);
    });
  };

  const exchange = (now, next) => {
    if (now.dataset.part === "questions") {
      if (hashes(now) === hashes(next)) { note(now, next); return; }
      const writes = now.contains(document.activeElement) || [...now.querySelectorAll("textarea")].some((t) => t.value !== t.defaultValue);
      if (writes) { say("The questions have changed. Reload the page to see them.", true); return; }
      say("The questions have changed.", true);
    } else if (before.get(now.id) === next.innerHTML) return;
    before.set(now.id, next.innerHTML);
    if (now.contains(document.activeElement) && document.activeElement.matches("input, textarea, select")) return;
    const open = [...now.querySelectorAll("details[open][data-key]")].map((d) => d.dataset.key);
    const focus = now.contains(document.activeElement) && document.activeElement.getAttribute("href");
    const fresh = document.importNode(next, true);
    now.replaceWith(fresh);
    for (const d of fresh.querySelectorAll("details[data-key]")) if (open.includes(d.dataset.key)) d.open = true;
    if (focus) [...fresh.querySelectorAll("a")].find((a) => a.getAttribute("href") === focus)?.focus();
    for (const log of fresh.querySelectorAll(".log")) log.scrollTop = log.scrollHeight;
  };

  const refresh = async () => {
    const page = await load(location.href);
    for (const next of page.querySelectorAll("[data-part]")) {
      const now = document.getElementById(next.id);
      if (now) exchange(now, next);
    }
    for (const image of document.querySelectorAll("img[data-picture]")) {
      const address = new URL(image.src);
      address.searchParams.set("at", String(Date.now()));
      const fresh = new Image();
      fresh.onload = () => { image.src = fresh.src; };
      fresh.src = address.href;
    }
  };

  let busy = false, again = false;
  const changed = async () => {
    if (busy) { again = true; return; }
    busy = true;
    do {
      again = false;
      try { await refresh(); if (!news.dataset.keep) say(""); } catch { say("This page could not be updated. Reload it."); }
    } while (again);
    busy = false;
  };

  const address = document.body.dataset.live;
  if (!address) return;
  for (const part of document.querySelectorAll("[data-part]")) before.set(part.id, part.innerHTML);
  // A browser has few connections to a server, so only pages that somebody sees keep one.
  let source = null, connected = false;
  const follow = () => {
    if (document.hidden) { source?.close(); source = null; return; }
    if (source) return;
    source = new EventSource(address);
    source.addEventListener("hello", () => { connected = true; });
    source.addEventListener("change", changed);
    source.onerror = () => { if (connected) say("The server does not answer. This page shows what it was."); };
  };
  document.addEventListener("visibilitychange", follow);
  follow();
})();
