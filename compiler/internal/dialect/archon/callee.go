package archon

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
)

// A callee is the workflow that an `include` or a `workflow` node names.
type callee struct {
	// name is the name that the file declares.
	name, path string
	used       *dialect.Used
}

// callee finds and compiles the workflow with the name at a value. The fault says why the
// node cannot use it: an error, or a warning if a run of the workflow fails at this node.
// With a callee, the fault is a warning about its name. The callee may have errors.
func (d *decoder) callee(at value) (*callee, *diag.Diagnostic) {
	name, place := trim(at.Node.Value), at.Place()
	found, loose := d.library.named(name)
	switch {
	case len(found) == 0:
		return nil, finding.UnknownWorkflow(place, name, d.library.names())
	case len(found) > 1:
		return nil, finding.AmbiguousWorkflow(place, name, d.library.filesOf(found))
	}
	c := &callee{name: found[0].name, path: found[0].path}
	cycle := []string(nil)
	if i := slices.Index(d.chain, c.path); i >= 0 {
		cycle = append(slices.Clone(d.chain[i:]), c.path)
	} else if c.used = d.use(c.path); c.used.Cycle != nil {
		cycle = c.used.Cycle
	}
	switch {
	case cycle != nil:
		return nil, finding.WorkflowCycle(place, c.name, d.library.shownAll(cycle))
	case loose:
		return c, finding.LooseWorkflowName(place, name, c.name, d.library.shown(c.path))
	}
	return c, nil
}

// use compiles the file as if it stood alone.
func (d *decoder) use(path string) *dialect.Used {
	if d.env.Use != nil {
		return d.env.Use(path)
	}
	content, _ := d.env.Files.Read(path)
	return &dialect.Used{File: source.NewFile(d.library.shown(path), content)}
}
