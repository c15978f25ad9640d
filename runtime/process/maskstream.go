package process

// MaskStream returns what masks the values of an environment's secret variables
// in an output that comes in pieces, which may break them anywhere. What write
// is given comes to out with the secrets replaced by ***; flush hands on what is
// held back because it may be the beginning of one. Neither may be called
// concurrently.
func MaskStream(environ []string, out func(piece []byte)) (write func(piece []byte), flush func()) {
	s := newMasker(environ).stream(out)
	return s.write, s.flush
}
