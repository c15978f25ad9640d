//go:build unix

package agentlab

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
)

// The states of cells.
const (
	ok            = "ok"
	failed        = "FAILED"
	notApplicable = "–"
	notRun        = ""
)

// An outcome is what came of a cell.
type outcome struct{ state, reason string }

// A matrix is the outcomes of all cells.
type matrix struct {
	programs []*program
	mu       sync.Mutex
	cells    map[string]outcome // by program and scenario
}

func (m *matrix) note(p *program, s scenario, o outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cells == nil {
		m.cells = map[string]outcome{}
	}
	m.cells[p.String()+"/"+s.name] = o
}

func (m *matrix) cell(p *program, s scenario) outcome {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cells[p.String()+"/"+s.name]
}

// print prints the table of the cells that ran, and why others cannot be.
func (m *matrix) print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "\nPROGRAM\tVERSION")
	for _, s := range scenarios {
		fmt.Fprintf(w, "\t%s", s.name)
	}
	fmt.Fprintln(w)
	for _, p := range m.programs {
		if !slices.ContainsFunc(scenarios, func(s scenario) bool { return m.cell(p, s).state != notRun }) {
			continue
		}
		fmt.Fprintf(w, "%s\t%s", p.Name, p.Version)
		for _, s := range scenarios {
			fmt.Fprintf(w, "\t%s", m.cell(p, s).state)
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // standard output
	fmt.Fprintf(out, "\n%s = not applicable:\n", notApplicable)
	for _, line := range m.reasons() {
		fmt.Fprintf(out, "  %s\n", line)
	}
}

// reasons returns why cells cannot be: a line for each reason.
func (m *matrix) reasons() []string {
	var order []string
	cells := map[string][]string{}
	for _, s := range scenarios {
		for _, p := range m.programs {
			o := m.cell(p, s)
			if o.state != notApplicable {
				continue
			}
			key := s.name + ": " + o.reason
			if cells[key] == nil {
				order = append(order, key)
			}
			cells[key] = append(cells[key], p.Name)
		}
	}
	for i, key := range order {
		order[i] = key + " (" + strings.Join(slices.Compact(cells[key]), ", ") + ")"
	}
	return order
}

// verified is the page with the table.
const verified = "../../docs/guide/agents-verified.md"

// write writes the page. Only a table that is whole and has no failure verifies
// anything.
func (m *matrix) write(t *testing.T) {
	t.Helper()
	for _, p := range m.programs {
		for _, s := range scenarios {
			if o := m.cell(p, s); o.state == notRun || o.state == failed {
				t.Fatalf("%s is not written: %s/%s has not passed", filepath.Base(verified), p, s.name)
			}
		}
	}
	if err := os.WriteFile(verified, m.page(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (m *matrix) page() []byte {
	var b bytes.Buffer
	b.WriteString(`# Agent programs that were verified

`[1:])
	return b.Bytes()
}
