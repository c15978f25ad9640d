// Package otel tries the traces of wfc's binaries with a real OpenTelemetry Collector:
// `make test-otel`.
package otel

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	wfc       = flag.String("wfc", "", "the program wfc")
	collector = flag.String("collector", "", "the program of ./collector")
)

const workflow = `name: ship
description: Builds, asks and ships.
nodes:
  - {id: build, bash: "echo built"}
  - {id: ask, prompt: "Is it fine?", depends_on: [build]}
  - {id: gate, approval: {message: "Ship it?"}, depends_on: [ask]}
  - {id: ship, bash: "echo shipped", depends_on: [gate]}
`

// A run in two processes, between which one is killed, is one trace in a real collector.
func TestCollector(t *testing.T) {
	if *wfc == "" || *collector == "" {
		t.Skip("make test-otel names the programs")
	}
	address, spans := startCollector(t)
	dir := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("ship.yaml", workflow)
	write("replies.json", `{"ask": [{"text": "fine", "cost": 0.5}]}`)
	run := func(want int, program string, args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"), "OTEL_EXPORTER_OTLP_ENDPOINT=http://"+address)
		out, err := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != want {
			t.Fatalf("%s %v: %d, %v\n%s", program, args, code, err, out)
		}
		return string(out)
	}
	run(0, *wfc, "build", "ship.yaml", "--otel", "-o", "ship")
	ship := filepath.Join(dir, "ship")
	run(3, ship, "run", "--no-ask", "--agent", "claude=scripted:replies.json")
	run(0, ship, "approve")
	id := regexp.MustCompile(`trace ([0-9a-f]{32}) of run`).FindStringSubmatch(run(0, ship, "trace"))
	if id == nil {
		t.Fatal("no trace id")
	}
	want := []string{"attempt build", "attempt ship", "ask", "build", "gate", "invoke_agent claude", "invoke_workflow ship", "ship", "wait person"}
	slices.Sort(want)
	if got := spans.wait(t, len(want)); !slices.Equal(got.names, want) || len(got.traces) != 1 || got.traces[0] != id[1] || got.ids != len(want) {
		t.Errorf("got  %q of traces %q with %d ids\nwant %q of trace %s", got.names, got.traces, got.ids, want, id[1])
	}
	for _, text := range []string{"gen_ai.operation.name: Str(invoke_workflow)", "gen_ai.operation.name: Str(invoke_agent)", "gen_ai.provider.name: Str(anthropic)", "service.name: Str(ship)", "https://opentelemetry.io/schemas/1.41.0"} {
		if !strings.Contains(spans.String(), text) {
			t.Errorf("the collector has no %s", text)
		}
	}
	if strings.Contains(spans.String(), "Is it fine?") {
		t.Error("the collector got the prompt")
	}
}

// printed is what the collector prints.
type printed struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

type received struct {
	names, traces []string
	ids           int
}

// wait waits until the collector has printed a number of spans.
func (p *printed) wait(t *testing.T, n int) received {
	t.Helper()
	late := time.After(time.Minute)
	for {
		var got received
		ids := map[string]bool{}
		for _, span := range strings.Split(p.String(), "\nSpan #")[1:] {
			field := func(name string) string {
				m := regexp.MustCompile(`(?m)^ +` + name + ` +: (.*)$`).FindStringSubmatch(span)
				if m == nil {
					return ""
				}
				return m[1]
			}
			got.names = append(got.names, field("Name"))
			got.traces = append(got.traces, field("Trace ID"))
			ids[field("ID")] = true
		}
		slices.Sort(got.names)
		slices.Sort(got.traces)
		got.traces, got.ids = slices.Compact(got.traces), len(ids)
		if len(got.names) >= n {
			return got
		}
		select {
		case <-p.more:
		case <-late:
			t.Fatalf("only %d spans came\n%s", len(got.names), p)
		}
	}
}

// startCollector starts a collector at a free port, and ends it with the test.
func startCollector(t *testing.T) (address string, p *printed) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = l.Addr().String()
	l.Close()
	config := fmt.Sprintf(`yaml:{receivers: {otlp: {protocols: {http: {endpoint: "%s"}}}}, exporters: {debug: {verbosity: detailed, sampling_initial: 1000}}, service: {telemetry: {metrics: {level: none}}, pipelines: {traces: {receivers: [otlp], exporters: [debug]}}}}`, address)
	cmd := exec.Command(*collector, "--config", config)
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p = &printed{more: make(chan struct{}, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			p.mu.Lock()
			p.text.WriteString(lines.Text() + "\n")
			p.mu.Unlock()
			select {
			case p.more <- struct{}{}:
			default:
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-done
		_ = cmd.Wait()
	})
	for late := time.After(time.Minute); ; {
		r, err := http.Post("http://"+address+"/v1/traces", "application/x-protobuf", nil)
		if err == nil {
			r.Body.Close()
			return address, p
		}
		select {
		case <-p.more:
		case <-time.After(100 * time.Millisecond):
		case <-late:
			t.Fatalf("the collector does not start: %v\n%s", err, p)
		}
	}
}
