"use strict"
const $ = id => document.getElementById(id)
const text = $("text"), examples = JSON.parse($("list").textContent)
let shown = -1, timer = 0, findings = []

/** Makes an element with attributes, or properties of functions, and children. */
function element(name, attributes, ...children) {
  const e = document.createElement(name)
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") e[key] = value
    else e.setAttribute(key, value)
  }
  e.append(...children)
  return e
}

/** Shows the text with line numbers, and marks where findings are. */
function paint() {
  const value = text.value
  $("numbers").textContent = Array.from({ length: value.split("\n").length }, (_, i) => i + 1).join("\n")
  const marks = $("marks")
  marks.textContent = ""
  let at = 0
  findings.map((f, i) => ({ ...f, i })).filter(f => f.at && f.at.end <= value.length).sort((a, b) => a.at.start - b.at.start || b.at.end - a.at.end).forEach(f => {
    if (f.at.start < at) return
    const end = f.at.end > f.at.start ? f.at.end : Math.min(f.at.start + 1, value.length)
    marks.append(value.slice(at, f.at.start), element("mark", { class: f.severity + (f.i === shown ? " shown" : "") }, value.slice(f.at.start, end) || " "))
    at = end
  })
  marks.append(value.slice(at), "\n")
}

/** Selects an area of the text and scrolls to it. */
function go(index) {
  const { at } = findings[index]
  shown = index
  paint()
  if (!at) return
  text.focus()
  text.setSelectionRange(at.start, at.end)
  const line = parseFloat(getComputedStyle(text).lineHeight)
  $("editor").scrollTo({ top: Math.max(0, at.line * line - $("editor").clientHeight / 2) })
}

/** Applies a fix; the browser's undo takes it back. */
function apply(fix) {
  for (const e of [...fix.edits].reverse()) {
    text.focus()
    text.setSelectionRange(e.at.start, e.at.end)
    if (!document.execCommand("insertText", false, e.new)) text.setRangeText(e.new, e.at.start, e.at.end, "end")
  }
  check()
}

/** Shows what the checker says about the text. */
function check() {
  const name = examples[$("examples").value]?.file ?? "workflow.yaml"
  const began = performance.now()
  const answer = JSON.parse(wfcCheck(name, text.value))
  const took = performance.now() - began
  findings = answer.findings
  shown = -1
  paint()
  const count = severity => findings.filter(f => f.severity === severity).length
  const counts = [["error", count("error")], ["warning", count("warning")], ["note", count("note")]].filter(([, n]) => n > 0).map(([what, n]) => `${n} ${what}${n > 1 ? "s" : ""}`)
  $("state").textContent = (answer.dialect ? answer.dialect : "no workflow") + ": " + (counts.join(", ") || "no findings") + `, checked in ${took.toFixed(0)} ms`
  const list = $("findings")
  list.textContent = ""
  if (answer.fault) list.append(element("p", { class: "error" }, element("b", {}, "wfc failed. "), "Please report this with the text on the left."), element("pre", {}, answer.fault))
  else if (findings.length === 0) list.append(element("p", { id: "none" }, answer.dialect ? "No findings." : "wfc does not recognize this text as a workflow. " + (answer.why ?? "")))
  list.append(element("ol", {}, ...findings.map((f, i) => element("li", { class: f.severity },
    element("button", { class: "place", onclick: () => go(i) }, element("b", {}, `${f.severity} ${f.code}`), f.at ? ` line ${f.at.line}: ` : ": ", f.message),
    ...(f.help ?? []).map(h => element("p", { class: "help" }, h)),
    ...(f.fixes ?? []).map(x => element("button", { class: "fix", onclick: () => apply(x) }, x.title)),
    documentation(f)))))
  const picture = $("picture")
  picture.textContent = ""
  if (answer.picture) picture.append(drawing(answer.picture))
  else if (answer.dialect) picture.append(element("p", { class: "help" }, "Mend the errors to see the picture."))
}

/** Parses a picture; scripts in it, of which there are none, would not run. */
function drawing(svg) {
  return document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true)
}

/** Makes the documentation of a finding, which is read when it is opened. */
function documentation(f) {
  const details = element("details", {}, element("summary", {}, f.title))
  details.addEventListener("toggle", () => {
    if (details.children.length > 1) return
    const d = JSON.parse(wfcExplain(f.code))
    details.append(...d.Text.split("\n\n").map(p => element("p", {}, p)))
    for (const e of d.Examples ?? []) details.append("Bad:", element("pre", {}, e.Bad), "Good:", element("pre", {}, e.Good))
  })
  return details
}

function choose() {
  text.value = examples[$("examples").value].text
  text.setSelectionRange(0, 0)
  check()
}

text.addEventListener("input", () => { paint(); clearTimeout(timer); timer = setTimeout(check, 120) })
text.addEventListener("keydown", e => {
  if (e.key === "Tab" && !e.shiftKey && !e.altKey && !e.ctrlKey && !e.metaKey && document.execCommand("insertText", false, "  ")) e.preventDefault()
})
$("examples").addEventListener("change", choose)
examples.forEach((x, i) => $("examples").append(element("option", { value: i }, `${x.dialect}: ${x.title}`)))

globalThis.wfcReady = () => {
  choose()
  document.documentElement.dataset.ready = "yes"
}
;(async () => {
  const packed = Uint8Array.from(atob($("program").textContent), c => c.charCodeAt(0))
  $("program").remove()
  const bytes = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer()
  const go = new Go()
  const { instance } = await WebAssembly.instantiate(bytes, go.importObject)
  go.run(instance)
})().catch(e => { $("state").textContent = "The checker does not start in this browser: " + e.message })
