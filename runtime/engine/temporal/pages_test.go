package temporal_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/engine/temporal"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	pageserver "github.com/wfc-lang/wfc/runtime/serve"
)

// A reader is a browser on the pages of a server.
type reader struct {
	http.Client
	t    *testing.T
	base string
}

// openPages serves the runs of clusters until the test ends.
func openPages(t *testing.T, f *fakeServer, args ...string) *reader {
	t.Helper()
	return openPagesOf(t, f, cli.Program{Definition: &flow.Definition{Name: "runs"}, Serve: cli.Pages(pageserver.Pages(), temporal.Cluster())}, args...)
}

// openPagesOf is openPages with the pages of a program.
func openPagesOf(t *testing.T, f *fakeServer, p cli.Program, args ...string) *reader {
	t.Helper()
	stdin, end := io.Pipe()
	errs, stderr := io.Pipe()
	done := make(chan int)
	go func() {
		args = append([]string{"serve", "--stdin", "--address=127.0.0.1:0", "--temporal", f.address, "--state", t.TempDir()}, args...)
		done <- cli.Run(p, args, cli.Streams{In: stdin, Out: io.Discard, Err: stderr})
		stderr.Close()
	}()
	said, piece := "", make([]byte, 4096)
	var address *url.URL
	for address == nil {
		n, err := errs.Read(piece)
		said += string(piece[:n])
		if found := regexp.MustCompile(`http://\S+`).FindString(said); found != "" {
			address, _ = url.Parse(found)
		} else if err != nil {
			t.Fatalf("serve said %q", said)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, errs) }()
	t.Cleanup(func() {
		end.Close()
		<-done
	})
	r := &reader{t: t, base: "http://" + address.Host}
	r.Jar, _ = cookiejar.New(nil)
	r.see(address.RequestURI())
	return r
}

// see returns a page.
func (r *reader) see(path string) string {
	r.t.Helper()
	reply, err := r.Get(r.base + path)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.read(reply)
}

func (r *reader) read(reply *http.Response) string {
	r.t.Helper()
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return fmt.Sprintln(reply.StatusCode) + string(text)
}

// send sends the form of a page.
func (r *reader) send(page, action string, more ...string) string {
	r.t.Helper()
	fields := url.Values{}
	for _, in := range regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		fields.Set(in[1], in[2])
	}
	for i := 0; i < len(more); i += 2 {
		fields.Set(more[i], more[i+1])
	}
	request, err := http.NewRequest("POST", r.base+action, strings.NewReader(fields.Encode()))
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", r.base)
	reply, err := r.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.read(reply)
}

func (r *reader) contains(page string, parts ...string) {
	r.t.Helper()
	for _, part := range parts {
		if !strings.Contains(page, part) {
			r.t.Errorf("%q is missing on\n%s", part, page)
		}
	}
}

// shownAs gives a workflow the memo by which lists know it.
func shownAs(t *testing.T, info *workflowpb.WorkflowExecutionInfo, fields map[string]any) *workflowpb.WorkflowExecutionInfo {
	t.Helper()
	info.Memo = &commonpb.Memo{Fields: map[string]*commonpb.Payload{}}
	for name, v := range fields {
		p, err := converter.GetDefaultDataConverter().ToPayload(v)
		if err != nil {
			t.Fatal(err)
		}
		info.Memo.Fields[name] = p
	}
	return info
}

// asking is a paused run with a question of the node gate.
func asking(id string) *wire.RunState {
	q := &flow.Question{Key: "gate#1", Message: "Ship <b>it</b>?", Choices: []string{"approve", "reject"}}
	asked := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := at(flow.Paused, flow.Completed)
	s.Run = flow.RunInfo{ID: id, Workflow: "demo", Fingerprint: "f1"}
	s.Created = time.Now().Add(-time.Minute)
	s.Steps[0].Text, s.Steps[0].Started = "the output", time.Now()
	s.Steps = append(s.Steps, flow.Record{Key: "gate", Kind: "approval", Status: flow.Waiting, Started: asked},
		flow.Record{Key: "gate#1", Kind: "question", Status: flow.Waiting, Started: asked, Question: q})
	return s
}

// waits adds a paused run to a server; without a worker, it only has what its workflow shows.
func waits(t *testing.T, f *fakeServer, id string, worker bool, settings string) {
	t.Helper()
	s := asking(id)
	s.Options.Settings = []byte(settings)
	w := &fakeWorkflow{info: shownAs(t, workflowInfo(id, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, time.Now()), map[string]any{
		wire.AttributeStatus: "paused", wire.AttributeWaiting: []string{"person: gate#1"}, wire.AttributeCost: 0.25, wire.MemoQuestions: []flow.Question{*s.Steps[2].Question},
	}), start: wire.Start{Kept: wire.Kept{Run: s.Run, Options: s.Options}}}
	if worker {
		w.state = payloads(t, s)
	}
	f.change(func() { f.workflows[id] = w })
}

// The pages show the runs of a namespace with what the cluster can tell, and say what it cannot.
func TestPages(t *testing.T) {
	f := serve(t, nil)
	waits(t, f, "demo-000001", true, "")
	waits(t, f, "demo-000002", false, "")
	failed := at(flow.Failed, flow.Failed)
	failed.Run = flow.RunInfo{ID: "demo-000003", Workflow: "demo", Fingerprint: "f1"}
	failed.Steps[0].Failure = &flow.Failure{Class: flow.ClassFatal, Reason: "exit", Message: "it broke"}
	over := shownAs(t, workflowInfo("demo-000003", enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, time.Now()), map[string]any{wire.AttributeStatus: "failed"})
	over.CloseTime = timestamppb.Now()
	f.change(func() {
		f.workflows["demo-000003"] = &fakeWorkflow{info: over, events: []*historypb.HistoryEvent{completed(payloads(t, failed))}}
		f.workflows["other"] = &fakeWorkflow{info: workflowInfo("other", enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, time.Now())}
	})
	r := openPages(t, f, "--namespace", "here", "--namespace", "there")
	page := r.see("/")
	r.contains(page, "demo-000001", "demo-000002", "demo-000003", "Temporal namespace here", "Temporal namespace there", "$0.25", "Ship &lt;b&gt;it&lt;/b&gt;?")
	if strings.Contains(page, `"/runs/`+"other") || strings.Contains(page, ">other<") {
		t.Errorf("a workflow that is no run is listed:\n%s", page)
	}
	place := regexp.MustCompile(`/runs/([^/"#]+)/demo-000001`).FindString(page)
	page = r.see(place)
	r.contains(page, "approve", "completed", "The cluster has no artifacts")
	if strings.Contains(page, "No worker") {
		t.Errorf("a worker answers:\n%s", page)
	}
	r.contains(r.see(place+"/step?key=a"), "the output", "This machine has no log")
	r.contains(r.see(strings.Replace(place, "000001", "000002", 1)), "No worker of the run", "Ship &lt;b&gt;it&lt;/b&gt;?", `value="approve"`)
	for _, id := range []string{"demo-000009", "other"} {
		path := strings.Replace(place, "demo-000001", id, 1)
		r.contains(r.see(path), "404")
		r.contains(r.send(page, path+"/cancel"), "404")
	}
	if n := len(requests[*workflowservice.SignalWorkflowExecutionRequest](f)); n > 0 {
		t.Errorf("%d signals reached a workflow that is no run", n)
	}
	r.contains(r.see("/totals"), "it broke", "counts no tokens")
	r.contains(r.see("/?search=demo-000001"), "demo-000001", "beginning of their id")
	if page := r.see("/?status=failed"); strings.Contains(page, "demo-000001") || !strings.Contains(page, "demo-000003") {
		t.Errorf("the filter does not hold:\n%s", page)
	}
}

// A page gives answers to the workflow, with who gave them, and cancels and resumes runs.
func TestPagesAct(t *testing.T) {
	f := serve(t, nil)
	waits(t, f, "demo-000001", true, "")
	r := openPages(t, f)
	place := regexp.MustCompile(`/runs/([^/"#]+)/demo-000001`).FindString(r.see("/"))
	page := r.see(place)
	r.contains(r.send(page, place+"/answer", "choice", "approve", "hash", "another"), "409", "has changed")
	r.contains(r.send(page, place+"/answer", "choice", "approve", "text", "fine"), "200")
	sent := requests[*workflowservice.UpdateWorkflowExecutionRequest](f)
	if len(sent) != 1 {
		t.Fatalf("%d updates", len(sent))
	}
	if text := sent[0].GetRequest().GetInput().String(); sent[0].GetRequest().GetInput().GetName() != wire.Answer || !strings.Contains(text, "page, 127.0.0.1") || !strings.Contains(text, "fine") {
		t.Errorf("the update is %s", text)
	}
	r.contains(r.send(page, place+"/cancel"), "200")
	signals := requests[*workflowservice.SignalWorkflowExecutionRequest](f)
	if len(signals) != 1 || signals[0].GetSignalName() != wire.Cancel {
		t.Errorf("%d signals", len(signals))
	}
	over := at(flow.Failed, flow.Failed)
	over.Run = flow.RunInfo{ID: "demo-000002", Workflow: "demo", Fingerprint: "f7"}
	over.Options.Limits.CostUSD = 3
	info := shownAs(t, workflowInfo("demo-000002", enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, time.Now()), map[string]any{wire.AttributeStatus: "failed"})
	info.TaskQueue = "queue of demo"
	f.change(func() {
		f.workflows["demo-000002"] = &fakeWorkflow{info: info, events: []*historypb.HistoryEvent{completed(payloads(t, over))}}
	})
	place = strings.Replace(place, "000001", "000002", 1)
	r.contains(r.send(r.see(place), place+"/resume"), "200")
	started := requests[*workflowservice.StartWorkflowExecutionRequest](f)
	start, build := f.started(t)
	if started[0].GetTaskQueue().GetName() != "queue of demo" || build != "f7" || start.Options.Limits.CostUSD != 3 {
		t.Errorf("%v", started)
	}
	// The journal of the workflow that continues the run says who resumed it, and from where.
	again := at(flow.Running, flow.Running)
	again.Run, again.Events = start.Run, start.Events
	again.Run.ID, again.Run.Fingerprint = "demo-000002", "f7"
	f.put(t, *again, true)
	shownAs(t, f.workflows["demo-000002"].info, map[string]any{wire.AttributeStatus: "running"})
	who := human.User() + " from page, 127.0.0.1"
	r.contains(r.see(place), "Resumed</dt>", " by "+who)
	for command, want := range map[string]string{"status": "resumed by " + who + " on 2", "trace": "by " + who} {
		if code, out, errs := call(t, f, program(), command, "demo-000002"); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s exits with %d without %q:\n%s%s", command, code, want, out, errs)
		}
	}
}

// The pages of a program for a cluster start its runs, with its own limits and the name of who
// started them; those of all runs start none.
func TestPagesStart(t *testing.T) {
	f := serve(t, nil)
	p := program()
	p.Serve = cli.Pages(pageserver.Pages(), temporal.Cluster())
	p.Definition.Inputs = []flow.InputInfo{{Name: "topic", Type: "text"}, {Name: "size", Type: "int", Default: "3"}}
	p.Defaults.Limits.CostUSD = 2
	r := openPagesOf(t, f, p, "--task-queue", "queue of demo")
	list := r.see("/start")
	r.contains(list, "A workflow for tests.", "Temporal namespace default at "+f.address)
	path := regexp.MustCompile(`/start/[^"]+`).FindString(list)
	page := r.see(path)
	r.contains(page, "Workers of Temporal namespace default", `name="input.topic"`)
	r.contains(r.send(page, path, "input.size", "many", "input.topic", "birds"), "422", "input `size`")
	if n := len(requests[*workflowservice.StartWorkflowExecutionRequest](f)); n > 0 {
		t.Fatalf("%d runs were started with wrong inputs", n)
	}
	r.send(page, path, "input.size", "5", "input.topic", "birds")
	started := requests[*workflowservice.StartWorkflowExecutionRequest](f)
	start, build := f.started(t)
	if len(started) != 1 || started[0].GetTaskQueue().GetName() != "queue of demo" || started[0].GetWorkflowId() != start.Run.ID || build != "f1" {
		t.Errorf("%v", started)
	}
	if string(start.Run.Inputs) != `{"topic":"birds","size":5}` || start.Options.Limits.CostUSD != 2 || start.Options.Workspace != "host" || start.Options.DeadWorker != "fail" {
		t.Errorf("%+v", start)
	}
	if who := `"started_by":{"name":"` + human.User() + `","from":"page, 127.0.0.1"}`; !strings.Contains(string(start.Options.Settings), who) {
		t.Errorf("the settings are %s", start.Options.Settings)
	}
	r.contains(openPages(t, f).see("/start"), "Workflows appear here")
}

// Rules of gates hold for pages and commands: a role, somebody else than who started the run, and
// several people, whose approvals the workflow gets. Without a worker, the begin of the run has them.
func TestGateRules(t *testing.T) {
	for name, test := range map[string]struct{ settings, want string }{
		"role":       {`{"gate_rules":{"gate":{"role":"release"}}}`, "needs the role release"},
		"starter":    {`{"gate_rules":{"gate":{"NotStarter":true}},"started_by":{"name":"` + human.User() + `"}}`, "somebody else has to answer"},
		"no starter": {`{"gate_rules":{"gate":{"NotStarter":true}}}`, "nobody knows who that was"},
	} {
		for _, worker := range []bool{true, false} {
			t.Run(fmt.Sprint(name, worker), func(t *testing.T) {
				f := serve(t, nil)
				waits(t, f, "demo-000001", worker, test.settings)
				if code, _, errs := call(t, f, program(), "approve", "demo-000001"); code == 0 || !strings.Contains(errs, test.want) {
					t.Errorf("exit code %d, %s", code, errs)
				}
				r := openPages(t, f)
				place := regexp.MustCompile(`/runs/([^/"#]+)/demo-000001`).FindString(r.see("/"))
				page := r.see(place)
				hash := regexp.MustCompile(`data-hash="([^"]*)"`).FindStringSubmatch(page)
				r.contains(r.send(page, place+"/answer", "key", "gate#1", "choice", "approve", "hash", hash[1]), "403", test.want)
				if n := len(requests[*workflowservice.UpdateWorkflowExecutionRequest](f)) + len(requests[*workflowservice.SignalWorkflowExecutionRequest](f)); n > 0 {
					t.Errorf("%d answers reached the workflow", n)
				}
			})
		}
	}
	t.Run("approvals", func(t *testing.T) {
		f := serve(t, nil)
		waits(t, f, "demo-000001", true, `{"gate_rules":{"gate":{"approvals":2}}}`)
		code, _, errs := call(t, f, program(), "approve", "demo-000001")
		sent := requests[*workflowservice.UpdateWorkflowExecutionRequest](f)
		if !strings.Contains(errs, "1 of 2 people have given it") || len(sent) != 1 || sent[0].GetRequest().GetInput().GetName() != wire.Approve {
			t.Fatalf("exit code %d, %d updates: %s", code, len(sent), errs)
		}
		var a runstore.Approval
		if err := converter.GetDefaultDataConverter().FromPayloads(sent[0].GetRequest().GetInput().GetArgs(), &a); err != nil {
			t.Fatal(err)
		}
		if a.Needed != 2 || a.Hash == "" || a.Vote == "" || a.Answer.Choice != "approve" || a.Answer.By != human.User() {
			t.Errorf("%+v", a)
		}
		s := asking("demo-000001")
		s.Options.Settings = []byte(`{"gate_rules":{"gate":{"approvals":2}}}`)
		s.Approvals = []runstore.Approval{a}
		f.change(func() { f.workflows["demo-000001"].state = payloads(t, s) })
		if _, out, _ := call(t, f, program(), "status", "demo-000001"); !strings.Contains(out, "(1 of 2 so far)") {
			t.Errorf("the status has no approval:\n%s", out)
		}
	})
}
