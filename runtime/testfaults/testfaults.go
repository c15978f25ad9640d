// Package testfaults finds the faults in test files of workflows, for programs that show
// them while a person writes, such as language servers. The program that runs tests finds
// the same faults. Tests of workflows need package wfctest, not this one. Each finds
// them in the text of a file:
//
//	testfaults.Each(text, func(line, column int, message string) {
//		fmt.Printf("triage.test.yaml:%d:%d: %s\n", line, column, message)
//	})
package testfaults

import "github.com/wfc-lang/wfc/runtime/internal/testfile"

// Each reports the faults in the text of a test file, in their order: the line and the
// column, both from 1 and the column in characters, and the message. It does not compare
// names with the tested workflow.
func Each(text []byte, report func(line, column int, message string)) {
	_, faults := testfile.Parse("", text)
	for _, f := range faults {
		report(f.Line, f.Column, f.Message)
	}
}
