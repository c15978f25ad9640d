package temporal_test

import (
	"strings"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/converter"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
)

// The cluster keeps a schedule, and this build becomes the current one, on which its runs begin.
// Setting it again replaces it, and --off removes it.
func TestSchedule(t *testing.T) {
	f := serve(t, nil)
	for _, tt := range []struct {
		cron  string
		build string
	}{{"0 7 * * *", "f1"}, {"30 8 * * 1", "f2"}} {
		p := program()
		p.Definition.Fingerprint = tt.build
		code, out, errs := call(t, f, p, "schedule", "--cron", tt.cron)
		if code != 0 || !strings.Contains(errs, tt.cron) {
			t.Fatalf("exit code %d\n%s%s", code, out, errs)
		}
		if len(f.schedules) != 1 || f.schedules["wfc-demo"] == nil {
			t.Fatalf("the schedules are %v", f.schedules)
		}
		s := f.schedules["wfc-demo"].GetSchedule()
		if got := s.GetSpec().GetCronString(); len(got) != 1 || got[0] != tt.cron {
			t.Errorf("the times are %v", got)
		}
		if got := s.GetPolicies().GetOverlapPolicy(); got != enumspb.SCHEDULE_OVERLAP_POLICY_SKIP {
			t.Errorf("the policy is %v", got)
		}
		start := s.GetAction().GetStartWorkflow()
		if got := f.current["demo"]; got != tt.build {
			t.Errorf("the current build is %q", got)
		}
		var in wire.Start
		if err := converter.GetDefaultDataConverter().FromPayloads(start.GetInput(), &in); err != nil || in.Run.Fingerprint != tt.build || in.Run.ID != start.GetWorkflowId() {
			t.Errorf("%+v %v", in, err)
		}
	}
	for range 2 { // removing it twice is no error
		if code, out, errs := call(t, f, program(), "schedule", "--off"); code != 0 || len(f.schedules) != 0 {
			t.Fatalf("exit code %d, %v\n%s%s", code, f.schedules, out, errs)
		}
	}
	if code, _, errs := call(t, f, program(), "schedule", "--cron", "never"); code != 2 || len(f.schedules) != 0 {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if code, _, errs := call(t, f, program(), "schedule"); code != 2 || len(f.schedules) != 0 {
		t.Errorf("without times: exit code %d\n%s", code, errs)
	}
}
