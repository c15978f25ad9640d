package agent

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
)

var _ engine.Judge = (*Performer)(nil)

// Judge implements engine.Judge: a text is judged as if it were the reply of an
// agent that knows nothing of schemas.
func (p *Performer) Judge(payload flow.Payload, text string) (string, error) {
	prompt, ok := payload.(flow.Prompt)
	if !ok {
		return "", fmt.Errorf("it is the output of a %s, not of a prompt", payload.Kind())
	}
	if len(prompt.Schema) == 0 {
		if strings.TrimSpace(text) == "" && !prompt.MayBeEmpty {
			return "", errors.New("it is empty, and the answer of an agent never is")
		}
		return text, nil
	}
	value := Extract(text)
	if value == nil {
		return "", errors.New("no JSON was found in it")
	}
	if p.settings.Check != nil {
		// A schema that cannot be used judges nothing, as in a run.
		if problems, err := p.settings.Check(prompt.Schema, value); err == nil && len(problems) > 0 {
			return "", errors.New(strings.Join(problems, "; "))
		}
	}
	r := completedJSON(value)
	if r.Failure != nil {
		return "", r.Failure
	}
	return r.Text, nil
}
