package outbox

import (
	"encoding/json"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// QuestionHash identifies a question with all that a person can see of it.
func QuestionHash(q engine.Question) string {
	text, err := json.Marshal(struct {
		Run      string
		Since    time.Time
		Deadline time.Time
		Question flow.Question
	}{q.RunID, q.Since.UTC(), q.Deadline.UTC(), q.Question})
	if err != nil {
		panic(err) // strings and times have a JSON form
	}
	return runid.Hash(64, string(text))
}

// QuestionCode is the short form of a hash that people type in a comment.
func QuestionCode(q engine.Question) string { return QuestionHash(q)[:12] }

// ButtonAction is the beginning of the ids of buttons that answer questions on Slack.
const ButtonAction = "wfc-answer-"

// ButtonValue is the value of a button that gives a choice to a question.
func ButtonValue(run, hash, choice string) string { return run + " " + hash + " " + choice }
