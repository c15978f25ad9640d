//go:build unix

package constructs

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of constructs")

// table is the list of all constructs with their fixtures.
const table = "testdata/README.md"

// sections are the titles of the sections of the specification.
var sections = []struct{ number, title, elsewhere string }{
	{"1", "keys of nodes", "load errors: recorded cases `nodes`, `settings`"},
	{"2", "conditions and references", "load errors: recorded cases `conditions`"},
	{"3", "loops", "load errors: recorded cases `loop`, `loop_group`"},
	{"4", "includes", "load errors: recorded cases `include`"},
	{"5", "child runs", "load errors: recorded cases `workflow`, `fan_out`"},
	{"6", "keys of workflows", "load errors: recorded cases `workflow_level`"},
	{"7", "bindings", "load errors: recorded cases `bindings`"},
	{"8", "gates", "load errors: recorded cases `approval`"},
	{"9", "waits", "load errors: `testdata/checks`"},
	{"10", "packaged workflows", "load errors: recorded cases `packaged`"},
	{"11", "dry runs", "recorded cases `dry_run`, and `cmd/wfc/cli/testdata/fixtures.txt`"},
	{"12", "fixtures", "`cmd/wfc/cli/testdata/fixturerules.txt`, a fixture for each rule"},
}

// TestTable compares the table of constructs with the fixtures.
func TestTable(t *testing.T) {
	all := read(t)
	var b strings.Builder
	b.WriteString("# Constructs of today's Archon and their fixtures\n\n" +
		"Each fixture runs on the local engine, in a real binary, and on the simulated one, as `wfc test --crash` does: its process\n" +
		"dies at every point, and another one resumes the run. A test checks that each key with a version in the\n" +
		"[reference](../../../../docs/reference/archon.md) is in a fixture. The recorded cases are in\n" +
		"`testdata/conformance/archon-now`.\n\n" +
		"Add a file here for a new construct, then write this table: `go -C dev test ./e2e/constructs -run TestTable -update`.\n\n" +
		"| section | construct | fixture |\n|---|---|---|\n")
	for _, s := range sections {
		for _, c := range all {
			if c.section != s.number {
				continue
			}
			for _, name := range c.constructs {
				fmt.Fprintf(&b, "| %s %s | %s | `%s` |\n", s.number, s.title, name, c.name)
			}
		}
		fmt.Fprintf(&b, "| %s %s | | %s |\n", s.number, s.title, s.elsewhere)
	}
	for _, c := range all {
		if !slices.ContainsFunc(sections, func(s struct{ number, title, elsewhere string }) bool { return s.number == c.section }) {
			t.Errorf("%s has the unknown section %q", c.name, c.section)
		}
	}
	if *update {
		if err := os.WriteFile(table, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text, err := os.ReadFile(table); err != nil || string(text) != b.String() {
		t.Errorf("%s is stale (%v); -update writes it", table, err)
	}
}

// keyRow is a row of the reference about a key, and sinceLine what a row ends with, or is a line
// for all rows of a section: the version of Archon that introduced the key.
var (
	keyRow    = regexp.MustCompile("^- `([A-Za-z_]+)`")
	sinceLine = regexp.MustCompile(`(?:^| )Since ([0-9.]+)\.$`)
)

// newerKeys returns the supported keys of a reference that have a version, with it.
func newerKeys(page string) (keys [][2]string) {
	section := ""
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		row, since := keyRow.FindStringSubmatch(line), sinceLine.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "## "):
			section = ""
		case row == nil && since != nil:
			section = since[1]
		case row == nil || strings.Contains(line, ": Not supported"):
		case since != nil:
			keys = append(keys, [2]string{row[1], since[1]})
		case section != "":
			keys = append(keys, [2]string{row[1], section})
		}
	}
	return keys
}

// TestKeys checks that every supported key that Archon introduced since the older cases is in
// the workflow of a fixture.
func TestKeys(t *testing.T) {
	page, err := os.ReadFile("../../../docs/reference/archon.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := newerKeys(string(page))
	if len(rows) < 40 {
		t.Fatalf("%d keys since 0.6 were found", len(rows))
	}
	all := read(t)
	for _, row := range rows {
		key := regexp.MustCompile(`\b` + row[0] + `:`)
		used := slices.ContainsFunc(all, func(c *construct) bool {
			for name, text := range c.files {
				if name != "test.yaml" && strings.HasSuffix(name, ".yaml") && key.MatchString(text) {
					return true
				}
			}
			return false
		})
		if !used {
			t.Errorf("no fixture has the key `%s` %s", row[0], row[1])
		}
	}
}
