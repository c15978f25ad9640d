package testkit_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/internal/testkit"
)

func TestMain(m *testing.M) { testkit.SeededMain(m) }

// TestDraw prints the values that a property test draws, for the test below.
func TestDraw(t *testing.T) {
	if os.Getenv("WFC_TEST_DRAW") == "" {
		t.Skip("it only runs in a process of TestSeed")
	}
	var list []uint64
	rapid.Check(t, func(r *rapid.T) { list = append(list, rapid.Uint64().Draw(r, "number")) })
	t.Log("drawn", list)
}

func draw(t *testing.T, args []string, environ ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"-test.run=^TestDraw$", "-test.v", "-rapid.checks=20"}, args...)...)
	cmd.Env = append(append(os.Environ(), "WFC_TEST_DRAW=1"), environ...)
	out, err := cmd.Output()
	_, numbers, found := strings.Cut(string(out), "drawn [")
	numbers, _, _ = strings.Cut(numbers, "]")
	if err != nil || !found {
		t.Fatalf("%v\n%s", err, out)
	}
	return numbers
}

func TestSeed(t *testing.T) {
	if os.Getenv("RAPID_SEED") != "" || os.Getenv("WFC_TEST_DRAW") != "" {
		t.Skip("a seed was given")
	}
	same := draw(t, nil)
	if got := draw(t, nil); got != same {
		t.Errorf("without a seed it drew %s, then %s", same, got)
	}
	for _, other := range []string{draw(t, []string{"-rapid.seed=0"}), draw(t, []string{"-rapid.seed=2"}), draw(t, nil, "RAPID_SEED=0")} {
		if other == same {
			t.Errorf("with another seed it drew %s, too", same)
		}
	}
}

// Every package with property tests fixes its seed.
func TestEveryPackageFixesItsSeed(t *testing.T) {
	root := filepath.Join("..", "..")
	uses, fixes := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		dir := filepath.Dir(path)
		uses[dir] = uses[dir] || strings.Contains(string(text), "\"pgregory.net/rapid\"")
		fixes[dir] = fixes[dir] || strings.Contains(string(text), "testkit.SeededMain(m)") || strings.Contains(string(text), "testkit.SetSeed()")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for dir, does := range uses {
		if !does {
			continue
		}
		n++
		if !fixes[dir] {
			t.Errorf("%s has property tests and no TestMain that calls testkit.SeededMain", dir)
		}
	}
	if n < 5 {
		t.Errorf("only %d packages with property tests were found", n)
	}
}
