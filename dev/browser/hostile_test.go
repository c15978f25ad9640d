package browser

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// hostile is what an agent or a file may fill any field with: markup, scripts, a template, an
// address, colours of a terminal, marks that turn or hide text, and a word without an end.
var hostile = `x"'><script>window.owned=1;alert(1)</script><img src="https://evil.example/i" onerror="window.owned=1"><svg onload="window.owned=1"><a href="javascript:window.owned=1">y</a><iframe src="https://evil.example/"></iframe><style>*{display:none!important}</style><base href="https://evil.example/"></textarea></pre></title>--></script>{{.}}${1+1}` +
	"\x1b[31m\x1b]8;;https://evil.example\x07link\u202egnp.exe\u2066\u200b\ufeff " + strings.Repeat("W", 400)

// hostileStep is a step all of whose fields are hostile.
func hostileStep(key, kind string, status flow.Status) flow.Record {
	now := time.Now()
	return flow.Record{
		Key: key, Kind: kind, Status: status, Reason: hostile, Text: hostile, Prompt: hostile, Attempt: 2, Started: now.Add(-time.Minute), Finished: now,
		Failure: &flow.Failure{Message: hostile, Class: flow.Class(hostile), Reason: hostile},
		Meta:    flow.Meta{CostUSD: 0.5, InputTokens: 10, OutputTokens: 20, Turns: 1, Model: hostile, By: hostile, From: hostile, Choice: hostile, Session: hostile},
	}
}

// hostileID is an id that no wfc gives, but a journal may have.
const hostileID = `r"><script>alert(1)</script>-zzzzzz`

// hostileRuns fills a state folder: a paused and a failed run with its child, a run whose id is
// hostile, their descriptions, logs and artifacts, and the origins from which the form to start a run comes.
func hostileRuns(t *testing.T, dir string) {
	t.Helper()
	folder := state.Folder{Path: dir}
	s, err := entstore.OpenState(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	encode := func(v any) []byte {
		text, err := json.Marshal(v)
		check(err)
		return text
	}
	const fingerprint = "abc123"
	check(folder.KeepDefinition(fingerprint, func() ([]byte, error) {
		return encode(flow.Definition{
			Name: hostile, Description: hostile, Source: hostile, Fingerprint: fingerprint,
			Nodes: []flow.NodeInfo{
				{Key: hostile, Kind: "prompt", Agent: hostile, When: hostile}, {Key: "gate", Kind: "approval", After: []string{hostile}, Rule: hostile},
				{Key: "next" + hostile, Kind: hostile, After: []string{"gate"}, Workflow: hostile, DeliverTo: []string{hostile}},
			},
			Inputs: []flow.InputInfo{
				{Name: hostile, Type: "text", Doc: hostile, Default: string(encode(hostile))}, {Name: "c" + hostile, Type: "word", Choices: []string{hostile, "b"}, Doc: hostile},
				{Name: "n" + hostile, Type: "int", Default: "3"}, {Name: "b" + hostile, Type: "bool", Doc: hostile, Default: "true"}, {Name: "t" + hostile, Type: hostile, Items: hostile},
			},
		}), nil
	}))
	for _, run := range []struct {
		id      string
		status  flow.Status
		setting string
	}{{"hostile-aaaaaa", flow.Paused, ""}, {"hostile-bbbbbb", flow.Failed, ""}, {"hostile-bbbbbb--child", flow.Failed, `, "parent": {"run": "hostile-bbbbbb", "step": ` + string(encode(hostile)) + `}`}, {hostileID, flow.Interrupted, ""}} {
		kept := fmt.Sprintf(`{"trigger": {"name": %s, "event": %[1]s, "delivery": %[1]s}%s}`, encode(hostile), run.setting)
		status := run.status
		if status == flow.Interrupted {
			status = flow.Running
		}
		r := store.Run{
			RunInfo: flow.RunInfo{
				ID: run.id, Workflow: hostile, Fingerprint: fingerprint, Inputs: encode(map[string]string{hostile: hostile, "list": hostile}), DeliverTo: []string{hostile},
				ArtifactsDir: folder.Artifacts(run.id), LogDir: folder.RunDir(run.id), WorkDir: dir, BaseBranch: hostile, DocsDir: hostile,
			},
			Status: status, Reason: hostile, Error: hostile, Outputs: encode(map[string]string{hostile: hostile}), Summary: hostile, Outcome: hostile,
			Executable: hostile, Settings: json.RawMessage(kept), Holder: hostile, CancelBy: hostile, Created: time.Now().Add(-time.Hour), Started: time.Now().Add(-time.Hour),
		}
		if status.Ended() {
			r.Finished = time.Now()
		}
		asks := hostileStep("gate#1", "ask", flow.Waiting)
		asks.Finished, asks.Failure = time.Time{}, nil
		asks.Question = &flow.Question{Key: "gate#1", Message: hostile, Output: hostile, LastEdit: hostile, Choices: []string{"approve", "edit", hostile}}
		waits := hostileStep("soak", "wait", flow.Waiting)
		waits.Finished, waits.Failure = time.Time{}, nil
		waits.Question = &flow.Question{Key: "soak", Message: hostile, Wait: flow.WaitAttention, Choices: []string{"wake"}}
		steps := []flow.Record{hostileStep(hostile, "prompt", flow.Failed), {Key: "gate", Kind: "approval", Status: flow.Pending}, hostileStep("next"+hostile, hostile, flow.Skipped)}
		if !status.Ended() {
			steps = append(steps, asks, waits)
		}
		steps = append(steps, hostileStep(hostile+"#1", "prompt", flow.Failed), hostileStep(hostile+"/deliver", "deliver", flow.Failed))
		check(s.CreateRun(t.Context(), r, steps))
		check(s.Commit(t.Context(), run.id, flow.Batch{
			Events:   []flow.Event{{Time: time.Now(), Type: "warning", Key: hostile, Message: hostile}},
			Spending: []flow.Spending{{Key: hostile, Node: hostile, Attempt: 1, Project: hostile, Workflow: hostile, Agent: hostile, Model: hostile, Time: time.Now(), Priced: true, State: "settled", Micros: 500_000, Input: 10, Output: 20}},
			Messages: []flow.Message{{Key: "m" + run.id, Workflow: hostile, Event: hostile, Target: hostile, Body: encode(hostile), Created: time.Now(), Due: time.Now()}},
		}))
		name := strings.NewReplacer("/", "-", "\x00", "").Replace(hostile)[:200]
		line := encode(map[string]any{"time": time.Now(), "type": "output", "node": hostile, "stream": hostile, "text": hostile})
		event := encode(map[string]any{"time": time.Now(), "type": hostile, "node": hostile, "message": hostile, "error": hostile, "reason": hostile})
		check(errors.Join(
			os.MkdirAll(folder.Artifacts(run.id), 0o700), os.WriteFile(filepath.Join(folder.Artifacts(run.id), name), []byte("<script>window.owned=1</script>"), 0o600),
			os.WriteFile(filepath.Join(folder.Artifacts(run.id), "page.html"), []byte("<script>window.owned=1</script>"), 0o600),
			os.WriteFile(filepath.Join(folder.Artifacts(run.id), "picture.svg"), []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="window.owned=1"/>`), 0o600),
			os.WriteFile(folder.LogFile(run.id), append(append(line, '\n'), append(event, '\n')...), 0o600),
		))
	}
	check(s.(interface {
		Write(ctx context.Context, query string, values ...driver.Value) error
	}).Write(t.Context(), `UPDATE workflow_messages SET state = 'failed', error = ?`, []byte(hostile)))
	check(folder.KeepOrigin(state.Origin{Run: "hostile-aaaaaa", Workflow: hostile, Source: "/" + hostile, Program: "/" + hostile, Store: settings.StoreSQLite, Created: time.Now()}))
}

// hostilePages are the pages of a state folder that hostileRuns has filled.
func hostilePages(p *tab) []string {
	place := eval[string](p, `new URL(document.querySelector('a[href^="/runs/"]').href).pathname.split("/")[2]`)
	escaped := url.QueryEscape(hostile)
	paths := []string{
		"/", "/?status=failed&search=hostile", "/?workflow=" + escaped, "/?search=" + escaped, "/?since=" + escaped, "/totals", "/totals?since=" + escaped, "/start", "/nowhere" + url.PathEscape(hostile),
		"/compare", fmt.Sprintf("/compare?a=%s/hostile-aaaaaa&b=%[1]s/hostile-bbbbbb", place), "/compare?a=" + escaped + "&b=" + escaped,
	}
	for _, id := range []string{"hostile-aaaaaa", "hostile-bbbbbb", "hostile-bbbbbb--child", url.PathEscape(hostileID)} {
		run := "/runs/" + place + "/" + id
		paths = append(paths, run, run+"/log", run+"/log?step="+escaped, run+"/parts?of="+escaped, run+"/step?key="+escaped, run+"/step?key=none"+escaped, run+"/graph.svg", run+"/text?key="+escaped+"&of=prompt")
	}
	return append(paths, eval[[]string](p, `fetch("/start").then(r => r.text()).then(t => [...new DOMParser().parseFromString(t, "text/html").querySelectorAll("main a[href^='/start/']")].map(a => a.getAttribute("href")))`)...)
}

// strangers counts the elements that no template of ours has written, in the page itself and in
// what it loads when somebody opens a part.
const strangers = `(() => {
	const bad = [...document.querySelectorAll("iframe, base, object, embed, style, svg a, [onerror], [onload], [onclick], a[href^='javascript:'], script:not([src='/assets/live.js']), img:not([data-picture])")].map(e => e.outerHTML.slice(0, 200));
	if (window.owned) bad.push("a script ran");
	for (const e of document.querySelectorAll("a[href], form[action]")) if (new URL(e.href || e.action).origin !== location.origin) bad.push(e.outerHTML.slice(0, 200));
	const walk = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) if (/[\u202e\u2066\u200b\ufeff\u001b\u0007]/.test(walk.currentNode.data) && walk.currentNode.parentElement.tagName !== "TEXTAREA") bad.push("hidden characters in " + walk.currentNode.parentElement.tagName);
	return bad;
})()`

// Whatever agents and files contain stays text, on every page and in the tables that load later.
func TestHostileText(t *testing.T) {
	w := newWorld(t, nil)
	dir := t.TempDir()
	hostileRuns(t, dir)
	p := w.serve("--store", dir).signIn(t)
	paths := hostilePages(p)
	if !strings.HasPrefix(paths[len(paths)-1], "/start/") {
		t.Errorf("no workflow can be started: %q", paths)
	}
	for _, path := range paths {
		p.visit(path)
		if strings.HasSuffix(path, "/graph.svg") || strings.Contains(path, "/text?") {
			p.checkFaults(path)
			continue
		}
		eval[bool](p, `new Promise(done => { document.querySelectorAll("details").forEach(d => d.open = true); setTimeout(() => done(true), 100); })`)
		await(t, "the parts", func() bool {
			return eval[bool](p, `!document.querySelector("details[open] > [data-load] > a:only-child")`)
		})
		for _, found := range eval[[]string](p, strangers) {
			t.Errorf("%s: %s", path, found)
		}
		if !eval[bool](p, `!!document.querySelector("main h1, main h2") && document.querySelector("main").checkVisibility()`) {
			t.Errorf("%s shows no page:\n%s", path, p.text())
		}
		p.checkFaults(path)
	}
	p.visit(paths[0])
	p.shoot("hostile-first")
}
