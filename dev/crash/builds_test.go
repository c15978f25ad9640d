//go:build unix

package crash

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/dev/e2e/program"
)

// pinnedText is a build of a workflow whose every step says which build it is
// of. The first one is skipped in a build that has lost it.
func pinnedText(build string, first bool) string {
	text := "name: pinned\ndescription: Builds of one workflow.\nnodes:\n"
	after := ""
	if first {
		text += fmt.Sprintf("  - id: first\n    bash: echo %[1]s first >>traces; printf 'first of %[1]s'\n", build)
		after = "\n    depends_on: [first]"
	}
	return text + fmt.Sprintf(`  - id: gate%[2]s
    approval: {message: does %[1]s go on?}
  - id: rounds
    depends_on: [gate]
    loop: {prompt: '%[1]s round, say DONE after $LOOP_PREV_OUTPUT', until: DONE, max_iterations: 3}
  - id: work
    depends_on: [rounds]
    bash: |
      echo %[1]s work >>traces
      if [ -e fail ]; then exit 1; fi
      printf '%%s, work of %[1]s' $rounds.output
`, build, after)
}

// agentText is an agent that holds in the second round while there is a file
// `hold`, and ends the loop with its third answer.
const agentText = `#!/bin/sh
read -r request
case $request in *'"step":"rounds#'[0-9]*) ;; *) exit 1 ;; esac
n=${request#*'"step":"rounds#'}; n=${n%%'"'*}
build=${request#*'"prompt":"'}; build=${build%% *}
echo "$build round $n" >>traces
if [ "$n" = 2 ] && [ -e hold ]; then touch held; sleep 600; fi
if [ "$n" = 3 ]; then printf '<promise>DONE</promise> '; fi
echo "answer $n to $build"
`

// builds are binaries of three builds: the second has other steps of the same
// keys, the third lacks one.
type builds struct{ v1, v2, v3 string }

func makeBuilds(t *testing.T) builds {
	t.Helper()
	return builds{
		program.Build(t, "pinned", pinnedText("v1", true)),
		program.Build(t, "pinned", pinnedText("v2", true)),
		program.Build(t, "pinned", pinnedText("v3", false)),
	}
}

// A change is a change of the binary that started a run. It returns the path by
// which the second build is called from then on.
type change struct {
	name string
	make func(t *testing.T, at, second string) string
}

func fileChanges() []change {
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	return []change{
		{"untouched", func(_ *testing.T, _, second string) string { return second }},
		{"deleted", func(t *testing.T, at, second string) string { must(t, os.Remove(at)); return second }},
		{"moved", func(t *testing.T, at, second string) string { must(t, os.Rename(at, at+".old")); return second }},
		{"replaced", func(t *testing.T, at, second string) string {
			copyTo(t, second, at+".new")
			must(t, os.Rename(at+".new", at))
			return at
		}},
		{"overwritten", func(t *testing.T, at, second string) string {
			before, err := os.Stat(at)
			must(t, err)
			copyTo(t, second, at)
			after, err := os.Stat(at)
			must(t, err)
			if !os.SameFile(before, after) {
				t.Fatal("the file itself was replaced")
			}
			return at
		}},
	}
}

// copyTo writes into a file, which may be there.
func copyTo(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, content, 0o700); err != nil {
		t.Fatal(err)
	}
}

// pinned is a run that one build begins and others continue with.
type pinned struct {
	t *testing.T
	*program.Place
	stderr string
}

// newPinned makes a place with its own binary of the first build.
func newPinned(t *testing.T, b builds) *pinned {
	p := &pinned{t: t, Place: program.NewPlace(t, filepath.Join(t.TempDir(), "pinned"))}
	copyTo(t, b.v1, p.Binary)
	if err := os.WriteFile(filepath.Join(p.Work, "agent"), []byte(agentText), 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

// want calls a binary and checks its exit code; it returns the output.
func (p *pinned) want(code int, binary string, args ...string) string {
	p.t.Helper()
	p.Binary = binary
	out, errs, got, err := p.Run(p.t.Context(), nil, args...)
	if err != nil || got != code {
		p.t.Fatalf("%s %v ended with %d, %v, want %d: %s", filepath.Base(binary), args, got, err, code, errs)
	}
	p.stderr = errs
	return strings.TrimSpace(string(out))
}

func (p *pinned) touch(name string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.Work, name), nil, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pinned) remove(name string) { _ = os.Remove(filepath.Join(p.Work, name)) }

// begin runs the first build up to its gate, and passes that.
func (p *pinned) begin(code int) {
	p.t.Helper()
	p.want(3, p.Binary, "run", "--agent", "claude=command:./agent")
	p.want(code, p.Binary, "approve", "latest")
}

// killInTheLoop runs the first build and kills it in the loop's second round,
// once its binary is kept.
func (p *pinned) killInTheLoop() {
	p.t.Helper()
	p.touch("hold")
	p.want(3, p.Binary, "run", "--agent", "claude=command:./agent")
	p.want(0, p.Binary, "approve", "latest", "--no-resume")
	cmd := p.Command(p.t.Context(), nil, "resume")
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	kept, _ := os.ReadDir(filepath.Join(p.State, "builds"))
	for end := time.Now().Add(limit); len(kept) == 0 || !p.has("held"); kept, _ = os.ReadDir(filepath.Join(p.State, "builds")) {
		if time.Now().After(end) {
			p.t.Fatalf("the second round does not begin, or no binary is kept: %v", kept)
		}
		time.Sleep(time.Millisecond)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	p.remove("hold")
	if got := p.want(0, p.Binary, "list", "--status", "interrupted"); !strings.Contains(got, "interrupted") {
		p.t.Fatalf("the run is not interrupted: %s", got)
	}
}

func (p *pinned) has(name string) bool {
	_, err := os.Stat(filepath.Join(p.Work, name))
	return err == nil
}

// traces wants the steps to have been performed so.
func (p *pinned) traces(want ...string) {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.Work, "traces"))
	if err != nil {
		p.t.Fatal(err)
	}
	if got := strings.TrimSpace(string(text)); got != strings.Join(want, "\n") {
		p.t.Errorf("performed:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
}

// said checks whether the last command printed something.
func (p *pinned) said(what string, want bool) {
	p.t.Helper()
	if strings.Contains(p.stderr, what) != want {
		p.t.Errorf("it said %q: %v, want %v: %s", what, !want, want, p.stderr)
	}
}

const elsewhere = "continues in the build that started it"

func TestOtherBuilds(t *testing.T) {
	b := makeBuilds(t)
	for name, test := range map[string]func(*testing.T, builds){
		"resumed": resumedByAnotherBuild, "moved": movedToAnotherBuild,
		"does not fit": buildThatDoesNotFit, "kept is another": keptBinaryOfAnotherBuild,
	} {
		t.Run(name, func(t *testing.T) { test(t, b) })
	}
}

// Another build continues with a run by the one that it began with, whatever was
// done to that.
func resumedByAnotherBuild(t *testing.T, b builds) {
	first := "answer 3 to v1, work of v1"
	rounds := []string{"v1 first", "v1 round 1", "v1 round 2", "v1 round 3"}
	for _, c := range fileChanges() {
		t.Run(c.name+"/failed", func(t *testing.T) {
			p := newPinned(t, b)
			p.touch("fail")
			p.begin(1)
			p.remove("fail")
			if got := p.want(0, c.make(t, p.Binary, b.v2), "resume"); got != first {
				t.Errorf("the result is %q", got)
			}
			p.said(elsewhere, true)
			p.traces(append(rounds, "v1 work", "v1 work")...)
			if left, _ := filepath.Glob(filepath.Join(p.State, "runs", "*", "executable*")); len(left) > 0 {
				t.Errorf("the completed run keeps %v", left)
			}
		})
		t.Run(c.name+"/gate", func(t *testing.T) {
			p := newPinned(t, b)
			p.want(3, p.Binary, "run", "--agent", "claude=command:./agent")
			second := c.make(t, p.Binary, b.v2)
			// It asks again, in the words of its own build, and then gets the
			// answer.
			p.want(3, second, "resume")
			p.said("does v1 go on?", true)
			if got := p.want(0, second, "approve", "latest"); got != first {
				t.Errorf("the result is %q", got)
			}
			p.said(elsewhere, true)
			p.traces(append(rounds, "v1 work")...)
		})
		t.Run(c.name+"/killed", func(t *testing.T) {
			p := newPinned(t, b)
			p.killInTheLoop()
			if got := p.want(0, c.make(t, p.Binary, b.v2), "resume"); got != first {
				t.Errorf("the result is %q", got)
			}
			p.traces("v1 first", "v1 round 1", "v1 round 2", "v1 round 2", "v1 round 3", "v1 work")
		})
	}
}

// A run moves to a build that has its completed steps: completed work stays, the
// new build performs the rest, and the run belongs to it from then on.
func movedToAnotherBuild(t *testing.T, b builds) {
	t.Run("failed", func(t *testing.T) {
		p := newPinned(t, b)
		own := p.Binary
		p.touch("fail")
		p.begin(1)
		p.want(1, b.v2, "resume", "--force")
		p.said(elsewhere, false)
		p.remove("fail")
		if got := p.want(0, own, "resume"); got != "answer 3 to v1, work of v2" {
			t.Errorf("the result is %q", got)
		}
		p.said(elsewhere, true)
		p.traces("v1 first", "v1 round 1", "v1 round 2", "v1 round 3", "v1 work", "v2 work", "v2 work")
	})
	t.Run("gate", func(t *testing.T) {
		p := newPinned(t, b)
		p.want(3, p.Binary, "run", "--agent", "claude=command:./agent")
		// Moving a run passes no gate.
		p.want(3, b.v2, "resume", "--force")
		p.said("does v2 go on?", true)
		if got := p.want(0, b.v2, "approve", "latest"); got != "answer 3 to v2, work of v2" {
			t.Errorf("the result is %q", got)
		}
		p.traces("v1 first", "v2 round 1", "v2 round 2", "v2 round 3", "v2 work")
	})
	t.Run("killed in a loop", func(t *testing.T) {
		p := newPinned(t, b)
		p.killInTheLoop()
		if got := p.want(0, b.v2, "resume", "--force"); got != "answer 3 to v2, work of v2" {
			t.Errorf("the result is %q", got)
		}
		p.traces("v1 first", "v1 round 1", "v1 round 2", "v2 round 2", "v2 round 3", "v2 work")
	})
	t.Run("its binary is not kept", func(t *testing.T) {
		p := newPinned(t, b)
		p.touch("fail")
		p.begin(1)
		p.remove("fail")
		kept, err := filepath.Glob(filepath.Join(p.State, "runs", "*", "executable"))
		if err != nil || len(kept) != 1 || os.Remove(kept[0]) != nil {
			t.Fatalf("%v %v", kept, err)
		}
		p.want(1, b.v2, "resume")
		p.said("was started by another build of its workflow, which is no longer kept; resume it with --force", true)
		if got := p.want(0, b.v2, "resume", "--force"); got != "answer 3 to v1, work of v2" {
			t.Errorf("the result is %q", got)
		}
	})
}

// A build that lacks completed steps of the run refuses it, and the attempt changes
// nothing of the run.
func buildThatDoesNotFit(t *testing.T, b builds) {
	p := newPinned(t, b)
	own := p.Binary
	p.touch("fail")
	p.begin(1)
	p.remove("fail")
	before := p.want(0, own, "status", "--json")
	p.want(1, b.v3, "resume", "--force")
	p.said("cannot be moved to this build: it has completed step `first`, which this build does not have", true)
	if after := p.want(0, own, "status", "--json"); after != before {
		t.Errorf("the run was changed:\n%s\nbefore:\n%s", after, before)
	}
	if got := p.want(0, b.v3, "resume"); got != "answer 3 to v1, work of v1" {
		t.Errorf("the result is %q", got)
	}
	p.said(elsewhere, true)
}

// A binary that was tampered with is refused, and not called again and again.
func keptBinaryOfAnotherBuild(t *testing.T, b builds) {
	p := newPinned(t, b)
	p.touch("fail")
	p.begin(1)
	kept, err := filepath.Glob(filepath.Join(p.State, "runs", "*", "executable"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("%v %v", kept, err)
	}
	copyTo(t, b.v3, kept[0])
	ctx := t.Context()
	cmd := p.Command(ctx, nil, "resume")
	cmd.Path = b.v2
	out, err := cmd.CombinedOutput()
	exit, _ := err.(*exec.ExitError)
	if exit == nil || exit.ExitCode() != 1 || !strings.Contains(string(out), "is not the one that started the run; resume it with --force") {
		t.Errorf("%v\n%s", err, out)
	}
}
