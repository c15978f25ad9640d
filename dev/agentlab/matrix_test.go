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

// An outcome is the result of a cell.
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
	reasons := m.reasons()
	if len(reasons) > 0 {
		fmt.Fprintf(out, "\n%s = not applicable:\n", notApplicable)
	}
	for _, line := range reasons {
		fmt.Fprintf(out, "  %s\n", line)
	}
}

// reasons returns why cells cannot be: a line for each reason, with the scenarios
// and the programs.
func (m *matrix) reasons() []string {
	var lines []string
	byReason := map[string]*struct{ scenarios, programs []string }{}
	var order []string
	for _, s := range scenarios {
		for _, p := range m.programs {
			o := m.cell(p, s)
			if o.state != notApplicable {
				continue
			}
			r := byReason[o.reason]
			if r == nil {
				r = &struct{ scenarios, programs []string }{}
				byReason[o.reason], order = r, append(order, o.reason)
			}
			if !slices.Contains(r.scenarios, s.name) {
				r.scenarios = append(r.scenarios, s.name)
			}
			if !slices.Contains(r.programs, p.Name) {
				r.programs = append(r.programs, p.Name)
			}
		}
	}
	for _, reason := range order {
		r := byReason[reason]
		lines = append(lines, fmt.Sprintf("%s: %s (%s)", strings.Join(r.scenarios, ", "), reason, strings.Join(r.programs, ", ")))
	}
	return lines
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
				t.Errorf("%s is not written: %s/%s has not passed", filepath.Base(verified), p, s.name)
			}
		}
	}
	if t.Failed() {
		return
	}
	if err := os.WriteFile(verified, m.page(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// head is the beginning of the page.
const head = `# Verified agent programs

wfc is tested with these versions of [agent programs](agent-programs.md); others may work as well. The model is a
fake on this machine, so the tests know every request and answer.
` + "`make test-agents UPDATE=1`" + ` writes this page, if each program passes each [scenario](#scenarios) or has a
[reason](#reasons).

`

// page returns the page of a table without failures.
func (m *matrix) page() []byte {
	b := bytes.NewBufferString(head)
	b.WriteString("| program | version | passes | with a difference |\n|---|---|---|---|\n")
	var remarks []string
	numbered := func(name, remark string) string {
		i := slices.Index(remarks, remark)
		if i < 0 {
			remarks, i = append(remarks, remark), len(remarks)
		}
		return fmt.Sprintf("%s (%d)", name, i+1)
	}
	for _, p := range m.programs {
		var passed, missing, different []string
		var reason string
		for _, s := range scenarios {
			o := m.cell(p, s)
			if o.state == notApplicable {
				missing, reason = append(missing, numbered(s.name, o.reason)), o.reason
			} else {
				passed = append(passed, s.name)
			}
			if remark := p.remarks[s.name]; remark != "" {
				different = append(different, numbered(s.name, remark))
			}
		}
		passes := "all"
		if len(missing) > len(passed) {
			passes = numbered("only "+strings.Join(passed, ", "), reason)
		} else if len(missing) > 0 {
			passes += " but " + strings.Join(missing, ", ")
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", p.Name, p.Version, passes, strings.Join(different, ", "))
	}
	fmt.Fprintf(b, "\n## Reasons\n\n")
	for i, remark := range remarks {
		fmt.Fprintf(b, "%d. %s.\n", i+1, strings.ToUpper(remark[:1])+strings.TrimSuffix(remark[1:], "."))
	}
	b.WriteString("\n## Scenarios\n\n")
	for _, s := range scenarios {
		fmt.Fprintf(b, "- **%s**: %s\n", s.name, s.means)
	}
	return b.Bytes()
}

// TestPage wants the page to be that of the pinned programs and of the
// scenarios: who changes one of them runs them all again.
func TestPage(t *testing.T) {
	m := &matrix{programs: programs(t)}
	for _, p := range m.programs {
		for _, s := range scenarios {
			o := outcome{state: ok}
			if why := p.without[s.name]; why != "" {
				o = outcome{state: notApplicable, reason: why}
			}
			m.note(p, s, o)
		}
	}
	got, err := os.ReadFile(verified)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, m.page()) {
		t.Errorf("%s is not the page of these programs and scenarios; write it with `make test-agents UPDATE=1`", verified)
	}
}
