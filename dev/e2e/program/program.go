// Package program builds real binaries of workflows for tests, in the way that `wfc
// build` does, and runs them with a separate environment.
package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc"
	"github.com/wfc-lang/wfc/cmd/wfc/build"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Build compiles the text of a workflow without any finding, builds its binary
// with the cache that wfc itself uses, and returns the binary's path. The first
// build on a machine compiles the runtime and takes a while.
func Build(t testing.TB, name, text string) string {
	t.Helper()
	return BuildWith(t, name, text, settings.Project{})
}

// BuildWith is Build with the settings of a project.
func BuildWith(t testing.TB, name, text string, defaults settings.Project) string {
	t.Helper()
	return buildWith(t, name, text, gen.Options{Defaults: defaults})
}

// BuildFiles is Build for a workflow that uses other files, whose paths start at its
// folder.
func BuildFiles(t testing.TB, name, text string, files map[string]string) string {
	t.Helper()
	return buildFiles(t, name, text, files, gen.Options{})
}

// BuildMCP is Build with an MCP server.
func BuildMCP(t testing.TB, name, text string) string {
	t.Helper()
	return buildWith(t, name, text, gen.Options{MCP: true})
}

// buildWith builds a program with a main function.
func buildWith(t testing.TB, name, text string, options gen.Options) string {
	t.Helper()
	return buildFiles(t, name, text, nil, options)
}

func buildFiles(t testing.TB, name, text string, more map[string]string, options gen.Options) string {
	t.Helper()
	testkit.SkipBuild(t)
	dir := t.TempDir()
	for path, content := range more {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(content), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	result := compiler.Compile(source.NewFile(name+".yaml", []byte(text)), compiler.Options{
		Path: filepath.Join(dir, name+".yaml"), Root: dir,
	})
	for _, d := range result.Diagnostics {
		t.Errorf("%s:%d: %s[%s]: %s", d.Span.File.Name, d.Span.Position().Line, d.Severity, d.Code.ID, d.Message)
	}
	if len(result.Diagnostics) > 0 {
		t.FailNow()
	}
	options.Main, options.LineDirectives = true, true
	generated := gen.Generate(result.Workflow, options)
	cache, err := build.DefaultCache()
	if err != nil {
		t.Fatal(err)
	}
	builder := &build.Builder{Module: wfc.Module, Cache: cache, Environ: os.Environ()}
	output := filepath.Join(dir, name+builder.ExeSuffix())
	if err := builder.Build(t.Context(), generated, output); err != nil {
		t.Fatalf("build %s: %v", name, err)
	}
	return output
}

// A Place is where a binary runs: a working folder and a state folder.
type Place struct {
	Binary string
	// Work is the working folder.
	Work string
	// State is the state folder, outside of Work.
	State string
	// Environ are further variables of every command.
	Environ []string
}

// NewPlace returns an empty place.
func NewPlace(t testing.TB, binary string) *Place {
	t.Helper()
	return &Place{Binary: binary, Work: t.TempDir(), State: t.TempDir()}
}

// Command returns a command of the binary, not yet started. Its environment has the
// variables of the test's that programs need, and those given here.
func (p *Place) Command(ctx context.Context, environ []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.Binary, args...)
	cmd.Dir = p.Work
	cmd.Env = []string{"WFC_STATE=" + p.State, "NO_COLOR=1"}
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "SYSTEMROOT"} {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Env = append(append(cmd.Env, p.Environ...), environ...)
	return cmd
}

// Run runs the binary and returns its standard output, standard error and exit code. The
// error says why it could not be run.
func (p *Place) Run(ctx context.Context, environ []string, args ...string) (stdout []byte, stderr string, code int, err error) {
	var out, errs bytes.Buffer
	cmd := p.Command(ctx, environ, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("run %s %s: %w", filepath.Base(p.Binary), strings.Join(args, " "), err)
		return nil, "", -1, err
	}
	return out.Bytes(), errs.String(), cmd.ProcessState.ExitCode(), nil
}
