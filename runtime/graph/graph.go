package graph

import (
	"fmt"
	"io"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// A Format is a way of drawing a graph.
type Format string

// The formats.
const (
	// Text is a table for terminals.
	Text Format = "text"
	// Mermaid is a flowchart that Markdown viewers draw.
	Mermaid Format = "mermaid"
	// DOT is for Graphviz.
	DOT Format = "dot"
	// SVG is a picture.
	SVG Format = "svg"
)

// Formats lists the formats in the order in which help shows them.
func Formats() []Format { return []Format{Text, Mermaid, DOT, SVG} }

// Write draws the nodes of the workflow of the given name.
func Write(w io.Writer, format Format, name string, nodes []flow.NodeInfo) error {
	l := newLinks(nodes)
	var out string
	switch format {
	case Text:
		out = text(l)
	case Mermaid:
		out = mermaid(l)
	case DOT:
		out = dot(name, l)
	case SVG:
		out = svg(name, l)
	default:
		return fmt.Errorf("unknown graph format %q", format)
	}
	_, err := io.WriteString(w, out)
	return err
}

// WriteLayers writes the layers of the nodes in one line, each in brackets with
// blanks between the keys: [A] [B C] [D]. Keys with blanks, quotes or brackets are
// quoted.
func WriteLayers(w io.Writer, nodes []flow.NodeInfo) error {
	var b strings.Builder
	for l, layer := range Layers(nodes) {
		if l > 0 {
			b.WriteByte(' ')
		}
		for i, key := range layer {
			if strings.ContainsAny(key, " \t\r\n\"'[]") || key == "" {
				key = fmt.Sprintf("%q", key)
			}
			key = plain.Line(key)
			if i > 0 {
				key = " " + key
			}
			layer[i] = key
		}
		b.WriteString("[" + strings.Join(layer, "") + "]")
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

// what describes a node in a few words: its kind, what it goes through, its agent,
// what is inside it, and whether a person looks at what it made.
func what(n flow.NodeInfo) string {
	words := n.Kind
	if n.Loop != "" {
		words += " " + shorten(n.Loop, 30) + ":"
	}
	switch {
	case len(n.Inside) == 1 && n.Inside[0].Key == n.Key: // a loop's body
		body := n.Inside[0]
		body.Key = ""
		words += " " + what(body)
	case len(n.Inside) > 0:
		children := make([]string, len(n.Inside))
		for i, child := range n.Inside {
			children[i] = child.Key + " (" + what(child) + ")"
		}
		words += " " + strings.Join(children, ", ")
	case n.Agent != "":
		words += " " + n.Agent
	}
	if n.Reviewed {
		words += ", reviewed"
	}
	return words
}

// shorten cuts a text to n characters and puts it on one line.
func shorten(s string, n int) string {
	r := []rune(oneLine(s))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:n-1]) + "…"
}

func mermaid(l *links) string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for i, n := range l.nodes {
		open, shut := "[", "]"
		switch n.Kind {
		case "prompt":
			open, shut = "([", "])"
		case "approval":
			open, shut = "{{", "}}"
		case "loop", "for", "while", "repeat":
			open, shut = "[[", "]]"
		case "cancel":
			open, shut = "((", "))"
		}
		label := mermaidText(n.Key) + "<br/><small>" + mermaidText(what(n)) + "</small>"
		fmt.Fprintf(&b, "    n%d%s\"%s\"%s\n", i, open, label, shut)
	}
	for i, n := range l.nodes {
		for _, k := range l.in[i] {
			arrow := "-->"
			if k.order {
				arrow = "-.->"
			}
			if label := edgeLabel(n); label != "" {
				arrow += `|"` + mermaidText(label) + `"|`
			}
			fmt.Fprintf(&b, "    n%d %s n%d\n", k.node, arrow, i)
		}
	}
	return b.String()
}

// edgeLabel is what a node's incoming edges say: its condition and its rule.
func edgeLabel(n flow.NodeInfo) string {
	var parts []string
	if n.Rule != "" {
		parts = append(parts, oneLine(n.Rule))
	}
	if n.When != "" {
		parts = append(parts, shorten(n.When, 60))
	}
	return strings.Join(parts, ": ")
}

// mermaidText escapes what Mermaid would read as markup.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range plain.Line(s) {
		if strings.ContainsRune("\"<>&#`|\\%", r) {
			fmt.Fprintf(&b, "#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func dot(name string, l *links) string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n    rankdir=TB;\n    node [shape=box, style=rounded, fontname=\"sans-serif\"];\n", dotText(name))
	for i, n := range l.nodes {
		fmt.Fprintf(&b, "    n%d [label=%s];\n", i, dotText(oneLine(n.Key)+"\n"+what(n)))
	}
	for i, n := range l.nodes {
		for _, k := range l.in[i] {
			var attrs []string
			if label := edgeLabel(n); label != "" {
				attrs = append(attrs, "label="+dotText(label))
			}
			if k.order {
				attrs = append(attrs, "style=dashed")
			}
			fmt.Fprintf(&b, "    n%d -> n%d", k.node, i)
			if len(attrs) > 0 {
				fmt.Fprintf(&b, " [%s]", strings.Join(attrs, ", "))
			}
			b.WriteString(";\n")
		}
	}
	b.WriteString("}\n")
	return b.String()
}

func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(plain.Text(s)) + `"`
}
