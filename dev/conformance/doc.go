// Package conformance holds the test that runs recorded behaviour of the
// original engines against the whole of wfc, and the test that compiles real workflow
// files. The only other code, package runner, executes generated workflows.
package conformance
