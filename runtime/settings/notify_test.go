package settings_test

import (
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/settings"
)

func TestQuietHours(t *testing.T) {
	night := settings.QuietHours{From: "22:00", To: "07:00", Zone: "Europe/Berlin"}
	noon := settings.QuietHours{From: "12:00", To: "13:30", Zone: "UTC"}
	for _, tt := range []struct {
		quiet     settings.QuietHours
		now, want string
	}{
		{settings.QuietHours{}, "2026-05-04T23:00:00Z", ""},
		{night, "2026-05-04T19:59:59Z", ""},
		{night, "2026-05-04T20:00:00Z", "2026-05-05T05:00:00Z"},
		{night, "2026-05-05T04:59:59Z", "2026-05-05T05:00:00Z"},
		{night, "2026-05-05T05:00:00Z", ""},
		{night, "2026-03-28T23:00:00Z", "2026-03-29T05:00:00Z"}, // the clocks are set forward
		{night, "2026-10-25T04:00:00Z", "2026-10-25T06:00:00Z"}, // and back
		{noon, "2026-05-04T12:30:00Z", "2026-05-04T13:30:00Z"},
		{noon, "2026-05-04T13:30:00Z", ""},
	} {
		now, err := time.Parse(time.RFC3339, tt.now)
		if err != nil {
			t.Fatal(err)
		}
		end, err := tt.quiet.EndAfter(now)
		got := ""
		if !end.IsZero() {
			got = end.UTC().Format(time.RFC3339)
		}
		if err != nil || got != tt.want {
			t.Errorf("%+v at %s: %s %v, want %s", tt.quiet, tt.now, got, err, tt.want)
		}
	}
	if _, err := (settings.QuietHours{From: "22:00", To: "07:00", Zone: "Mars/Base"}).EndAfter(time.Now()); err == nil {
		t.Error("an unknown zone is accepted")
	}
}
