package local

import (
	"slices"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// environ is the environment of an action. Scripts are the user's own code and
// get what the user allows, which is everything unless the user says otherwise.
// What agents get is for their performer to say, which knows what they need.
func (h *host) environ(a flow.Action) []string {
	all := h.run.environ()
	if !h.limited(a) {
		return all
	}
	given, withheld := engine.Variables(all, func(name string) bool {
		if slices.Contains(h.engine.cfg.Secrets, name) || process.SecretName(name) {
			return engine.Named(name, h.engine.cfg.Scripts)
		}
		return engine.Named(name, engine.BaseVariables()) || engine.Named(name, h.engine.cfg.Scripts)
	})
	if len(withheld) > 0 {
		h.withheld.Do(func() {
			h.run.log.Info("scripts do not get these environment variables", "names", strings.Join(withheld, ", "))
		})
	}
	return given
}

// limited reports whether an action is a script that does not get the whole
// environment.
func (h *host) limited(a flow.Action) bool {
	if h.engine.cfg.Scripts == nil {
		return false
	}
	switch a.Payload.(type) {
	case flow.Bash, flow.Script:
		return true
	}
	return false
}

// masked returns what takes the output of an action. Of processes the
// secrets are masked that they have and that tell so by their name or value; one
// that does not have a secret may print it all the same, out of a file, in pieces.
func (h *host) masked(a flow.Action) (output func(stream string, piece []byte), flush func()) {
	plain := h.recorder(a.Key)
	_, prompt := a.Payload.(flow.Prompt)
	if !prompt && !h.limited(a) && !h.told() || len(h.run.journal.secrets) == 0 {
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
		s, ok := streams[name]
		if !ok {
			s.write, s.flush = process.MaskStream(h.run.journal.secrets, func(piece []byte) { plain(name, piece) })
			streams[name] = s
		}
		s.write(piece)
	}
	return output, func() {
		mu.Lock()
		defer mu.Unlock()
		for _, s := range streams {
			s.flush()
		}
	}
}

// told reports whether there are secrets that only the settings tell.
func (h *host) told() bool {
	return slices.ContainsFunc(h.engine.cfg.Environ, func(entry string) bool {
		name, value, _ := strings.Cut(entry, "=")
		return slices.Contains(h.engine.cfg.Secrets, name) && !process.Secret(name, value)
	})
}

// stream is one of an action's outputs.
type stream struct {
	write func(piece []byte)
	flush func()
}
