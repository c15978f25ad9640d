// Package fixedseed makes property tests draw the same values every time, so that a
// test that passes keeps passing until the code changes. Other values are drawn by
// -rapid.seed or RAPID_SEED, where 0 represents a random seed; `make fuzz` does
// that.
package fixedseed

import (
	"flag"
	"os"
	"testing"
)

// Value is the seed.
const Value = "1"

const (
	name     = "rapid.seed"
	variable = "RAPID_SEED"
)

// Main is a TestMain for packages with property tests.
func Main(m *testing.M) {
	Set()
	os.Exit(m.Run())
}

// Set fixes the seed unless one was given. It is for a TestMain that does more.
func Set() {
	flag.Parse()
	_, given := os.LookupEnv(variable)
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	if given {
		return
	}
	if err := flag.Set(name, Value); err != nil {
		panic(err) // the package has no property tests, or their library has changed
	}
}
