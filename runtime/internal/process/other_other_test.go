//go:build unix && !linux

package process_test

import (
	"os"
	"testing"
)

// asOther skips a test that root cannot make: root may read everything.
func asOther(t *testing.T, _ string) {
	t.Helper()
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
}
