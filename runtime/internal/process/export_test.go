package process

import "time"

// MaskPieces masks an output that comes in pieces.
func MaskPieces(environ, pieces []string, out func([]byte)) {
	s := newMasker(environ).newStream(out)
	for _, piece := range pieces {
		s.write([]byte(piece))
	}
	s.flush()
}

// EndSurvivorsWithin is EndSurvivors with another grace.
func EndSurvivorsWithin(dir string, grace time.Duration) ([]string, error) {
	return endSurvivors(dir, grace)
}

// Identities returns the identity with which a process that start starts is
// recorded, and the one by which a later process finds it.
func Identities(start func() (pid int, err error)) (recorded, found string, err error) {
	born := beforeStart()
	pid, err := start()
	if err != nil {
		return "", "", err
	}
	born.markStarted()
	if recorded, err = identityOf(pid, born); err != nil {
		return "", "", err
	}
	found, err = processIdentity(pid)
	return recorded, found, err
}
