package local

import (
	"fmt"
	"sync"
)

// mostOutput is how many bytes of each stream of one attempt of a step reach the
// log and those who watch. A process may print as many to its standard output.
const mostOutput = 64 << 20

// bounded returns a function that passes on at most limit bytes of each stream,
// and then calls cut once for it. It is safe for concurrent use.
func bounded(limit int, pass func(stream string, piece []byte), cut func(stream string)) func(stream string, piece []byte) {
	var mu sync.Mutex
	passed := map[string]int{}
	return func(stream string, piece []byte) {
		mu.Lock()
		defer mu.Unlock()
		before := passed[stream]
		if before > limit {
			return
		}
		passed[stream] = before + len(piece)
		room := limit - before
		if len(piece) <= room {
			pass(stream, piece)
			return
		}
		pass(stream, piece[:room])
		cut(stream)
	}
}

// recorder returns what takes the output of one attempt of a step.
func (h *host) recorder(key string) func(stream string, piece []byte) {
	return bounded(mostOutput, func(stream string, piece []byte) { h.output(key, stream, piece) }, func(stream string) {
		h.run.log.Warn(fmt.Sprintf("%s is longer than %d MiB: the rest of it is not in the log", stream, mostOutput>>20), "node", key)
	})
}
