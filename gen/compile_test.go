package gen_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
)

// localStub stands in for the engine on this machine, of which generated code
// calls one function: so these tests need neither store nor processes.
const localStub = `package local

import (
	"context"

	"github.com/wfc-lang/wfc/runtime/flow"
)

type Engine struct{}

type Options struct{}

func RunTyped[In, Out any](ctx context.Context, e *Engine, d *flow.Definition, in In, opts ...func(*Options)) (Out, error) {
	panic("not in these tests")
}
`

const repo = ".."

// A module is the repository with generated packages laid over it.
type module struct {
	dir     string // for what is laid over
	overlay string // the file that says so
	replace map[string]string
}

func newModule(t testing.TB) *module {
	m := &module{dir: t.TempDir(), replace: map[string]string{}}
	root, err := filepath.Abs(repo)
	if err != nil {
		t.Fatal(err)
	}
	real, err := filepath.Glob(filepath.Join(root, "runtime/engine/local/*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range real {
		m.replace[file] = "" // as if it were not there
	}
	m.add(t, "runtime/engine/local/stub.go", localStub)
	return m
}

// add lays a file over the repository.
func (m *module) add(t testing.TB, path, content string) {
	t.Helper()
	root, err := filepath.Abs(repo)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(m.dir, fmt.Sprint(len(m.replace)))
	if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	m.replace[filepath.Join(root, path)] = file
}

// run runs the go command in the module and returns what it prints.
func (m *module) run(t testing.TB, command string, args ...string) (string, error) {
	t.Helper()
	overlay, err := json.Marshal(map[string]any{"Replace": m.replace})
	if err != nil {
		t.Fatal(err)
	}
	m.overlay = filepath.Join(m.dir, "overlay.json")
	if err := os.WriteFile(m.overlay, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append([]string{command, "-overlay", m.overlay}, args...)...)
	cmd.Dir = repo
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("go %s: %w\n%s", command, err, errs.String())
	}
	return string(out), nil
}

// checkPackages checks the package of a workflow, and before it those of the workflows that it
// runs, which come behind it.
func checkPackages(check func(string, ...gen.File), name string, files []gen.File) {
	own := slices.IndexFunc(files, func(f gen.File) bool { return strings.Contains(f.Name, "/") })
	if own < 0 {
		own = len(files)
	}
	for _, f := range slices.Backward(files[own:]) {
		check(name, f)
	}
	check(name, files[:own]...)
}

func TestGoldensTypeCheck(t *testing.T) {
	check := testkit.TypeChecker[gen.File](t)
	for _, s := range samples {
		for _, mode := range []bool{false, true} {
			checkPackages(check, "goldens/"+s.name, s.generate(gen.Options{LineDirectives: mode}))
		}
	}
}

func TestGoldensVet(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go vet")
	}
	// Vet wants folders that are there: the goldens are a module beside this one.
	root, err := filepath.Abs(repo)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, text []byte) {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, text, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "go.mod" {
			_, rest, _ := strings.Cut(string(text), "\n")
			text = []byte("module goldens\n" + rest + "\nrequire github.com/wfc-lang/wfc v0.0.0\nreplace github.com/wfc-lang/wfc => " + root + "\n")
		}
		write(name, text)
	}
	for _, s := range samples {
		for name, code := range s.goldens() {
			write(s.name+"/"+name, code)
		}
	}
	cmd := exec.Command("go", "vet", "-mod=mod", "./...")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// driver is a program that runs samples in the simulated world: it takes a
// scenario as JSON and prints what came of it.
const driver = `package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
%s)

var workflows = map[string]*flow.Definition{
%s}

func main() {
	var in struct {
		Workflow string
		Inputs   json.RawMessage
		Results  map[string]flow.Result
		Takes    map[string]time.Duration
		Answers  []sim.Answer
		Attended bool
		Explore  uint64
	}
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		panic(err)
	}
	actions := map[string]flow.Action{}
	world := sim.World{Definition: workflows[in.Workflow], Inputs: in.Inputs, Answers: in.Answers, Attended: in.Attended, Perform: func(a sim.Attempt) sim.Performance {
		actions[a.Key] = a.Action
		r, ok := in.Results[a.Key]
		if b, bash := a.Payload.(flow.Bash); bash && !ok {
			for _, v := range b.Env {
				if v.Name == "ARGUMENTS" {
					r, ok = in.Results[a.Key+" of "+v.Value]
				}
			}
		}
		if !ok {
			r = flow.Result{Status: flow.Completed}
		}
		return sim.Performance{Result: r, Takes: in.Takes[a.Key]}
	}}
	outcome := sim.Run(world, 1)
	for seed := uint64(1); seed <= in.Explore; seed++ {
		whole := sim.Run(world, seed)
		for point := 1; point <= whole.Points; point++ {
			got := sim.Run(world, seed, point)
			outcome.Faults = append(outcome.Faults, got.Faults...)
			if err := sim.Same(whole, got); err != nil {
				outcome.Faults = append(outcome.Faults, err.Error())
			}
		}
	}
	out, err := json.Marshal(map[string]any{"Outcome": outcome, "Actions": actions})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out))
}
`

// driverProgram is the built driver.
var driverProgram struct {
	once sync.Once
	path string
	err  error
}

// buildDriver builds all samples, as wfc build does, into one program.
func buildDriver(t *testing.T) string {
	t.Helper()
	driverProgram.once.Do(func() {
		m := newModule(t)
		var imports, table strings.Builder
		for _, s := range append(samples, sample{name: "wrong", built: wrong}, sample{name: "cut", built: cut}, sample{name: "blocks", built: blocks}, sample{name: "cutgroup", built: cutGroup}, sample{name: "typedgroup", built: typedGroup}) {
			path := "internal/gentest/" + s.name
			for _, f := range gen.Generate(s.make(), gen.Options{LineDirectives: true, ImportPath: "github.com/wfc-lang/wfc/" + path}) {
				m.add(t, path+"/"+f.Name, string(f.Content))
			}
			fmt.Fprintf(&imports, "\t%s %q\n", "wf"+s.name, "github.com/wfc-lang/wfc/internal/gentest/"+s.name)
			fmt.Fprintf(&table, "\t%q: &wf%s.Workflow,\n", s.name, s.name)
		}
		m.add(t, "internal/gentest/driver/main.go", fmt.Sprintf(driver, imports.String(), table.String()))
		dir, err := os.MkdirTemp("", "gentest")
		if err != nil {
			t.Fatal(err)
		}
		driverProgram.path = filepath.Join(dir, "driver")
		_, driverProgram.err = m.run(t, "build", "-trimpath", "-o", driverProgram.path, "./internal/gentest/driver")
	})
	if driverProgram.err != nil {
		t.Fatal(driverProgram.err)
	}
	return driverProgram.path
}

func TestMain(m *testing.M) {
	testkit.SetSeed()
	code := m.Run()
	if driverProgram.path != "" {
		os.RemoveAll(filepath.Dir(driverProgram.path))
	}
	os.Exit(code)
}

// A scenario is one run of a sample: what its actions come to.
type scenario struct {
	Workflow string
	Inputs   json.RawMessage
	// Results are the results of actions by their keys, or for scripts by "key of
	// arguments".
	Results map[string]flow.Result
	// Takes is how long actions take.
	Takes map[string]time.Duration
	// Answers are what people answer; Attended says that they do so while the
	// run's process is there.
	Answers  []sim.Answer
	Attended bool
	// Explore is how many seeds are tried with a crash at every point.
	Explore uint64
}

// An outcome is what came of a scenario.
type outcome struct {
	sim.Result
	Actions map[string]action
}

type action struct {
	Payload json.RawMessage
	Timeout time.Duration
	Retry   flow.Retry
}

func execute(t *testing.T, s scenario) *outcome {
	t.Helper()
	request, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(buildDriver(t))
	cmd.Stdin = bytes.NewReader(request)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	var o outcome
	envelope := struct {
		Outcome *sim.Result
		Actions *map[string]action
	}{&o.Result, &o.Actions}
	if err := json.Unmarshal(out, &envelope); err != nil {
		t.Fatal(err)
	}
	for _, fault := range o.Faults {
		t.Error(fault)
	}
	return &o
}

// text makes the result of an action that completes.
func text(s string) flow.Result { return flow.Result{Status: flow.Completed, Text: s} }

// failed makes the result of one that fails.
func failed(why string) flow.Result {
	return flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: why}}
}
