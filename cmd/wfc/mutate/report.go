package mutate

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/ci"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/textdiff"
)

// Ends of mutants.
const (
	Killed     = "killed"
	Survived   = "survived"
	NotCovered = "not covered"
)

// A Result is the end of a mutant.
type Result struct {
	*Mutant
	// Status is one of the ends above.
	Status string
	// How says how the tests noticed a killed mutant: test, limit or crash; see
	// testsuite.Verdict. By is the first test that did.
	How, By string
}

// A File has the mutants of a workflow with their ends.
type File struct {
	// Name is the path of the workflow file, Workflow the workflow's name, and Text the
	// content of the file.
	Name, Workflow, Text string
	Results              []Result
	NotMade              []NotMade
}

// Count returns the number of mutants with an end.
func (f *File) Count(status string) int {
	n := 0
	for _, r := range f.Results {
		if r.Status == status {
			n++
		}
	}
	return n
}

// Score returns the share of killed mutants of files, from 0 to 100. Files without mutants
// have the full score.
func Score(files []*File) float64 {
	killed, all := 0, 0
	for _, f := range files {
		killed, all = killed+f.Count(Killed), all+len(f.Results)
	}
	if all == 0 {
		return 100
	}
	return 100 * float64(killed) / float64(all)
}

// Diff returns the difference of the YAML that makes the mutant, as a unified diff.
func (f *File) Diff(r Result) string {
	return textdiff.Unified(f.Name, fmt.Sprintf("%s (mutant %d)", f.Name, r.ID), f.Text, string(r.Content))
}

// Text writes a table of all files, the reasons for mutants that are not made, and the
// survivors with their differences. The table has at most width columns; 0 has no limit.
func Text(w io.Writer, files []*File, width int) error {
	var b strings.Builder
	rows := [][]string{append([]string{"mutants"}, columns...)}
	for _, f := range files {
		rows = append(rows, append([]string{f.Name}, countRow([]*File{f})...))
	}
	if len(files) > 1 {
		rows = append(rows, append([]string{"total"}, countRow(files)...))
	}
	for _, line := range plain.Table(width, rows...) {
		b.WriteString(line + "\n")
	}
	for _, f := range files {
		for _, line := range f.skipReasons() {
			fmt.Fprintf(&b, "%s: not made: %s\n", f.Name, line)
		}
	}
	for _, f := range files {
		for _, r := range f.Results {
			if r.Status == Killed {
				continue
			}
			fmt.Fprintf(&b, "\n%s:%d: %s: %s: %s\n", f.Name, r.Line, r.Status, r.Class, r.Text)
			for line := range strings.Lines(f.Diff(r)) {
				b.WriteString("  " + strings.TrimRight(line, " \n") + "\n")
			}
			fmt.Fprintf(&b, "  to notice it: %s\n", r.Hint)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var columns = []string{"made", "killed", "survived", "not covered", "not made", "score"}

func countRow(files []*File) []string {
	made, notMade, counts := 0, 0, map[string]int{}
	for _, f := range files {
		made, notMade = made+len(f.Results), notMade+len(f.NotMade)
		for _, r := range f.Results {
			counts[r.Status]++
		}
	}
	var cells []string
	for _, n := range []int{made, counts[Killed], counts[Survived], counts[NotCovered], notMade} {
		cells = append(cells, fmt.Sprint(n))
	}
	return append(cells, fmt.Sprintf("%.1f%%", Score(files)))
}

// skipReasons counts the mutants that are not made by their reasons.
func (f *File) skipReasons() []string {
	counts := map[string]int{}
	var order []string
	for _, n := range f.NotMade {
		text := n.Reason
		if n.Text != "" {
			text += ": " + n.Text
		}
		if counts[text] == 0 {
			order = append(order, text)
		}
		counts[text]++
	}
	slices.Sort(order)
	for i, text := range order {
		order[i] = fmt.Sprintf("%d %s", counts[text], text)
	}
	return order
}

// Summary writes a table in Markdown.
func Summary(w io.Writer, files []*File) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n| mutants | %s |\n|---|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, f := range files {
		fmt.Fprintf(&b, "| %s | %s |\n", f.Name, strings.Join(countRow([]*File{f}), " | "))
	}
	for _, f := range files {
		for _, r := range f.Results {
			if r.Status != Killed {
				fmt.Fprintf(&b, "\n**%s:%d** %s: %s: %s\n\n```diff\n%s```\n", f.Name, r.Line, r.Status, r.Class, r.Text, f.Diff(r))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// GitHub writes an annotation for each mutant that survived.
func GitHub(w io.Writer, files []*File) error {
	for _, f := range files {
		for _, r := range f.Results {
			if r.Status == Killed {
				continue
			}
			message := fmt.Sprintf("%s: %s\n%sto notice it: %s", r.Class, r.Text, f.Diff(r), r.Hint)
			if _, err := io.WriteString(w, ci.Annotation("warning", message, "file", f.Name, "line", r.Line, "title", "mutant "+r.Status)); err != nil {
				return err
			}
		}
	}
	return nil
}

// JSON returns the report as a JSON array with an object for each file.
func JSON(files []*File) ([]byte, error) {
	type mutant struct {
		ID          int    `json:"id"`
		Class       string `json:"class"`
		Description string `json:"description"`
		Node        string `json:"node,omitempty"`
		Line        int    `json:"line"`
		Status      string `json:"status"`
		How         string `json:"how,omitempty"`
		By          string `json:"killed_by,omitempty"`
		Diff        string `json:"diff,omitempty"`
		Hint        string `json:"hint,omitempty"`
	}
	type missing struct {
		Class  string `json:"class"`
		Line   int    `json:"line"`
		Reason string `json:"reason"`
		Proof  string `json:"proof,omitempty"`
	}
	type file struct {
		Workflow   string    `json:"workflow"`
		File       string    `json:"file"`
		Made       int       `json:"made"`
		Killed     int       `json:"killed"`
		Survived   int       `json:"survived"`
		NotCovered int       `json:"not_covered"`
		Score      float64   `json:"score"`
		Mutants    []mutant  `json:"mutants"`
		NotMade    []missing `json:"not_made"`
	}
	list := []file{}
	for _, f := range files {
		doc := file{Workflow: f.Workflow, File: f.Name, Made: len(f.Results), Killed: f.Count(Killed), Survived: f.Count(Survived), NotCovered: f.Count(NotCovered),
			Score: Score([]*File{f}), Mutants: []mutant{}, NotMade: []missing{}}
		for _, r := range f.Results {
			m := mutant{ID: r.ID, Class: r.Class, Description: r.Mutant.Text, Node: r.Node, Line: r.Line, Status: r.Status, How: r.How, By: r.By}
			if r.Status != Killed {
				m.Diff, m.Hint = f.Diff(r), r.Hint
			}
			doc.Mutants = append(doc.Mutants, m)
		}
		for _, n := range f.NotMade {
			doc.NotMade = append(doc.NotMade, missing{n.Class, n.Line, n.Reason, n.Text})
		}
		list = append(list, doc)
	}
	return json.Marshal(list)
}
