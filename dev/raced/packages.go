package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// listed is a package as `go list -test -deps` prints it. One with tests is listed three times:
// alone, together with its tests, and as the program of its tests.
type listed struct {
	ImportPath, Dir, ForTest string
	Standard                 bool
	Module                   *struct{ Main bool }
	GoFiles, CgoFiles, Deps  []string
}

// packages returns the packages of a folder whose tests may have several goroutines, and those
// with tests of which not all run with the race detector.
func packages(dir string, patterns ...string) (raced, rest []string, err error) {
	args := []string{"list", "-test", "-deps", "-json=ImportPath,Dir,ForTest,Standard,Module,GoFiles,CgoFiles,Deps"}
	cmd := exec.Command("go", append(args, patterns...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("%v: %w: %s", cmd.Args, err, stderr.Bytes())
	}
	var tests []*listed
	sources, idle := map[string]*source{}, map[string]bool{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &listed{}
		if err := decoder.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, nil, err
		}
		if strings.HasSuffix(p.ImportPath, ".test") {
			tests = append(tests, p)
			continue // its code is the go command's
		}
		if p.Standard || p.ImportPath == rapid {
			continue
		}
		s := &source{}
		for _, name := range append(p.GoFiles, p.CgoFiles...) {
			if s.concurrent && !p.Module.Main {
				break
			}
			if err := s.read(filepath.Join(p.Dir, name)); err != nil {
				return nil, nil, err
			}
		}
		sources[p.ImportPath] = s
		idle[p.ForTest] = idle[p.ForTest] || s.idle
	}
	for _, p := range tests {
		path := strings.TrimSuffix(p.ImportPath, ".test")
		all := source{}
		for _, dep := range p.Deps {
			if s := sources[dep]; s != nil {
				all.concurrent = all.concurrent || s.concurrent
				all.short = all.short || s.short
			}
		}
		is := all.concurrent && !idle[path]
		if is {
			raced = append(raced, path)
		}
		if !is || all.short {
			rest = append(rest, path)
		}
	}
	return raced, rest, nil
}

// A source is what the files of a package show.
type source struct {
	// concurrent says that the package starts goroutines, or has others do so.
	concurrent bool
	// short says that it may leave out something with -short.
	short bool
	// idle says that its TestMain runs nothing with -short.
	idle bool
}

// starters are names of functions that call a function of their caller on another goroutine, or
// begin something that works on.
var starters = map[string]bool{
	"Go": true, "AfterFunc": true, "Parallel": true, "Pull": true, "Pull2": true, "Start": true, "StartProcess": true, "SyncTest": true,
}

// rapid draws values for most tests. It starts goroutines only for callers of its SyncTest.
const rapid = "pgregory.net/rapid"

// read reads a file.
func (s *source) read(path string) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, i := range file.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		s.concurrent = s.concurrent || err != nil || callsBack(path)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			s.concurrent = true
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok {
				s.concurrent = s.concurrent || starters[f.Sel.Name]
				x, _ := f.X.(*ast.Ident)
				s.short = s.short || x != nil && x.Name == "testing" && f.Sel.Name == "Short"
			}
		case *ast.FuncDecl:
			s.idle = s.idle || n.Name.Name == "TestMain" && asksForShort(n)
		}
		return true
	})
	return nil
}

// callsBack reports whether a package of the standard library calls its users on goroutines
// of its own: servers, connections, signals, and bubbles of tests.
func callsBack(path string) bool {
	switch path {
	case "net/url", "net/netip", "net/mail", "net/textproto":
		return false
	case "database/sql", "os/signal", "testing/synctest":
		return true
	}
	return path == "net" || strings.HasPrefix(path, "net/")
}

// asksForShort reports whether a TestMain runs nothing with -short, by itself or by
// devkit.MainWithWFC.
func asksForShort(f *ast.FuncDecl) (asks bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if x, ok := n.(*ast.SelectorExpr); ok {
			asks = asks || x.Sel.Name == "Short" || x.Sel.Name == "MainWithWFC"
		}
		return true
	})
	return asks
}
