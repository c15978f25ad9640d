//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/wfc-lang/wfc/dev/e2e/program"
	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
)

// teamKinds are the kinds of agents that a team has one of each.
var teamKinds = []string{"claude", "codex", "acp", "anthropic", "openai", "google", "command"}

// opinion is what every agent answers to the question about the issue. Those
// whose service knows no optional fields are asked for null in their place.
const (
	opinion     = `{"kind":"bug","confidence":0.75}`
	nullOpinion = `{"kind":"bug","confidence":0.75,"note":null}`
	words       = "The parser reads past the end."
)

// well is how an agent of a kind behaves that nothing is wrong with.
func well(kind string) fakeagent.Behaviour {
	b := fakeagent.Behaviour{
		Text: words, Structured: json.RawMessage(opinion), Session: "session-of-" + kind,
		InputTokens: 100, OutputTokens: 20, CostUSD: 0.014,
	}
	if kind == "codex" || kind == "openai" {
		b.Structured = json.RawMessage(nullOpinion)
	}
	return b
}

// A team is a fake agent of every kind, and the place in which a program finds
// them: programs on PATH, services by the variables with their addresses.
type team struct {
	t *testing.T
	*program.Place
	// programs and servers are the agents by kind.
	programs map[string]string
	servers  map[string]*fakeagent.Server
	stderr   string // of the last command
	mu       sync.Mutex
	// strays are requests for other machines than this one.
	strays []string
}

// newTeam returns a team whose agents behave as change leaves them.
func newTeam(t *testing.T, binary string, change func(kind string, b *fakeagent.Behaviour)) *team {
	t.Helper()
	m := &team{t: t, Place: program.NewPlace(t, binary)}
	// Whatever would leave the machine comes here.
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.strays = append(m.strays, r.Method+" "+r.Host)
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(func() {
		proxy.Close()
		if len(m.strays) > 0 {
			t.Errorf("requests for other machines: %q", m.strays)
		}
	})
	m.Environ = []string{
		"HOME=" + t.TempDir(), "HTTP_PROXY=" + proxy.URL, "HTTPS_PROXY=" + proxy.URL,
		"ANTHROPIC_API_KEY=" + fakeagent.Key, "OPENAI_API_KEY=" + fakeagent.Key, "GEMINI_API_KEY=" + fakeagent.Key,
	}
	m.behave(change)
	return m
}

// behave puts agents that behave otherwise in the place of the team's. They have
// had no turns.
func (m *team) behave(change func(kind string, b *fakeagent.Behaviour)) {
	m.t.Helper()
	m.programs, m.servers = map[string]string{}, map[string]*fakeagent.Server{}
	var folders []string
	for _, kind := range teamKinds {
		b := well(kind)
		if change != nil {
			change(kind, &b)
		}
		switch kind {
		case "anthropic":
			m.serve(kind, fakeagent.Anthropic(m.t, b), "ANTHROPIC_BASE_URL", "")
		case "openai":
			m.serve(kind, fakeagent.OpenAI(m.t, b), "OPENAI_BASE_URL", "/v1")
		case "google":
			m.serve(kind, fakeagent.Google(m.t, b), "GOOGLE_GEMINI_BASE_URL", "")
		case "command":
			m.programs[kind] = askProgram(m.t, b)
		default:
			m.programs[kind] = fakeagent.Program(m.t, kind, b)
		}
		if path := m.programs[kind]; path != "" {
			folders = append(folders, filepath.Dir(path))
		}
	}
	m.set("PATH", strings.Join(append(folders, "/usr/bin", "/bin"), string(filepath.ListSeparator)))
}

func (m *team) serve(kind string, s *fakeagent.Server, variable, path string) {
	m.servers[kind] = s
	m.set(variable, s.URL+path)
}

// set sets a variable of all further commands; the last one counts.
func (m *team) set(name, value string) { m.Environ = append(m.Environ, name+"="+value) }

// turns counts the requests for an answer that an agent has got.
func (m *team) turns(kind string) int {
	m.t.Helper()
	if s := m.servers[kind]; s != nil {
		return len(s.Turns())
	}
	if kind == "command" {
		return len(lines(m.t, filepath.Join(filepath.Dir(m.programs[kind]), "turns")))
	}
	return len(fakeagent.Turns(m.t, m.programs[kind]))
}

// prompts are what an agent was asked, without what stands around it.
func (m *team) prompts(kind string) []fakeagent.Turn {
	m.t.Helper()
	if s := m.servers[kind]; s != nil {
		return s.Turns()
	}
	if kind != "command" {
		return fakeagent.Turns(m.t, m.programs[kind])
	}
	var list []fakeagent.Turn
	for _, line := range lines(m.t, filepath.Join(filepath.Dir(m.programs[kind]), "turns")) {
		var turn fakeagent.Turn
		if err := json.Unmarshal([]byte(line), &turn); err != nil {
			m.t.Fatal(err)
		}
		list = append(list, turn)
	}
	return list
}

// worker is what puts the team's agent of a kind in the place of the one that
// the workflow asks.
func (m *team) worker(kind string) string {
	switch kind {
	case "acp":
		return "worker=acp:" + m.programs[kind] + " --sessions=load"
	case "command":
		return "worker=command:" + m.programs[kind]
	}
	return "worker=" + kind
}

// asks runs the workflow, or goes on with a run, and wants it to end with the
// code.
func (m *team) asks(code int, args ...string) *runOf {
	m.t.Helper()
	out := m.says(code, append(args, "--json")...)
	r := &runOf{}
	if err := json.Unmarshal([]byte(out), r); err != nil {
		m.t.Fatalf("%v: %v: %.500q", args, err, out)
	}
	return r
}

// says calls the program, wants it to end with the code, and returns what it
// prints.
func (m *team) says(code int, args ...string) string {
	m.t.Helper()
	out, errs, got, err := m.Run(m.t.Context(), nil, args...)
	if err != nil || got != code {
		m.t.Fatalf("%q ended with %d, want %d: %v\n%s%s", args, got, code, err, errs, out)
	}
	m.stderr = errs
	return string(out)
}

// traces are what the script of the workflow has left, line by line.
func (m *team) traces() []string {
	m.t.Helper()
	return lines(m.t, filepath.Join(m.Work, "traces"))
}

// lines returns the lines of a file, which may be absent.
func lines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(text)))
}

// gone wants nothing of the team's programs to be running.
func (m *team) gone() {
	m.t.Helper()
	for _, pid := range m.running() {
		m.t.Errorf("process %d goes on running", pid)
	}
}

// running are the processes of the run's programs, where the system tells their environment:
// it names the run, and the folders of the team's programs.
func (m *team) running() (pids []int) {
	m.t.Helper()
	processes, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, p := range processes {
		text, err := os.ReadFile(p)
		if err != nil {
			continue // it has ended
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(p)))
		if err == nil && strings.Contains(string(text), "WFC_RUN_ID=") && strings.Contains(string(text), filepath.Dir(m.programs["claude"])) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// askProgram writes a program that speaks wfc's own protocol and behaves so. It
// keeps what it is asked in a file `turns` beside it, and its environment in
// `environ`.
func askProgram(t *testing.T, b fakeagent.Behaviour) string {
	t.Helper()
	dir := t.TempDir()
	answer := func(body string) string {
		return fmt.Sprintf(`{"wfc":1,%s"session":"%s","model":"m-command","cost_usd":%v,"input_tokens":%d,"output_tokens":%d,"turns":1}`,
			body, b.Session, b.CostUSD, b.InputTokens, b.OutputTokens)
	}
	text := fmt.Sprintf(`#!/bin/bash
here=%q
read -r request
printf '%%s\n' "$request" >>"$here/turns"
env >"$here/environ"
fault=%q
[ %d -gt 0 ] && [ "$(wc -l <"$here/turns")" -gt %d ] && fault=
case $fault in
stalled) printf 'I begin. '; bash -c ': '"$here"'; sleep 600; :'; exit ;;
killed) kill -9 "$$" ;;
garbled) printf '{"wfc":1,"text":<<<garbled>>>}'; exit ;;
truncated) printf '{"wfc":1,"text":"I be'; exit ;;
rate-limited) printf '{"wfc":1,"error":{"message":"429 too many requests","class":"transient"}}'; exit ;;
over-budget) printf '{"wfc":1,"text":"x","structured":%%s,"cost_usd":1000}' %[5]q; exit ;;
signed-out) printf '{"wfc":1,"error":{"message":"you are not signed in","class":"fatal"}}'; exit ;;
esac
case $request in
*'"schema":'*) printf '%%s' %[6]q ;;
*) printf '%%s' %[7]q ;;
esac
`, dir, b.Fault, b.Times, b.Times, opinion, answer(`"structured":`+string(b.Structured)+`,`), answer(`"text":"`+b.Text+`",`))
	path := filepath.Join(dir, "ask")
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}
