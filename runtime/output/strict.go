package output

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// FromJSON returns the output of a program that must print exactly one JSON document which
// satisfies the schema: the document in compact form. It adapts Context.Do to Node.Run. An
// invalid output is not retried.
func (s *Spec) FromJSON(r flow.Result, err error) (string, error) {
	if err != nil || r.Unknown != nil {
		return r.Text, err
	}
	text := strings.TrimSpace(r.Text)
	var document json.RawMessage
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		return "", s.fault("it must be exactly one JSON document: %v", plain.JSONError(err, text))
	}
	problems, err := s.Check(json.RawMessage(s.Schema), document)
	switch {
	case err != nil:
		return "", s.fault("its schema cannot be used: %v", err)
	case len(problems) > 0:
		return "", s.fault("%s", strings.Join(problems, "; "))
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, document); err != nil {
		return "", s.fault("%v", err)
	}
	return compact.String(), nil
}
