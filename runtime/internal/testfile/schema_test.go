package testfile

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write schema.json")

// TestSchemaFile compares the file that `wfc schema test` prints with the tables: wfc
// does not link the decoder of test files, but it has the sources of the runtime.
func TestSchemaFile(t *testing.T) {
	const path = "schema.json"
	want := Schema()
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, want) {
		t.Errorf("%s is not the schema of the tables (%v); `make docs` writes it", path, err)
	}
}
