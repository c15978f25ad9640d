//go:build unix

package attacks

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/e2e/runner"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// TestNoValueBecomesCode holds the law that an interpreter parses only fragments that the
// author wrote and names that wfc made: a value may choose or repeat a fragment, but it never
// contributes a byte.
//
// It draws scripts and prompts of all dialects, with holes wherever the compiler accepts
// them, and hostile values. One program of all workflows runs with a recorder under the names
// of the interpreters and of the agent. What these were given to parse (arguments, scripts,
// file names, preludes)
//
//   - has no byte of a value: each value has a marker;
//   - is the same for any two assignments of values that choose the same branches;
//   - is put together from the parts of the compiled program, see matches.
//
// Then the scripts run in the real interpreters: they print each value unchanged, and none of
// the values is executed. An agent's prompt has each value once, unchanged.
func TestNoValueBecomesCode(t *testing.T) {
	needBash(t)
	testkit.SkipBuild(t)
	drawn, strings := drawSteps(t)
	formats := append(slices.Clone(formats), constant(strings[0]))
	drawn[formats[len(formats)-1]] = drawn[xprompt][:min(15, len(drawn[xprompt]))]
	b := testkit.NewBatch(t)
	programs := map[*format]*ir.Program{}
	ids := map[*format]string{}
	for _, f := range formats {
		result := f.compile(drawn[f])
		if result.HasErrors() {
			t.Fatalf("%s: accepted alone, refused together: %v", f.name, result.Diagnostics[0].Message)
		}
		programs[f] = result.Workflow
		ids[f] = b.Add(t, result.Workflow)
	}
	program := b.Build(t, "internal/e2e/runner")
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, f, drawn[f], program, ids[f])
			w.programs = scriptsOf(programs[f])
			own := slices.Clone(strings)
			first := w.try(t, assign(&own, 4270391, true, 2), true)
			if f.constant != "" {
				return
			}
			w.equal(t, first, w.try(t, assign(&own, 9318572, true, 2), false))
			if f.has("⟨if⟩") { // other branches
				w.try(t, assign(&own, 6801935, false, 0), true)
				w.try(t, assign(&own, 7730164, true, 3), false)
			}
		})
	}
}

// constant is xprompt with an input that the compiler knows.
func constant(value string) *format {
	f := *xprompt
	f.name, f.constant, f.inputs = "xprompt with a constant", value, nil
	return &f
}

// compile compiles steps as a workflow, by the newest rules.
func (f *format) compile(steps []drawnStep) *compiler.Result {
	options := compiler.Options{
		Path: "/project/construction.yaml", Root: "/project", Files: testkit.Memory{}, Settings: settings.Project{ArchonVersion: "0.9"},
	}
	if f.constant != "" {
		options.Constants = []compiler.Constant{{Name: "v", Value: f.constant}}
	}
	return compiler.Compile(source.NewFile("construction.yaml", []byte(f.workflow(steps))), options)
}

// tries is how often a nesting of places is drawn until one is accepted.
const tries = 5

// drawSteps draws steps of all formats and languages, and strings. Steps that the compiler
// refuses are left out.
func drawSteps(t *testing.T) (drawn map[*format][]drawnStep, strings []string) {
	drawn = map[*format][]drawnStep{}
	refused, long, number, tried, free := map[string]int{}, map[string]bool{}, 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		strings = append(strings, drawString(rt))
		f := formats[number%len(formats)]
		language := f.languages[number/len(formats)%len(f.languages)]
		number++
		d := &drawer{T: rt, ifs: f.has("⟨if⟩"), loops: f.has("⟨for⟩")}
		s := drawnStep{key: fmt.Sprintf("s%03d", number), language: language, text: d.draw(language)}
		s.text.source = f.source(s.text.source)
		if first := f.name + language; language != "prompt" && !long[first] {
			long[first] = true
			s.source = padding(language) + s.source
		}
		if result := f.compile([]drawnStep{s}); result.HasErrors() {
			for _, x := range result.Diagnostics {
				if x.Severity == diag.Error {
					refused[f.name+" "+language+" "+x.Code.ID+" "+x.Message+"\n"+s.source]++
				}
			}
			return
		}
		drawn[f] = append(drawn[f], s)
		if language == "prompt" {
			return
		}
		for range tries {
			s := drawnStep{key: fmt.Sprintf("x%03d", number), language: language, free: true}
			s.source = f.source(d.nested(language))
			tried++
			if !f.compile([]drawnStep{s}).HasErrors() {
				drawn[f] = append(drawn[f], s)
				free++
				break
			}
		}
	})
	t.Logf("%d of %d nestings of places were accepted", free, tried)
	for why, n := range refused {
		t.Log(n, why)
	}
	total := 0
	for _, f := range formats {
		total += len(drawn[f])
	}
	total -= free
	t.Logf("%d of %d steps were accepted", total, number)
	if total*5 < number*4 {
		t.Errorf("only %d of %d steps were accepted", total, number)
	}
	for _, steps := range drawn {
		slices.SortStableFunc(steps, func(a, b drawnStep) int { return cmp.Compare(a.key[0], b.key[0]) }) // those that may fail are last
	}
	return drawn, strings
}

// padding makes a script longer than what wfc gives to an interpreter as an argument.
func padding(language string) string {
	comment := "# "
	if language == "bun" {
		comment = "// "
	}
	return strings.Repeat(comment+strings.Repeat("long ", 20)+"\n", 1100)
}

// draw draws a script of a language, which ends with a full stop, or a prompt.
func (d *drawer) draw(language string) text {
	switch language {
	case "bash":
		return join(text{"x=X\n", ""}, d.lines(d.command), text{"printf .\n", "."})
	case "python", "uv":
		return join(text{pythonHead, ""}, d.lines(d.pythonLine), text{"sys.stdout.write('.')\n", "."})
	case "bun":
		return join(text{javascriptHead, ""}, d.lines(d.javascriptLine), text{"process.stdout.write('.')\n", "."})
	}
	return d.prompt()
}

// A world is where the workflow of a format runs.
type world struct {
	*format
	steps          []drawnStep
	program, id    string
	dir, work, bin string
	record, output string
	real           []string
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

// interpreters finds the real interpreters of a format's languages. bun may be node.
func interpreters(t *testing.T, languages []string) (environ []string) {
	t.Helper()
	for language, names := range map[string][]string{"bash": {"bash"}, "python": {"python3"}, "uv": {"python3"}, "bun": {"bun", "node"}} {
		if !slices.Contains(languages, language) {
			continue
		}
		found := ""
		if own := os.Getenv("WFC_TEST_BUN"); language == "bun" {
			found = own
		}
		for _, name := range names {
			if path, err := exec.LookPath(name); err == nil && found == "" {
				found = path
			}
		}
		switch {
		case found == "":
			t.Logf("none of %v is on PATH: the scripts of %s are recorded and do not run", names, language)
		case names[0] == "python3": // not a program that looks for it anew each time
			if out, err := exec.Command(found, "-c", "import sys; print(sys.executable)").Output(); err == nil {
				found = strings.TrimSpace(string(out))
			}
			environ = append(environ, realVariable+"python3="+found, realVariable+"uv="+found)
		default:
			environ = append(environ, realVariable+language+"="+found)
		}
	}
	return environ
}

// try runs the workflow with values, and checks what the interpreters got. With real they
// run, and their output is checked, too.
func (w *world) try(t *testing.T, v *values, real bool) map[string]*record {
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
	var runs []string
	if real {
		runs = interpreters(t, w.languages)
		cmd.Env = append(cmd.Env, runs...)
	}
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
			t.Errorf("%s was not performed: %s %s\n%s", s.key, failures[s.key], errs.String(), s.source)
			return records
		}
		records[s.key] = r
		w.check(t, &s, r, v)
		if r.Executed {
			t.Errorf("%s executed a value:\n%s", s.key, s.source)
		}
		if ran := slices.ContainsFunc(runs, func(entry string) bool { return strings.HasPrefix(entry, realVariable+r.Name+"=") }); ran && s.language != "prompt" && !s.free {
			if want := v.fill(s.want); r.Output != want {
				t.Errorf("%s printed\n%q, want\n%q\n%s\n%s", s.key, r.Output, want, failures[s.key], s.source)
			}
		}
	}
	if unfit*2 > len(w.steps) {
		t.Errorf("%d of %d scripts got values that they cannot take", unfit, len(w.steps))
	}
	return records
}

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
			t.Errorf("%s parses a byte of a value:\n%s\n%s", s.key, part, s.source)
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
		t.Errorf("%s is not put together from its parts:\n%s\n%s", s.key, r.script(), s.source)
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
			t.Errorf("%s parses what depends on values:\n%s\n%s", s.key, a, b)
		}
	}
}

// without is what was parsed without the name of the run.
func (r *record) without() (texts []string) {
	run := ""
	for _, entry := range r.Env {
		if id, ok := strings.CutPrefix(entry, "WFC_RUN_ID="); ok {
			run = id
		}
	}
	for _, part := range r.parsed() {
		if name := realVariable; !strings.HasPrefix(part, name) {
			texts = append(texts, strings.ReplaceAll(part, run, "RUN"))
		}
	}
	return texts
}
