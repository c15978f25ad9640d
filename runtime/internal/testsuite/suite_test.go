package testsuite_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/testjob"
	"github.com/wfc-lang/wfc/runtime/internal/testsuite"
)

// two are two tests, of which the second fails.
const two = "tests:\n  - name: good" + standIns + "  - name: a|bad <one>" + standIns + "    expect: {exit: 7}\n"

func report(t *testing.T, r *testsuite.Report, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := testsuite.Formats()[format](r, &b, testsuite.TextOptions{Repeat: "wfc test"}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestFormats: every format has the failure with its place, and is valid.
func TestFormats(t *testing.T) {
	r := suite(t, two, testsuite.Options{})
	text := report(t, r, "text")
	for _, want := range []string{"FAIL  ship/a|bad <one>\n", "ship.test.yaml:22:20: exit code", "FAIL  ship.test.yaml  1 of 2 tests failed", "2 tests, 1 failed; scripts ran with stand-ins on PATH"} {
		if !strings.Contains(text, want) {
			t.Errorf("text lacks %q:\n%s", want, text)
		}
	}
	var doc struct {
		SchemaVersion int `json:"schema_version"`
		Tests, Failed int
		Files         []struct {
			Tests []struct {
				Name     string
				Passed   bool
				Failures []struct {
					Line               int
					Expected, Happened string
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(report(t, r, "json")), &doc); err != nil {
		t.Fatal(err)
	}
	if bad := doc.Files[0].Tests[1]; doc.SchemaVersion != 1 || doc.Tests != 2 || doc.Failed != 1 || bad.Passed || bad.Failures[0].Line != 22 || bad.Failures[0].Expected != "7" {
		t.Errorf("json: %+v", doc)
	}
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Cases []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(report(t, r, "junit")), &suites); err != nil {
		t.Fatal(err)
	}
	if cases := suites.Suites[0].Cases; suites.Tests != 2 || suites.Failures != 1 || cases[0].Failure != nil || cases[1].Name != "a|bad <one>" || cases[1].Failure.Message != "exit code" {
		t.Errorf("junit: %+v", suites)
	}
	if got, want := report(t, r, "github"), "::error file=ship.test.yaml,line=22,col=20,title=ship/a|bad <one>::exit code%0Aexpected: 7%0Ahappened: 0 (completed)\n"; got != want {
		t.Errorf("github:\n%swant\n%s", got, want)
	}
	if got := report(t, r, "summary"); !strings.Contains(got, "| ship.test.yaml | 2 | 1 | 1 |") {
		t.Errorf("summary:\n%s", got)
	}
}

// TestDeterministic: neither the number of tests at once, nor their order, nor the folder
// changes a report.
func TestDeterministic(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ship.test.yaml")
	if err := os.WriteFile(path, []byte(two), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"text", "json", "junit", "github", "summary"} {
		first := report(t, suiteAt(t, path, testsuite.Options{}), format)
		for _, opt := range []testsuite.Options{{Parallel: 1}, {Parallel: 8}, {Shuffle: 3}, {Shuffle: 4}} {
			if got := report(t, suiteAt(t, path, opt), format); got != first {
				t.Errorf("%s, %+v:\n%s\nwant\n%s", format, opt, got, first)
			}
		}
	}
}

// TestSelection: --run selects by the full name, and --count repeats.
func TestSelection(t *testing.T) {
	r := suite(t, two, testsuite.Options{Only: regexp.MustCompile("^ship/good$"), Count: 3})
	if ran, failed := r.Counts(); ran != 3 || failed != 0 {
		t.Errorf("%d tests, %d failed", ran, failed)
	}
	if got := r.Files[0].Tests[2].Round; got != 3 {
		t.Errorf("round %d", got)
	}
}

// TestKeep: the folder of a test stays, with its files and its transcript.
func TestKeep(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	r := suite(t, two, testsuite.Options{Keep: true})
	for _, test := range r.Files[0].Tests {
		for _, name := range []string{"transcript.txt", "work/shipped.txt", "work/README.md"} {
			if _, err := os.Stat(filepath.Join(test.Dir, name)); err != nil {
				t.Error(err)
			}
		}
	}
	r = suite(t, two, testsuite.Options{})
	if _, err := os.Stat(r.Files[0].Tests[0].Dir); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}

// TestSnapshots: --update writes the golden transcript, which later runs compare. Those of
// other tests stay; those of tests that are gone go.
func TestSnapshots(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ship.test.yaml")
	golden := strings.TrimSuffix(path, ".yaml") + ".golden"
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	test := func(name string) string { return "  - name: " + name + standIns + "    snapshot: true\n" }
	write("tests:\n" + test("one") + test("two"))
	if _, failed := suiteAt(t, path, testsuite.Options{}).Counts(); failed != 2 {
		t.Errorf("%d tests failed without golden transcripts", failed)
	}
	r := suiteAt(t, path, testsuite.Options{Update: true})
	if _, failed := r.Counts(); failed != 0 {
		t.Error(report(t, r, "text"))
	}
	for range 2 {
		if r := suiteAt(t, path, testsuite.Options{}); r.Files[0].Tests[0].Failed() {
			t.Error(report(t, r, "text"))
		}
	}
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"=== one\n", "\n=== two\n", "  > Write about ok after first\n", "publish (bash)\n", "run: completed, after 1h1m0s\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the golden file lacks %q:\n%s", want, text)
		}
	}
	write("tests:\n" + strings.Replace(test("one"), "second", "third", 1) + test("two"))
	r = suiteAt(t, path, testsuite.Options{})
	got := report(t, r, "text")
	if _, failed := r.Counts(); failed != 1 || !strings.Contains(got, "-  < second\n") || !strings.Contains(got, "+  < third\n") {
		t.Errorf("the difference is not shown:\n%s", got)
	}
	suiteAt(t, path, testsuite.Options{Update: true, Only: regexp.MustCompile("one")})
	if r := suiteAt(t, path, testsuite.Options{}); r.Files[0].Tests[0].Failed() || r.Files[0].Tests[1].Failed() {
		t.Error(report(t, r, "text"))
	}
	write("tests:\n" + test("two"))
	suiteAt(t, path, testsuite.Options{Update: true})
	if text, err = os.ReadFile(golden); err != nil || strings.Contains(string(text), "=== one") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestFaults: mistakes in a file fail the file.
func TestFaults(t *testing.T) {
	r := suite(t, "tests:\n  - name: one\n    expct: {}\n", testsuite.Options{})
	for _, format := range []string{"text", "json", "junit", "github"} {
		if got := report(t, r, format); !strings.Contains(got, "unknown key `expct` in a test; did you mean `expect`?") {
			t.Errorf("%s:\n%s", format, got)
		}
	}
	if ran, failed := r.Counts(); ran != 1 || failed != 1 {
		t.Errorf("%d tests, %d failed", ran, failed)
	}
}

// BenchmarkTests measures tests that run nothing for real.
func BenchmarkTests(b *testing.B) {
	var text strings.Builder
	text.WriteString("tests:\n")
	for i := range 100 {
		fmt.Fprintf(&text, "  - {name: t%d, inputs: {version: v1}, bash: {build: ok, publish: done}, agents: {write: x}, answers: {agreed: approve}, expect: {nodes: {write: x}}}\n", i)
	}
	path := filepath.Join(b.TempDir(), "ship.test.yaml")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		b.Fatal(err)
	}
	def := ship()
	for b.Loop() {
		r, err := testsuite.Run([]testsuite.Source{{Source: testjob.Source{Path: path, Shown: path}, Definition: def}}, testsuite.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, failed := r.Counts(); failed > 0 {
			b.Fatal(failed)
		}
	}
}
