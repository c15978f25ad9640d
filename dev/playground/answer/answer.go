// Package answer computes what the page of the playground shows for a workflow, as JSON.
package answer

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"runtime/debug"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/drawing"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/draw"
)

// A checked is the answer about a text.
type checked struct {
	// Dialect is the format of the text, and Why how it was recognized; "" if it was not.
	Dialect  string    `json:"dialect"`
	Why      string    `json:"why,omitempty"`
	Findings []finding `json:"findings"`
	// Picture is the workflow as SVG, or "" if there are errors.
	Picture string `json:"picture,omitempty"`
	// Fault is a fault of wfc itself.
	Fault string `json:"fault,omitempty"`
}

// A finding is a diagnostic.
type finding struct {
	Code     string   `json:"code"`
	Title    string   `json:"title"`
	Severity string   `json:"severity"`
	Message  string   `json:"message"`
	At       *area    `json:"at,omitempty"`
	Help     []string `json:"help,omitempty"`
	Related  []note   `json:"related,omitempty"`
	Fixes    []fix    `json:"fixes,omitempty"`
}

// An area is a part of the text, in UTF-16 units, as browsers count; Line is from 1.
type area struct {
	Start int `json:"start"`
	End   int `json:"end"`
	Line  int `json:"line"`
}

// A note is about another part of the text.
type note struct {
	At   area   `json:"at"`
	Text string `json:"text"`
}

// A fix is a change that mends a finding. Edits are in order and do not overlap.
type fix struct {
	Title string `json:"title"`
	Edits []edit `json:"edits"`
}

type edit struct {
	At  area   `json:"at"`
	New string `json:"new"`
}

// Check checks a text of a file name.
func Check(name, text string) (answer []byte) {
	defer func() {
		if fault := recover(); fault != nil {
			answer = encode(checked{Findings: []finding{}, Fault: fmt.Sprintf("%v\n%s", fault, debug.Stack())})
		}
	}()
	file := source.NewFile(name, []byte(text))
	r := compiler.Compile(file, compiler.Options{Path: "/" + name, Root: "/", Files: nothing{}})
	c := checked{Dialect: r.Dialect, Why: r.Why, Findings: []finding{}}
	p := places{file: file}
	for _, d := range r.Diagnostics {
		if d.Private {
			continue
		}
		c.Findings = append(c.Findings, p.finding(d))
	}
	if r.Workflow != nil && !r.HasErrors() {
		c.Picture = picture(r.Workflow)
	}
	return encode(c)
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and numbers
	}
	return text
}

// places counts offsets as browsers do.
type places struct {
	file *source.File
}

func (p places) finding(d *diag.Diagnostic) finding {
	f := finding{Code: d.Code.ID, Title: codes.DocumentOf(d.Code).Title, Severity: d.Severity.String(), Message: d.Message, Help: d.Help, At: p.area(d.Span)}
	if d.Label != "" && f.At != nil {
		f.Related = append(f.Related, note{*f.At, d.Label})
	}
	for _, l := range d.Related {
		if at := p.area(l.Span); at != nil {
			f.Related = append(f.Related, note{*at, l.Text})
		}
	}
	for _, x := range d.Fixes {
		if one, ok := p.fix(x); ok {
			f.Fixes = append(f.Fixes, one)
		}
	}
	return f
}

// area returns where a span is, or nil if it is in no text or in another file.
func (p places) area(s source.Span) *area {
	if !s.IsValid() || s.File != p.file {
		return nil
	}
	return &area{p.units(s.Start), p.units(s.End), s.Position().Line}
}

// units returns the number of UTF-16 units before a byte.
func (p places) units(offset int) int {
	n := 0
	for _, r := range string(p.file.Content[:offset]) {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

func (p places) fix(x diag.Fix) (fix, bool) {
	one := fix{Title: x.Title}
	for _, e := range x.Edits {
		at := p.area(e.Span)
		if at == nil {
			return fix{}, false
		}
		one.Edits = append(one.Edits, edit{*at, e.New})
	}
	return one, len(one.Edits) > 0
}

// An explained is the documentation of a diagnostic.
type explained struct {
	Code, Title, Text string
	Examples          []codes.Example
}

// Explain returns the documentation of a diagnostic.
func Explain(name string) []byte {
	code, ok := codes.Lookup(name)
	if !ok {
		return encode(explained{Code: name})
	}
	d := codes.DocumentOf(code)
	return encode(explained{code.ID, d.Title, d.Text, d.Examples})
}

// nothing is a file system without files: a page has one text.
type nothing struct{}

// Read implements compiler.Files.
func (nothing) Read(path string) ([]byte, error) {
	return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
}

// List implements compiler.Files.
func (nothing) List(string) []string { return nil }

// picture draws a workflow as SVG.
func picture(p *ir.Program) string {
	nodes, edges := drawing.Describe(p.Workflow)
	var b strings.Builder
	if err := draw.Write(&b, "svg", p.Workflow.Name, nodes, edges); err != nil {
		return "" // a builder takes everything
	}
	return b.String()
}
