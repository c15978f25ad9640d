package diagram

// A shape is how nodes of some kinds are drawn. All outlines have a straight part of their
// upper and lower sides, where edges end.
type shape struct {
	// outline names the outline in SVG; see outlinePath.
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

// colour is the name of a shape's colours in the style sheet of a picture.
func colour(kind string) string {
	if _, ok := shapes[kind]; ok && kind != "" {
		return kind
	}
	return "box"
}
