package process

import "time"

// MaskPieces masks an output that comes in pieces.
func MaskPieces(environ, pieces []string, out func([]byte)) {
	s := newMasker(environ).stream(out)
	for _, piece := range pieces {
		s.write([]byte(piece))
	}
	s.flush()
}

// EndSurvivorsWithin is EndSurvivors with another grace.
func EndSurvivorsWithin(dir string, grace time.Duration) ([]string, error) {
	return endSurvivors(dir, grace)
}
