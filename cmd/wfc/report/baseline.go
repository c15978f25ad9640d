package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// A Baseline lists known findings, which a report leaves out.
type Baseline struct {
	Version  int     `json:"version"`
	Findings []Known `json:"findings"`
}

// Known is a finding of a baseline. The code and the message are for people.
type Known struct {
	Fingerprint string `json:"fingerprint"`
	Code        string `json:"code"`
	File        string `json:"file"`
	Message     string `json:"message"`
}

// baselineVersion is the version of the file format; it changes when fingerprints do.
const baselineVersion = 1

// ParseBaseline reads the content of a baseline.
func ParseBaseline(content []byte) (*Baseline, error) {
	b := &Baseline{}
	switch err := json.Unmarshal(content, b); {
	case err != nil:
		return nil, err
	case b.Version != baselineVersion:
		return nil, fmt.Errorf("version %d is not supported", b.Version)
	case slices.ContainsFunc(b.Findings, func(k Known) bool { return k.Fingerprint == "" }):
		return nil, errors.New("an entry without fingerprint")
	}
	return b, nil
}

// Encode returns the content of the baseline: one finding a line, in the order of files and
// codes, so that two versions of it are easy to compare.
func (b *Baseline) Encode() []byte {
	slices.SortFunc(b.Findings, func(x, y Known) int {
		return strings.Compare(x.File+"\x00"+x.Code+"\x00"+x.Fingerprint, y.File+"\x00"+y.Code+"\x00"+y.Fingerprint)
	})
	var text strings.Builder
	fmt.Fprintf(&text, "{\n  \"version\": %d,\n  \"findings\": [", baselineVersion)
	for i, k := range b.Findings {
		if i > 0 {
			text.WriteByte(',')
		}
		text.WriteString("\n    ")
		line, _ := json.Marshal(k) // strings only
		text.Write(line)
	}
	if len(b.Findings) > 0 {
		text.WriteString("\n  ")
	}
	text.WriteString("]\n}\n")
	return []byte(text.String())
}

// Split takes the known findings out of a report. It returns the entries that match no
// finding although their files are in the report, or gone: the function gone reports the
// latter. file names files as the baseline does.
func (b *Baseline) Split(r *Report, file func(name string) string, gone func(file string) bool) (stale []Known) {
	known := map[string]bool{}
	for _, k := range b.Findings {
		known[k.Fingerprint] = true
	}
	met, files := map[string]bool{}, map[string]bool{}
	*r = *r.withoutDuplicates()
	r.Compared = true
	for i := range r.Groups {
		g := &r.Groups[i]
		files[file(g.Name)] = true
		var fresh []*diag.Diagnostic
		parts, wholes := splitShared(g.Diagnostics)
		isFresh := map[*diag.Diagnostic]bool{}
		for j, print := range computeFingerprints(parts, file) {
			met[print] = true
			isFresh[wholes[j]] = isFresh[wholes[j]] || !known[print]
		}
		for _, d := range g.Diagnostics {
			if isFresh[d] {
				fresh = append(fresh, d)
			} else {
				g.Known = append(g.Known, d)
			}
		}
		g.Diagnostics = fresh
	}
	for _, k := range b.Findings {
		if !met[k.Fingerprint] && (files[k.File] || gone(k.File)) {
			stale = append(stale, k)
		}
	}
	return stale
}

// Update replaces the entries for the files of a report by its findings. Entries for other
// files stay unless gone reports that the file no longer exists.
func (b *Baseline) Update(r *Report, file func(name string) string, gone func(file string) bool) {
	u := r.withoutDuplicates()
	files := map[string]bool{}
	var found []Known
	for _, g := range u.Groups {
		files[file(g.Name)] = true
		parts, _ := splitShared(g.Diagnostics)
		for j, print := range computeFingerprints(parts, file) {
			d := parts[j]
			found = append(found, Known{print, d.Code.ID, file(fileName(d.Span)), strings.ReplaceAll(cleanText(d.Message), "\n", " ")})
		}
	}
	kept := slices.DeleteFunc(b.Findings, func(k Known) bool { return files[k.File] || gone(k.File) })
	b.Version, b.Findings = baselineVersion, append(kept, found...)
}

// splitShared returns findings with a separate one for each place of those that are shared, so
// that a new place is a new finding, and for each the original finding.
func splitShared(list []*diag.Diagnostic) (parts, wholes []*diag.Diagnostic) {
	for _, d := range list {
		parts, wholes = append(parts, d), append(wholes, d)
		if !d.Shared {
			continue
		}
		for _, r := range d.Related {
			parts, wholes = append(parts, &diag.Diagnostic{Code: d.Code, Span: r.Span, Message: r.Text}), append(wholes, d)
		}
	}
	return parts, wholes
}

// A fingerprint identifies a finding in later versions of its file: it is made of the
// code, the file, and the text of the line with the finding. So it stays when lines move,
// and changes when the line does. Equal findings in one file have different fingerprints.

// computeFingerprints returns the fingerprints of findings, in their order. file names the file of
// a place, as in Options.Path.
func computeFingerprints(list []*diag.Diagnostic, file func(name string) string) []string {
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

// firstLine returns the line where a span begins, with one space between words. known
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
