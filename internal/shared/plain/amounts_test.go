package plain_test

import (
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

func TestDollars(t *testing.T) {
	for usd, want := range map[float64]string{
		0: "$0.00", 1: "$1.00", 2.5: "$2.50", 0.125: "$0.125", 0.1234: "$0.1234", 0.00005: "$0.0001", 10.1: "$10.10", 1000: "$1000.00", 4.509: "$4.51", 0.9999: "$0.9999",
	} {
		if got := plain.Dollars(usd); got != want {
			t.Errorf("%v dollars are %s, not %s", usd, got, want)
		}
	}
}

func TestRoundDollars(t *testing.T) {
	sum := 0.0
	for range 8 {
		sum += 0.1
	}
	for usd, want := range map[float64]float64{sum: 0.8, 0: 0, 0.0000012: 0.0000012, 1234567.89: 1234567.89} {
		if got := plain.RoundDollars(usd); got != want {
			t.Errorf("%v is %v, not %v", usd, got, want)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567"} {
		if got := plain.Thousands(n); got != want {
			t.Errorf("%d is %s, not %s", n, got, want)
		}
	}
}
