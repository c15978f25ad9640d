package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/pflag"

	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// runIDCommand is the script command `runid VARIABLE PREFIX`: it sets a variable
// to the id of the only run that begins so.
func runIDCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: runid VARIABLE PREFIX")
	}
	found, err := filepath.Glob(filepath.Join(ts.Getenv("WFC_STATE"), "runs", args[1]+"*"))
	if err != nil || len(found) != 1 {
		ts.Fatalf("runs that begin with %s: %v %v", args[1], found, err)
	}
	ts.Setenv(args[0], filepath.Base(found[0]))
}

// forgetCommand is the script command `forget RUN`: the program of a run is gone,
// as after a while in which nobody used it.
func forgetCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: forget RUN")
	}
	folder := state.Folder{Path: ts.Getenv("WFC_STATE")}
	o, ok := folder.Origin(args[0])
	if !ok {
		ts.Fatalf("run %s has no origin", args[0])
	}
	for _, o := range append(folder.LastOrigins(), o) {
		if o.Workflow == args[0][:len(args[0])-len("-123456")] {
			o.Program = filepath.Join(folder.Path, "..", "gone")
			ts.Check(folder.KeepOrigin(o))
		}
	}
}

// expandCommand is the script command `expand FROM TO`: it copies a file with
// variables put in.
func expandCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: expand FROM TO")
	}
	text := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}

const (
	gateFlow = `name: gated
description: d
nodes:
  - id: plan
    prompt: Plan it. The base is $BASE_BRANCH.
  - id: gate
    approval: {message: Go on?}
    depends_on: [plan]
`
	graphFlow = `workflow: walk
nodes:
  a:
    type: task
    agent: self
    prompt: x
    outputs: [done]
edges:
  - {from: START, to: a}
  - {from: a, to: END, condition: "done"}
`
)

// The flags that wfc declares for a program's command are those that programs
// have, with values where they have values.
func TestPassedFlags(t *testing.T) {
	testkit.SkipBuild(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "gated.yaml"), gateFlow)
	write(t, filepath.Join(dir, "walk.yaml"), graphFlow)
	env := []string{"GOPROXY=off"}
	for _, args := range [][]string{{"build", "gated.yaml", "-o", "gated.exe", "--store", "postgres"}, {"build", "walk.yaml", "-o", "walk.exe", "--dialect", "graphloop"}} {
		if code, _, messages := wfcCommand(t, dir, env, args...); code != ExitClean {
			t.Fatalf("exit code %d\n%s", code, messages)
		}
	}
	line := regexp.MustCompile(`(?m)^ +(?:-([a-z]), )?--([a-z-]+)( [A-Za-z=]+)?(?:\[="[a-z]+"\])?  `)
	for _, p := range passedCommands() {
		want := map[string]string{}
		for _, program := range []string{"gated.exe", "walk.exe"} {
			cmd := exec.Command(filepath.Join(dir, program), p.verb, "--help")
			cmd.Env = append(os.Environ(), state.CallerVariable+"=")
			text, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", p.verb, err, text)
			}
			for _, m := range line.FindAllStringSubmatch(string(text), -1) {
				want[m[2]] = m[1] + map[bool]string{true: "=", false: ""}[m[3] != ""]
			}
		}
		got := map[string]string{"help": "h"}
		flags := pflag.NewFlagSet(p.verb, pflag.ContinueOnError)
		commandline.DeclareRunFlags(flags, p.verb)
		flags.VisitAll(func(f *pflag.Flag) {
			got[f.Name] = f.Shorthand + map[bool]string{true: "=", false: ""}[f.Value.Type() != "bool"]
			if words := strings.Fields(f.Usage); len(words) > 12 {
				t.Errorf("%s --%s: its usage has %d words", p.verb, f.Name, len(words))
			}
		})
		for name, form := range want {
			if got[name] != form {
				t.Errorf("%s: the program's --%s is %q, and that of wfc %q", p.verb, name, form, got[name])
			}
		}
		for name := range got {
			if _, ok := want[name]; !ok {
				t.Errorf("%s: no program has --%s", p.verb, name)
			}
		}
	}
}

// wfc links no store: a program has the runs.
func TestNoStoreLinked(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "../../../cmd/wfc").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		for _, not := range []string{"modernc.org/", "entgo.io/", "github.com/jackc/pgx", "github.com/wfc-lang/wfc/runtime/engine/local", "github.com/wfc-lang/wfc/runtime/store/"} {
			// URLs of databases are read where no database is.
			if strings.HasPrefix(path, not) && !strings.HasSuffix(path, "/store/databaseurl") {
				t.Errorf("wfc links %s", path)
			}
		}
	}
}

// A run that another one began is found by its own name only.
func TestFindRuns(t *testing.T) {
	folder := runFolder{Folder: state.Folder{Path: t.TempDir()}}
	for id, parent := range map[string]string{"release-k3x9qz": "", "release-k3x9qz--build": "release-k3x9qz", "release-k3x9qz--build--test": "release-k3x9qz--build", "other-a1b2c3": ""} {
		if err := os.MkdirAll(folder.RunDir(id), 0o700); err != nil {
			t.Fatal(err)
		}
		o := state.Origin{Run: id, Parent: parent, Workflow: id[:len("other")], Program: "/bin/true", Store: settings.StoreSQLite, Created: time.Now()}
		if err := folder.KeepOrigin(o); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"release-k3": "release-k3x9qz", "release-k3x9qz": "release-k3x9qz", "k3x": "release-k3x9qz",
		"release-k3x9qz--": "release-k3x9qz--build", "release-k3x9qz--build": "release-k3x9qz--build", "release-k3x9qz--build--t": "release-k3x9qz--build--test",
		"build": "", "a1b": "other-a1b2c3",
	} {
		if got, err := folder.findRun(name); got != want || err != nil {
			t.Errorf("%s is %q %v, want %q", name, got, err, want)
		}
	}
	for _, o := range folder.LastOrigins() {
		if o.Parent != "" {
			t.Errorf("a child is the last run: %+v", o)
		}
	}
	if below := folder.Descendants("release-k3x9qz"); len(below) != 2 {
		t.Errorf("below: %v", below)
	}
}
