package source_test

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
)

// A span is bytes of a file. Lines and columns are for people, and count from 1.
func Example() {
	text := "name: demo\nnodes: []\n"
	file := source.NewFile("demo.yaml", []byte(text))
	start := strings.Index(text, "nodes")
	span := source.Span{File: file, Start: start, End: start + len("nodes")}
	at := span.Position()
	fmt.Printf("%s:%d:%d %s\n", file.Name, at.Line, at.Column, span.Text())
	// Output: demo.yaml:2:1 nodes
}
