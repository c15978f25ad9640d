//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/cli"
	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/engine"
)

// doctorAgrees has `wfc doctor` look at the workflow's agents of every kind: it
// says the same as the workflow's own program.
func doctorAgrees(t *testing.T, binary string) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	m := newTeam(t, binary, of("openai", func(b *fakeagent.Behaviour) { b.Fault = fakeagent.SignedOut }))
	for _, variable := range m.Environ {
		name, value, _ := strings.Cut(variable, "=")
		switch name {
		case "HOME", "HTTP_PROXY", "HTTPS_PROXY": // the go command's are its own
		case "PATH":
			t.Setenv(name, value+string(os.PathListSeparator)+filepath.Dir(tool))
		default:
			t.Setenv(name, value)
		}
	}
	t.Setenv("GOPROXY", "off")
	t.Setenv("WFC_STATE", m.State)
	doctor := func(code int, args ...string) string {
		var out, errs bytes.Buffer
		args = append([]string{"doctor", "--deep"}, args...)
		if got := cli.Main(args, cli.Streams{In: os.Stdin, Out: &out, Err: &errs}); got != code {
			t.Fatalf("wfc %q ended with %d, want %d: %s%s", args, got, code, out.String(), errs.String())
		}
		return out.String()
	}
	const file = "testdata/agents/opinions.yaml"
	var seen, own struct {
		Agents []engine.AgentState `json:"agents"`
	}
	if err := json.Unmarshal([]byte(doctor(cli.ExitFindings, "--json", file)), &seen); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(m.says(1, "info", "--check", "--json")), &own); err != nil {
		t.Fatal(err)
	}
	if len(seen.Agents) != 1+len(teamKinds) || len(own.Agents) != len(seen.Agents) {
		t.Fatalf("the doctor saw %d agents, the program %d", len(seen.Agents), len(own.Agents))
	}
	for _, a := range own.Agents {
		if usable := a.Usable == engine.No; usable != (a.Name == "by-openai") {
			t.Errorf("%s: %+v", a.Name, a)
		}
		same := false
		for _, b := range seen.Agents {
			same = same || a.Name == b.Name && a.Kind == b.Kind && a.Program == b.Program && a.Version == b.Version &&
				a.Installed == b.Installed && a.SignedIn == b.SignedIn && a.Usable == b.Usable && a.Problem == b.Problem
		}
		if !same {
			t.Errorf("the program says %+v, the doctor otherwise: %+v", a, seen.Agents)
		}
	}
	text := doctor(cli.ExitFindings, file)
	for _, want := range []string{"by-google", "OPENAI_API_KEY", "by-openai: used by " + file} {
		if !strings.Contains(text, want) || strings.Contains(text, fakeagent.Key) {
			t.Errorf("no %q, or a key, in\n%s", want, text)
		}
	}
}
