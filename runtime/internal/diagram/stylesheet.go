package diagram

import (
	"fmt"
	"slices"
	"strings"
)

// ink are the colours of lines and text, light and dark.
var ink = []struct{ rule, light, dark string }{
	{".w-page{fill:%s}", "#fff", "#0d1117"},
	{".w-box,.w-frame{fill:%s}", "#fff", "#0d1117"},
	{".w-box,.w-bar{stroke:%s}", "#56627a", "#9aa7bd"},
	{".w-name{fill:%s}", "#1d2430", "#e8edf5"},
	{".w-words{fill:%s}", "#4f5a6d", "#b3bdcc"},
	{".w-frame{stroke:%s}", "#8793a8", "#66728a"},
	{".w-bundle{stroke:%s}", "#aab4c4", "#566176"},
	{".w-edge,.w-order{stroke:%s}", "#66728a", "#93a0b5"},
	{".w-h-edge{fill:%s}", "#66728a", "#93a0b5"},
	{".w-back{stroke:%s}", "#b4502f", "#f0926f"},
	{".w-h-back{fill:%s}", "#b4502f", "#f0926f"},
	{".w-taken{stroke:%s}", takenColour, "#6ea8ff"},
	{".w-h-taken{fill:%s}", takenColour, "#6ea8ff"},
	{".w-idle{stroke:%s}", "#c3cad6", "#424c5d"},
	{".w-h-idle{fill:%s}", "#c3cad6", "#424c5d"},
	{".w-label rect{fill:%s}", "#f7f8fb", "#161c26"},
	{".w-label rect{stroke:%s}", "#d5dbe5", "#39445a"},
	{".w-code{fill:%s}", "#33415c", "#c9d4e6"},
	{".w-legend{fill:%s}", "#4f5a6d", "#b3bdcc"},
}

// styleSheet is the style sheet of a picture, with its arrowheads.
func (p *picture) styleSheet() string {
	var light, dark strings.Builder
	for _, c := range ink {
		fmt.Fprintf(&light, c.rule+"\n", c.light)
		fmt.Fprintf(&dark, c.rule+"\n", c.dark)
	}
	var used []string
	for _, n := range p.nodes {
		if c := colourName(n.Kind); !slices.Contains(used, c) && (p.Run == nil || n.isStartOrEnd()) {
			used = append(used, c)
		}
	}
	for _, c := range slices.Sorted(slices.Values(used)) {
		s := shapeOf(strings.TrimSuffix(c, "box"))
		fmt.Fprintf(&light, ".w-k-%s .w-box,.w-k-%s .w-frame{fill:%s}\n", c, c, s.light)
		fmt.Fprintf(&dark, ".w-k-%s .w-box,.w-k-%s .w-frame{fill:%s}\n", c, c, s.dark)
	}
	for _, s := range p.statesUsed() {
		fmt.Fprintf(&light, ".w-s-%s .w-box,.w-s-%s .w-frame{fill:%s;stroke:%s}\n", s.class, s.class, s.fill, s.line)
		fmt.Fprintf(&dark, ".w-s-%s .w-box,.w-s-%s .w-frame{fill:%s}\n", s.class, s.class, s.dark)
	}
	var b strings.Builder
	b.WriteString("<style>\n.w-box{stroke-width:1.2}\n.w-thick{stroke-width:3}\n.w-bar{fill:none;stroke-width:1}\n" +
		".w-frame{fill-opacity:.45;stroke-dasharray:6 4}\n.w-bundle{fill:none;stroke-dasharray:2 4}\n" +
		".w-edge{fill:none;stroke-width:1.4}\n.w-order{stroke-dasharray:2 4}\n.w-back,.w-dashed{stroke-dasharray:7 4}\n.w-taken{stroke-width:2.6}\n" +
		".w-name{font-weight:600}\n.w-words,.w-legend{font-size:11px}\n.w-code{font:10.5px ui-monospace,'DejaVu Sans Mono',monospace}\n.w-rule{font-style:italic}\n")
	b.WriteString(light.String())
	b.WriteString("@media (prefers-color-scheme:dark){\n" + dark.String() + "}\n</style>\n<defs>")
	for _, m := range p.neededMarkers() {
		fmt.Fprintf(&b, "<marker id=\"w-%s\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerUnits=\"userSpaceOnUse\" markerWidth=\"9\" markerHeight=\"9\" orient=\"auto\"><path class=\"w-h-%s\" d=\"M0 1 10 5 0 9z\"/></marker>", m, m)
	}
	b.WriteString("</defs>\n")
	return b.String()
}

// neededMarkers are the arrowheads that a picture needs.
func (p *picture) neededMarkers() []string {
	var list []string
	add := func(class string) {
		if m := arrowheadName(class); !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	for i := range p.graph.Edges {
		if p.hasPath(i) {
			add(p.lineClass(i))
		}
	}
	for i := range p.nodes {
		if loops, _ := p.selfLoops(i); len(loops) > 0 {
			add(p.lineStyle(loops, true))
		}
	}
	return slices.Sorted(slices.Values(list))
}

// A shape is how nodes of some kinds are drawn. All outlines have a straight part of their
// upper and lower sides, where edges end.
type shape struct {
	// outline names the outline in SVG; see drawer.outline.
	outline string
	// mermaid are the brackets of Mermaid, dot is the shape of Graphviz, "" for a box.
	mermaid [2]string
	dot     string
	// light and dark are the colours of the inside in both modes of a page.
	light, dark string
}

// shapes are the shapes of kinds of nodes; others have that of "".
var shapes = map[string]shape{
	"":           {"box", [2]string{"[", "]"}, "", "#f1f4f2", "#232b29"},
	"prompt":     {"round", [2]string{"([", "])"}, "", "#e8efff", "#1e2b4a"},
	"approval":   {"hexagon", [2]string{"{{", "}}"}, "", "#fff3d6", "#45360f"},
	"human":      {"hexagon", [2]string{"{{", "}}"}, "hexagon", "#fff3d6", "#45360f"},
	"wait":       {"hexagon", [2]string{"[", "]"}, "", "#fdf0e4", "#44301c"},
	"decision":   {"diamond", [2]string{"{", "}"}, "diamond", "#f1eaff", "#352950"},
	"cancel":     {"octagon", [2]string{"((", "))"}, "", "#ffe6e4", "#4b2423"},
	"fail":       {"octagon", [2]string{"[", "]"}, "", "#ffe6e4", "#4b2423"},
	"loop":       {"double", [2]string{"[[", "]]"}, "", "#f3ecfb", "#34274a"},
	"for":        {"double", [2]string{"[[", "]]"}, "", "#f3ecfb", "#34274a"},
	"while":      {"double", [2]string{"[[", "]]"}, "", "#f3ecfb", "#34274a"},
	"repeat":     {"double", [2]string{"[[", "]]"}, "", "#f3ecfb", "#34274a"},
	"workflow":   {"barred", [2]string{"[", "]"}, "", "#e2f3f3", "#153a3c"},
	"include":    {"barred", [2]string{"[", "]"}, "", "#e2f3f3", "#153a3c"},
	"parallel":   {"trapezium", [2]string{"[/", `\]`}, "trapezium", "#e6edf3", "#22303c"},
	"join":       {"funnel", [2]string{`[\`, "/]"}, "invtrapezium", "#e6edf3", "#22303c"},
	"checkpoint": {"thick", [2]string{"[(", ")]"}, "cylinder", "#e4f5f0", "#17392f"},
	startKind:    {"pill", [2]string{"((", "))"}, "circle", "#dcf1dd", "#1d3d22"},
	endKind:      {"pill", [2]string{"(((", ")))"}, "doublecircle", "#f3dede", "#452626"},
}

// kinds is the order of the kinds in a legend; others follow.
var kinds = []string{"prompt", "bash", "script", "decision", "approval", "human", "wait", "loop", "for", "while", "repeat", "parallel", "join", "workflow", "include", "checkpoint", "fail", "cancel"}

func shapeOf(kind string) shape {
	if s, ok := shapes[kind]; ok {
		return s
	}
	return shapes[""]
}

// colourName is the name of a shape's colours in the style sheet of a picture.
func colourName(kind string) string {
	if _, ok := shapes[kind]; ok && kind != "" {
		return kind
	}
	return "box"
}
