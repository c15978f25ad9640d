// Package tuning saves a program time that Go would take from it: for the growth of stacks, and
// on processors that other runs need. A goroutine starts with a stack
// of a few KiB, which is copied to one of twice the size whenever it is full. Each copy has to
// decode the frames of all calls that are on the stack, from tables of the program that are
// often not in memory yet. A program that starts spends a tenth of its time on that.
package tuning

// ReserveStack makes the stack of the calling goroutine at least 64 KiB large. It touches none of
// it, so it takes address space, but no memory. The garbage collector shrinks stacks that are
// used little.
func ReserveStack() { reserveFrame[[64 << 10]byte](false) }

// ReserveSmallStack makes the stack of the calling goroutine at least 16 KiB large: enough to start and
// watch a process.
func ReserveSmallStack() { reserveFrame[[12 << 10]byte](false) }

// reserveFrame has a frame as large as its array, but only a call with true, of which there is
// none, would fill it.
//
//go:noinline
func reserveFrame[T [64 << 10]byte | [12 << 10]byte](fill bool) (sum byte) {
	if fill {
		var space T
		for i := range len(space) {
			space[i] = byte(i) ^ sum
			sum += space[i*7%len(space)] // what no compiler foresees, so it keeps the array
		}
	}
	return sum
}
