package archon_test

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/check"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/detect"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// ownCodes are the codes that decoding reports, as ranges of IDs.
var ownCodes = [][2]string{{"WFC110", "WFC125"}, {"WFC130", "WFC149"}, {"WFC200", "WFC215"}, {"WFC217", "WFC219"}, {"WFC700", "WFC729"}, {"WFC740", "WFC749"}}

func isOwn(id string) bool {
	return slices.ContainsFunc(ownCodes, func(r [2]string) bool { return r[0] <= id && id <= r[1] })
}

// Every code's bad example yields it and nothing worse, and its good example
// is clean.
func TestExamplesOfCodes(t *testing.T) {
	// These need files or a configuration, so their own tests cover them.
	needFiles := []string{"blank-command", "script-runtime", "ambiguous-script", "unreadable-file", "invalid-package", "model-overrides-provider"}
	for _, code := range diag.Codes() {
		if !isOwn(code.ID) || code.Document().Config != "" {
			continue // those with a configuration are examples of package testkit
		}
		t.Run(code.Slug, func(t *testing.T) {
			if code.Document().Bad == "" && slices.Contains(needFiles, code.Slug) {
				return
			}
			_, list := lint(t, project(nil), code.Document().Bad)
			if !slices.ContainsFunc(list, func(d *diag.Diagnostic) bool { return d.Code == code }) {
				t.Errorf("the bad example yields %q", findings(list))
			}
			for _, d := range list {
				if d.Code != code && d.Severity == diag.Error {
					t.Errorf("the bad example also yields %s: %s", d.Code.Slug, d.Message)
				}
				if !d.Span.IsValid() {
					t.Errorf("%s has no place", d.Code.Slug)
				}
			}
			if _, list := lint(t, project(nil), code.Document().Good); len(list) > 0 {
				t.Errorf("the good example yields %q", findings(list))
			}
		})
	}
}

// resolvedCodes are the codes of resolving, types and checks, as ranges of IDs.
var resolvedCodes = [][2]string{{"WFC250", "WFC267"}, {"WFC300", "WFC399"}, {"WFC400", "WFC489"}, {"WFC900", "WFC949"}}

// resolved compiles a workflow and returns all findings, portability included.
func resolved(t testing.TB, yaml string) (*ir.Program, []*diag.Diagnostic) {
	t.Helper()
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("w.yaml", []byte(yaml)), &bag)
	if doc == nil {
		return nil, bag.Sorted()
	}
	p := archon.Frontend{}.Compile(doc, project(nil), &bag)
	return p, bag.Sorted()
}

// checked compiles a workflow and runs the checks over it.
func checked(t testing.TB, yaml string) (*ir.Program, []*diag.Diagnostic) {
	t.Helper()
	p, list := resolved(t, yaml)
	var bag diag.Bag
	bag.Add(list...)
	if p != nil {
		check.Run(p, &bag)
	}
	return p, bag.Sorted()
}

// Every code's bad example yields it and no other error, and its good example is
// clean.
func TestExamplesOfResolvedCodes(t *testing.T) {
	for _, code := range diag.Codes() {
		if !slices.ContainsFunc(resolvedCodes, func(r [2]string) bool { return r[0] <= code.ID && code.ID <= r[1] }) {
			continue
		}
		if code.Document().Bad == "" || code.Document().Beside != "" {
			continue // those with other files are examples of package testkit
		}
		if doc := yamlsrc.Parse(source.NewFile("w.yaml", []byte(code.Document().Bad)), &diag.Bag{}); doc != nil {
			if ours, _ := (archon.Frontend{}).Detect(detect.Look{Root: doc.Root}); !ours {
				continue // an example of another format
			}
		}
		t.Run(code.Slug, func(t *testing.T) {
			_, list := checked(t, code.Document().Bad)
			if !slices.ContainsFunc(list, func(d *diag.Diagnostic) bool { return d.Code == code }) {
				t.Errorf("the bad example yields %q", findings(list))
			}
			for _, d := range list {
				if d.Code != code && d.Severity == diag.Error {
					t.Errorf("the bad example also yields %s: %s", d.Code.Slug, d.Message)
				}
				if !d.Span.IsValid() {
					t.Errorf("%s has no place", d.Code.Slug)
				}
			}
			if _, list := checked(t, code.Document().Good); len(list) > 0 {
				t.Errorf("the good example yields %q", findings(list))
			}
		})
	}
}
