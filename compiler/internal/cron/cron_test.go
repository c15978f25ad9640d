package cron_test

import (
	"archive/zip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/internal/cron"
)

func TestParse(t *testing.T) {
	s, findings := cron.Parse("CRON_TZ=America/Argentina/Buenos_Aires 0 9 * * MON")
	if s == nil || len(findings) > 0 {
		t.Fatal(findings)
	}
	if got := s.Describe(); got != "at 09:00 on Monday (America/Argentina/Buenos_Aires)" {
		t.Error(got)
	}
	if _, findings := cron.Parse("0 9 31 2 *"); len(findings) != 1 || findings[0].Kind != cron.Never {
		t.Errorf("%v", findings)
	}
}

func TestUnknownZones(t *testing.T) {
	for _, c := range []struct{ text, zone, help, fix string }{
		{"CRON_TZ=europe/berlin 0 9 * * *", "europe/berlin", "did you mean `Europe/Berlin`?", "Europe/Berlin"},
		{" TZ=Europe/Belrin 0 9 * * *", "Europe/Belrin", "did you mean `Europe/Berlin`?", "Europe/Berlin"},
		{"TZ=Tokyo 0 9 * * *", "Tokyo", "did you mean `Asia/Tokyo`?", "Asia/Tokyo"},
		{"TZ=PDT @daily", "PDT", "did you mean `America/Los_Angeles`?", "America/Los_Angeles"},
		{"TZ=Europe/New_York 0 9 * * *", "Europe/New_York", "did you mean `America/New_York`?", "America/New_York"},
		{"TZ=Middle/Earth+Shire 0 9 * * *", "Middle/Earth+Shire", "write a name such as `Europe/Berlin`", ""},
	} {
		s, findings := cron.Parse(c.text)
		if s != nil || len(findings) != 1 {
			t.Errorf("%q: %v", c.text, findings)
			continue
		}
		f := findings[0]
		if f.Kind != cron.Zone || c.text[f.Start:f.End] != c.zone || f.Help != c.help || f.Fix != c.fix {
			t.Errorf("%q: %+v", c.text, f)
		}
	}
}

// Faults of the zone and of the fields are both found, each once.
func TestZoneAndFields(t *testing.T) {
	_, findings := cron.Parse("TZ=Nowhere 61 9 * * *")
	if len(findings) != 2 || findings[0].Kind != cron.Zone || findings[1].Kind != cron.Value {
		t.Errorf("%v", findings)
	}
	if _, findings := cron.Parse("TZ=!! 0 9 * * *"); len(findings) != 1 {
		t.Errorf("%v", findings)
	}
}

// The list knows every zone of the database that comes with Go.
func TestZonesAreComplete(t *testing.T) {
	//lint:ignore SA1019 the tests are run by the toolchain whose list this is
	db, err := zip.OpenReader(filepath.Join(runtime.GOROOT(), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Skip("Go's own time zones are not here: ", err)
	}
	defer db.Close()
	text, err := os.ReadFile("zones.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Split(strings.TrimSpace(string(text)), "\n")
	if !slices.IsSorted(list) {
		t.Error("the list is not in order")
	}
	for _, f := range db.File {
		if _, ok := slices.BinarySearch(list, f.Name); !ok && !strings.HasSuffix(f.Name, "/") {
			t.Errorf("the list lacks %s", f.Name)
		}
	}
}
