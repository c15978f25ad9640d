package temporal_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// pages are a browser on the pages of wfc serve.
type pages struct {
	*world
	http.Client
	base string
}

// openPages serves the runs of the cluster to a browser.
func (w *world) openPages(args ...string) *pages {
	w.t.Helper()
	w.start("open http://", *wfcProgram, append([]string{"serve", "--address", "127.0.0.1:0", "--temporal", w.address, "--store", w.dir}, args...)...)
	address, err := url.Parse(regexp.MustCompile(`http://\S+`).FindString(w.said))
	if err != nil {
		w.t.Fatal(err)
	}
	p := &pages{world: w, base: "http://" + address.Host}
	p.Jar, _ = cookiejar.New(nil)
	p.see(address.RequestURI())
	return p
}

// see returns a page.
func (p *pages) see(path string) string {
	p.t.Helper()
	r, err := p.Get(p.base + path)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.read(r)
}

func (p *pages) read(r *http.Response) string {
	p.t.Helper()
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return fmt.Sprintln(r.StatusCode) + string(text)
}

// until loads a page until it contains a text.
func (p *pages) until(path, want string) string {
	p.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		page := p.see(path)
		if strings.Contains(page, want) {
			return page
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("%s never contains %s:\n%s", path, want, page)
		}
	}
}

// send sends a form of a page: fields that the page has, and more as name, value, and so on.
func (p *pages) send(page, action string, more ...string) string {
	p.t.Helper()
	fields := url.Values{}
	for _, in := range regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		fields.Set(in[1], strings.ReplaceAll(in[2], "&#43;", "+"))
	}
	for i := 0; i < len(more); i += 2 {
		fields.Set(more[i], more[i+1])
	}
	request, _ := http.NewRequest("POST", p.base+action, strings.NewReader(fields.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", p.base)
	r, err := p.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.read(r)
}

// runPath returns the address of a run on a page with it.
func (p *pages) runPath(page, id string) string {
	p.t.Helper()
	path := regexp.MustCompile(`/runs/[^/"#]+/` + regexp.QuoteMeta(id)).FindString(page)
	if path == "" {
		p.t.Fatalf("run %s is not on the page:\n%s", id, page)
	}
	return path
}

func (p *pages) contains(page string, parts ...string) {
	p.t.Helper()
	for _, part := range parts {
		if !strings.Contains(page, part) {
			p.t.Errorf("%q is missing on\n%s", part, page)
		}
	}
}

// The pages find the run that waits, show what its workers know, and answer it; without a worker,
// they say what is missing.
func TestServe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	program := w.build("gated", gated)
	first := w.worker(program)
	id := w.detach(program, "--dead-worker", "move")
	other := w.detach(program, "--workspace", "none")
	w.until(program, id, "paused")
	w.until(program, other, "paused")
	p := w.openPages("--blobs", filepath.Join(w.dir, "blobs"))
	overview := p.until("/", "ship it?")
	p.contains(overview, "Temporal namespace default", "gated", id, other)
	path := p.runPath(overview, id)
	page := p.see(path)
	p.contains(page, "ship it?", "Steps that wait for it: b", path+"/graph.svg", "artifacts")
	p.contains(p.see(path+"/step?key=a"), "echo hi", "hi")
	p.contains(p.see(path+"/graph.svg"), "<svg")
	p.contains(p.see(path+"/log"), "hi")
	p.contains(p.see("/?search=gated"), id, "beginning of their id")
	p.contains(p.see("/?status=completed"), "No run is like that")
	p.contains(p.see("/totals"), "gated", "counts no tokens")
	p.contains(p.send(page, path+"/answer", "choice", "approve", "text", "fine"), "200")
	page = p.until(path, "shipped hi")
	p.contains(page, "completed")
	p.contains(p.see(path+"/step?key=gate%231"), "page, 127.0.0.1", "approve")

	// Without a worker, the page says so, and still takes an answer.
	path = p.runPath(overview, other)
	w.kill(first)
	p.contains(p.see(path), "ship it?", "hi") // it remembers what it has seen
	p = w.openPages("--blobs", filepath.Join(w.dir, "blobs"))
	page = p.until(path, "No worker of the run")
	p.contains(page, "ship it?", path+"/graph.svg")
	p.contains(p.send(page, path+"/answer", "choice", "approve"), "200")
	second := w.worker(program)
	p.until(path, "shipped hi")

	// A list is newest first on all of its pages, however the cluster orders workflows.
	var ids []string
	for range 52 {
		ids = append(ids, w.detach(program, "--workspace", "none"))
	}
	page = p.until("/?since=24h", ids[51])
	older := regexp.MustCompile(`href="(/\?after=[^"]*)"`).FindStringSubmatch(page)
	if older == nil {
		t.Fatalf("no older runs on\n%s", page)
	}
	rest := p.see(strings.ReplaceAll(older[1], "&amp;", "&"))
	for i, id := range ids {
		if first, second := strings.Contains(page, id), strings.Contains(rest, id); first != (i >= 2) || second != (i < 2) {
			t.Errorf("run %d is on the first page: %v, on the second: %v", i, first, second)
		}
	}

	// A run that is cancelled by a page, and resumed.
	id = w.detach(program, "--workspace", "none")
	path = p.runPath(p.until("/", id+"#questions"), id)
	p.contains(p.send(p.see(path), path+"/cancel"), "200")
	page = p.until(path, "cancelled")
	p.contains(p.send(page, path+"/resume"), "200")
	page = p.until(path, "ship it?")
	if n := strings.Count(p.see("/"), "/"+id+`">`); n != 1 {
		t.Errorf("the resumed run is listed %d times", n)
	}
	p.contains(p.send(page, path+"/answer", "choice", "reject"), "200")
	p.until(path, "cancelled")
	w.kill(second)
}

// A gate that needs two people with a role, and not the one who started the run.
func TestGateRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := os.WriteFile(filepath.Join(w.dir, "wfc.yaml"), []byte("gates:\n  nodes:\n    gate: {approvals: 2, role: release, not_starter: true}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	users := filepath.Join(w.dir, "users.json")
	for name, roles := range map[string]string{"ann": "viewer,approver", "ben": "viewer,release", "eve": "viewer,release", me.Username: "viewer,release"} {
		cmd := w.command(*wfcProgram, "serve", "--temporal", w.address, "--users", users, "--add-user", name, "--roles", roles)
		cmd.Stdin = strings.NewReader("password of " + name + "\n")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	program := w.build("gated", gated)
	first := w.worker(program)
	id := w.detach(program, "--workspace", "none")
	w.until(program, id, "paused")
	if _, code := w.call(program, "approve", id); code == 0 {
		t.Error("the command line approved without the role")
	}
	p := w.openPages("--users", users)
	as := func(name string) string {
		p.Jar, _ = cookiejar.New(nil)
		p.contains(p.send(p.see("/"), "/sign-in", "name", name, "password", "password of "+name, "next", "/"), "200", "Runs")
		return p.until("/", id)
	}
	path := p.runPath(as("ann"), id)
	approve := func() string { return p.send(p.see(path), path+"/answer", "key", "gate#1", "choice", "approve") }
	hash := func() string {
		found := regexp.MustCompile(`data-hash="([^"]*)"`).FindStringSubmatch(p.see(path))
		if found == nil {
			t.Fatal("no question on the page")
		}
		return found[1]
	}
	refused := func() string { // there is no form to send
		return p.send(p.see(path), path+"/answer", "key", "gate#1", "hash", hash(), "choice", "approve")
	}
	p.contains(refused(), "403", "needs the role release")
	as(me.Username)
	p.contains(refused(), "403", "somebody else has to answer")
	as("ben")
	p.contains(approve(), "200", "1 of 2")
	p.contains(refused(), "403", "has already given this answer")
	if r := w.status(program, id); r.Status != "paused" {
		t.Errorf("the run is %s after one approval", r.Status)
	}
	as("eve")
	p.contains(approve(), "200")
	p.until(path, "shipped hi")
	p.contains(p.see(path+"/step?key=gate%231"), "ben, eve")

	// Approvals that are given while no worker lives count, too.
	id = w.detach(program, "--workspace", "none")
	w.until(program, id, "paused")
	w.kill(first)
	p = w.openPages("--users", users)
	for _, name := range []string{"eve", "ben"} {
		path = p.runPath(as(name), id)
		p.until(path, "No worker of the run")
		p.contains(approve(), "200")
	}
	w.worker(program)
	if r := w.until(program, id, "completed"); r.Summary != "shipped hi" {
		t.Errorf("%+v", r)
	}
}

// A trace is the same for every process, and has each step once, also after a worker has died.
func TestTrace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var sent atomic.Int64
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { sent.Add(1) }))
	t.Cleanup(collector.Close)
	program := w.build("gated", gated, "--otel")
	first := w.worker(program)
	w.environ = []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL}
	if _, code := w.call(program, "run", "--workspace", "none"); code != 3 {
		t.Fatal("the run does not wait")
	}
	id := w.status(program, "latest").ID
	if sent.Load() == 0 {
		t.Error("run exported nothing")
	}
	w.kill(first)
	w.worker(program)
	if _, code := w.call(program, "approve", id); code != 0 {
		t.Fatal("the answer was refused")
	}
	w.until(program, id, "completed")
	one, code := w.call(program, "trace", id, "--json")
	if code != 0 {
		t.Fatal("no trace")
	}
	two, _ := w.call(program, "trace", id, "--json")
	spans := regexp.MustCompile(`"span_id": *"([^"]*)"`).FindAllString(one, -1)
	if fmt.Sprint(spans) != fmt.Sprint(regexp.MustCompile(`"span_id": *"([^"]*)"`).FindAllString(two, -1)) || len(spans) < 4 {
		t.Errorf("%d spans, which differ or are too few:\n%s", len(spans), one)
	}
	before := sent.Load()
	for range 2 {
		if _, code := w.call(program, "trace", id, "--export"); code != 0 {
			t.Error("the trace was not exported")
		}
	}
	if n := sent.Load() - before; n != 1 {
		t.Errorf("%d requests export what is left, want 1 for both calls", n)
	}
	out, _ := w.call(program, "trace", id)
	for _, want := range []string{id, "a ", "waits for a person", "b "} {
		if !bytes.Contains([]byte(out), []byte(want)) {
			t.Errorf("%q is missing:\n%s", want, out)
		}
	}
}
