package answer

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf16"
)

const flow = `# 😀
name: w
description: d
nodes:
  - id: a
    bash: echo 😀
  - id: b
    depends_on: [aa]
    bash: echo $a.output
`

func check(t *testing.T, name, text string) checked {
	t.Helper()
	var c checked
	if err := json.Unmarshal(Check(name, text), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// Places count as browsers do, and fixes can be applied.
func TestPlaces(t *testing.T) {
	c := check(t, "w.yaml", flow)
	if c.Dialect != "archon" || c.Picture != "" || len(c.Findings) == 0 {
		t.Fatalf("%+v", c)
	}
	f := c.Findings[0]
	units := utf16.Encode([]rune(flow))
	if got := string(utf16.Decode(units[f.At.Start:f.At.End])); f.Code != "WFC203" || got != "aa" || f.At.Line != 8 || f.Severity != "error" {
		t.Errorf("%+v is at %q", f, got)
	}
	if len(f.Fixes) == 0 {
		t.Fatal("no fix")
	}
	e := f.Fixes[0].Edits[0]
	mended := string(utf16.Decode(units[:e.At.Start])) + e.New + string(utf16.Decode(units[e.At.End:]))
	if c := check(t, "w.yaml", mended); len(c.Findings) != 0 || !strings.HasPrefix(c.Picture, "<svg") {
		t.Errorf("after the fix: %+v", c)
	}
}

// There are no files beside the text, and texts of any kind are answered.
func TestAnyText(t *testing.T) {
	c := check(t, "w.yaml", "name: w\ndescription: d\nnodes:\n  - {id: a, command: review}\n")
	if len(c.Findings) == 0 || c.Fault != "" {
		t.Errorf("%+v", c)
	}
	for _, text := range []string{"", "hello", "\xff", "a: [", "a: &a [*a]", strings.Repeat("[", 10000), "nodes:\n  - id: 😀"} {
		if c := check(t, "w.yaml", text); c.Fault != "" {
			t.Errorf("%.20q: %s", text, c.Fault)
		}
	}
}

func TestExplain(t *testing.T) {
	var e explained
	if err := json.Unmarshal(Explain("WFC203"), &e); err != nil || e.Title == "" || e.Text == "" || e.Examples[0].Bad == "" || e.Examples[0].Good == "" {
		t.Errorf("%+v, %v", e, err)
	}
	if err := json.Unmarshal(Explain("none"), &e); err != nil {
		t.Error(err)
	}
}
