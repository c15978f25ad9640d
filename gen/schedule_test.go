package gen_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/ir"
)

// A program whose schedule names a zone carries the zones, and no other does.
func TestZonesOfSchedules(t *testing.T) {
	for _, tt := range []struct {
		schedule *ir.Schedule
		zones    bool
	}{
		{nil, false},
		{&ir.Schedule{Cron: "0 9 * * MON"}, false},
		{&ir.Schedule{Cron: "TZ=UTC 0 9 * * MON", Zone: "UTC"}, false},
		{&ir.Schedule{Cron: "TZ=Europe/Berlin 0 9 * * MON", Zone: "Europe/Berlin"}, true},
	} {
		p := workflow("timed", "nodes:\n  - {id: a, bash: 'true'}\n")
		p.Workflow.Schedule = tt.schedule
		files := gen.Generate(p, gen.Options{Main: true})
		if got := strings.Contains(string(files[1].Content), `_ "github.com/wfc-lang/wfc/runtime/schedule/zones"`); got != tt.zones {
			t.Errorf("%+v: the program has zones: %v", tt.schedule, got)
		}
		if tt.schedule != nil && !strings.Contains(string(files[0].Content), tt.schedule.Cron) {
			t.Errorf("%+v is not in the definition", tt.schedule)
		}
	}
}
