package testkit

import (
	"flag"
	"os"
	"testing"
)

// Property tests draw the same values every time, so that a test that passes keeps passing
// until the code changes. -rapid.seed or RAPID_SEED draws other values, 0 random ones;
// `make fuzz` does that.

// Seed is the seed of property tests.
const Seed = "1"

const (
	seedFlag     = "rapid.seed"
	seedVariable = "RAPID_SEED"
)

// SeededMain is a TestMain for packages with property tests.
func SeededMain(m *testing.M) {
	SetSeed()
	os.Exit(m.Run())
}

// SetSeed fixes the seed unless one was given. It is for a TestMain that does more.
func SetSeed() {
	flag.Parse()
	_, given := os.LookupEnv(seedVariable)
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == seedFlag })
	if given {
		return
	}
	if err := flag.Set(seedFlag, Seed); err != nil {
		panic(err) // the package has no property tests, or their library has changed
	}
}
