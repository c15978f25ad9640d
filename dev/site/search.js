"use strict";
(() => {
  const form = document.querySelector("form");
  const input = form.querySelector("input");
  const list = form.querySelector(".results");
  const limit = 20;
  let sections;

  // The index is a script: pages of files can load no other data.
  globalThis.wfcIndex = (pages) => {
    sections = pages.flatMap(([url, title, parts]) => parts.map(([heading, anchor, text], i) => ({
      url: url + (i ? "#" + anchor : ""), title, heading, text,
      lowTitle: title.toLowerCase(), lowHeading: heading.toLowerCase(), lowText: text.toLowerCase(),
      words: " " + text.toLowerCase().replace(/[^\p{L}\p{N}_$]+/gu, " "), first: i === 0,
    })));
    show();
  };
  let asked = false;
  function load() {
    if (asked) return;
    asked = true;
    const script = document.createElement("script");
    script.src = form.dataset.root + "search-index.js";
    script.addEventListener("error", () => list.replaceChildren(line("p", "The index of the search is missing.")));
    document.head.append(script);
  }

  // Words that say nothing about a section, and the common part of a word's forms: resume
  // also finds resuming.
  const fillers = new Set(["a", "an", "and", "by", "do", "for", "how", "i", "in", "is", "of", "on", "or", "the", "to", "with"]);
  const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const stem = (word) => (/^[a-z]{5,}$/.test(word) ? word.replace(/(ing|ed|es|s|e)$/, "") : word);

  // points returns how well a section fits, or 0 if it lacks a word. Headings count more
  // than texts, starts of words more than their ends, and short texts more than long ones.
  function points(section, words) {
    let sum = 0;
    for (const word of words) {
      const root = stem(word);
      const count = (section.words.match(new RegExp(" " + escape(root), "g")) || []).length;
      if (section.lowHeading === word) sum += 50;
      else if (section.lowHeading.includes(root)) sum += (" " + section.lowHeading).includes(" " + root) ? 30 : 10;
      else if (!count && !section.lowText.includes(root) && !section.lowTitle.includes(root)) return 0;
      if (section.lowTitle.includes(root)) sum += section.first ? 20 : 8;
      sum += 1 + (Math.min(count, 6) * 3000) / (1000 + section.text.length);
    }
    const phrase = words.join(" ");
    if (words.length > 1 && section.lowText.includes(phrase)) sum += 15;
    // Pages for contributors come after those for users with the same words.
    return section.url.startsWith("docs/internals/") ? sum / 2 : sum;
  }

  function line(tag, text) {
    const element = document.createElement(tag);
    element.textContent = text;
    return element;
  }

  // excerpt returns the text around the first word, with all words marked.
  function excerpt(section, words) {
    const roots = words.map(stem);
    const at = Math.max(0, Math.min(...roots.map((r) => section.lowText.indexOf(r)).filter((i) => i >= 0), section.text.length));
    const start = at === section.text.length ? 0 : Math.max(0, section.text.lastIndexOf(" ", Math.max(0, at - 50)) + 1);
    const end = section.text.length <= start + 180 ? section.text.length : section.text.lastIndexOf(" ", start + 180);
    const text = section.text.slice(start, end);
    const element = document.createElement("span");
    if (start) element.append("… ");
    const pattern = new RegExp("(" + roots.map(escape).join("|") + ")", "i");
    for (const [i, part] of text.split(pattern).entries()) element.append(i % 2 ? line("mark", part) : part);
    if (end < section.text.length) element.append(" …");
    return element;
  }

  function show() {
    const all = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const some = all.filter((word) => !fillers.has(word));
    const words = some.length ? some : all;
    if (!words.length) return list.replaceChildren();
    if (!sections) return load();
    const found = sections.map((section) => ({ section, points: points(section, words) })).filter((f) => f.points > 0);
    found.sort((a, b) => b.points - a.points);
    list.replaceChildren(...found.slice(0, limit).map(({ section }) => {
      const link = document.createElement("a");
      link.href = form.dataset.root + section.url;
      link.append(line("b", section.heading));
      link.append(" ", line("small", section.first ? section.url.replace(/\.html$/, "") : section.title));
      link.append(excerpt(section, words));
      return link;
    }));
    if (!found.length) list.append(line("p", "Nothing found."));
    if (found.length > limit) list.append(line("p", `${found.length - limit} more: add a word.`));
  }

  function close() {
    list.replaceChildren();
  }

  input.addEventListener("focus", load);
  input.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const first = list.querySelector("a");
    if (first) first.click();
  });
  list.addEventListener("click", close);
  addEventListener("click", (event) => {
    if (!form.contains(event.target)) close();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== input) {
      event.preventDefault();
      input.focus();
    } else if (event.key === "Escape") {
      close();
      input.blur();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && form.contains(document.activeElement)) {
      const links = [input, ...list.querySelectorAll("a")];
      const at = links.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
      if (links[at]) {
        event.preventDefault();
        links[at].focus();
      }
    }
  });
  form.hidden = false;
  const asks = new URLSearchParams(location.search).get("q");
  if (asks) {
    input.value = asks;
    show();
  }
  const current = document.querySelector("nav [aria-current]");
  if (current) {
    const nav = document.querySelector("nav");
    nav.scrollTop = Math.max(0, current.offsetTop - nav.clientHeight / 3);
  }
})();
