//go:build unix

package crash

import (
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/dev/e2e/program"
	"github.com/wfc-lang/wfc/runtime/settings"
)

const deployText = `name: deploying
description: Something that is not to be done twice without a word.
nodes:
  - id: deploy
    bash: |
      echo deploy >>traces
      if [ -e hold ]; then touch held; sleep 600; fi
      printf deployed
`

// interruptedDeploy is a run that was killed while it deployed.
func interruptedDeploy(t *testing.T, policies settings.Interrupts) *pinned {
	t.Helper()
	binary := program.BuildWith(t, "deploying", deployText, settings.Project{OnInterrupt: policies})
	p := &pinned{t: t, Place: program.NewPlace(t, binary)}
	p.touch("hold")
	cmd := p.Command(t.Context(), nil, "run")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(limit); !p.has("held"); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not begin")
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	p.remove("hold")
	return p
}

// A person decides about a step that was killed: nothing else runs it again.
func TestAskAboutAKilledStep(t *testing.T) {
	p := interruptedDeploy(t, settings.Interrupts{Default: "rerun", Kinds: map[string]settings.Policy{"bash": "fail"}, Nodes: map[string]settings.Policy{"deploy": "ask"}})
	for range 2 {
		p.want(3, p.Binary, "resume")
		p.said("step `deploy` was interrupted while it ran, and it is unknown how far it came; run it again?", true)
	}
	p.traces("deploy")
	status := p.want(0, p.Binary, "status", "--json")
	if !strings.Contains(status, `"id": "deploy/interrupted#1"`) || strings.Contains(status, "interrupted#2") {
		t.Errorf("status %s", status)
	}
	if got := p.want(0, p.Binary, "answer", "latest", "--node", "deploy", "--choice", "rerun"); got != "deployed" {
		t.Errorf("the result is %q", got)
	}
	p.traces("deploy", "deploy")
}

// A step that is to fail does, and a run that is resumed after that performs it
// again.
func TestFailAKilledStep(t *testing.T) {
	p := interruptedDeploy(t, settings.Interrupts{Kinds: map[string]settings.Policy{"bash": "fail"}})
	p.want(1, p.Binary, "resume")
	p.said("step `deploy` was interrupted while it ran, and it is unknown how far it came; check what it did, then resume the run to run it again", true)
	p.traces("deploy")
	if got := p.want(0, p.Binary, "resume"); got != "deployed" {
		t.Errorf("the result is %q", got)
	}
	p.traces("deploy", "deploy")
}
