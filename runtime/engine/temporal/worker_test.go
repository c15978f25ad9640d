package temporal_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/claim"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A performer performs bash actions by a function, which gets the working folder.
type performer func(ctx context.Context, dir string) flow.Result

func (performer) Kind() string { return "bash" }

func (p performer) Perform(ctx context.Context, call *engine.Attempt) flow.Result {
	return p(ctx, call.Info.WorkDir)
}

// A workerProcess is the command worker, in this process.
type workerProcess struct {
	code chan int
	out  *safeBuffer
}

// startWorker starts the command worker and returns when it is ready.
func startWorker(t *testing.T, f *fakeServer, p performer, args ...string) *workerProcess {
	t.Helper()
	return startPerformer(t, f, p, args...)
}

func startPerformer(t *testing.T, f *fakeServer, p engine.Performer, args ...string) *workerProcess {
	t.Helper()
	program := program()
	program.Performers = []engine.Performer{p}
	program.Defaults.PassEnv.Scripts = []string{"*", "TEMPORAL_API_KEY", "WFC_TEMPORAL_KEYS"}
	w := &workerProcess{code: make(chan int, 1), out: &safeBuffer{grown: make(chan struct{}, 1)}}
	state := t.TempDir()
	go func() {
		w.code <- cli.Run(program, append([]string{"worker", "--temporal", f.address, "--state", state}, args...), cli.Streams{In: strings.NewReader(""), Out: w.out, Err: w.out})
	}()
	for !strings.Contains(w.out.String(), "ready for steps of demo") {
		select {
		case code := <-w.code:
			t.Fatalf("the worker ended: exit code %d\n%s", code, w.out)
		case <-w.out.grown:
		}
	}
	return w
}

// signal sends SIGTERM to this process, which the worker takes.
func (w *workerProcess) signal(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no SIGTERM")
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(syscall.SIGTERM)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// ended returns the exit code.
func (w *workerProcess) ended(t *testing.T) int {
	t.Helper()
	select {
	case code := <-w.code:
		return code
	case <-time.After(time.Minute):
		t.Fatalf("the worker does not end\n%s", w.out)
	}
	return 0
}

// A safeBuffer is a buffer for several goroutines.
type safeBuffer struct {
	mu    sync.Mutex
	text  bytes.Buffer
	grown chan struct{}
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case b.grown <- struct{}{}:
	default:
	}
	return b.text.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// action is an activity that performs a bash action. No worker has prepared its folders here.
func action(t *testing.T) *workflowservice.PollActivityTaskQueueResponse {
	t.Helper()
	a, err := wire.EncodeAction(flow.Action{Key: "a", Payload: flow.Bash{Script: "true"}})
	if err != nil {
		t.Fatal(err)
	}
	input, err := converter.GetDefaultDataConverter().ToPayloads(wire.Call{
		Run: flow.RunInfo{ID: "demo-1", Workflow: "demo", WorkDir: filepath.Join(t.TempDir(), "work")}, Workspace: wire.WorkspaceNone, Action: a, Attempt: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	now := timestamppb.Now()
	return &workflowservice.PollActivityTaskQueueResponse{
		TaskToken: []byte("token"), WorkflowNamespace: "default", WorkflowType: &commonpb.WorkflowType{Name: "demo"},
		WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: "demo-1", RunId: "1"}, ActivityType: &commonpb.ActivityType{Name: wire.Perform},
		ActivityId: "1", Input: input, ScheduledTime: now, StartedTime: now, CurrentAttemptScheduledTime: now, Attempt: 1,
		ScheduleToCloseTimeout: durationpb.New(time.Hour), StartToCloseTimeout: durationpb.New(time.Hour), HeartbeatTimeout: durationpb.New(time.Hour),
	}
}

// environs gets the environments of steps.
type environs chan []string

func (environs) Kind() string { return "bash" }

func (e environs) Perform(_ context.Context, call *engine.Attempt) flow.Result {
	e <- call.Environ
	return flow.Result{Status: flow.Completed}
}

// No step gets what the worker needs for the cluster, whatever the settings say.
func TestWorkersCredentials(t *testing.T) {
	for _, name := range []string{"TEMPORAL_API_KEY", "WFC_TEMPORAL_KEYS", "WFC_TEMPORAL_BLOBS", "WFC_GATE_TOKEN_FILE", "OTHER"} {
		t.Setenv(name, "")
	}
	t.Setenv("WFC_TEMPORAL_BLOBS", t.TempDir())
	f, seen := serve(t, nil), make(environs, 1)
	w := startPerformer(t, f, seen)
	f.tasks <- action(t)
	var names []string
	for _, entry := range <-seen {
		name, _, _ := strings.Cut(entry, "=")
		names = append(names, name)
	}
	f.end(t)
	w.signal(t)
	w.ended(t)
	for _, name := range []string{"TEMPORAL_API_KEY", "WFC_TEMPORAL_KEYS", "WFC_TEMPORAL_BLOBS", "WFC_GATE_TOKEN_FILE"} {
		if slices.Contains(names, name) {
			t.Errorf("a step gets %s", name)
		}
	}
	if !slices.Contains(names, "OTHER") {
		t.Errorf("a step gets only %q", names)
	}
}

// On SIGTERM, a worker takes nothing more and waits for the steps that run.
func TestGracefulStop(t *testing.T) {
	f := serve(t, nil)
	begun, release := make(chan struct{}), make(chan struct{})
	w := startWorker(t, f, func(context.Context, string) flow.Result {
		close(begun)
		<-release
		return flow.Result{Status: flow.Completed, Text: "done"}
	}, "--grace", "1m")
	f.tasks <- action(t)
	<-begun
	w.signal(t)
	// Nobody polls any more, neither for the shared queue nor for the worker's own.
	f.until(func() bool { return f.polling == 0 })
	select {
	case code := <-w.code:
		t.Fatalf("the worker did not wait for its step: exit code %d", code)
	case end := <-f.ends:
		t.Fatalf("the step ended: %v", end)
	default:
	}
	close(release)
	end := f.end(t).(*workflowservice.RespondActivityTaskCompletedRequest)
	var result wire.Result
	if err := converter.GetDefaultDataConverter().FromPayloads(end.GetResult(), &result); err != nil || result.Text != "done" {
		t.Errorf("%+v %v", result, err)
	}
	if code := w.ended(t); code != 0 {
		t.Errorf("exit code %d\n%s", code, w.out)
	}
}

// A step that takes longer than the grace period is interrupted: the cluster hears that it is
// lost, not that it failed. With keys, messages of errors are encrypted.
func TestGraceEnds(t *testing.T) {
	for name, key := range map[string]string{"plain": "", "encrypted": base64.StdEncoding.EncodeToString(make([]byte, 32))} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("WFC_TEMPORAL_KEYS", key)
			graceEnds(t, key != "")
		})
	}
}

// sealed encrypts the input of an action if there are keys.
func sealed(t *testing.T, task *workflowservice.PollActivityTaskQueueResponse) *workflowservice.PollActivityTaskQueueResponse {
	t.Helper()
	cipher, err := claim.Keys(os.Getenv("WFC_TEMPORAL_KEYS"))
	if err != nil {
		t.Fatal(err)
	}
	var call wire.Call
	if err := converter.GetDefaultDataConverter().FromPayloads(task.GetInput(), &call); err != nil {
		t.Fatal(err)
	}
	place := converter.ActivitySerializationContext{Namespace: "default", WorkflowID: task.GetWorkflowExecution().GetWorkflowId(), ActivityType: task.GetActivityType().GetName()}
	if task.Input, err = converter.WithDataConverterSerializationContext(claim.Converter(nil, cipher), place).ToPayloads(call); err != nil {
		t.Fatal(err)
	}
	return task
}

func graceEnds(t *testing.T, encrypted bool) {
	f := serve(t, nil)
	begun := make(chan struct{})
	w := startWorker(t, f, func(ctx context.Context, _ string) flow.Result {
		close(begun)
		<-ctx.Done()
		return flow.Result{Status: flow.Cancelled}
	}, "--grace", "10ms")
	f.tasks <- sealed(t, action(t))
	<-begun
	w.signal(t)
	end := f.end(t).(*workflowservice.RespondActivityTaskFailedRequest)
	if got := end.GetFailure().GetApplicationFailureInfo().GetType(); got != wire.TypeLost {
		t.Errorf("the step ended with %v", end.GetFailure())
	}
	if hidden := !strings.Contains(end.GetFailure().GetMessage(), "worker"); hidden != encrypted {
		t.Errorf("the message is %q", end.GetFailure().GetMessage())
	}
	if code := w.ended(t); code != 0 {
		t.Errorf("exit code %d\n%s", code, w.out)
	}
}

// A worker with --drain ends when no run of its build is open, and not before.
func TestDrain(t *testing.T) {
	f := serve(t, nil)
	var left atomic.Int64
	left.Store(2)
	counted := make(chan struct{}, 100)
	f.open = func() int64 { counted <- struct{}{}; return left.Load() }
	w := startWorker(t, f, nil, "--drain")
	<-counted
	select {
	case code := <-w.code:
		t.Fatalf("the worker ended while two runs are open: exit code %d", code)
	case <-counted:
	}
	left.Store(0)
	if code := w.ended(t); code != 0 {
		t.Errorf("exit code %d\n%s", code, w.out)
	}
	list := requests[*workflowservice.CountWorkflowExecutionsRequest](f)
	if q := list[0].GetQuery(); !strings.Contains(q, "ExecutionStatus = 'Running'") || !strings.Contains(q, "'demo:f1'") {
		t.Errorf("counted by %s", q)
	}
}

// A server that cannot count does not end a draining worker.
func TestDrainErrors(t *testing.T) {
	f := serve(t, nil)
	var calls atomic.Int64
	f.open = func() int64 {
		if calls.Add(1) == 1 {
			return -1
		}
		return 0
	}
	w := startWorker(t, f, nil, "--drain")
	if code := w.ended(t); code != 0 || !strings.Contains(w.out.String(), "cannot count the open runs") {
		t.Errorf("exit code %d\n%s", code, w.out)
	}
}

// A worker performs a step of a run without files that another machine prepared.
func TestPreparedElsewhere(t *testing.T) {
	f := serve(t, nil)
	found := make(chan error, 1)
	w := startWorker(t, f, func(_ context.Context, dir string) flow.Result {
		_, err := os.Stat(dir)
		found <- err
		return flow.Result{Status: flow.Completed}
	}, "--grace", "1m")
	f.tasks <- action(t)
	if err := <-found; err != nil {
		t.Error(err)
	}
	f.end(t)
	w.signal(t)
	if code := w.ended(t); code != 0 {
		t.Errorf("exit code %d\n%s", code, w.out)
	}
}

// The health endpoint answers while the worker works, also while it ends, and not after that.
func TestHealth(t *testing.T) {
	f := serve(t, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	begun, release := make(chan struct{}), make(chan struct{})
	w := startWorker(t, f, func(context.Context, string) flow.Result {
		close(begun)
		<-release
		return flow.Result{Status: flow.Completed}
	}, "--health", address)
	check := func(when string) {
		t.Helper()
		r, err := http.Get("http://" + address + "/healthz")
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		defer r.Body.Close()
		if text, err := io.ReadAll(r.Body); r.StatusCode != http.StatusOK || string(text) != "ok\n" {
			t.Errorf("%s: %s %q %v", when, r.Status, text, err)
		}
	}
	check("at work")
	f.tasks <- action(t)
	<-begun
	w.signal(t)
	f.until(func() bool { return f.polling == 0 })
	check("while a step runs after SIGTERM")
	close(release)
	if code := w.ended(t); code != 0 {
		t.Errorf("exit code %d\n%s", code, w.out)
	}
	if _, err := http.Get("http://" + address + "/healthz"); err == nil {
		t.Error("a worker that has ended answers")
	}
}

// An address that is in use is an error of the worker, which then has taken no work.
func TestHealthInUse(t *testing.T) {
	f := serve(t, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	code, out, errs := call(t, f, program(), "worker", "--health", l.Addr().String())
	if code != 1 || !strings.Contains(errs, "--health: ") || strings.Contains(errs, "ready for steps") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// until waits until a condition on the server holds.
func (f *fakeServer) until(condition func() bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for !condition() {
		f.changed.Wait()
	}
}

// end returns the next end of an activity.
func (f *fakeServer) end(t *testing.T) any {
	t.Helper()
	select {
	case end := <-f.ends:
		return end
	case <-time.After(time.Minute):
		t.Fatal("no activity ends")
	}
	return nil
}
