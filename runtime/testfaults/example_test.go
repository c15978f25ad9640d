package testfaults_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/testfaults"
)

func ExampleEach() {
	const text = `tests:
  - name: a bug is investigated
    input: {arguments: It crashes}
    expect:
      status: complete
`
	testfaults.Each([]byte(text), func(line, column int, message string) {
		fmt.Printf("triage.test.yaml:%d:%d: %s\n", line, column, message)
	})
	// Output:
	// triage.test.yaml:3:5: unknown key `input` in a test; did you mean `inputs`?
	// triage.test.yaml:5:15: unknown status `complete`; did you mean `completed`?
}
