// Package secrets tests that secrets reach neither agents nor anything that is
// shown, written or sent.
package secrets
