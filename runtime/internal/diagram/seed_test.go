package diagram

import (
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/fixedseed"
)

func TestMain(m *testing.M) { fixedseed.Main(m) }
