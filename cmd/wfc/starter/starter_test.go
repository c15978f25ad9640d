package starter_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/starter"
	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/source"
)

// replace writes a file as the command does.
func replace(path string, content []byte) error { return os.WriteFile(path, content, 0o666) }

// project returns the plan of a template in a folder.
func project(t *testing.T, template, folder string) *starter.Plan {
	t.Helper()
	found, ok := starter.Named(template)
	if !ok {
		t.Fatalf("unknown template %s", template)
	}
	p, err := starter.NewPlan(starter.Options{Template: found, Folder: folder, Agent: "claude", Go: true, CI: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// tree returns the paths below a folder.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		list = append(list, strings.TrimPrefix(path, dir))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestTable compares the table of templates with their folders, in both directions.
func TestTable(t *testing.T) {
	folders, err := os.ReadDir("templates")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range folders {
		names = append(names, f.Name())
	}
	listed := starter.Names()
	slices.Sort(listed)
	if !slices.Equal(names, listed) {
		t.Errorf("folders %v, templates %v", names, listed)
	}
	for _, template := range starter.Templates() {
		if _, err := os.Stat(filepath.Join("templates", template.Name, template.Workflow)); err != nil {
			t.Error(err)
		}
		for _, file := range []string{"wfc.yaml", "gitignore"} {
			if _, err := os.Stat(filepath.Join("templates", template.Name, file)); err != nil {
				t.Error(err)
			}
		}
		for _, name := range []string{template.Description, template.Dialect} {
			if name == "" || strings.Contains(name, "\n") {
				t.Errorf("%s: %q", template.Name, name)
			}
		}
	}
}

// TestNoTestsBesideArchonWorkflows keeps test files out of .archon/workflows, where Archon
// would treat them as workflows.
func TestNoTestsBesideArchonWorkflows(t *testing.T) {
	for _, template := range starter.Templates() {
		for _, f := range project(t, template.Name, "p").Files {
			if strings.Contains(filepath.ToSlash(f.Path), ".archon/workflows/") && strings.HasSuffix(f.Path, ".test.yaml") {
				t.Errorf("%s: %s", template.Name, f.Path)
			}
		}
	}
}

func TestScriptsCanRun(t *testing.T) {
	dir := t.TempDir()
	if err := project(t, "nightly", dir).Write(replace); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]bool{"agents/commits.sh": true, "agents/failures.sh": true, "nightly.yaml": false} {
		info, err := os.Stat(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode()&0o100 != 0; got != want && os.PathSeparator == '/' {
			t.Errorf("%s has mode %v", file, info.Mode())
		}
	}
}

// TestFailureLeavesNothing breaks each file in turn: all that was written goes again, and
// what was there stays.
func TestFailureLeavesNothing(t *testing.T) {
	for broken := range len(project(t, "review", "p").Files) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		p := project(t, "review", filepath.Join(dir, "a", "b"))
		p.Files[broken].Path += "\x00"
		if err := p.Write(replace); err == nil {
			t.Fatalf("file %d was written", broken)
		}
		if got := tree(t, dir); !slices.Equal(got, []string{"", "/mine"}) && os.PathSeparator == '/' {
			t.Errorf("file %d: left are %v", broken, got)
		}
	}
}

// TestFileThatAppears is written by another process after the check: it stays.
func TestFileThatAppears(t *testing.T) {
	dir := t.TempDir()
	p := project(t, "review", dir)
	if list, err := p.Conflicts(); err != nil || len(list) > 0 {
		t.Fatal(list, err)
	}
	mine := filepath.Join(dir, "wfc.yaml")
	if err := os.WriteFile(mine, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := p.Write(replace); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the error is %v", err)
	}
	if text, err := os.ReadFile(mine); err != nil || string(text) != "mine" {
		t.Errorf("wfc.yaml: %q, %v", text, err)
	}
	if got := tree(t, dir); len(got) != 2 {
		t.Errorf("left are %v", got)
	}
}

// TestFailureOfIgnoreFile fails at the last file.
func TestFailureOfIgnoreFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("x\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	if err := project(t, "review", dir).Write(func(string, []byte) error { return full }); !errors.Is(err, full) {
		t.Errorf("the error is %v", err)
	}
	if got := tree(t, dir); len(got) != 2 {
		t.Errorf("left are %v", got)
	}
}

func TestIgnoreLines(t *testing.T) {
	all := "/bin/\n# the task folders of runs\n/.graph-loop/*/\n!/.graph-loop/templates/\n"
	for _, test := range []struct{ name, old, want string }{
		{"empty", "", all},
		{"no newline at the end", "*.log", "*.log\n" + all},
		{"all there", all + "x\n", all + "x\n"},
		{"spaces", "/bin/  \n", "/bin/  \n" + strings.TrimPrefix(all, "/bin/\n")},
		{"Windows", "a\r\n/bin/\r\n", "a\r\n/bin/\r\n" + strings.ReplaceAll(strings.TrimPrefix(all, "/bin/\n"), "\n", "\r\n")},
		{"all but the comment", strings.Replace(all, "# the task folders of runs\n", "", 1), strings.Replace(all, "# the task folders of runs\n", "", 1)},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, ".gitignore")
		if err := os.WriteFile(file, []byte(test.old), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := project(t, "graphloop", dir).Write(replace); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != test.want {
			t.Errorf("%s: %q, want %q; %v", test.name, got, test.want, err)
		}
	}
}

// TestGoPackage names the package of generate.go.
func TestGoPackage(t *testing.T) {
	for _, test := range []struct{ folder, source, want string }{
		{"flows", "", "package flows\n"},
		{"My Flows", "", "package myflows\n"},
		{"...", "", "package workflow\n"},
		{"a[b", "package shop // sells\n", "package shop\n"},
		{"cmd", "package main\n\nfunc main() {}\n", "package main\n"},
		{"broken", "pack", "package broken\n"},
	} {
		dir := filepath.Join(t.TempDir(), test.folder)
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if test.source != "" {
			if err := os.WriteFile(filepath.Join(dir, "any.go"), []byte(test.source), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for _, f := range project(t, "review", dir).Files {
			if filepath.Base(f.Path) == "generate.go" && !strings.Contains(string(f.Content), test.want) {
				t.Errorf("%s: %s", test.folder, f.Content)
			}
		}
	}
}

// TestSandbox writes the mode that works on the machine, with the reason if it is off.
func TestSandbox(t *testing.T) {
	for why, want := range map[string]string{"": "\nsandbox: on\n", "Landlock: needs\nLinux 5.13": "\n# Landlock: needs␊Linux 5.13\nsandbox: off\n"} {
		for _, template := range starter.Templates() {
			p, err := starter.NewPlan(starter.Options{Template: template, Folder: "p", Agent: "claude", NoSandbox: why})
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(p.Files, func(f starter.File) bool { return filepath.Base(f.Path) == "wfc.yaml" })
			text := string(p.Files[i].Content)
			if _, findings := config.Parse(source.NewFile("wfc.yaml", p.Files[i].Content)); len(findings) > 0 || !strings.HasSuffix(text, want) {
				t.Errorf("%s: %v\n%s", template.Name, findings, text)
			}
		}
	}
}
