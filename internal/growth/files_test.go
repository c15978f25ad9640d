package growth_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestManyFiles checks folders of some files and of four times as many, and counts the
// statements and the bytes that wfc allocates. internal/bench times 10,000 files.
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
