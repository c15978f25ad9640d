package trace_test

import (
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

func TestMain(m *testing.M) { testkit.SeededMain(m) }
