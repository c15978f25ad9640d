package cli

// reserveStack makes the stack of the calling goroutine at least 64 KiB large, and touches
// none of it. The stack would grow to that by copies, each of which has to decode the frames
// of all calls that are on it: a tenth of the time of a command that checks one file.
// Only a call with true, of which there is none, would fill the frame.
//
//go:noinline
func reserveStack(fill bool) (sum byte) {
	if fill {
		var space [64 << 10]byte
		for i := range space {
			space[i] = byte(i) ^ sum
			sum += space[i*7%len(space)] // what no compiler foresees, so it keeps the array
		}
	}
	return sum
}
