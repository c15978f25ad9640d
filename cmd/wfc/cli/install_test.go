package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc"
	"github.com/wfc-lang/wfc/cmd/wfc/build"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/testkit"
)

const installedFlow = `name: far
description: d
nodes:
  - id: one
    bash: echo "$ARGUMENTS"
`

// wfc works where only its binary is: without checkout, network or settings.
func TestInstalled(t *testing.T) {
	testkit.SkipBuild(t)
	exe := ""
	if runtime.GOOS == "windows" {
		exe = ".exe"
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "wfc"+exe)
	if out, err := exec.Command("go", "build", "-trimpath", "-o", binary, "../../../cmd/wfc").CombinedOutput(); err != nil {
		t.Fatalf("build wfc: %v\n%s", err, out)
	}
	modules, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	cache, err := build.DefaultCache()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "far.yaml"), []byte(installedFlow), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "run", "far.yaml", "from", "afar")
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "WFC_STATE=" + filepath.Join(dir, "state"),
		"WFC_CACHE=" + cache, "GOMODCACHE=" + strings.TrimSpace(string(modules)), "GOPROXY=off",
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil || stdout.String() != "from afar\n" {
		t.Errorf("wfc run: %v\n%s%s", err, stdout.String(), stderr.String())
	}
}

// A fault in generated code is told by the line of the workflow. There is no
// workflow that makes one, so a line that fails is put in.
func TestFaultNamesLine(t *testing.T) {
	testkit.SkipBuild(t)
	r := compiler.Compile(source.NewFile("far.yaml", []byte(installedFlow)), compiler.Options{Path: "far.yaml", Root: t.TempDir()})
	if r.HasErrors() {
		t.Fatalf("compile: %v", r.Diagnostics)
	}
	files := gen.Generate(r.Workflow, gen.Options{Main: true, LineDirectives: true})
	const directive = "//line far.yaml:4:9\n"
	cache, err := build.DefaultCache()
	if err != nil {
		t.Fatal(err)
	}
	b := &build.Builder{Module: wfc.Module, Cache: cache, Environ: append(os.Environ(), "GOPROXY=off")}
	inject := func(line string) []gen.File {
		list := slices.Clone(files)
		head := regexp.MustCompile(`func runOne .*\n` + directive).FindIndex(list[0].Content)
		if head == nil {
			t.Fatalf("the script's function does not begin with its line:\n%s", list[0].Content)
		}
		list[0].Content = slices.Insert(slices.Clone(list[0].Content), head[1], []byte(line+"\n"+directive)...)
		return list
	}
	program := filepath.Join(t.TempDir(), "program"+b.ExeSuffix())
	if err := b.Build(t.Context(), inject("undefinedName()"), program); err == nil || !strings.Contains(err.Error(), "far.yaml:4:9: undefined: undefinedName") {
		t.Errorf("compiling the faulty code: %v", err)
	}
	if err := b.Build(t.Context(), inject(`if in.Arguments == "fall" { panic("a fault") }`), program); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "run", "fall")
	cmd.Env = append(os.Environ(), "WFC_STATE="+t.TempDir())
	text, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(text), "a fault") || !strings.Contains(string(text), "far.yaml:4") {
		t.Errorf("running the faulty code: %v\n%s", err, text)
	}
}
