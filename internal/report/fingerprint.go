package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// A fingerprint identifies a finding in later versions of its file: it is made of the
// code, the file, and the text of the line with the finding. So it stays when lines move,
// and changes when the line does. Of several equal findings in a file, each has its own.

// fingerprints returns the fingerprints of findings, in their order. file names the file of
// a place, as in Options.Path.
func fingerprints(list []*diag.Diagnostic, file func(name string) string) []string {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	// Equal findings are counted in the order of the file, whatever order they have.
	slices.SortStableFunc(order, func(a, b int) int { return list[a].Span.Start - list[b].Span.Start })
	prints, times := make([]string, len(list)), map[string]int{}
	lines := map[sourceLine]string{}
	for _, i := range order {
		d := list[i]
		what := fmt.Sprintf("%s\x00%s\x00%s", d.Code.ID, file(fileName(d.Span)), firstLine(d.Span, lines))
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", what, times[what]))
		times[what]++
		prints[i] = hex.EncodeToString(sum[:16])
	}
	return prints
}

// A sourceLine is a line of a file.
type sourceLine struct {
	file *source.File
	line int
}

// firstLine stands for the line where a place begins, with one space between words. known
// keeps the answers: a line may be long and have many findings.
func firstLine(s source.Span, known map[sourceLine]string) string {
	if !s.IsValid() {
		return ""
	}
	at := sourceLine{s.File, s.Position().Line}
	sum, ok := known[at]
	if !ok {
		text, _ := lineOf(s.File, at.line)
		hash := sha256.Sum256([]byte(strings.Join(strings.Fields(text), " ")))
		sum = string(hash[:])
		known[at] = sum
	}
	return sum
}
