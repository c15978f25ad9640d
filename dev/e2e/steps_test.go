//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

// An example is one from the text of requirement 003, under the heading that it
// stands below, in a workflow that can run.
type example struct {
	section string
	// text is the workflow; without a line that begins with steps: it is steps.
	text  string
	files testkit.Memory
	// says is what `wfc check` says of it besides nothing, refused makes that the
	// reason why it is not built.
	says    string
	refused bool
	replies map[string]any
	test    func(t *testing.T, p *site)
}

func (e *example) whole() string {
	if regexp.MustCompile(`(?m)^steps:`).MatchString(e.text) {
		return e.text
	}
	return "name: w\nsteps:\n" + e.text
}

// TestExamplesOfSteps runs every example that the requirement has for steps and
// wants of it what the text says.
func TestExamplesOfSteps(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not on PATH")
	}
	all := slices.Concat(stepExamples, flowExamples)
	s := newSuite(t)
	for _, e := range all {
		if !e.refused {
			s.add(t, e.whole(), e.files)
		}
	}
	s.build(t)
	for _, e := range all {
		t.Run(e.section, func(t *testing.T) {
			t.Parallel()
			switch {
			case e.refused:
				finds(t, e.whole(), 1, "error[", e.says)
			case e.says != "":
				finds(t, e.whole(), 0, "warning[", e.says)
			case e.files == nil:
				finds(t, e.whole(), 0)
			}
			if e.test != nil {
				e.test(t, s.site(t, e.whole(), e.replies))
			}
		})
	}
	t.Run("complete", func(t *testing.T) { everyExample(t, all) })
}

// everyExample compares the examples with those in the text of the requirement,
// line by line, where that is at hand: comments, prose and what a line stands for
// are left out.
func everyExample(t *testing.T, all []example) {
	texts, err := filepath.Glob("../../../shared/requirements/003_*.txt")
	if err != nil || len(texts) != 1 {
		t.Skip("the text of the requirement is not here")
	}
	text, err := os.ReadFile(texts[0])
	if err != nil {
		t.Fatal(err)
	}
	bare := func(line string) string {
		line, _, _ = strings.Cut(line, " # ")
		return strings.TrimPrefix(strings.TrimSpace(line), "- ")
	}
	have := map[string]map[string]bool{}
	for _, e := range all {
		if have[e.section] == nil {
			have[e.section] = map[string]bool{}
		}
		for line := range strings.Lines(e.whole()) {
			have[e.section][bare(line)] = true
		}
	}
	heading, inside, seen := "", false, 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case !inside && strings.HasPrefix(line, "#"):
			heading = strings.TrimSpace(strings.TrimLeft(line, "#"))
		case strings.HasPrefix(line, "```"):
			inside = !inside && (line == "```yaml" || line == "```bash")
		case inside:
			line = bare(line)
			if line == "" || line == "..." || strings.HasPrefix(line, "#") {
				continue
			}
			seen++
			if !have[heading][line] {
				t.Errorf("%s: no workflow has the line %q", heading, line)
			}
		}
	}
	if seen < 150 {
		t.Errorf("the text has only %d lines of examples", seen)
	}
}

// gives wants a step to have completed with an output: a text, or JSON of any
// spelling.
func (p *site) gives(r *result, id, want string) {
	p.t.Helper()
	status, got, failure := r.node(id)
	var a, b any
	same := got == want
	if json.Unmarshal([]byte(want), &a) == nil && json.Unmarshal([]byte(got), &b) == nil {
		same = reflect.DeepEqual(a, b)
	}
	if status != "completed" || !same {
		p.t.Errorf("`%s` is %s with %s, want %s: %s", id, status, got, want, failure)
	}
}

// step wants a completed run in which a step has this output.
func step(id, want string) func(*testing.T, *site) {
	return func(_ *testing.T, p *site) { p.gives(p.run(0), id, want) }
}

// skips wants a step to have been skipped.
func (p *site) skips(r *result, id string) {
	p.t.Helper()
	if status, output, _ := r.node(id); status != "skipped" {
		p.t.Errorf("`%s` is %s with %s, want it to be skipped", id, status, output)
	}
}

// tool puts a program on the PATH of a site.
func (p *site) tool(name, script string) {
	p.t.Helper()
	bin := filepath.Join(p.Work, ".bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/bash\n"+script), 0o700); err != nil {
		p.t.Fatal(err)
	}
	p.Environ = append(p.Environ, "PATH="+bin+":"+os.Getenv("PATH"))
}

// answered answers the open question, and wants the run to end with the code.
func (p *site) answered(code int, command string, args ...string) *result {
	p.t.Helper()
	return p.json(code, slices.Concat([]string{command, "latest"}, p.agents, args)...)
}
