package xprompt_test

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// isOwn reports whether a code is one of the dialect's own.
func isOwn(c *diag.Code) bool {
	return c.ID >= "WFC242" && c.ID <= "WFC249" || c.ID >= "WFC268" && c.ID <= "WFC279" ||
		c.ID >= "WFC287" && c.ID <= "WFC289" || c.ID >= "WFC297" && c.ID <= "WFC298"
}

// Every code's bad example yields it and no other error, and its good example is
// clean.
func TestExamplesOfCodes(t *testing.T) {
	n := 0
	for _, code := range diag.Codes() {
		if !isOwn(code) {
			continue
		}
		n++
		_, list := compile(t, project(nil), code.Document().Bad)
		if !slices.ContainsFunc(list, func(d *diag.Diagnostic) bool { return d.Code == code }) {
			t.Errorf("%s: the bad example yields\n%s", code, messages(list))
		}
		for _, d := range list {
			if d.Code != code && d.Severity == diag.Error {
				t.Errorf("%s: the bad example also yields %s: %s", code, d.Code, d.Message)
			}
		}
		if _, list := compile(t, project(nil), code.Document().Good); len(list) > 0 {
			t.Errorf("%s: the good example yields\n%s", code, messages(list))
		}
	}
	if n != 25 {
		t.Errorf("%d codes", n)
	}
}
