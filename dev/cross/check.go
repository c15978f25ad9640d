package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// A target is what to check for a system: packages of the module in a folder.
type target struct{ os, arch, dir, pattern string }

// listed is a package as `go list -deps` prints it.
type listed struct {
	ImportPath, Dir string
	DepOnly         bool
	Module          *struct{ GoVersion string }
	GoFiles         []string
	ImportMap       map[string]string
}

// faults returns what a compiler for the system would refuse in the packages and all that they
// import. Only the packages' own bodies of functions count.
func (t target) faults() (found []error, err error) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,DepOnly,Module,GoFiles,ImportMap", t.pattern)
	cmd.Dir = t.dir
	cmd.Env = append(os.Environ(), "GOOS="+t.os, "GOARCH="+t.arch, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %w: %s", cmd.Args, err, stderr.Bytes())
	}
	done := checked{"unsafe": types.Unsafe}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; { // imported packages come first
		p := &listed{}
		if err := decoder.Decode(p); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return nil, err
		}
		if p.ImportPath != "unsafe" {
			found = append(found, done.check(p, t.arch)...)
		}
	}
}

// checked are packages by their paths.
type checked map[string]*types.Package

// check checks a package whose imports are checked, and adds it.
func (c checked) check(p *listed, arch string) (found []error) {
	fault := func(err error) { found = append(found, err) }
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			fault(err)
			continue
		}
		files = append(files, file)
	}
	config := &types.Config{
		IgnoreFuncBodies: p.DepOnly, Sizes: types.SizesFor("gc", arch), Error: fault,
		Importer: imports(func(path string) (*types.Package, error) {
			if other := p.ImportMap[path]; other != "" {
				path = other
			}
			if c[path] == nil {
				return nil, fmt.Errorf("%s is not checked", path)
			}
			return c[path], nil
		}),
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	c[p.ImportPath], _ = config.Check(p.ImportPath, fset, files, nil) // fault gets the errors
	return found
}

// imports is a types.Importer.
type imports func(path string) (*types.Package, error)

// Import implements types.Importer.
func (i imports) Import(path string) (*types.Package, error) { return i(path) }
