package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/pty"
)

// initAt starts `wfc init` at a terminal, in a folder.
func initAt(t *testing.T, dir string, args ...string) *pty.Seat {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"init"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "WFC_TEST_AS_WFC=1", "PATH="+dir, "TERM=xterm", "NO_COLOR=1")
	return pty.Sit(t, cmd)
}

// exists reports whether a file exists.
func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func TestInitAsks(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "codex"), []byte("#!/bin/sh\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	s := initAt(t, dir)
	if text := s.Sees(`Which template\? Number or name \(Enter for review\): $`); !strings.Contains(text, "\n3  extract    xprompt    extract typed fields") {
		t.Errorf("shown: %q", text)
	}
	s.Types("extrakt\n")
	s.Sees("unknown template `extrakt`; did you mean `extract`\\?(.|\n)*: $")
	s.Types("8\n")
	s.Sees("unknown template `8`(.|\n)*: $")
	s.Types("3\n")
	s.Sees(`Which folder\? \(Enter for \.\): $`)
	s.Types("invoices\n")
	s.Sees(`Which agent answers the prompts\? One of claude, codex, .*; codex is on PATH \(Enter for codex\): $`)
	s.Types("claud\n")
	s.Sees("did you mean `claude`\\?(.|\n)*: $")
	s.Types("\n")
	s.Sees(`CI file for GitHub Actions\? yes or no \(Enter for yes\): $`)
	s.Types("perhaps\n")
	s.Sees("please answer with yes or no\n.*: $")
	s.Types("n\n")
	s.Sees(`generate\.go, .* \(Enter for no\): $`)
	s.Types("Yes\n")
	s.Sees(`wrote invoices/extract\.yaml\n(.|\n)*  cd invoices\n`)
	s.Exits(0)
	project := filepath.Join(dir, "invoices")
	if !exists(filepath.Join(project, "generate.go")) || exists(filepath.Join(project, ".github")) {
		t.Error("the answers did not select the files")
	}
	if text, err := os.ReadFile(filepath.Join(project, "wfc.yaml")); err != nil || !strings.Contains(string(text), "use: codex") {
		t.Errorf("wfc.yaml: %s, %v", text, err)
	}
}

// Enter alone takes every default, and flags answer questions.
func TestInitDefaults(t *testing.T) {
	dir := t.TempDir()
	s := initAt(t, dir, "--agent", "gemini", "--ci", "none", "--go=false")
	s.Sees(`Which template.*: $`)
	s.Types("\n")
	s.Sees(`Which folder.*: $`)
	s.Types("\n")
	s.Sees("gemini answers the prompts")
	s.Exits(0)
	if !exists(filepath.Join(dir, ".archon/workflows/review.yaml")) || exists(filepath.Join(dir, ".github")) {
		t.Error("other files were written")
	}
}

// A template leaves no question, also at a terminal.
func TestInitWithTemplateAsksNothing(t *testing.T) {
	dir := t.TempDir()
	s := initAt(t, dir, "lango")
	s.Sees("claude answers the prompts")
	s.Exits(0)
}

// Ctrl-D at any question writes nothing.
func TestInitLeft(t *testing.T) {
	for keys := range 5 {
		dir := t.TempDir()
		s := initAt(t, dir)
		for range keys {
			s.Sees(`\(Enter for [^)]*\): $`)
			s.Types("\n")
		}
		s.Sees(`\(Enter for [^)]*\): $`)
		s.Types("\x04")
		s.Sees("wfc: nothing was written\n")
		s.Exits(2)
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("after %d answers: %v, %v", keys, left, err)
		}
	}
}
