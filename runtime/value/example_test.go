package value_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/value"
)

// The type of the output decides: a field without omitempty must be there, and 8.0 is a
// whole number, as in JSON Schema.
func ExampleDecode() {
	type review struct {
		Verdict string  `json:"verdict"`
		Score   int64   `json:"score"`
		Note    *string `json:"note,omitempty"`
	}
	r, err := value.Decode[review]("Here it is:\n```json\n{\"verdict\": \"pass\", \"score\": 8.0}\n```\n")
	fmt.Println(r.Verdict, r.Score, r.Note == nil, err)
	_, err = value.Decode[review](`{"verdict": "pass"}`)
	fmt.Println(err)
	// Output:
	// pass 8 true <nil>
	// `score` is missing
}

func ExamplePlain() {
	var nobody *string
	fmt.Printf("%q %q %q\n", value.Plain([]string{"a", "b"}), value.Plain(1e21), value.Plain(nobody))
	// Output: "a, b" "1e+21" ""
}
