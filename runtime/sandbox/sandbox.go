// Package sandbox says whether steps can run in the sandbox on this machine, and what can be
// granted to them there. A program that reports what the sandbox would refuse imports it. The
// settings are in package runtime/settings:
//
//	for _, missing := range sandbox.Probe() {
//		fmt.Println(missing.Layer, missing.Why, missing.Remedy)
//	}
package sandbox

import "github.com/wfc-lang/wfc/runtime/internal/sandbox"

// With `report`, a program starts itself once more to become each observed one. That begins here, before
// packages are initialized that it does not need.
func init() { sandbox.Main() }

// Probe returns the layers of the sandbox that this machine lacks. Steps can run in the sandbox
// if there are none.
func Probe() []sandbox.Missing { return sandbox.Probe() }

// Weaknesses returns the layers of the sandbox that this machine has only in part: steps can run
// in the sandbox, and the layer says what it does not hold.
func Weaknesses() []sandbox.Missing { return sandbox.Weaknesses() }
