//go:build unix

package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/sandbox"
)

// sandboxed measures durable runs in the sandbox beside runs without it.
func (b *bench) sandboxed() error {
	if lacks := noSandbox(); lacks != "" {
		b.table.add(row{what: "runs in the sandbox", measured: lacks})
		return nil
	}
	for _, s := range []struct {
		shape
		what, must string
		above      bool // the budget is a time, not a ratio
	}{
		{single(), "one node in the sandbox, above one without", "5 ms", true},
		{chain(100), "chain of 100 in the sandbox, beside one without", "2.50 times", false},
		{sideBySide(100), "100 side by side in the sandbox, beside those without", "", false},
	} {
		list, _, err := b.contenders(s.shape)
		if err != nil {
			return err
		}
		off, on := list[0], list[0]
		off.args, on.args = append(slices.Clip(off.args), "--sandbox=off"), append(slices.Clip(on.args), "--sandbox=on")
		// The kernel takes a sandbox apart after the run, and would do that during the next one.
		off.rest, on.rest = 50*time.Millisecond, 50*time.Millisecond
		taken, err := b.take(on, off)
		if err != nil {
			return err
		}
		r := row{what: s.what, must: s.must, measured: fmt.Sprintf("%.2f times", taken[0].ratio(taken[1])), neighbour: fmt.Sprintf("in it %s, without %s", taken[0], taken[1])}
		if s.above {
			r.measured = taken[0].above(taken[1])
		}
		b.table.add(r)
	}
	return nil
}

// noSandbox says why steps cannot run in the sandbox here, or "".
func noSandbox() string {
	if lacks := sandbox.Probe(); len(lacks) > 0 {
		return "none: " + lacks[0].String()
	}
	return ""
}
