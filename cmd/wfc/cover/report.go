package cover

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// A File is the coverage of a workflow.
type File struct {
	// Name is the path of the workflow file, and Workflow the workflow's name.
	Name, Workflow string
	// Text is the content of the file.
	Text  string
	Items []Item
	// Graph is a drawing of the workflow: SVG, or "".
	Graph string
}

// Count returns the number of covered items of a kind, and of all; "" is every kind.
func (f *File) Count(kind string) (covered, all int) {
	for _, it := range f.Items {
		if kind != "" && it.Kind != kind {
			continue
		}
		all++
		if it.Hits > 0 {
			covered++
		}
	}
	return covered, all
}

// Percent returns the covered share of all items of files, from 0 to 100. Files without
// items are covered.
func Percent(files []*File) float64 {
	covered, all := 0, 0
	for _, f := range files {
		c, n := f.Count("")
		covered, all = covered+c, all+n
	}
	if all == 0 {
		return 100
	}
	return 100 * float64(covered) / float64(all)
}

// Table writes a table of all files, with at most width columns unless that is 0, and the
// uncovered items with their lines.
func Table(w io.Writer, files []*File, width int) error {
	used := slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool {
		return !slices.ContainsFunc(files, func(f *File) bool { _, n := f.Count(kind); return n > 0 })
	})
	rows := [][]string{slices.Concat([]string{"coverage"}, used, []string{"total"})}
	for _, f := range files {
		row := []string{f.Name}
		for _, kind := range used {
			row = append(row, formatRatio(f.Count(kind)))
		}
		rows = append(rows, append(row, fmt.Sprintf("%.1f%%", Percent([]*File{f}))))
	}
	if len(files) > 1 {
		rows = append(rows, slices.Concat([]string{"total"}, make([]string, len(used)), []string{fmt.Sprintf("%.1f%%", Percent(files))}))
	}
	var lines strings.Builder
	for _, row := range plain.Table(width, rows...) {
		lines.WriteString(row + "\n")
	}
	for _, f := range files {
		for _, it := range f.Items {
			if it.Hits == 0 {
				fmt.Fprintf(&lines, "%s:%d: not covered: %s\n", f.Name, it.Line, it.Text)
			}
		}
	}
	_, err := io.WriteString(w, lines.String())
	return err
}

func formatRatio(covered, all int) string {
	if all == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d", covered, all)
}

// LCOV writes a tracefile. A line with a node counts its runs; every other item is a
// branch of its line.
func LCOV(w io.Writer, files []*File) error {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "TN:\nSF:%s\n", f.Name)
		branches, taken := 0, 0
		hits := map[int]int{}
		for i, it := range f.Items {
			hits[it.Line] = max(hits[it.Line], it.Hits)
			if it.Kind == "nodes" {
				continue
			}
			branches++
			if it.Hits > 0 {
				taken++
			}
			fmt.Fprintf(&b, "BRDA:%d,0,%d,%d\n", it.Line, i, it.Hits)
		}
		fmt.Fprintf(&b, "BRF:%d\nBRH:%d\n", branches, taken)
		covered := 0
		for _, line := range slices.Sorted(maps.Keys(hits)) {
			if hits[line] > 0 {
				covered++
			}
			fmt.Fprintf(&b, "DA:%d,%d\n", line, hits[line])
		}
		fmt.Fprintf(&b, "LF:%d\nLH:%d\nend_of_record\n", len(hits), covered)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
