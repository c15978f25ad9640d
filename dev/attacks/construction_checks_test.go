//go:build unix

package attacks

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// parsed is all that an interpreter parses, and the rest of a command line.
func (r *record) parsed() (texts []string) {
	texts = slices.Clone(r.Args)
	for _, path := range slices.Sorted(maps.Keys(r.Files)) {
		texts = append(texts, path)
		if !r.isData(path) {
			texts = append(texts, r.Files[path])
		}
	}
	if slices.Contains(r.Args, "-") {
		texts = append(texts, r.Stdin)
	}
	for _, entry := range r.Env {
		name, _, _ := strings.Cut(entry, "=")
		texts = append(texts, name)
	}
	return texts
}

// isData reports whether a file has values: those of bash are not an argument, and others are
// JSON.
func (r *record) isData(path string) bool {
	return strings.HasSuffix(path, ".json") || r.Name == "bash" && !slices.Contains(r.Args, path)
}

// script is the text of the script, with what wfc puts in front.
func (r *record) script() string {
	last := r.Args[len(r.Args)-1]
	if content, isFile := r.Files[last]; isFile {
		return content
	}
	if last == "-" {
		return r.Stdin
	}
	return last
}

var (
	// readNames are the variables that a prelude reads values into.
	readNames = regexp.MustCompile(`builtin read -r -d '' (?:-a )?([^ ;]+)`)
	variable  = regexp.MustCompile(`^[A-Za-z_]\w*$`)
)

// check checks what one interpreter or agent got.
func (w *world) check(t *testing.T, s *drawnStep, r *record, v *values) {
	t.Helper()
	number := fmt.Sprint(v.N)
	for _, part := range r.parsed() {
		if strings.Contains(part, marker) || strings.Contains(part, number) {
			t.Errorf("%s parses a byte of a value:\n%s\n%s", s.key, excerpt(part), excerpt(s.source))
		}
	}
	for _, entry := range r.Env {
		if strings.Contains(entry, marker) {
			t.Errorf("%s has a value in its environment: %q", s.key, entry)
		}
	}
	if s.language == "prompt" {
		w.checkRequest(t, s, r, v)
		return
	}
	prelude, ok := w.programs[s.key].prelude(r.script())
	if !ok {
		t.Errorf("%s is not put together from its parts:\n%s\n%s", s.key, excerpt(r.script()), excerpt(s.source))
		return
	}
	var names []string
	for _, name := range readNames.FindAllStringSubmatch(prelude, -1) {
		names = append(names, name[1])
	}
	for path, content := range r.Files {
		if strings.HasSuffix(path, ".json") {
			var list [][3]any
			if err := json.Unmarshal([]byte(content), &list); err != nil {
				t.Errorf("%s has values that cannot be read: %v", s.key, err)
			}
			for _, one := range list {
				names = append(names, fmt.Sprint(one[0]))
			}
		}
	}
	for _, name := range names {
		if !variable.MatchString(name) {
			t.Errorf("%s has the variable %q", s.key, name)
		}
	}
}

// checkRequest checks the request to an agent: its prompt, and texts inside of options, have
// the values once and unchanged.
func (w *world) checkRequest(t *testing.T, s *drawnStep, r *record, v *values) {
	t.Helper()
	var request struct {
		Prompt  string
		Options struct {
			SystemPrompt *string
			Agents       *struct{ Helper struct{ Prompt string } }
		}
	}
	if err := json.Unmarshal([]byte(r.Stdin), &request); err != nil {
		t.Errorf("%s: the request is not JSON: %v", s.key, err)
		return
	}
	want := v.fill(s.want)
	texts := []string{request.Prompt}
	if w.framed {
		if strings.Contains(request.Prompt, want) {
			texts = nil
		}
	}
	if w.name == "archon" {
		if request.Options.SystemPrompt == nil || request.Options.Agents == nil {
			t.Fatalf("%s has the options %s", s.key, r.Stdin)
		}
		texts = append(texts, *request.Options.SystemPrompt, request.Options.Agents.Helper.Prompt)
	}
	for _, got := range texts {
		if got != want {
			t.Errorf("%s asks\n%q, want\n%q\n%s", s.key, got, want, s.source)
		}
	}
}

// equal wants the same texts of two runs whose values choose the same branches.
func (w *world) equal(t *testing.T, one, two map[string]*record) {
	t.Helper()
	for _, s := range w.steps {
		if one[s.key] == nil || two[s.key] == nil {
			continue
		}
		if a, b := one[s.key].without(), two[s.key].without(); !slices.Equal(a, b) {
			t.Errorf("%s parses what depends on values:\n%s\n%s", s.key, excerpt(strings.Join(a, "\n")), excerpt(strings.Join(b, "\n")))
		}
	}
}

// gate is what a script begins with that started before its start was recorded.
var gate = regexp.MustCompile(`^\{ read -r -u 3 __wfc_gate .*?: "\$0"; `)

// without is what was parsed without the gate, which depends on the time, and the name of the
// run.
func (r *record) without() (texts []string) {
	run := ""
	for _, entry := range r.Env {
		if id, ok := strings.CutPrefix(entry, "WFC_RUN_ID="); ok {
			run = id
		}
	}
	for _, part := range r.parsed() {
		if name := realVariable; !strings.HasPrefix(part, name) {
			texts = append(texts, strings.ReplaceAll(gate.ReplaceAllString(part, ""), run, "RUN"))
		}
	}
	return texts
}

// excerpt is a text of a message: the end of a long one.
func excerpt(text string) string {
	const most = 3000
	return text[max(0, len(text)-most):]
}
