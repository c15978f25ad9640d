package xprompt_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// No text that an author may take for a reference reaches the agent silently: not behind
// other characters, with a value or foreign letters in its name, or in a string of an
// expression.
func TestMissedReferences(t *testing.T) {
	for _, test := range []struct {
		prompt    string
		older     []string
		successor []string // nil if they are the same
	}{
		{"a,#txt(b)", []string{"error #txt"}, nil},
		{"**#txt(b)** “#txt(b)” «#greet:b» |#txt(b)| >#txt(b)", []string{"error #txt", "error #txt", "error #greet", "error #txt", "error #txt"}, nil},
		{"{{ d.who }}#txt(b)", []string{"error #txt"}, nil},
		{"{% if n %}a{% endif %}#txt(b)", []string{"error #txt"}, nil},
		{"x#txt(b) \\#txt(b) https://example.com/a,#txt docs/#txt ##txt _#txt_ a,`;#txt(b)`", nil, nil},
		{"**#nope**", nil, nil},
		{"#lost(a=#just, \"b\"#just)", []string{"error #lost"}, nil},

		{"#{{ d.who }}:{{ n }} and #{{ d.who }}(b)", []string{"error #{{ d.who }}", "error #{{ d.who }}"}, nil},
		{"#ns/{{ d.who }} #greet{{ n }} #g{{ n }}", []string{"error #ns/{{ d.who }}", "error #greet{{ n }}", "error #g{{ n }}"}, nil},
		{"issue #{{ d.who }}, #{{ n }}, #{{ n }}:a. #{{ d.who }}: text", nil, nil},
		{"#PR{{ n }}", []string{"warning #PR{{ n }}"}, []string{"error #PR{{ n }}"}},

		{"#über", []string{"warning #über"}, []string{"error #über"}},
		{"#größe(x) #naïve", []string{"error #größe", "warning #naïve"}, []string{"error #größe", "error #naïve"}},
		{"(#just的)", nil, nil},

		{"{{ '#txt(b)' if n else 'c' }}", []string{"error '#txt(b)'"}, nil},
		{"{{ 'see ' ~ d.who ~ ' #txt(b)' }} {{ ['a', '#just'] | join(' ') }}", []string{"error ' #txt(b)'", "error '#just'"}, nil},
		{"{% set v = '#txt(b)' %}{{ v }}", []string{"error '#txt(b)'"}, nil},
		{"{% for v in ['#txt(b)'] %}{{ v }}{% endfor %}", []string{"error '#txt(b)'"}, nil},
		{"{{ d.who | replace('#txt', '') }} {{ '#12' if n }} {{ '#nope' if n }}", nil, nil},

		{"#txt(#lost(a)) #txt([[a\n  b\n   {{ n }} #gone(b)]])", []string{"error #lost", "error #gone"}, nil},
		{"#txt(a,#just)", []string{"error #just"}, nil}, // one argument too many, and not two findings
	} {
		for i, head := range []string{"", "tags: t\n"} {
			_, list := compile(t, project(prompts), head+promptStep(test.prompt))
			want := test.older
			if i == 1 && test.successor != nil {
				want = test.successor
			}
			var got []string
			for _, f := range findings(list) {
				severity, rest, _ := strings.Cut(f, " ")
				if slug, text, _ := strings.Cut(rest, " "); slug == "unknown-prompt" || slug == "wrong-argument" {
					got = append(got, severity+" "+text)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q (%q): got %q, want %q\n%s", test.prompt, head, got, want, messages(list))
			}
		}
	}
}

// A file whose name has foreign letters is no prompt, and a reference to it says so.
func TestForeignNames(t *testing.T) {
	files := maps.Clone(prompts)
	files["/repo/xprompts/größe.md"] = "Größe"
	_, list := compile(t, project(files), promptStep("#größe"))
	if got := findings(list); !slices.Contains(got, "error unknown-prompt #größe") {
		t.Errorf("%q\n%s", got, messages(list))
	}
}
