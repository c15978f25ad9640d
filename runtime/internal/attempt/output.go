package attempt

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/envvar"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// actionEnviron is the environment of an action. Scripts are the user's own code and get all
// variables that the settings allow, by default all. The performer of agents chooses the
// variables for agents, because it knows their needs.
func (s *Site) actionEnviron(a flow.Action) []string {
	all := s.Environ
	if !s.hasLimitedEnviron(a) {
		return all
	}
	given, withheld := envvar.Split(all, func(name, _ string) bool {
		if slices.Contains(s.Named, name) || process.NamesSecret(name) {
			return envvar.Named(name, s.Scripts)
		}
		return envvar.Named(name, envvar.Base()) || envvar.Named(name, s.Scripts)
	})
	if len(withheld) > 0 {
		s.Withheld(withheld)
	}
	return given
}

// hasLimitedEnviron reports whether an action is a script that does not get the whole
// environment.
func (s *Site) hasLimitedEnviron(a flow.Action) bool {
	if s.Scripts == nil {
		return false
	}
	switch a.Payload.(type) {
	case flow.Bash, flow.Script:
		return true
	}
	return false
}

// maskedOutput returns a function that records the output of an action. It masks the
// secrets in the process's environment that are recognizable by name or value. A process
// may still print other secrets, such as parts of a file.
func (s *Site) maskedOutput(a flow.Action) (output func(stream string, piece []byte), flush func()) {
	plain := s.outputRecorder(a.Key)
	_, prompt := a.Payload.(flow.Prompt)
	if !prompt && !s.hasLimitedEnviron(a) && !s.hasNamedSecrets() || len(s.Secrets) == 0 {
		return plain, func() {}
	}
	var mu sync.Mutex
	streams := map[string]stream{}
	output = func(name string, piece []byte) {
		if len(piece) == 0 {
			return // a sign of life, and no more
		}
		mu.Lock()
		defer mu.Unlock()
		to, ok := streams[name]
		if !ok {
			to.write, to.flush = process.MaskStream(s.Secrets, func(piece []byte) { plain(name, piece) })
			streams[name] = to
		}
		to.write(piece)
	}
	return output, func() {
		mu.Lock()
		defer mu.Unlock()
		for _, to := range streams {
			to.flush()
		}
	}
}

// hasNamedSecrets reports whether there are secrets that only the settings name.
func (s *Site) hasNamedSecrets() bool {
	return slices.ContainsFunc(s.Environ, func(entry string) bool {
		name, value, _ := strings.Cut(entry, "=")
		return slices.Contains(s.Named, name) && !process.Secret(name, value)
	})
}

// stream is one of an action's outputs.
type stream struct {
	write func(piece []byte)
	flush func()
}

// mostOutput is how many bytes of each stream of one attempt of a step reach the
// log and those who watch. A process may print as many to its standard output.
const mostOutput = 64 << 20

// limitOutput returns a function that passes on at most limit bytes of each stream,
// and then calls cut once for it. It is safe for concurrent use.
func limitOutput(limit int, pass func(stream string, piece []byte), cut func(stream string)) func(stream string, piece []byte) {
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

// outputRecorder returns what takes the output of one attempt of a step.
func (s *Site) outputRecorder(key string) func(stream string, piece []byte) {
	return limitOutput(mostOutput, func(stream string, piece []byte) { s.Output(key, stream, piece) }, func(stream string) {
		s.Log.Warn(fmt.Sprintf("%s is longer than %d MiB: the rest of it is not in the log", stream, mostOutput>>20), "node", key)
	})
}
