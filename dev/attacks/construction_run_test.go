//go:build unix

package attacks

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/dev/e2e/runner"
)

// A world is where the workflow of a format runs.
type world struct {
	*format
	steps          []drawnStep
	program, id    string
	dir, work, bin string
	record, output string
	programs       map[string]script
}

// newWorld puts the recorder in place of all interpreters.
func newWorld(t *testing.T, f *format, steps []drawnStep, program, id string) *world {
	t.Helper()
	w := &world{format: f, steps: steps, program: program, id: id, dir: t.TempDir()}
	for name, path := range map[string]*string{"work": &w.work, "bin": &w.bin, "record": &w.record, "output": &w.output} {
		*path = filepath.Join(w.dir, name)
		if err := os.Mkdir(*path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range recorded {
		// A symbolic link would not do: its target is what runs.
		if err := os.Link(self, filepath.Join(w.bin, name)); err != nil {
			content, err := os.ReadFile(self)
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(w.bin, name), string(content))
		}
	}
	return w
}

// interpreters finds the real interpreters, for the recorder. bun may be node.
func interpreters(t *testing.T) (environ []string) {
	t.Helper()
	for name, programs := range map[string][]string{"bash": {"bash"}, "python3": {"python3"}, "uv": {"python3"}, "bun": {os.Getenv("WFC_TEST_BUN"), "bun", "node"}} {
		found := ""
		for _, program := range programs {
			if path, err := exec.LookPath(program); err == nil && found == "" {
				found = path
			}
		}
		if found == "" {
			t.Run("run by "+name, func(t *testing.T) {
				t.Skipf("none of %q is on PATH: its scripts are recorded and do not run", programs)
			})
			continue
		}
		if programs[0] == "python3" { // a shim of a version manager is slow
			if out, err := exec.Command(found, "-c", "import sys; print(sys.executable)").Output(); err == nil {
				found = strings.TrimSpace(string(out))
			}
		}
		environ = append(environ, realVariable+name+"="+found)
	}
	return environ
}

// try runs the workflow with values, and checks what the interpreters got. Those that have
// a real one run, and it checks what they print.
func (w *world) try(t *testing.T, v *values, real []string) map[string]*record {
	t.Helper()
	if w.constant != "" {
		v.V = w.constant
	}
	for _, dir := range []string{w.record, w.output, w.work} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for key, output := range w.outputs(v) {
		write(t, filepath.Join(w.output, key), output)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	args := []string{"run", "--json", "--agent", w.agent + "=command:" + filepath.Join(w.bin, "agent")}
	if w.inputs != nil {
		args = append(args, w.inputs(v)...)
	}
	cmd := exec.CommandContext(ctx, w.program, args...)
	cmd.Dir = w.work
	cmd.Env = []string{
		"PATH=" + w.bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + w.dir, "TMPDIR=" + w.dir, "TERM=dumb", "PYTHONUTF8=1",
		"WFC_STATE=" + filepath.Join(w.dir, "state"), runner.Variable + "=" + w.id, recordVariable + "=" + w.record, outputVariable + "=" + w.output,
	}
	cmd.Env = append(cmd.Env, real...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, _ := cmd.Output()
	var result struct {
		Nodes []struct {
			ID    string
			Error *struct{ Message string }
		}
	}
	if err := json.Unmarshal(out, &result); err != nil {
		t.Fatalf("the run printed %.300q: %v\n%s", out, err, errs.String())
	}
	failures := map[string]string{}
	for _, n := range result.Nodes {
		if n.Error != nil {
			failures[n.ID] = n.Error.Message
		}
	}
	records, unfit := map[string]*record{}, 0
	for _, s := range w.steps {
		r := &record{}
		content, err := os.ReadFile(filepath.Join(w.record, s.key))
		if s.free && failures[s.key] != "" && err != nil {
			unfit++
			continue
		}
		if err != nil || json.Unmarshal(content, r) != nil {
			t.Errorf("%s was not performed: %s %s\n%s", s.key, failures[s.key], errs.String(), excerpt(s.source))
			return records
		}
		records[s.key] = r
		w.check(t, &s, r, v)
		if r.Executed {
			t.Errorf("%s executed a value:\n%s", s.key, excerpt(s.source))
		}
		if ran := slices.ContainsFunc(real, func(entry string) bool { return strings.HasPrefix(entry, realVariable+r.Name+"=") }); ran && s.language != "prompt" && !s.free {
			if want := v.fill(s.want); r.Output != want {
				t.Errorf("%s printed\n%q, want\n%q\n%s\n%s", s.key, r.Output, want, failures[s.key], excerpt(s.source))
			}
		}
	}
	if unfit*2 > len(w.steps) {
		t.Errorf("%d of %d scripts got values that they cannot take", unfit, len(w.steps))
	}
	return records
}
