//go:build unix

package lango

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wfc-lang/wfc/dev/e2e/program"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// posts delivers to Slack; quiet names no channel.
const (
	posts = "name: posts\ndeliver_to: [slack]\nsteps:\n" +
		"  - {id: fetch-changes, prompt: Fetch, deliver_to: [slack]}\n" +
		"  - {id: analysis, prompt: \"Analyze: {{fetch-changes.result}}\", depends_on: [fetch-changes]}\n"
	quiet = "name: quiet\nsteps:\n  - {id: one, prompt: x}\n  - {id: two, prompt: x}\n  - {id: three, prompt: x}\n"
	// house is the configuration of a project that has a channel of its own.
	house = "delivery: {default: [\"webhook:house\"]}\n"
)

// A binary is built once, when the first test wants it.
type binary struct {
	once sync.Once
	path string
	err  error
}

// get returns the path of the binary that make makes in a folder.
func (b *binary) get(t *testing.T, make func(dir string) (path string, err error)) string {
	t.Helper()
	b.once.Do(func() {
		var dir string
		if dir, b.err = os.MkdirTemp(scratch, ""); b.err == nil {
			b.path, b.err = make(dir)
		}
	})
	if b.err != nil {
		t.Fatal(b.err)
	}
	return b.path
}

var (
	tool binary // wfc itself
	// built are programs by workflow and configuration.
	built = map[string]*binary{posts + house: {}, quiet + house: {}, quiet: {}}
	// scratch is where they are.
	scratch string
)

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "wfc-e2e-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// command runs a program, whose output is the error's text.
func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %v: %w: %s", name, args, err, out)
	}
	return nil
}

func buildTool(dir string) (string, error) {
	path := filepath.Join(dir, "wfc")
	return path, command("go", "-C", "../../..", "build", "-o", path, "./cmd/wfc")
}

// A place is where a binary runs, with services that it delivers to.
type place struct {
	*program.Place
	t     *testing.T
	agent []string

	mu sync.Mutex
	// sent are the messages that arrived, each with the path that it was sent to.
	sent []string
}

// build builds a workflow with wfc, with an MCP server. Its agent is a script.
func build(t *testing.T, yaml, config, script string) *place {
	t.Helper()
	testkit.SkipBuild(t)
	wfc := tool.get(t, buildTool)
	path := built[yaml+config].get(t, func(dir string) (string, error) {
		file, path := filepath.Join(dir, "w.flow.yaml"), filepath.Join(dir, "program")
		err := errors.Join(os.WriteFile(file, []byte(yaml), 0o600), os.WriteFile(filepath.Join(dir, "wfc.yaml"), []byte(config), 0o600))
		if err == nil {
			err = command(wfc, "build", file, "--mcp", "-o", path)
		}
		return path, err
	})
	agent := filepath.Join(t.TempDir(), "agent.sh")
	if err := os.WriteFile(agent, []byte("#!/usr/bin/env bash\nread -r request\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	p := &place{Place: program.NewPlace(t, path), t: t, agent: []string{"--agent", "executor=command:" + agent}}
	services := httptest.NewServer(http.HandlerFunc(p.receive))
	t.Cleanup(services.Close)
	p.Environ = []string{"WFC_SLACK_URL=" + services.URL + "/slack", "WFC_DISCORD_URL=" + services.URL + "/discord", "WFC_WEBHOOK_HOUSE_URL=" + services.URL + "/house"}
	return p
}

func (p *place) receive(_ http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	var message map[string]any
	if err == nil {
		err = json.Unmarshal(text, &message)
	}
	if err != nil {
		p.t.Error(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, value := range message {
		if s, ok := value.(string); ok && strings.Contains(s, "result of") {
			p.sent = append(p.sent, r.URL.Path+": "+s)
		}
	}
}

// messages are the messages that arrived, in order.
func (p *place) messages() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.sent)
}

// call runs the binary and wants it to end with a code.
func (p *place) call(code int, args ...string) (stdout, stderr string) {
	p.t.Helper()
	out, errs, got, err := p.Run(p.t.Context(), nil, args...)
	if err != nil || got != code {
		p.t.Fatalf("%v ended with %d (%v), want %d: %s%s", args, got, err, code, errs, out)
	}
	return string(out), errs
}

func (p *place) run() (stdout, stderr string) {
	p.t.Helper()
	return p.call(0, append([]string{"run"}, p.agent...)...)
}

// content waits for a file of the working folder to have a line, and returns all
// of it.
func (p *place) content(name, line string) string {
	p.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if text, err := os.ReadFile(filepath.Join(p.Work, name)); err == nil && strings.Contains(string(text), line+"\n") {
			return string(text)
		}
	}
	p.t.Fatalf("%s never has a line %q", name, line)
	return ""
}

// delivered waits until the run has recorded a delivery. One that was sent and not recorded
// is sent again.
func (p *place) delivered() {
	p.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		out, _ := p.call(0, "status", "--json")
		var d struct {
			Nodes []struct{ Kind, Status string }
		}
		if err := json.Unmarshal([]byte(out), &d); err != nil {
			p.t.Fatal(err)
		}
		for _, s := range d.Nodes {
			if s.Kind == "deliver" && s.Status == "completed" {
				return
			}
		}
	}
	out, _ := p.call(0, "status", "--json")
	p.t.Fatalf("nothing is delivered: %s", out)
}

// serve is a session with the binary's MCP server.
func (p *place) serve() *sdk.ClientSession {
	p.t.Helper()
	cmd := p.Command(p.t.Context(), nil, append([]string{"mcp"}, p.agent...)...)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(p.t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = session.Close() })
	return session
}

// document is what the tools say of a run.
type document struct {
	RunID, Status string
	Nodes         []struct{ ID, Status string }
}

func (p *place) use(s *sdk.ClientSession, tool string, args map[string]any) (d document) {
	p.t.Helper()
	r, err := s.CallTool(p.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil || r.IsError {
		p.t.Fatalf("%s: %v %+v", tool, err, r)
	}
	text, err := json.Marshal(r.StructuredContent)
	var raw struct {
		RunID string `json:"run_id"`
		document
	}
	if err == nil {
		err = json.Unmarshal(text, &raw)
	}
	if err != nil {
		p.t.Fatalf("%s: %v: %s", tool, err, text)
	}
	raw.document.RunID = raw.RunID
	return raw.document
}

// finish begins a run by the tool and waits for its end.
func (p *place) finish(args map[string]any) document {
	p.t.Helper()
	s := p.serve()
	id := p.use(s, "workflow_run", args).RunID
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if d := p.use(s, "workflow_status", map[string]any{"run_id": id}); d.Status != "running" {
			return d
		}
	}
	p.t.Fatal("the run does not end")
	return document{}
}

// answers is an agent that answers at once; waits is one whose step `analysis`, or
// `one`, goes on as long as there is no file `go`.
const (
	answers = "echo \"result of $WFC_STEP_KEY\"\n"
	waits   = "echo \"$WFC_STEP_KEY\" >> asked\ncase $WFC_STEP_KEY in analysis|one) until [ -e go ]; do sleep 0.02; done ;; esac\n" + answers
)

func substitution(t *testing.T) {
	p := build(t, posts, house, "printf '%s\\n' \"$request\" >> asked\n"+answers)
	p.run()
	if asked := p.content("asked", ""); !strings.Contains(asked, "Analyze: result of fetch-changes") || strings.Contains(asked, "{{") {
		t.Errorf("the agent was asked %s", asked)
	}
}

// Each step of the layer waits until all three are at work.
func concurrently(t *testing.T) {
	p := build(t, quiet, "", "touch \"at-$WFC_STEP_KEY\"\nfor n in one two three; do until [ -e \"at-$n\" ]; do sleep 0.02; done; done\n"+answers)
	p.run()
}

func resumeInterrupted(t *testing.T) {
	p := build(t, posts, house, waits)
	cmd := p.Command(t.Context(), nil, append([]string{"run"}, p.agent...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.content("asked", "analysis")
	p.delivered()
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if out, _ := p.call(0, "status"); !strings.Contains(out, "interrupted") {
		t.Errorf("the status is %s", out)
	}
	if err := os.WriteFile(filepath.Join(p.Work, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := p.call(0, "resume"); !strings.Contains(out, "result of analysis") {
		t.Errorf("it says %s", out)
	}
	if asked := p.content("asked", "analysis"); asked != "fetch-changes\nanalysis\nanalysis\n" {
		t.Errorf("asked: %q", asked)
	}
	// What was delivered before is not sent again.
	if n := len(p.messages()); n != 2 {
		t.Errorf("%d messages: %q", n, p.messages())
	}
}

func cancelledByTool(t *testing.T) {
	p := build(t, posts, house, waits)
	s := p.serve()
	id := p.use(s, "workflow_run", map[string]any{}).RunID
	p.content("asked", "analysis")
	if d := p.use(s, "workflow_cancel", map[string]any{"run_id": id}); d.Status != "cancelled" {
		t.Errorf("%+v", d)
	}
	d := p.use(s, "workflow_status", map[string]any{"run_id": id})
	if len(d.Nodes) < 2 || d.Status != "cancelled" || d.Nodes[0].Status != "completed" || d.Nodes[1].Status != "cancelled" {
		t.Errorf("%+v", d)
	}
}

func toolReturnsAtOnce(t *testing.T) {
	p := build(t, posts, house, waits)
	s := p.serve()
	d := p.use(s, "workflow_run", map[string]any{}) // `analysis` cannot end yet
	if d.RunID == "" || d.Status != "running" {
		t.Errorf("%+v", d)
	}
	if d := p.use(s, "workflow_status", map[string]any{"run_id": d.RunID}); d.Status != "running" {
		t.Errorf("%+v", d)
	}
	p.use(s, "workflow_cancel", map[string]any{"run_id": d.RunID})
}

// postsSummary and quietSummary are the results of posts and of quiet, as chats get them.
const (
	postsSummary = "Workflow 'posts' completed.\n\n--- fetch-changes ---\nresult of fetch-changes\n\n--- analysis ---\nresult of analysis"
	quietSummary = "Workflow 'quiet' completed.\n\n--- one ---\nresult of one\n\n--- two ---\nresult of two\n\n--- three ---\nresult of three"
)

// got wants these messages to have arrived, in any order.
func (p *place) got(want ...string) {
	p.t.Helper()
	list := p.messages()
	for i, m := range list {
		list[i] = strings.TrimSpace(m)
	}
	slices.Sort(list)
	if slices.Sort(want); !slices.Equal(list, want) {
		p.t.Errorf("messages:\n%q\nwant:\n%q", list, want)
	}
}

func stepDelivery(t *testing.T) {
	p := build(t, posts, house, answers)
	out, _ := p.run()
	if !slices.Contains(p.messages(), "/slack: [posts/fetch-changes] result of fetch-changes") {
		t.Errorf("%q", p.messages())
	}
	if status, _ := p.call(0, "status", "--json"); !strings.Contains(status, "result of fetch-changes") || !strings.Contains(out, "result of analysis") {
		t.Errorf("the result was not stored: %s", status)
	}
}

func targetsOfTheWorkflow(t *testing.T) {
	p := build(t, posts, house, answers)
	p.finish(map[string]any{"session_key": "discord:7:ann"})
	p.got("/slack: [posts/fetch-changes] result of fetch-changes", "/slack: "+postsSummary)
}

func targetOfTheSession(t *testing.T) {
	p := build(t, quiet, house, answers)
	if d := p.finish(map[string]any{"session_key": "slack:C1:U1"}); d.Status != "completed" {
		t.Errorf("%+v", d)
	}
	p.got("/slack: " + quietSummary)
}

func targetsOfTheConfiguration(t *testing.T) {
	p := build(t, quiet, house, answers)
	p.finish(map[string]any{"session_key": "cli:7"})
	p.got("/house: " + quietSummary)
}

func noChannelWarning(t *testing.T) {
	p := build(t, quiet, "", answers)
	_, errs := p.run()
	lines := bufio.NewScanner(strings.NewReader(errs))
	found := false
	for lines.Scan() {
		found = found || strings.HasPrefix(lines.Text(), "! workflow `quiet` completed, but no channel") && strings.Contains(lines.Text(), "delivery.default")
	}
	if !found {
		t.Errorf("nothing warns:\n%s", errs)
	}
	if len(p.messages()) > 0 {
		t.Errorf("%q", p.messages())
	}
}

func completionDelivery(t *testing.T) {
	p := build(t, posts, house, answers)
	p.run()
	p.got("/slack: [posts/fetch-changes] result of fetch-changes", "/slack: "+postsSummary)
	failing := build(t, posts, house, "[ $WFC_STEP_KEY = analysis ] && exit 3\n"+answers)
	failing.call(1, append([]string{"run"}, failing.agent...)...)
	failing.got("/slack: [posts/fetch-changes] result of fetch-changes") // the workflow has not completed
}
