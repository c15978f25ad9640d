package compiler

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/compiler/source"
)

// BenchmarkCompile compiles the real workflows of the corpus, when it is there,
// one after the other on one processor.
func BenchmarkCompile(b *testing.B) {
	root := filepath.Join("..", "..", "shared", "corpus", "archon")
	names, err := filepath.Glob(filepath.Join(root, ".archon", "workflows", "*", "*.yaml"))
	if err != nil || len(names) == 0 {
		b.Skip("no corpus")
	}
	contents := make([][]byte, len(names))
	size := 0
	for i, name := range names {
		if contents[i], err = os.ReadFile(name); err != nil {
			b.Fatal(err)
		}
		size += len(contents[i])
	}
	b.ReportAllocs()
	b.SetBytes(int64(size))
	for b.Loop() {
		for i, content := range contents {
			Compile(source.NewFile(names[i], content), Options{Root: root})
		}
	}
	b.ReportMetric(float64(b.N*len(names))/b.Elapsed().Seconds(), "files/s")
}
