package gen_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// A check overlooks positions and nothing else, and writing overlooks nothing.
func TestCheckOverlooksPositions(t *testing.T) {
	const old = mark + "\nvar W = D{\n\tNodes: []N{\n\t\t{Key: \"a\", Line: 9, Kind: \"bash\", Agent: \"x\",\n\t\t\tInside: []N{{Key: \"b\", Line: 10, Kind: \"bash\"}}},\n\t},\n}\n\n// f runs node `a` (a.yaml:9): words.\nf() // a.yaml:9\n\tn := T{\n\t\tLine: 7,\n\t}\nx := S{Line: 5}\ng(\"{{ x }} (line 9)\", \"{{ y }} (b.md:9)\")\n"
	for _, c := range []struct {
		name, from, to string
		stale          bool
	}{
		{"nothing", "", "", false},
		{"a comment's line", "// a.yaml:9", "// a.yaml:10", false},
		{"a function's line", "(a.yaml:9)", "(a.yaml:1234)", false},
		{"a function's file", "(a.yaml:9)", "(b.yaml:9)", true},
		{"a node's line", "Line: 9", "Line: 1234", false},
		{"the line of a node inside another", "Line: 10", "Line: 1234", false},
		{"a node's line in the table of a graph", "Line: 7", "Line: 1234", false},
		{"the line of an expression", "x }} (line 9)", "x }} (line 10)", false},
		{"the line of an expression in another file", "(b.md:9)", "(b.md:10)", false},
		{"an expression", "{{ x }}", "{{ z }}", true},
		{"the file of a position", "// a.yaml:9", "// b.yaml:9", true},
		{"code before a position", "f() //", "g() //", true},
		{"a node's agent", `Agent: "x"`, `Agent: "y"`, true},
		{"a number of the workflow", "Line: 5", "Line: 6", true},
		{"a position that goes", " // a.yaml:9", "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "a.go")
			write := func(text string) []gen.File { return []gen.File{{Name: "a.go", Content: []byte(text)}} }
			if _, err := gen.Write(dir, write(old)); err != nil {
				t.Fatal(err)
			}
			now := strings.Replace(old, c.from, c.to, 1)
			changed, diff, err := gen.Diff(dir, write(now))
			if err != nil || (len(changed) > 0) != c.stale || (diff != "") != c.stale {
				t.Errorf("stale: %v, want %v, %v\n%s", changed, c.stale, err, diff)
			}
			if _, err := gen.Write(dir, write(now)); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != now {
				t.Errorf("the file holds %q, %v", got, err)
			}
		})
	}
}

// Code stays as it is when its nodes move: no position changes where a line breaks.
func TestMovedNodesChangeNothing(t *testing.T) {
	for _, s := range samples {
		text := string(s.archive.Files[0].Data)
		if s.built != nil || strings.Contains(text, "\nedges:") {
			continue // the code of a graph has the text of its file
		}
		dir := t.TempDir()
		if _, err := gen.Write(dir, s.generate(gen.Options{})); err != nil {
			t.Fatal(err)
		}
		moved := s
		moved.archive = &txtar.Archive{Files: slices.Clone(s.archive.Files)}
		moved.archive.Files[0].Data = []byte(strings.Repeat("# moved\n", 100) + text)
		if changed, diff, err := gen.Diff(dir, moved.generate(gen.Options{})); err != nil || len(changed) > 0 {
			t.Errorf("%s: %v %v\n%s", s.name, changed, err, diff)
		}
	}
}

// A difference shows what is stale, not each line that moved.
func TestDifferenceLeavesPositionsOut(t *testing.T) {
	dir := t.TempDir()
	files := func(text string) []gen.File { return []gen.File{{Name: "a.go", Content: []byte(mark + text)}} }
	if _, err := gen.Write(dir, files("a() // a.yaml:1\nb() // a.yaml:2\n")); err != nil {
		t.Fatal(err)
	}
	_, diff, err := gen.Diff(dir, files("a() // a.yaml:7\nc() // a.yaml:8\n"))
	_, hunk, _ := strings.Cut(diff, "@@")
	if want := " -1,3 +1,3 @@\n " + mark + " a() // a.yaml:1\n-b() // a.yaml:2\n+c() // a.yaml:8\n"; err != nil || hunk != want {
		t.Errorf("the difference is %q, %v", hunk, err)
	}
}

// Code that was generated for another version of the runtime does not compile,
// and the compiler says what to do.
func TestCodeOfAnotherVersion(t *testing.T) {
	testkit.SkipBuild(t)
	m := newModule(t)
	text := find("triage").golden()
	const version = "RunWfcGenAgainUnlessVersion6"
	if !strings.Contains(string(text), "const _ = flow."+version+"\n") {
		t.Fatal("the code names no version")
	}
	m.add(t, "internal/gentest/old/old.go", strings.Replace(string(text), version, "RunWfcGenAgainUnlessVersion0", 1))
	if _, err := m.run(t, "build", "./internal/gentest/old"); err == nil || !strings.Contains(err.Error(), "undefined: flow.RunWfcGenAgainUnlessVersion0") {
		t.Errorf("compiling it: %v", err)
	}
}
