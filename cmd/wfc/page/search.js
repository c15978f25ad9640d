"use strict";
(() => {
  const form = document.querySelector("form");
  const input = form.querySelector("input");
  const count = form.querySelector("output");
  const sections = [...document.querySelectorAll("section")].map((element) => ({ element, text: element.textContent.toLowerCase() }));
  const headings = [...document.querySelectorAll("main > h2")];
  function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { element, text } of sections) {
      element.hidden = !words.every((word) => text.includes(word));
      if (!element.hidden) shown++;
    }
    for (const heading of headings) {
      let next = heading.nextElementSibling;
      let some = false;
      for (; next && next.tagName !== "H2"; next = next.nextElementSibling) some ||= !next.hidden;
      heading.hidden = !some;
    }
    count.textContent = words.length ? `${shown} of ${sections.length}` : "";
  }
  input.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target && target.hidden) {
      input.value = "";
      show();
      target.scrollIntoView();
    }
  });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== input) {
      event.preventDefault();
      input.focus();
    }
  });
  form.hidden = false;
  show();
})();
