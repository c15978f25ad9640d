package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/textdiff"
)

// The values of --fix.
const (
	fixSure = "sure"
	fixAll  = "all"
)

// applyFixes applies fixes to the configurations and the files of outcomes, which are those
// of the fixed files afterwards.
func (c *check) applyFixes(outcomes []outcome) int {
	code := ExitClean
	fix := func(f fixing) *compiler.Result {
		fixed, changed, err := c.fixFile(f)
		if err != nil {
			fmt.Fprintf(c.Err, "wfc: %s\n", plain.Message(err.Error()))
			code = ExitUsage
		}
		if c.diff && changed {
			code = max(code, ExitFindings)
		}
		return fixed
	}
	seen := map[*loadedConfig]bool{}
	for i := range outcomes {
		o := &outcomes[i]
		if pr := o.project.config; !seen[pr] && len(pr.findings) > 0 {
			seen[pr] = true
			pr.findings = fix(pr.newFixing()).Diagnostics
		}
		if o.result != nil {
			opt := c.projects.compileOptions(&c.flags, o.input.path, o.project)
			o.result = fix(fixing{o.input.name, o.input.path, o.input.content != nil, o.result, func(content []byte) *compiler.Result {
				return compiler.Compile(source.NewFile(o.input.name, content), opt)
			}})
		}
	}
	return code
}

// A fixing is a file to fix.
type fixing struct {
	name, path string
	// stdin says that the file came from the standard input and is not written.
	stdin   bool
	result  *compiler.Result
	compile func(content []byte) *compiler.Result
}

// newFixing returns how the file of a configuration is fixed. Its findings are not empty.
func (c *loadedConfig) newFixing() fixing {
	file := c.findings[0].Span.File // another one if it warns of a name such as wfc.yml
	for _, d := range c.findings {
		if d.Span.File.Name == c.name {
			file = d.Span.File
		}
	}
	checked := func(content []byte) *compiler.Result {
		r := &compiler.Result{File: source.NewFile(c.name, content)}
		_, r.Diagnostics = config.Parse(r.File)
		return r
	}
	result := &compiler.Result{File: file, Diagnostics: c.findings}
	return fixing{c.name, filepath.Join(c.Dir, config.FileName), false, result, checked}
}

// printFixed prints what came from the standard input, with its fixes, and
// reports whether there was any.
func (c *check) printFixed(outcomes []outcome) (printed bool, err error) {
	for _, o := range outcomes {
		if o.input.content != nil && o.result != nil {
			printed = true
			if _, err := c.Out.Write(o.result.File.Content); err != nil {
				return true, fmt.Errorf("write the fixed workflow: %w", err)
			}
		}
	}
	return printed, nil
}

// fixFile applies fixes to one file, writes it if there were any, and lists the findings that
// were fixed and those that were not. It returns the result to report, and whether there were
// fixes. It doesn't write the standard input, which printFixed prints.
func (c *check) fixFile(f fixing) (reported *compiler.Result, changed bool, err error) {
	sure := compiler.Fix(f.result, f.compile)
	last, suggested := sure, 0
	if c.fix == fixAll {
		all := sure.Result.FixAll(f.compile)
		if c.diff || all.Applied == 0 || c.confirmFixes(f.name, all.Fixed, sure.Result.File.Content, all.Result.File.Content) {
			last, suggested = all, all.Applied
		}
	}
	fixed := last.Result.File.Content
	changed = sure.Applied+suggested > 0
	switch {
	case c.diff:
		_, err = io.WriteString(c.Out, formatPatch(f.name, f.result.File.Content, fixed))
	case changed:
		if !f.stdin {
			if err := replaceFile(f.path, fixed); err != nil {
				return f.result, false, fmt.Errorf("write the fixes of %s: %w", f.name, err)
			}
		}
		fmt.Fprintf(c.Err, "%s: %d fixed\n", plain.Line(f.name), sure.Applied+suggested)
	}
	for _, r := range last.Refused {
		c.tellFinding(f.name, r.Finding, " not fixed: "+r.Why)
	}
	if last.Unsafe > 0 && c.fix == fixSure {
		fmt.Fprintf(c.Err, "%s: suggestions for %d of the findings not applied: they may change the behaviour of the workflow; --fix=all shows and applies them\n", plain.Line(f.name), last.Unsafe)
	}
	if c.diff {
		return f.result, changed, err
	}
	return last.Result, changed, err
}

// confirmFixes shows the suggestions for findings, which make the new content out of the old one,
// and reports whether to write them. It asks the person at the terminal, if there is one.
func (c *check) confirmFixes(name string, findings []*diag.Diagnostic, old, content []byte) bool {
	for _, d := range findings {
		c.tellFinding(name, d, ": "+d.Message)
	}
	fmt.Fprint(plain.Raw(c.Err), formatPatch(name, old, content))
	q, ok := c.newQuestioner()
	if !ok {
		return true
	}
	yes, err := q.askYesNo("Write this to "+plain.Line(name)+"? yes or no", true)
	return yes && err == nil
}

// tellFinding prints a line about a finding of a file.
func (c *check) tellFinding(name string, d *diag.Diagnostic, what string) {
	at := d.Span.Position()
	fmt.Fprintf(c.Err, "%s:%d:%d: %s%s\n", plain.Line(name), at.Line, at.Column, d.Code.ID, plain.Line(what))
}

// formatPatch returns the difference between two contents of a file, for git apply.
func formatPatch(name string, old, content []byte) string {
	name = strings.TrimPrefix(plain.Line(name), "/")
	return textdiff.Unified("a/"+name, "b/"+name, string(old), string(content))
}
