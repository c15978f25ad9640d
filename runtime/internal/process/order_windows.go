package process

import "os"

// An orderedPipe is read by its own goroutine only: the order of what a program writes to several
// pipes is not known here.
type orderedPipe struct {
	from *os.File
	take func([]byte)
}

func (p *orderedPipe) drain() {
	drainOutput(p.from, p.take, new(masker).newStream(func([]byte) {}))
}

func (p *orderedPipe) takeWritten() {}
