package graphloop_test

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// Every code's bad example yields it and no other error, and its good example is
// clean.
func TestExamplesOfCodes(t *testing.T) {
	for _, code := range diag.Codes() {
		if code.ID != "WFC127" && !(code.ID >= "WFC220" && code.ID <= "WFC241") && !(code.ID >= "WFC345" && code.ID <= "WFC359") {
			continue
		}
		_, list := compile(t, project(nil), code.Document().Bad)
		if !slices.ContainsFunc(list, func(d *diag.Diagnostic) bool { return d.Code == code }) {
			t.Errorf("%s: the bad example yields %q", code, findings(list))
		}
		for _, d := range list {
			if d.Code != code && d.Severity == diag.Error {
				t.Errorf("%s: the bad example also yields %s: %s", code, d.Code, d.Message)
			}
		}
		if _, list := compile(t, project(nil), code.Document().Good); len(list) > 0 {
			t.Errorf("%s: the good example yields %q", code, findings(list))
		}
	}
}
