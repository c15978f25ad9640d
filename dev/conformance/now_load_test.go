package conformance

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// planNowLoad compares whether a workflow loads, for which fault not, and at which node.
func planNowLoad(c *nowCase) plan {
	r := compileNow(&c.in, true)
	errs := errorsOf(r)
	if c.load.Accepted {
		errs = slices.DeleteFunc(errs, func(d *diag.Diagnostic) bool { return slices.Contains(absent, d.Code.Slug) })
	}
	switch {
	case c.load.Accepted && len(errs) > 0:
		return judged([]difference{{"verdict", "accepted", refusal(r)}})
	case c.load.Accepted:
		return judged(nil)
	case len(errs) == 0:
		return judged([]difference{{"verdict", "refused: " + c.load.Fault.Class, "accepted"}})
	}
	f := c.load.Fault
	var got []string
	for _, d := range errs {
		at := findingNodes(d)
		if slices.Contains(nowFaults[f.Class], d.Code.Slug) && isAt(d, at, f.Node) {
			return judged(nil)
		}
		got = append(got, d.Code.Slug+"@"+strings.Join(at, "."))
	}
	return judged([]difference{{"fault", f.Class + "@" + f.Node, strings.Join(got, ", ")}})
}

// isAt reports whether a finding in some nodes is at the node that the engine names. The
// fault of a key of the workflow is at the key, whichever node it names, and a fault in
// another file is there, not at the node that uses the file.
func isAt(d *diag.Diagnostic, nodes []string, node string) bool {
	return node == "" || nodes == nil || d.Span.File.Name != "w.yaml" ||
		slices.ContainsFunc(nodes, func(id string) bool { return id == node || strings.HasPrefix(node, id+"__") })
}

// findingNodesOf are the nodes of all errors.
func findingNodesOf(r *compiler.Result) (ids []string) {
	for _, d := range errorsOf(r) {
		ids = append(ids, findingNodes(d)...)
	}
	return ids
}

// findingNodes are the ids of the nodes in whose text a finding is, the outermost first.
func findingNodes(d *diag.Diagnostic) (ids []string) {
	if d.Span.File == nil {
		return nil
	}
	var bag diag.Bag
	doc := yamlsrc.Parse(d.Span.File, &bag)
	if doc == nil || doc.Root == nil {
		return nil
	}
	for nodes := doc.Root.Get("nodes"); nodes != nil; {
		i := slices.IndexFunc(nodes.Items, func(n *yamlsrc.Node) bool { return d.Span.Start >= n.Span.Start && d.Span.Start < n.Span.End })
		if i < 0 {
			break
		}
		n := nodes.Items[i]
		if id := n.Get("id"); id != nil {
			ids = append(ids, strings.TrimSpace(id.Value))
		}
		if nodes = n.Get("loop_group"); nodes != nil {
			nodes = nodes.Get("nodes")
		}
	}
	return ids
}
