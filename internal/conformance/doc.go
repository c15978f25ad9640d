// Package conformance holds the test that runs recorded behaviour of the
// original engines against the whole of wfc, and the test that compiles real
// workflow files. There is no other code here but the program that executes
// generated workflows, in package runner.
package conformance
