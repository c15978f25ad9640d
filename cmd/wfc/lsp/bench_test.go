package lsp_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/internal/testkit/large"
)

// documentLines is the length of the documents by which the benchmarks measure.
const documentLines = 2000

// BenchmarkRequests measures each request on a document of 2,000 lines that has not
// changed since its diagnostics.
func BenchmarkRequests(b *testing.B) {
	file := filepath.Join(b.TempDir(), "large.yaml")
	c := connect(b, filepath.Dir(file), nil)
	c.open(file, large.Prompts(documentLines))
	c.diagnostics(file, 1)
	at := c.after(file, "when: $n60", 1)
	requests := requestsAt(c, file, at)
	requests["textDocument/rename"] = protocol.RenameParams{TextDocumentPositionParams: c.at(file, at), NewName: "renamed"}
	for method, params := range requests {
		b.Run(method, func(b *testing.B) {
			for b.Loop() {
				var answer any
				c.call(method, params, &answer)
			}
		})
	}
}

// BenchmarkDiagnostics measures the time from a key to the diagnostics, on documents of
// 2,000 lines.
func BenchmarkDiagnostics(b *testing.B) {
	for _, test := range []struct{ name, text, at, key string }{
		{"prompts", large.Prompts(documentLines), "Be short.", " $n99.output"},
		{"python", large.Python(documentLines), "# the only line", "s"},
	} {
		b.Run(test.name, func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "large.yaml")
			c := connect(b, filepath.Dir(file), nil)
			c.open(file, test.text)
			c.diagnostics(file, 1)
			at := c.after(file, test.at, 30)
			version := int32(1)
			for b.Loop() {
				version++
				if version%2 == 0 {
					c.replace(file, version, at, at, test.key)
				} else {
					c.replace(file, version, at, at+len(test.key), "")
				}
				c.diagnostics(file, version)
			}
		})
	}
}

// BenchmarkMemory edits a document 10,000 times and reports the growth of the heap, in
// bytes for each edit.
func BenchmarkMemory(b *testing.B) {
	const edits = 10_000
	file := filepath.Join(b.TempDir(), "small.yaml")
	heap := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	for b.Loop() {
		c := connect(b, filepath.Dir(file), nil)
		c.open(file, samples[0].text)
		c.diagnostics(file, 1)
		at := c.after(file, "Classify ", 1)
		before := 0.0
		for version := int32(2); version < edits+2; version++ {
			if version%2 == 0 {
				c.replace(file, version, at, at, "x")
			} else {
				c.replace(file, version, at, at+1, "")
			}
			if version%100 == 0 {
				c.diagnostics(file, version)
			}
			if version == 1000 {
				before = heap()
			}
		}
		c.diagnostics(file, edits+1)
		b.ReportMetric((heap()-before)/(edits-1000), "bytes/edit")
	}
}
