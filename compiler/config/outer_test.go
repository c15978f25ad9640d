package config

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/settings"
)

// A project is a folder with files.
type project struct {
	*testing.T
	dir string
}

func (p *project) write(name, text string) {
	p.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.Fatal(err)
	}
}

// load returns the settings of a folder, and the findings.
func (p *project) load(dir string) (s settings.Project, findings string) {
	p.Helper()
	path, err := Find(filepath.Join(p.dir, dir))
	if err != nil || path == "" {
		p.Fatal(path, err)
	}
	c, list, err := Load(path, filepath.Join(dir, FileName))
	if err != nil {
		p.Fatal(err)
	}
	var lines []string
	for _, d := range list {
		lines = append(lines, d.Span.File.Name+": "+d.Message)
	}
	return c.Settings(filepath.Dir(path)), strings.Join(lines, "\n")
}

const outerText = `sandbox: {default: on, nodes: {deploy: report}}
grants: [own]
grant_sets: {own: {read: [data]}}
gates: terminal
environment: {scripts: [CI]}
env: {A: outer}
budgets: {day: {cost_usd: 5}}
limits: {cost_usd: 1}
state: ../states
base_branch: outer
`

// A nearer wfc.yaml, which a step can make, changes nothing that limits steps.
func TestOuterDecides(t *testing.T) {
	p := &project{t, t.TempDir()}
	p.write("wfc.yaml", outerText)
	p.write(".git/HEAD", "")
	p.write("a/wfc.yaml", "base_branch: inner\n")
	p.write("a/b/wfc.yaml", `sandbox: off
grants: [docker]
grant_sets: {own: {read: [/]}}
gates: any
environment: {scripts: ["*"]}
env: {PATH: evil}
budgets: {day: {cost_usd: 500}}
limits: {cost_usd: 100}
state: evil
store: memory
database: postgres://evil.example/x
`)
	p.write("a/b/.git/HEAD", "") // a step can make this, too
	want, none := p.load(".")
	if none != "" || want.Sandbox.Default != settings.SandboxOn || want.Gates.Mode != settings.GatesTerminal {
		t.Fatal(none, want)
	}
	for _, dir := range []string{"a", "a/b"} {
		got, findings := p.load(dir)
		if got.BaseBranch == "inner" != (dir == "a") {
			t.Errorf("%s: the branch is %s", dir, got.BaseBranch)
		}
		got.BaseBranch, got.Agents = want.BaseBranch, want.Agents
		if x, y := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); x != y {
			t.Errorf("%s: got\n%s\nwant\n%s", dir, x, y)
		}
		for _, key := range slices.Sorted(maps.Keys(outerKeys)) {
			if line := "`" + key + "` has no effect: wfc.yaml decides alone about it"; strings.Contains(findings, "a/b/wfc.yaml: "+line) != (dir == "a/b") {
				t.Errorf("%s, %s: %s", dir, key, findings)
			}
		}
	}
	// Errors of the outermost one are errors of all.
	p.write("wfc.yaml", "sandbox: onn\n")
	if _, findings := p.load("a"); !strings.HasPrefix(findings, "wfc.yaml: ") {
		t.Errorf("%s", findings)
	}
}

// What lies above the repository, or belongs to somebody else, decides nothing.
func TestOuterOfOthers(t *testing.T) {
	p := &project{t, t.TempDir()}
	p.write("wfc.yaml", outerText)
	p.write("repository/.git/HEAD", "")
	p.write("repository/wfc.yaml", "gates: token\n")
	if got, findings := p.load("repository"); got.Gates.Mode != settings.GatesToken || got.Sandbox.Wanted() || findings != "" {
		t.Errorf("%v: %s", got, findings)
	}
	if err := os.Remove(filepath.Join(p.dir, "repository/.git/HEAD")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(p.dir, "repository/.git")); err != nil {
		t.Fatal(err)
	}
	if got, _ := p.load("repository"); got.Gates.Mode != settings.GatesTerminal {
		t.Errorf("outside of repositories: %v", got.Gates)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
	if err := os.Chown(filepath.Join(p.dir, "wfc.yaml"), 54321, 54321); err != nil {
		t.Fatal(err)
	}
	if got, findings := p.load("repository"); got.Gates.Mode != settings.GatesToken || findings != "" {
		t.Errorf("of another user: %v: %s", got.Gates, findings)
	}
}
