package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/runtime/settings"
)

func TestPrograms(t *testing.T) {
	c, faults := parse(t, "programs:\n  deploy: {runs: [2, 3], options: [--hook, -e], values: -C}\n  say: {runs: all}\n  plain:\n")
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	p := c.settings.Programs["deploy"]
	if !slices.Equal(p.CodeArguments, []int{2, 3}) || !slices.Equal(p.CodeFlags, []string{"--hook", "-e"}) || !slices.Equal(p.ValueFlags, []string{"-C"}) {
		t.Errorf("%+v", p)
	}
	if !slices.Equal(c.settings.Programs["say"].CodeArguments, []int{0}) || len(c.settings.Programs) != 3 {
		t.Errorf("%+v", c.settings.Programs)
	}
}

// TestProgramFaults checks the places of mistakes.
func TestProgramFaults(t *testing.T) {
	for text, want := range map[string]string{
		"programs:\n  bin/deploy: {runs: 1}\n":     "bin/deploy",
		"programs:\n  deploy: {runs: [1, 0]}\n":    "0",
		"programs:\n  deploy: {runs: first}\n":     "first",
		"programs:\n  deploy: {options: [hook]}\n": "hook",
		"programs:\n  deploy: {options: --a=b}\n":  "--a=b",
		"programs:\n  deploy: {run: 1}\n":          "run",
		"programs: [deploy]\n":                     "[deploy]",
	} {
		_, faults := Parse(source.NewFile("wfc.yaml", []byte(text)))
		if len(faults) != 1 || faults[0].Span.Text() != want {
			t.Errorf("%s: %v, want one at %q", text, faults, want)
		}
	}
}

// TestProgramsAreChecked compiles scripts that call a declared program.
func TestProgramsAreChecked(t *testing.T) {
	c, _ := parse(t, "programs:\n  deploy: {runs: [1], options: [--hook], values: [-C]}\n")
	for script, want := range map[string]string{
		`deploy "$a.output"`:                "WFC510",
		`deploy now "$a.output"`:            "",
		`deploy -- now "$a.output"`:         "",
		`deploy --hook "$a.output"`:         "WFC510",
		`deploy --hook="$a.output"`:         "WFC510",
		`deploy -C "$a.output" now`:         "",
		`sudo deploy "$a.output"`:           "WFC510",
		`x="$a.output"; deploy now -- "$x"`: "",
	} {
		text := "name: a\ndescription: d\nnodes:\n  - id: a\n    prompt: hi\n  - id: b\n    depends_on: [a]\n    bash: |\n      " + script + "\n"
		result := compiler.Compile(source.NewFile("a.yaml", []byte(text)), c.Options(t.TempDir()+"/a.yaml"))
		var codes []string
		for _, d := range result.Diagnostics {
			codes = append(codes, d.Code.ID)
		}
		if got := strings.Join(codes, " "); got != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
}

func TestDatabase(t *testing.T) {
	for _, test := range []struct{ text, want, fault string }{
		{"postgres://ann@db.example:5432/wfc?sslmode=require", "postgres://ann@db.example:5432/wfc?sslmode=require", ""},
		{"postgresql:///wfc?host=/run/postgresql", "postgresql:///wfc?host=/run/postgresql", ""},
		{"postgres://ann:hush-hush@db/wfc", "", "without a password"},
		{"postgres://ann@db/wfc?password=hush-hush", "", "without a password"},
		{"postgres://ann:hush%hush@db/wfc", "", "a URL such as"},
		{"'postgres://ann:12#hush@db/wfc'", "", "a URL such as"},
		{"postgres://ann:12/hush@db/wfc", "", "a URL such as"},
		{"postgres://ann:12?hush@db/wfc", "", "a URL such as"},
		{"postgres://ann:12?password=3/hush@db/wfc", "", "a URL without a password"},
		{"postgres://ann@db/wfc?pass%77ord=hush", "", "a URL without a password"},
		{"mysql://db/wfc", "", "a URL such as"},
		{"postgres:wfc", "", "a URL such as"},
		{"[a]", "", "a string"},
	} {
		c, faults := parse(t, "store: postgres\ndatabase: "+test.text+"\n")
		if c.settings.Database != test.want || c.settings.Store != "postgres" {
			t.Errorf("%s: database %q, store %q", test.text, c.settings.Database, c.settings.Store)
		}
		text := strings.Join(faults, "\n")
		if (test.fault == "") != (text == "") || !strings.Contains(text, test.fault) || strings.Contains(text, "hush") {
			t.Errorf("%s: findings %q, want %q", test.text, text, test.fault)
		}
	}
}

func TestGates(t *testing.T) {
	for _, mode := range []settings.Gates{"any", "terminal", "token"} {
		if c, faults := parse(t, "gates: "+string(mode)+"\n"); len(faults) > 0 || c.settings.Gates.Mode != mode {
			t.Errorf("%s: %q %v", mode, c.settings.Gates.Mode, faults)
		}
	}
	c, faults := parse(t, "gates: tokens\n")
	if want := []string{"1:8 WFC113 `gates` must be one of any, terminal, token"}; c.settings.Gates.Mode != "" || !slices.Equal(faults, want) {
		t.Errorf("%q %q", c.settings.Gates.Mode, faults)
	}
}
