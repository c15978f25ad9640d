/**
 * graphPage returns the page of a preview. It loads nothing: its policy permits only the
 * style and the script with the nonce. The script receives pictures as messages.
 */
export function graphPage(nonce: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}';">
<title>Graph</title>
<style>
body { margin: 0; padding: 8px; background: var(--vscode-editor-background); color: var(--vscode-foreground); font-family: var(--vscode-font-family); }
#note { min-height: 1.4em; color: var(--vscode-descriptionForeground); }
svg { max-width: 100%; height: auto; }
[data-node] { cursor: pointer; }
[data-node].here rect, [data-node].here polygon { stroke: var(--vscode-focusBorder, #06c); stroke-width: 3; }
body.vscode-high-contrast [data-node] rect, body.vscode-high-contrast [data-node] polygon { fill: #fff; }
body.vscode-high-contrast [data-node] text { fill: #000; }
</style>
</head>
<body>
<div id="note" role="status"></div>
<div id="graph"></div>
<script nonce="${nonce}">
const editor = acquireVsCodeApi();
const graph = document.getElementById("graph");
const note = document.getElementById("note");
let here;
function mark() {
  for (const box of graph.querySelectorAll("[data-node]")) {
    const isHere = box.dataset.node === here;
    box.classList.toggle("here", isHere);
    if (isHere) box.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}
window.addEventListener("message", ({ data }) => {
  if (data.svg !== undefined) {
    const picture = new DOMParser().parseFromString(data.svg, "image/svg+xml").documentElement;
    graph.replaceChildren(...(picture.nodeName === "svg" ? [document.importNode(picture, true)] : []));
  }
  if (data.note !== undefined) note.textContent = data.note;
  here = data.here;
  mark();
});
graph.addEventListener("click", ({ target }) => {
  const box = target.closest("[data-node]");
  if (box) editor.postMessage({ node: box.dataset.node });
});
editor.postMessage({ ready: true });
</script>
</body>
</html>
`;
}
