package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
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
// finding although their files are in the report, or gone: gone tells the latter. file
// names files as the baseline does.
func (b *Baseline) Split(r *Report, file func(name string) string, gone func(file string) bool) (stale []Known) {
	known := map[string]bool{}
	for _, k := range b.Findings {
		known[k.Fingerprint] = true
	}
	met, files := map[string]bool{}, map[string]bool{}
	*r = *r.unique()
	r.Compared = true
	for i := range r.Groups {
		g := &r.Groups[i]
		files[file(g.Name)] = true
		var fresh []*diag.Diagnostic
		for j, print := range fingerprints(g.Diagnostics, file) {
			if met[print] = true; known[print] {
				g.Known = append(g.Known, g.Diagnostics[j])
			} else {
				fresh = append(fresh, g.Diagnostics[j])
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
// files stay, unless gone says that there is no such file.
func (b *Baseline) Update(r *Report, file func(name string) string, gone func(file string) bool) {
	u := r.unique()
	files := map[string]bool{}
	var found []Known
	for _, g := range u.Groups {
		files[file(g.Name)] = true
		for j, print := range fingerprints(g.Diagnostics, file) {
			d := g.Diagnostics[j]
			found = append(found, Known{print, d.Code.ID, file(fileName(d.Span)), strings.ReplaceAll(clean(d.Message), "\n", " ")})
		}
	}
	kept := slices.DeleteFunc(b.Findings, func(k Known) bool { return files[k.File] || gone(k.File) })
	b.Version, b.Findings = baselineVersion, append(kept, found...)
}
