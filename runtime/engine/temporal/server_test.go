package temporal_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	namespacepb "go.temporal.io/api/namespace/v1"
	"go.temporal.io/api/operatorservice/v1"
	schedulepb "go.temporal.io/api/schedule/v1"
	"go.temporal.io/api/serviceerror"
	updatepb "go.temporal.io/api/update/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/engine/temporal"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A fakeServer is a Temporal server on loopback that answers as a test says, and records the
// requests.
type fakeServer struct {
	workflowservice.UnimplementedWorkflowServiceServer
	operatorservice.UnimplementedOperatorServiceServer
	address string

	mu sync.Mutex
	// changed tells that polling, waiting or a workflow has changed.
	changed *sync.Cond
	// headers are the metadata of the last request of each method.
	headers map[string]metadata.MD
	// calls are the requests, in order, but for those of pollers.
	calls []any
	// workflows are the workflows by id.
	workflows map[string]*fakeWorkflow
	// schedules are the schedules by id.
	schedules map[string]*workflowservice.CreateScheduleRequest
	// current is the current build of each deployment.
	current map[string]string
	// open answers CountWorkflowExecutions.
	open func() int64
	// tasks are the activities for pollers.
	tasks chan *workflowservice.PollActivityTaskQueueResponse
	// ends gets the ends of activities.
	ends chan any
	// polling counts the polls for actions that wait: of the shared queue, and of queues of one
	// worker.
	polling int
	// waiting counts the long polls for events that wait.
	waiting int
}

// A fakeWorkflow is a workflow on the server.
type fakeWorkflow struct {
	info   *workflowpb.WorkflowExecutionInfo
	events []*historypb.HistoryEvent
	// state answers queries; nil means that no worker lives. start is the input of the workflow.
	state *commonpb.Payloads
	start wire.Start
}

// serve starts a server; secure is nil for one without encryption.
func serve(t *testing.T, secure *tls.Config) *fakeServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeServer{
		address: listener.Addr().String(), headers: map[string]metadata.MD{}, workflows: map[string]*fakeWorkflow{},
		schedules: map[string]*workflowservice.CreateScheduleRequest{}, current: map[string]string{}, open: func() int64 { return 0 },
		tasks: make(chan *workflowservice.PollActivityTaskQueueResponse), ends: make(chan any, 10),
	}
	f.changed = sync.NewCond(&f.mu)
	options := []grpc.ServerOption{grpc.UnaryInterceptor(f.record)}
	if secure != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(secure)))
	}
	server := grpc.NewServer(options...)
	workflowservice.RegisterWorkflowServiceServer(server, f)
	operatorservice.RegisterOperatorServiceServer(server, f)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // it ends by Stop
	}()
	t.Cleanup(func() { server.Stop(); <-done })
	return f
}

func (f *fakeServer) record(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	name := info.FullMethod[strings.LastIndex(info.FullMethod, "/")+1:]
	header, _ := metadata.FromIncomingContext(ctx)
	f.mu.Lock()
	f.headers[name] = header
	if !strings.HasPrefix(name, "Poll") {
		f.calls = append(f.calls, request)
	}
	f.mu.Unlock()
	response, err := handle(ctx, request)
	if err != nil {
		err = serviceerror.ToStatus(err).Err()
	}
	return response, err
}

// header returns the values of a header of the last request of a method.
func (f *fakeServer) header(method, name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.headers[method].Get(name), ",")
}

// requests returns the requests of a type, in order.
func requests[T any](f *fakeServer) (list []T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.calls {
		if r, ok := c.(T); ok {
			list = append(list, r)
		}
	}
	return list
}

func (f *fakeServer) GetSystemInfo(context.Context, *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{Capabilities: &workflowservice.GetSystemInfoResponse_Capabilities{}}, nil
}

func (f *fakeServer) SetWorkerDeploymentCurrentVersion(_ context.Context, r *workflowservice.SetWorkerDeploymentCurrentVersionRequest) (*workflowservice.SetWorkerDeploymentCurrentVersionResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.current[r.GetDeploymentName()] = r.GetBuildId()
	return &workflowservice.SetWorkerDeploymentCurrentVersionResponse{}, nil
}

func (f *fakeServer) DescribeNamespace(_ context.Context, r *workflowservice.DescribeNamespaceRequest) (*workflowservice.DescribeNamespaceResponse, error) {
	return &workflowservice.DescribeNamespaceResponse{
		NamespaceInfo: &namespacepb.NamespaceInfo{Name: r.GetNamespace()},
		Config:        &namespacepb.NamespaceConfig{WorkflowExecutionRetentionTtl: durationpb.New(72 * time.Hour)},
	}, nil
}

// ListWorkflowExecutions knows one condition: StartTime <= 'TIME'.
func (f *fakeServer) ListWorkflowExecutions(_ context.Context, q *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	last := time.Now()
	if text, ok := strings.CutPrefix(q.GetQuery(), "StartTime <= "); ok {
		var err error
		if last, err = time.Parse(time.RFC3339Nano, strings.Trim(text, "'")); err != nil {
			return nil, serviceerror.NewInvalidArgument(err.Error())
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	r := &workflowservice.ListWorkflowExecutionsResponse{}
	for _, w := range f.workflows {
		if !w.info.GetStartTime().AsTime().After(last) {
			r.Executions = append(r.Executions, w.info)
		}
	}
	return r, nil
}

func (f *fakeServer) DescribeWorkflowExecution(_ context.Context, r *workflowservice.DescribeWorkflowExecutionRequest) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	w, err := f.workflow(r.GetExecution())
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: proto.CloneOf(w.info)}, nil
}

// GetWorkflowExecutionHistory answers a long poll when the workflow has new events, or, for the
// last event alone, when it has ended. The token is the number of events that were sent.
func (f *fakeServer) GetWorkflowExecutionHistory(ctx context.Context, r *workflowservice.GetWorkflowExecutionHistoryRequest) (*workflowservice.GetWorkflowExecutionHistoryResponse, error) {
	w, err := f.workflow(r.GetExecution())
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { f.change(func() {}) })()
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.GetMaximumPageSize() == 1 {
		input, err := converter.GetDefaultDataConverter().ToPayloads(w.start)
		return &workflowservice.GetWorkflowExecutionHistoryResponse{History: &historypb.History{Events: []*historypb.HistoryEvent{{
			EventType: enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED,
			Attributes: &historypb.HistoryEvent_WorkflowExecutionStartedEventAttributes{
				WorkflowExecutionStartedEventAttributes: &historypb.WorkflowExecutionStartedEventAttributes{Input: input},
			},
		}}}}, err
	}
	sent, _ := strconv.Atoi(string(r.GetNextPageToken())) // none is 0
	last := r.GetHistoryEventFilterType() == enumspb.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT
	running := func() bool { return w.info.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING }
	for r.GetWaitNewEvent() && ctx.Err() == nil && running() && (last || len(w.events) <= sent) {
		f.waiting++
		f.changed.Broadcast()
		f.changed.Wait()
		f.waiting--
	}
	if last && len(w.events) > 0 {
		sent = len(w.events) - 1
	}
	response := &workflowservice.GetWorkflowExecutionHistoryResponse{History: &historypb.History{Events: w.events[min(sent, len(w.events)):]}}
	if running() {
		response.NextPageToken = []byte(strconv.Itoa(len(w.events)))
	}
	return response, nil
}

// change changes what the server has, and wakes the requests that wait.
func (f *fakeServer) change(how func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	how()
	f.changed.Broadcast()
}

func (f *fakeServer) QueryWorkflow(_ context.Context, r *workflowservice.QueryWorkflowRequest) (*workflowservice.QueryWorkflowResponse, error) {
	w, err := f.workflow(r.GetExecution())
	if err != nil {
		return nil, err
	}
	if w.state == nil {
		return nil, serviceerror.NewQueryFailed("no worker")
	}
	return &workflowservice.QueryWorkflowResponse{QueryResult: w.state}, nil
}

func (f *fakeServer) workflow(e *commonpb.WorkflowExecution) (*fakeWorkflow, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if w := f.workflows[e.GetWorkflowId()]; w != nil {
		return w, nil
	}
	return nil, serviceerror.NewNotFound("no such workflow")
}

func (f *fakeServer) CountWorkflowExecutions(context.Context, *workflowservice.CountWorkflowExecutionsRequest) (*workflowservice.CountWorkflowExecutionsResponse, error) {
	n := f.open()
	if n < 0 {
		return nil, serviceerror.NewInvalidArgument("no such attribute")
	}
	return &workflowservice.CountWorkflowExecutionsResponse{Count: n}, nil
}

func (f *fakeServer) StartWorkflowExecution(_ context.Context, r *workflowservice.StartWorkflowExecutionRequest) (*workflowservice.StartWorkflowExecutionResponse, error) {
	return &workflowservice.StartWorkflowExecutionResponse{RunId: "new"}, nil
}

// UpdateWorkflowExecution accepts each update of a workflow with a worker, and returns true.
func (f *fakeServer) UpdateWorkflowExecution(_ context.Context, r *workflowservice.UpdateWorkflowExecutionRequest) (*workflowservice.UpdateWorkflowExecutionResponse, error) {
	w, err := f.workflow(r.GetWorkflowExecution())
	if err != nil {
		return nil, err
	}
	if w.state == nil {
		return nil, serviceerror.NewUnavailable("no worker")
	}
	result, err := converter.GetDefaultDataConverter().ToPayloads(true)
	return &workflowservice.UpdateWorkflowExecutionResponse{
		Stage:     enumspb.UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED,
		UpdateRef: &updatepb.UpdateRef{WorkflowExecution: r.GetWorkflowExecution(), UpdateId: r.GetRequest().GetMeta().GetUpdateId()},
		Outcome:   &updatepb.Outcome{Value: &updatepb.Outcome_Success{Success: result}},
	}, err
}

// SignalWorkflowExecution ends a workflow that is suspended.
func (f *fakeServer) SignalWorkflowExecution(_ context.Context, r *workflowservice.SignalWorkflowExecutionRequest) (*workflowservice.SignalWorkflowExecutionResponse, error) {
	w, err := f.workflow(r.GetWorkflowExecution())
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.GetSignalName() == wire.Suspend {
		w.info.Status = enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
		w.events = append(w.events, completed(w.state))
		f.changed.Broadcast()
	}
	return &workflowservice.SignalWorkflowExecutionResponse{}, nil
}

func (f *fakeServer) ListSchedules(context.Context, *workflowservice.ListSchedulesRequest) (*workflowservice.ListSchedulesResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := &workflowservice.ListSchedulesResponse{}
	for id := range f.schedules {
		r.Schedules = append(r.Schedules, &schedulepb.ScheduleListEntry{ScheduleId: id})
	}
	return r, nil
}

func (f *fakeServer) CreateSchedule(_ context.Context, r *workflowservice.CreateScheduleRequest) (*workflowservice.CreateScheduleResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.schedules[r.GetScheduleId()] != nil {
		return nil, serviceerror.NewWorkflowExecutionAlreadyStarted("exists", "", "")
	}
	f.schedules[r.GetScheduleId()] = r
	return &workflowservice.CreateScheduleResponse{ConflictToken: []byte("1")}, nil
}

func (f *fakeServer) DescribeSchedule(_ context.Context, r *workflowservice.DescribeScheduleRequest) (*workflowservice.DescribeScheduleResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.schedules[r.GetScheduleId()]
	if s == nil {
		return nil, serviceerror.NewNotFound("no such schedule")
	}
	return &workflowservice.DescribeScheduleResponse{Schedule: s.GetSchedule(), Info: &schedulepb.ScheduleInfo{}, ConflictToken: []byte("1")}, nil
}

func (f *fakeServer) UpdateSchedule(_ context.Context, r *workflowservice.UpdateScheduleRequest) (*workflowservice.UpdateScheduleResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.schedules[r.GetScheduleId()].Schedule = r.GetSchedule()
	return &workflowservice.UpdateScheduleResponse{}, nil
}

func (f *fakeServer) DeleteSchedule(_ context.Context, r *workflowservice.DeleteScheduleRequest) (*workflowservice.DeleteScheduleResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.schedules[r.GetScheduleId()] == nil {
		return nil, serviceerror.NewNotFound("no such schedule")
	}
	delete(f.schedules, r.GetScheduleId())
	return &workflowservice.DeleteScheduleResponse{}, nil
}

func (f *fakeServer) PollWorkflowTaskQueue(ctx context.Context, _ *workflowservice.PollWorkflowTaskQueueRequest) (*workflowservice.PollWorkflowTaskQueueResponse, error) {
	<-ctx.Done()
	return &workflowservice.PollWorkflowTaskQueueResponse{}, nil
}

func (f *fakeServer) PollActivityTaskQueue(ctx context.Context, r *workflowservice.PollActivityTaskQueueRequest) (*workflowservice.PollActivityTaskQueueResponse, error) {
	queue := r.GetTaskQueue().GetName()
	if !strings.HasSuffix(queue, "/probe") {
		f.poll(1)
		defer f.poll(-1)
	}
	tasks := f.tasks
	if strings.Contains(queue, "@") {
		tasks = nil // a queue of one worker
	}
	select {
	case task := <-tasks:
		return task, nil
	case <-ctx.Done():
		return &workflowservice.PollActivityTaskQueueResponse{}, nil
	}
}

func (f *fakeServer) poll(by int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.polling += by
	f.changed.Broadcast()
}

func (f *fakeServer) RespondActivityTaskCompleted(_ context.Context, r *workflowservice.RespondActivityTaskCompletedRequest) (*workflowservice.RespondActivityTaskCompletedResponse, error) {
	f.ends <- r
	return &workflowservice.RespondActivityTaskCompletedResponse{}, nil
}

func (f *fakeServer) RespondActivityTaskFailed(_ context.Context, r *workflowservice.RespondActivityTaskFailedRequest) (*workflowservice.RespondActivityTaskFailedResponse, error) {
	f.ends <- r
	return &workflowservice.RespondActivityTaskFailedResponse{}, nil
}

func (f *fakeServer) RecordActivityTaskHeartbeat(context.Context, *workflowservice.RecordActivityTaskHeartbeatRequest) (*workflowservice.RecordActivityTaskHeartbeatResponse, error) {
	return &workflowservice.RecordActivityTaskHeartbeatResponse{}, nil
}

func (f *fakeServer) ShutdownWorker(context.Context, *workflowservice.ShutdownWorkerRequest) (*workflowservice.ShutdownWorkerResponse, error) {
	return &workflowservice.ShutdownWorkerResponse{}, nil
}

// program is a workflow for a cluster.
func program() cli.Program {
	return cli.Program{
		Definition: &flow.Definition{
			Name: "demo", Fingerprint: "f1", Description: "A workflow for tests.",
			Nodes: []flow.NodeInfo{{Key: "a", Kind: "bash"}},
			Flow:  func(c *flow.Context) (any, error) { return nil, flow.Settle(c) },
		},
		Cluster: temporal.Cluster(),
	}
}

// call runs a command line against a server and returns its exit code and its outputs.
func call(t *testing.T, f *fakeServer, p cli.Program, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args = append([]string{args[0], "--temporal", f.address, "--state", t.TempDir()}, args[1:]...)
	code = cli.Run(p, args, cli.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr})
	return code, stdout.String(), stderr.String()
}

// workflowInfo describes a workflow of a run.
func workflowInfo(id string, status enumspb.WorkflowExecutionStatus, start time.Time) *workflowpb.WorkflowExecutionInfo {
	return &workflowpb.WorkflowExecutionInfo{
		Execution: &commonpb.WorkflowExecution{WorkflowId: id, RunId: "run-" + id}, Type: &commonpb.WorkflowType{Name: "demo"},
		Status: status, StartTime: timestamppb.New(start),
	}
}

// completed is the last event of a workflow that has a result.
func completed(result *commonpb.Payloads) *historypb.HistoryEvent {
	return &historypb.HistoryEvent{
		EventType: enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
		Attributes: &historypb.HistoryEvent_WorkflowExecutionCompletedEventAttributes{
			WorkflowExecutionCompletedEventAttributes: &historypb.WorkflowExecutionCompletedEventAttributes{Result: result},
		},
	}
}
