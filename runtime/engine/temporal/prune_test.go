package temporal_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	schedulepb "go.temporal.io/api/schedule/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/claim"
)

const day = 24 * time.Hour

// large stores a large value and returns the payload that refers to it, and the file.
func large(t *testing.T, blobs, letter string, age time.Duration) (*commonpb.Payloads, string) {
	t.Helper()
	store, folder, err := claim.Open(t.Context(), blobs, "default")
	if err != nil {
		t.Fatal(err)
	}
	p, err := claim.Converter(store, nil).ToPayloads(strings.Repeat(letter, 20<<10))
	if err != nil {
		t.Fatal(err)
	}
	sum := claim.Reference(p.GetPayloads()[0])
	file := filepath.Join(folder, "values", sum[:2], sum)
	old := time.Now().Add(-age)
	if err := os.Chtimes(file, old, old); err != nil {
		t.Fatal(err)
	}
	return p, file
}

// Prune keeps the values that open runs, ended runs that the cluster still has, and schedules
// refer to, however old, and recent values.
func TestPrune(t *testing.T) {
	f := serve(t, nil)
	blobs := t.TempDir()
	const ago = 100 * day
	inOpen, openFile := large(t, blobs, "a", ago)
	inEnded, endedFile := large(t, blobs, "b", ago)
	inSchedule, scheduleFile := large(t, blobs, "c", ago)
	_, recentFile := large(t, blobs, "d", 3*day)
	_, orphanFile := large(t, blobs, "e", ago)
	f.workflows["demo-open"] = &fakeWorkflow{
		info: workflowInfo("demo-open", enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, time.Now().Add(-ago)),
		events: []*historypb.HistoryEvent{{
			EventType: enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED,
			Attributes: &historypb.HistoryEvent_WorkflowExecutionStartedEventAttributes{
				WorkflowExecutionStartedEventAttributes: &historypb.WorkflowExecutionStartedEventAttributes{Input: inOpen},
			},
		}},
	}
	f.workflows["demo-ended"] = &fakeWorkflow{
		info:   workflowInfo("demo-ended", enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, time.Now().Add(-ago)),
		events: []*historypb.HistoryEvent{completed(inEnded)},
	}
	f.schedules["wfc-demo"] = &workflowservice.CreateScheduleRequest{Schedule: &schedulepb.Schedule{Action: &schedulepb.ScheduleAction{
		Action: &schedulepb.ScheduleAction_StartWorkflow{StartWorkflow: &workflowpb.NewWorkflowExecutionInfo{Input: inSchedule}},
	}}}
	logs := func(id string, age time.Duration) string {
		write(t, blobs, id, "one", line(1, "x"))
		dir := filepath.Join(blobs, "default", "logs", id)
		old := time.Now().Add(-age)
		for _, path := range []string{filepath.Join(dir, "log-one.jsonl"), dir} {
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	openLog, oldLog, recentLog := logs("demo-open", ago), logs("demo-old", ago), logs("demo-recent", day)

	prune := func(args ...string) (values, runs int) {
		t.Helper()
		code, out, errs := call(t, f, program(), append([]string{"prune", "--json", "--blobs", blobs}, args...)...)
		var d struct{ Values, Logs int }
		if err := json.Unmarshal([]byte(out), &d); code != 0 || err != nil {
			t.Fatalf("exit code %d, %v\n%s%s", code, err, out, errs)
		}
		return d.Values, d.Logs
	}
	if values, runs := prune("--older-than", "200d"); values != 0 || runs != 0 {
		t.Errorf("%d values and the logs of %d runs are older than 200 days", values, runs)
	}
	for _, args := range [][]string{{"--dry-run"}, nil} {
		if values, runs := prune(args...); values != 1 || runs != 1 {
			t.Errorf("%v: %d values and the logs of %d runs", args, values, runs)
		}
	}
	for name, tt := range map[string]struct {
		path string
		kept bool
	}{
		"value of an open run": {openFile, true}, "value of an ended run": {endedFile, true}, "value of a schedule": {scheduleFile, true},
		"recent value": {recentFile, true}, "old value": {orphanFile, false},
		"log of an open run": {openLog, true}, "old log": {oldLog, false}, "recent log": {recentLog, true},
	} {
		if _, err := os.Stat(tt.path); (err == nil) != tt.kept {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Prune refuses an age within the retention period, and a cluster without a place for values.
func TestPruneRefuses(t *testing.T) {
	f := serve(t, nil)
	blobs := t.TempDir()
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--blobs", blobs, "--older-than", "3d"}, 1, "give --older-than 96h or more"},
		{[]string{"--blobs", blobs, "--older-than", "4d"}, 0, ""},
		{[]string{"--blobs", blobs, "--older-than", "soon"}, 2, "give an age such as"},
		{[]string{"--blobs", blobs, "--older-than", "0d"}, 2, "give an age such as"},
		{nil, 1, "--blobs"},
	} {
		if code, _, errs := call(t, f, program(), append([]string{"prune"}, tt.args...)...); code != tt.code || !strings.Contains(errs, tt.want) {
			t.Errorf("%v: exit code %d\n%s", tt.args, code, errs)
		}
	}
}
