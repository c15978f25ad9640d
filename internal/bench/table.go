//go:build unix

package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A row is one line of the table. Texts that begin with "recorded" are of
// earlier measurements; everything else was measured in this session.
type row struct {
	what, must, aim, measured, neighbour string
}

type table []row

func (t *table) add(r row) { *t = append(*t, r) }

// write prints the table in Markdown, with columns of one width.
func (t table) write(w io.Writer) {
	rows := append([]row{{"what", "must", "aim", "measured", "neighbour"}}, t...)
	var cells [][]string
	for _, r := range rows {
		cells = append(cells, []string{r.what, r.must, r.aim, r.measured, r.neighbour})
	}
	width := make([]int, 5)
	for _, line := range cells {
		for i, c := range line {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	for n, line := range cells {
		for i, c := range line {
			fmt.Fprintf(w, "| %s%s ", c, strings.Repeat(" ", width[i]-utf8.RuneCountInString(c)))
		}
		fmt.Fprintln(w, "|")
		if n == 0 {
			for _, n := range width {
				fmt.Fprintf(w, "|%s", strings.Repeat("-", n+2))
			}
			fmt.Fprintln(w, "|")
		}
	}
}
