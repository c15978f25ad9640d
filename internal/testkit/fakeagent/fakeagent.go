// Package fakeagent replaces coding agents and model services in tests: programs
// and loopback servers that speak the documented formats, well or in the ways in
// which the real ones go wrong. Each has a separate file.
//
// A fake program is the test's own binary under another name: a test's TestMain
// hands over to Main, which becomes the program when it is called by its name.
package fakeagent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// A Fault is a way in which an agent goes wrong.
type Fault string

// The faults.
const (
	// None: it answers.
	None Fault = ""
	// Stalled: it says something, then nothing more, and continues running.
	Stalled Fault = "stalled"
	// Killed: it dies in the middle by SIGKILL, or the connection is reset.
	Killed Fault = "killed"
	// Garbled: its output stops following its format at some point.
	Garbled Fault = "garbled"
	// Truncated: it ends well in the middle of a message.
	Truncated Fault = "truncated"
	// RateLimited: the service has too much to do.
	RateLimited Fault = "rate-limited"
	// OverBudget: it says that the turn would cost too much, or just costs it.
	OverBudget Fault = "over-budget"
	// SignedOut: there is no account, or a wrong key.
	SignedOut Fault = "signed-out"
	// BadKey: the service refuses the key, and the program asks it again and again.
	BadKey Fault = "bad-key"
)

// A Behaviour is the configured behaviour of a fake agent.
type Behaviour struct {
	// Text is its answer, in words.
	Text string `json:"text"`
	// Structured is its answer when it is asked for JSON, or nil.
	Structured json.RawMessage `json:"structured,omitempty"`
	// Session is the session that it says it began, unless it continues one.
	Session string `json:"session,omitempty"`
	// Model is the model that it says it is.
	Model string `json:"model,omitempty"`
	// CostUSD, InputTokens and OutputTokens are the reported cost of the turn.
	CostUSD      float64 `json:"cost_usd,omitempty"`
	InputTokens  int64   `json:"input_tokens,omitempty"`
	OutputTokens int64   `json:"output_tokens,omitempty"`
	// Fault is how the first Times turns go wrong; 0 means all.
	Fault Fault `json:"fault,omitempty"`
	Times int   `json:"times,omitempty"`
	// Helper says that a helper works in the background, which makes some programs
	// come to the end of a turn twice.
	Helper bool `json:"helper,omitempty"`
	// HookSays is why a hook denies it a tool, and Denied a tool that it has no
	// permission for.
	HookSays string `json:"hook_says,omitempty"`
	Denied   string `json:"denied,omitempty"`
	// Version is the reported version of the program, or "" for one that is new
	// enough.
	Version string `json:"version,omitempty"`
}

// faultOfTurn returns the fault of the turn of a number, which counts from 1.
func (b *Behaviour) faultOfTurn(turn int) Fault {
	if b.Times > 0 && turn > b.Times {
		return None
	}
	return b.Fault
}

// answerRequest is what a service says to a request for a model, with the tokens of the request.
func (b *Behaviour) answerRequest(fault Fault, asked string, structured bool) (text, model string, input int64) {
	text, model, input = b.Text, cmp.Or(b.Model, asked), b.InputTokens
	if structured && b.Structured != nil {
		text = string(b.Structured)
	}
	if fault == OverBudget {
		input = costly
	}
	return text, model, input
}

// A Turn is a request that a fake agent got.
type Turn struct {
	// Prompt is the prompt that it received, and System the system prompt.
	Prompt string `json:"prompt"`
	System string `json:"system,omitempty"`
	Model  string `json:"model,omitempty"`
	// Session is the session that it was to continue, or "".
	Session string `json:"session,omitempty"`
	// Schema is the schema that it was given apart from the prompt, or nil.
	Schema json.RawMessage `json:"schema,omitempty"`
	// Args are a program's arguments, and Body a request's body.
	Args []string        `json:"args,omitempty"`
	Body json.RawMessage `json:"body,omitempty"`
	// Environ is a program's environment.
	Environ []string `json:"environ,omitempty"`
}

// A program is a fake program: it reads its prompt and answers as its behaviour
// configures. note keeps the turn and returns its number.
type program func(b *Behaviour, args []string, in io.Reader, out, errors io.Writer, note func(Turn) int) (exit int)

// programs are the fake programs by name.
var programs = map[string]program{
	"acp":    runACP,
	"claude": runClaude,
	"codex":  runCodex,
}

// Main runs a test binary's tests, or the fake program that it was called as. It
// does not return.
func Main(m *testing.M) {
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	p, ok := programs[name]
	if !ok {
		os.Exit(m.Run())
	}
	skipExitDelay()
	dir := programHome()
	var b Behaviour
	text, err := os.ReadFile(filepath.Join(dir, "behaviour.json"))
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	exitOnError(err)
	os.Exit(p(&b, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, func(t Turn) int {
		t.Args, t.Environ = os.Args[1:], os.Environ()
		return recordTurn(dir, t)
	}))
}

// exitOnError ends the program if there is an error.
func exitOnError(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake agent:", err)
		os.Exit(70)
	}
}

// programHome is the folder of the fake program that runs.
func programHome() string {
	path, err := exec.LookPath(os.Args[0]) // it may have been found on PATH
	exitOnError(err)
	return filepath.Dir(path)
}

// recordTurn adds a turn to the program's record and returns its number.
func recordTurn(dir string, t Turn) int {
	for n := 1; ; n++ {
		f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("turn-%03d.json", n)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if os.IsExist(err) {
			continue
		}
		if err == nil {
			err = json.NewEncoder(f).Encode(t)
			f.Close()
		}
		exitOnError(err)
		return n
	}
}

// Program installs the fake program of a name ("claude", "codex", "acp") in a
// separate folder and returns its path. The test's TestMain must call Main.
func Program(t testing.TB, name string, b Behaviour) string {
	t.Helper()
	if programs[name] == nil {
		t.Fatalf("there is no fake program `%s`", name)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, name+filepath.Ext(self))
	if filepath.Ext(self) != ".exe" {
		path = filepath.Join(dir, name)
	}
	if err := os.Symlink(self, path); err != nil {
		t.Skip("the fake program cannot be installed: ", err)
	}
	Change(t, path, b)
	return path
}

// Change has the fake program at path behave in another way from now on.
func Change(t testing.TB, path string, b Behaviour) {
	t.Helper()
	text, err := json.Marshal(b)
	if err == nil {
		err = os.WriteFile(filepath.Join(filepath.Dir(path), "behaviour.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Turns returns the requests that the program at path got, in order.
func Turns(t testing.TB, path string) []Turn {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "turn-*.json"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	var list []Turn
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var turn Turn
		if err := json.Unmarshal(text, &turn); err != nil {
			t.Fatal(err)
		}
		list = append(list, turn)
	}
	return list
}

// commandLine are the arguments of a fake program.
type commandLine struct {
	// values are the values of each flag, in order; "" for one without a value.
	values map[string][]string
	// words are the other arguments.
	words []string
}

// lastValue returns the last value of a flag, or "".
func (c *commandLine) lastValue(flag string) string {
	if v := c.values[flag]; len(v) > 0 {
		return v[len(v)-1]
	}
	return ""
}

// parseArgs reads the arguments: flags of two lists, those with a value, as
// --flag=value or --flag value, and those without. It returns the first flag
// that is in neither.
func parseArgs(args, with, without []string) (c *commandLine, unknown string) {
	c = &commandLine{values: map[string][]string{}}
	for i := 0; i < len(args); i++ {
		flag, value, tied := strings.Cut(args[i], "=")
		switch {
		case args[i] == "-" || !strings.HasPrefix(args[i], "-"):
			c.words = append(c.words, args[i])
		case slices.Contains(without, args[i]):
			c.values[flag] = append(c.values[flag], "")
		case slices.Contains(with, flag) && tied:
			c.values[flag] = append(c.values[flag], value)
		case slices.Contains(with, args[i]) && i+1 < len(args):
			i++
			c.values[args[i-1]] = append(c.values[args[i-1]], args[i])
		default:
			return c, args[i]
		}
	}
	return c, ""
}

// readFileOrExit returns a file's text, or ends the program.
func readFileOrExit(path string) string {
	text, err := os.ReadFile(path)
	exitOnError(err)
	return string(text)
}

// splitInThree cuts a text in three.
func splitInThree(text string) []string {
	runes := []rune(text)
	a, b := len(runes)/3, 2*len(runes)/3
	return []string{string(runes[:a]), string(runes[a:b]), string(runes[b:])}
}

// stallForever continues running and says nothing.
func stallForever() {
	for {
		time.Sleep(time.Hour)
	}
}

// killSelf ends the program by SIGKILL.
func killSelf() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	stallForever() // the signal may take a moment
}

// readAll reads everything.
func readAll(in io.Reader) string {
	text, err := io.ReadAll(in)
	exitOnError(err)
	return string(text)
}

// rawJSON returns a value as JSON.
func rawJSON(value any) json.RawMessage { return plain.MustEncodeJSON(value) }
