package outside

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
)

const draft = `name: draft
description: d
nodes:
  - {id: plan, prompt: "Plan $ARGUMENTS"}
  - {id: write, prompt: "Write $plan.output", depends_on: [plan]}
`

// A service runs a workflow of prompts twice at once in one folder. When it is killed and
// started again, one call continues both runs, without their completed steps.
func TestServiceIsKilled(t *testing.T) {
	r := compiler.Compile(source.NewFile("draft.yaml", []byte(draft)), compiler.Options{})
	generated := map[string][]byte{}
	for _, f := range gen.Generate(r.Workflow, gen.Options{Engine: true}) {
		generated["draft/"+f.Name] = f.Content
	}
	binary, folder, state := build(t, "service", generated), t.TempDir(), t.TempDir()
	service := func(hold string, topics ...string) *exec.Cmd {
		cmd := exec.Command(binary, topics...)
		cmd.Dir, cmd.Env = folder, append(os.Environ(), "WFC_STATE="+state, "HOLD="+hold)
		return cmd
	}
	first := service("write", "owls", "bats")
	out, err := first.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for waiting := 0; waiting < 2 && lines.Scan(); {
		if strings.HasSuffix(lines.Text(), " write") {
			waiting++
		}
	}
	if err := first.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = first.Wait() // it was killed

	said, err := service("").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	got := strings.Split(strings.TrimSpace(string(said)), "\n")
	slices.Sort(got)
	want := []string{
		"asked bats write", "asked owls write", "bats completed {\"write\":\"write about bats\"}", "owls completed {\"write\":\"write about owls\"}",
		"resumed bats <nil>", "resumed owls <nil>",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
