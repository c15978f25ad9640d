package scalar_test

import (
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/scalar"
)

func TestUTC(t *testing.T) {
	for text, want := range map[string]bool{
		"2027-01-31T09:00:00Z": true, "2027-01-31T09:00Z": true, "2027-01-31T09:00:00.25Z": true,
		"2027-01-31T09:00:00": false, "2027-01-31T09:00:00+01:00": false, "2027-01-31T09:00:00,5Z": false, "2027-02-30T09:00:00Z": false,
		"2027-01-31T24:00:00Z": false, "2027-01-31": false, "2027-01-31 09:00:00Z": false, "2027-01-31T09:00:00z": false, "Z": false,
	} {
		if got, ok := scalar.UTC(text); ok != want || ok && got.Hour() != 9 {
			t.Errorf("%s: %v %v, want %v", text, got, ok, want)
		}
	}
}
