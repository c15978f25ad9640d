package local

import "testing"

// Whatever this machine does, processors are scarce only for tests that call Scarce.
func init() { scarce = func(bool, int) bool { return false } }

// Scarce makes processors scarce until the end of a test if other runs are at work.
func Scarce(t *testing.T) {
	before := scarce
	scarce = func(crowded bool, _ int) bool { return crowded }
	t.Cleanup(func() { scarce = before })
}
