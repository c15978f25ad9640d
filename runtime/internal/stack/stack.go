// Package stack saves goroutines the growth of their stacks. A goroutine starts with a stack
// of a few KiB, which is copied to one of twice the size whenever it is full. Each copy has to
// decode the frames of all calls that are on the stack, from tables of the program that are
// often not in memory yet. A program that starts spends a tenth of its time on that.
package stack

// Reserve makes the stack of the calling goroutine at least 64 KiB large. It touches none of
// it, so it takes address space, but no memory. The garbage collector shrinks stacks that are
// used little.
func Reserve() { large(false) }

// Small makes the stack of the calling goroutine at least 16 KiB large: enough to start and
// watch a process.
func Small() { small(false) }

// The frames of the following functions are as large as the arrays, but only a call with
// true, of which there is none, would fill them.

//go:noinline
func large(fill bool) (sum byte) {
	if fill {
		var space [64 << 10]byte
		for i := range space {
			space[i] = byte(i) ^ sum
			sum += space[i*7%len(space)] // what no compiler foresees, so it keeps the array
		}
	}
	return sum
}

//go:noinline
func small(fill bool) (sum byte) {
	if fill {
		var space [12 << 10]byte
		for i := range space {
			space[i] = byte(i) ^ sum
			sum += space[i*7%len(space)] // what no compiler foresees, so it keeps the array
		}
	}
	return sum
}
