"use strict";
const at = id => document.getElementById(id);

at("fit").addEventListener("change", e => at("picture").classList.toggle("fit", e.target.checked));

const events = new EventSource("events");
events.onmessage = e => {
  const p = JSON.parse(e.data);
  document.title = p.title;
  at("title").textContent = p.title;
  at("report").textContent = p.report;
  at("report").hidden = p.report === "";
  at("report").className = p.stale || p.svg === "" ? "failed" : "";
  at("picture").innerHTML = p.svg;
  at("picture").classList.toggle("stale", p.stale);
  at("state").textContent = p.stale ? "The file has errors. This is the last picture without errors." : "";
};
events.onerror = () => { at("state").textContent = "wfc graph has ended."; };
