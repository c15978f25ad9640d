// Command check checks a workflow with the settings of its project, and applies the
// sure fixes.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

func main() {
	if err := check(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	settings := &config.Config{}
	found, err := config.Find(filepath.Dir(path))
	if err != nil {
		return err
	}
	if found != "" {
		var findings []*diag.Diagnostic
		if settings, findings, err = config.Load(found, filepath.Base(found)); err != nil {
			return err
		}
		show(findings)
	}
	if settings.Excludes(path) {
		fmt.Println("excluded")
		return nil
	}
	options := settings.Options(path)
	compile := func(content []byte) *compiler.Result {
		return compiler.Compile(source.NewFile(filepath.Base(path), content), options)
	}
	result := compile(content)
	show(result.Diagnostics)
	if fixing := compiler.Fix(result, compile); fixing.Applied > 0 {
		fmt.Printf("fixed %d\n", fixing.Applied)
		show(fixing.Result.Diagnostics)
		return os.WriteFile(path, fixing.Result.File.Content, 0o644)
	}
	return nil
}

func show(findings []*diag.Diagnostic) {
	for _, d := range findings {
		p := d.Span.Position()
		fmt.Printf("%s:%d:%d: %s %s %s\n", d.Span.File.Name, p.Line, p.Column, d.Severity, d.Code.ID, d.Code.Slug)
	}
}
