// Package attacks tries scripts with hostile values: each is refused by the
// compiler, or it runs with every payload and none of them is executed.
//
// Try is the frame. It compiles every case alone, builds the accepted ones into
// one program, and runs that once for each payload. A payload that manages to
// run the marker program leaves a file that names the payload and the step.
package attacks
