//go:build unix

package agentlab

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/dev/agentlab/model"
	"github.com/wfc-lang/wfc/runtime/engine"
)

// doctor lets wfc and the workflow's binary check the program.
func doctor(l *lab) {
	l.build("safe", `
  - id: plain
    prompt: Say something. `+model.Mark("plain")+`
`)
	look := func(out string) engine.AgentState {
		l.Helper()
		var document struct {
			Agents []engine.AgentState `json:"agents"`
		}
		if err := json.Unmarshal([]byte(out), &document); err != nil || len(document.Agents) != 1 {
			l.Fatalf("%v:\n%s", err, out)
		}
		return document.Agents[0]
	}
	out, errs, code := l.wfc("doctor", "--json")
	if quick := look(out); quick.Installed != engine.Yes {
		l.Errorf("the doctor that only looks ended with %d and says %+v: %s", code, quick, errs)
	}
	out, errs, code = l.patiently(func() (string, string, int) { return l.wfc("doctor", "--deep", "--json") })
	if code != 0 {
		l.Fatalf("wfc doctor ended with %d:\n%s%s", code, out, errs)
	}
	found := look(out)
	if found.Installed != engine.Yes || found.Usable == engine.No || found.SignedIn == engine.No || !strings.Contains(found.Version, l.program.Version) {
		l.Errorf("the doctor says %+v", found)
	}
	if l.program.key != "" && (found.SignedIn != engine.Yes || found.Usable != engine.Yes) {
		l.Errorf("with a key, the doctor says %+v", found)
	}
	out, errs, code = l.patiently(func() (string, string, int) {
		return l.end(l.command(l.binary(), "info", "--check", "--json"), nil)
	})
	if got := look(out); code != 0 || got.Version != found.Version || got.Usable != found.Usable {
		l.Errorf("info --check ended with %d and says %+v, the doctor %+v: %s", code, got, found, errs)
	}
	if l.program.key == "" {
		return
	}
	l.environ = slices.DeleteFunc(l.environ, func(entry string) bool { return strings.HasPrefix(entry, l.program.key+"=") })
	out, _, code = l.wfc("doctor", "--deep", "--json")
	if found = look(out); code != 1 || found.SignedIn != engine.No || found.Usable != engine.No || found.Hint == "" {
		l.Errorf("without a key, the doctor ended with %d and says %+v", code, found)
	}
}

// patiently looks again when the program did not answer in time: on a busy
// machine it may need longer than wfc waits.
func (l *lab) patiently(look func() (stdout, stderr string, code int)) (stdout, stderr string, code int) {
	for range 4 {
		stdout, stderr, code = look()
		if !strings.Contains(stdout, "did not answer in time") {
			break
		}
	}
	return stdout, stderr, code
}
