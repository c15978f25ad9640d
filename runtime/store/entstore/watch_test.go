package entstore

import (
	"path/filepath"
	"testing"
)

// TestLostWatch loses the connection that Version asks: the version goes on,
// and differs.
func TestLostWatch(t *testing.T) {
	ctx := t.Context()
	reads, err := openReaders(filepath.Join(t.TempDir(), "wfc.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer reads.Close()
	w := &watch{db: reads}
	defer w.Close()
	before, err := w.Version(ctx)
	if err != nil {
		t.Fatal(err)
	}
	w.conn.Close()
	after, err := w.Version(ctx)
	if err != nil || after == before {
		t.Errorf("version %d before and %d after (%v)", before, after, err)
	}
}
