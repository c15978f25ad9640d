package testsuite_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/testfile"
)

// TestEveryKindOfExpectation: the tests of expectations have a case for every key that test
// files may have under `expect`.
func TestEveryKindOfExpectation(t *testing.T) {
	var schema struct {
		Defs map[string]struct {
			Properties map[string]json.RawMessage
			AnyOf      []struct{ Properties map[string]json.RawMessage }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(testfile.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	comment := regexp.MustCompile(`(?m)#.*$`)
	for _, name := range []string{"expect", "matcher", "node", "number"} {
		def, ok := schema.Defs[name]
		if !ok {
			t.Errorf("the schema of test files has no %s", name)
			continue
		}
		keys := def.Properties
		for _, alternative := range def.AnyOf {
			for key := range alternative.Properties {
				if keys == nil {
					keys = map[string]json.RawMessage{}
				}
				keys[key] = nil
			}
		}
		if len(keys) == 0 {
			t.Errorf("%s has no keys", name)
		}
		for key := range keys {
			has := regexp.MustCompile(`[\s{]` + key + `:`)
			for what, text := range map[string]string{"holds": holding, "fails": failing} {
				if !has.MatchString(comment.ReplaceAllString(text, "")) {
					t.Errorf("no case in which `%s` (%s) %s", key, name, what)
				}
			}
		}
	}
}
