package temporal_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// allowed are functions of their arguments in which the analyser finds the garbage
// collector: it follows calls into the standard library.
const allowed = "decls:\n  runtime.mallocgc: false\n  (*runtime.Frames).Next: false\n"

var (
	flowFunc  = regexp.MustCompile(`Flow:\s+flow\.TypedFlow\(\w+, (\w+)\)`)
	signature = `(?m)^func %s\(c \*flow\.Context, (?:in|_) (\w+)\)`
	clause    = regexp.MustCompile(`(?m)^package (\w+)$`)
)

// Temporal's analyser finds nothing in the generated code of the examples that could differ
// between two executions: clocks, random numbers, goroutines, channels, maps without order.
// The kernel below it counts, too.
func TestGeneratedCodeIsDeterministic(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	// In the main module, which has the SDK and the kernel.
	dir, err := os.MkdirTemp(root, "generated-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	n := 0
	for _, pattern := range []string{"examples/*/*/*.go", "examples/*/*.go"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if analysed(t, file, filepath.Join(dir, fmt.Sprint("p", n))) {
				n++
			}
		}
	}
	if n < 10 {
		t.Fatalf("only %d packages were found", n)
	}
	if out := analyse(t, dir); out != "" {
		t.Errorf("%d packages:\n%s", n, out)
	}
	// The analyser must see such code at all.
	bad := filepath.Join(dir, "p0", "analysed.go")
	text, err := os.ReadFile(bad)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bad, bytes.Replace(text, []byte("var in"), []byte("for range map[int]int{} {\n\t}\n\tvar in"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := analyse(t, dir); !strings.Contains(out, "iterates over map") {
		t.Errorf("a loop over a map was not found: %q", out)
	}
}

// analysed copies a file of generated code to a folder, with the other files of its package and a
// Temporal workflow that calls its flow. It reports false for other files.
func analysed(t *testing.T, file, dir string) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	name := flowFunc.FindSubmatch(text)
	if name == nil || strings.HasSuffix(file, "_test.go") {
		return false
	}
	inputs := regexp.MustCompile(fmt.Sprintf(signature, name[1])).FindSubmatch(text)
	if inputs == nil {
		t.Fatalf("%s has no flow of the known form", file)
	}
	harness := fmt.Sprintf(`package %s

import (
	sdkworker "go.temporal.io/sdk/worker"
	sdk "go.temporal.io/sdk/workflow"

	kernel "github.com/wfc-lang/wfc/runtime/flow"
)

func analysed(sdk.Context) error {
	var in %s
	_, err := %s(new(kernel.Context), in)
	return err
}

func Register(w sdkworker.Registry) { w.RegisterWorkflow(analysed) }
`, clause.FindSubmatch(text)[1], inputs[1], name[1])
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"flow.go": text, "analysed.go": []byte(harness)}
	if other, err := os.ReadFile(filepath.Join(filepath.Dir(file), "source_text.go")); err == nil {
		files["source_text.go"] = other
	}
	for base, content := range files {
		if err := os.WriteFile(filepath.Join(dir, base), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return true
}

// analyse returns the analyser's findings in the packages of a folder.
func analyse(t *testing.T, dir string) string {
	t.Helper()
	config := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(config, []byte(allowed), 0o600); err != nil {
		t.Fatal(err)
	}
	tool := filepath.Join(t.TempDir(), "workflowcheck")
	if out, err := exec.Command("go", "build", "-o", tool, "go.temporal.io/sdk/contrib/tools/workflowcheck").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(tool, "-config", config, "./...")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Fatal(err)
	}
	return string(out)
}
