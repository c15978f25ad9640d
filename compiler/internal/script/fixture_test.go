package script_test

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

var update = flag.Bool("update", false, "rewrite the golden reports")

// TestFixtures checks whole workflows, so that places are those in the file.
func TestFixtures(t *testing.T) {
	testkit.RunFixtures(t, filepath.Join("..", "..", "..", "testdata", "script"), *update)
}
