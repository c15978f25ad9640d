package growth_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/dev/devkit"
	"github.com/wfc-lang/wfc/dev/growth"
	"github.com/wfc-lang/wfc/dev/growth/languages"
)

// counted are the packages whose statements are counted: those of wfc, its parsers of files,
// scripts and templates, and packages of the standard library whose functions hide loops.
// SQLite is not among them; a test of package entstore looks at the queries. All programs count
// the same packages, so that the go command compiles everything that imports these once, and
// not once for each program.
const counted = "github.com/wfc-lang/wfc/...,gopkg.in/yaml.v3,mvdan.cc/sh/v3/...,text/template/parse,encoding/json," +
	"strings,bytes,unicode/utf8,sort,slices,maps"

// tolerance is how many times the work on a file the work on one four times as
// large may be. Sorting, and reading YAML with more indentation, take a little
// more than four times.
const tolerance = 5.5

// TestMain leaves all out with -short: these tests run programs that they build.
func TestMain(m *testing.M) {
	devkit.ExitIfShort()
	os.Exit(m.Run())
}

// TestGrowth counts the statements that checking executes, for each shape of some
// size and of four times that. Time depends on the machine, and this does not.
func TestGrowth(t *testing.T) {
	worker := counting(t, "./worker")
	for _, s := range growth.Shapes {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			n := min(s.Largest, 20_000) / 20
			for _, format := range []string{"text", "sarif"} {
				small, large := statements(t, worker, format, s.Make(n)), statements(t, worker, format, s.Make(4*n))
				growth := float64(large) / float64(small)
				t.Logf("%s: %d statements for %d, %.2f times as many for %d", format, small, n, growth, 4*n)
				if growth > tolerance {
					t.Errorf("%s: four times the size is %.2f times the work", format, growth)
				}
			}
		})
	}
}

// TestLanguages counts the work on texts of repeated tokens, for each language:
// every token alone, and pairs of them, which are drawn, side by side and nested. WFC_TEST_ALL
// tries all pairs.
func TestLanguages(t *testing.T) {
	worker := counting(t, "./worker")
	draw := rand.New(rand.NewPCG(1, 2))
	for _, l := range languages.All() {
		type text struct {
			a, b   string
			nested bool
		}
		var texts []text
		for i, a := range l.Tokens {
			others := []string{a, l.Tokens[draw.IntN(len(l.Tokens))]}
			if os.Getenv("WFC_TEST_ALL") != "" {
				others = l.Tokens
			}
			for _, b := range others {
				texts = append(texts, text{a, b, false})
				if a != b && (i%4 == 0 || len(others) > 2) {
					texts = append(texts, text{a, b, true})
				}
			}
		}
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			// Work that is superlinear up to a bound is in order, so the texts that seem to have
			// it are checked once more, longer.
			for _, size := range []int{1500, 16 * 1500} {
				var files []string
				for _, x := range texts {
					files = append(files, l.Text(""), l.Text(languages.Repeated(x.a, x.b, x.nested, size)), l.Text(languages.Repeated(x.a, x.b, x.nested, 4*size)))
				}
				counts := work(t, worker, l.Name, files)
				var superlinear []text
				for i, x := range texts {
					none, small, large := counts[3*i], counts[3*i+1], counts[3*i+2]
					// Little work is not worth its noise: it is that of a refused file.
					if growth := float64(large-none) / float64(max(small-none, 20*1500)); growth > tolerance {
						superlinear = append(superlinear, x)
						t.Logf("%q and %q (nested: %v): four times %d bytes are %.2f times the work, %d", x.a, x.b, x.nested, size, growth, large)
					}
				}
				texts = superlinear
			}
			if len(texts) > 0 {
				t.Errorf("the work on %d texts grows faster than they do", len(texts))
			}
		})
	}
}

// work returns for each text how many blocks of statements its parser executes.
func work(t *testing.T, worker, language string, files []string) (counts []int64) {
	t.Helper()
	list, err := json.Marshal(files)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(worker, "each", language)
	cmd.Stdin = bytes.NewReader(list)
	cmd.Env = append(cmd.Environ(), "GOCOVERDIR="+t.TempDir())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		n, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		counts = append(counts, n)
	}
	if len(counts) != len(files) {
		t.Fatalf("%d of %d files were checked", len(counts), len(files))
	}
	return counts
}

// counting builds a program of this folder that counts statements. Their number doesn't depend on
// inlining, without which packages compile in about two thirds of the time.
func counting(t *testing.T, program string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command("go", "build", "-gcflags=all=-dwarf=false -l", "-cover", "-covermode=atomic", "-coverpkg="+counted, "-o", path, program).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// statements counts the statements that the worker executes for a file.
func statements(t *testing.T, worker, format, content string) int64 {
	t.Helper()
	cmd := exec.Command(worker, format)
	cmd.Stdin = strings.NewReader(content)
	return executed(t, cmd, 0)
}

// executed runs a command of a program that counts, which must end with an exit code, and
// returns how many blocks of statements were executed.
func executed(t *testing.T, cmd *exec.Cmd, code int) (n int64) {
	t.Helper()
	dir := t.TempDir()
	cmd.Env = append(cmd.Environ(), "GOCOVERDIR="+dir)
	if out, err := cmd.CombinedOutput(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		t.Fatalf("%q: %v\n%.2000s", cmd.Args, err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "covcounters.*")) // of the program and of those that it starts
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		one, err := growth.Executed(file)
		if err != nil {
			t.Fatal(err)
		}
		n += one
	}
	if n == 0 {
		t.Fatal("nothing was counted")
	}
	return n
}

// TestManyFiles checks folders of some files and of four times as many, and counts the
// statements and the bytes that wfc allocates. dev/bench times 10,000 files.
func TestManyFiles(t *testing.T) {
	checker := counting(t, "./checker")
	check := func(n int) (statements, bytes int64) {
		dir := t.TempDir()
		for i := range n {
			text := fmt.Sprintf("name: w%d\ndescription: d\nnodes:\n  - id: a\n    bash: |\n      x=%d; echo \"$x\"\n  - id: b\n    depends_on: [a]\n    prompt: Read $a.output\n", i, i)
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("w%d.yaml", i)), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(checker, "check", "--strict", ".")
		cmd.Dir = dir
		return allocating(t, cmd, 0)
	}
	const n = 100
	few, fewBytes := check(n)
	many, manyBytes := check(4 * n)
	growth, memory := float64(many)/float64(few), float64(manyBytes)/float64(fewBytes)
	t.Logf("%d statements, %d kB for %d files; %.2f times as many, %.2f times the memory for %d", few, fewBytes/1000, n, growth, memory, 4*n)
	if growth > tolerance || memory > tolerance {
		t.Errorf("four times the files are %.2f times the work and %.2f times the memory", growth, memory)
	}
}
