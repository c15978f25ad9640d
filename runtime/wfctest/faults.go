package wfctest

import "github.com/wfc-lang/wfc/runtime/internal/testfile"

// Faults reports the faults in the text of a test file, in their order, for programs that show
// them while a person writes: the line and the column, both from 1 and the column in characters,
// and the message. It does not compare names with the tested workflow.
func Faults(text []byte, report func(line, column int, message string)) {
	_, faults := testfile.Parse("", text)
	for _, f := range faults {
		report(f.Line, f.Column, f.Message)
	}
}
