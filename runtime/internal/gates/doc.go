// Package gates tests that a run does not answer its own questions: every way to
// try that is known is tried for real, by programs that a run starts.
package gates
