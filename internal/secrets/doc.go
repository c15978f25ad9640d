// Package secrets tests that what is secret reaches neither agents nor anything
// that is shown, written or sent.
package secrets
