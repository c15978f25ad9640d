package shell_test

import (
	"flag"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

var update = flag.Bool("update", false, "rewrite the golden texts of the fixtures")

func TestFixtures(t *testing.T) {
	testkit.RunFixtures(t, "../../../testdata/shell", *update)
}
