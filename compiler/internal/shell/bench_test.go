package shell

import (
	"strings"
	"testing"
)

// BenchmarkRewrite measures a script of the usual size, with a few values.
func BenchmarkRewrite(b *testing.B) {
	src := strings.Repeat("out=$a.output\nif [ -z \"$out\" ]; then\n  echo \"FAIL: $b.output.kind\" >&2\n  exit 1\nfi\n", 6)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if out, _ := rewriteText(src); out == nil {
			b.Fatal("refused")
		}
	}
}

// BenchmarkNoHoles measures a script without values, of which most have none.
func BenchmarkNoHoles(b *testing.B) {
	src := strings.Repeat("out=$(date)\nif [ -z \"$out\" ]; then\n  echo \"FAIL\" >&2\n  exit 1\nfi\n", 6)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		rewriteText(src)
	}
}
