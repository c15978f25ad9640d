package pictures

import (
	"slices"
	"strings"
	"testing"
)

func TestFaults(t *testing.T) {
	const (
		a     = `<g class="w-node" data-node="a"><rect class="w-box" x="10" y="10" width="40" height="20"/></g>`
		b     = `<g class="w-node" data-node="b"><polygon class="w-box" points="10,60 50,60 50,80 10,80"/></g>`
		c     = `<g class="w-node" data-node="c"><rect class="w-box" x="10" y="110" width="40" height="20"/></g>`
		label = `<g class="w-label"><rect x="40" y="40" width="30" height="10"/></g>`
		long  = `<path class="w-edge w-edge" d="M30 30V110"><title>a → c</title></path>`
	)
	for _, test := range []struct {
		name, body string
		want       []string
	}{
		{"none", a + c + long, nil},
		{"through a node", a + b + c + long, []string{"a → c runs through b"}},
		{"round a node", a + b + c + `<path class="w-edge" d="M30 30C30 45 60 45 60 60V80C60 95 30 95 30 110"/>`, nil},
		{"through a label", a + c + label + `<path class="w-edge" d="M45 30V110"><title>e</title></path>`, []string{"e runs through a label"}},
		{"overlap", a + `<g class="w-label"><rect x="45" y="20" width="30" height="20"/></g>`, []string{"a overlaps a label"}},
		{"outside", a + `<g class="w-node" data-node="d"><rect class="w-box" x="90" y="10" width="40" height="20"/></g>`, []string{"d is outside the picture"}},
		{"nowhere", a + `<path class="w-edge" d="M30 30V90"><title>e</title></path>`, []string{"e does not meet its nodes"}},
		{"inside a frame", `<g class="w-group" data-node="g"><rect class="w-frame" x="5" y="5" width="60" height="130"/></g>` + a + c + long, nil},
		{"through a frame", a + c + `<g class="w-group" data-node="g"><rect class="w-frame" x="5" y="50" width="60" height="30"/></g>` + long, []string{"a → c runs through g"}},
		{"half in a frame", a + `<g class="w-group" data-node="g"><rect class="w-frame" x="5" y="5" width="20" height="90"/></g>`, []string{"a overlaps g"}},
		{"legend", a + `<g class="w-key"><g class="w-x"><rect class="w-box" x="10" y="10" width="40" height="20"/></g></g>`, nil},
	} {
		got := Faults(`<svg viewBox="0 0 100 140">` + test.body + `</svg>`)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	if got := Faults("<svg viewBox='0 0 1 1'><g>"); len(got) != 1 || !strings.Contains(got[0], "syntax") {
		t.Errorf("a picture that is not well-formed: %q", got)
	}
}
