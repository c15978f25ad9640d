package archon_test

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// ownCodes are the codes that decoding reports, as ranges of IDs.
var ownCodes = [][2]string{{"WFC110", "WFC125"}, {"WFC130", "WFC149"}, {"WFC200", "WFC219"}, {"WFC700", "WFC729"}, {"WFC740", "WFC749"}}

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
