// Package probes tests that the steps of a run do not reach what they were not given: ways to
// try are tried for real, by programs that a run starts. The sandbox itself is attacked by the
// tests of package sandbox.
package probes
