package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// warnOfModel warns, once a run, of a reply of another model than the one that was asked: an agent
// or a service may answer with another one when a limit is reached.
func (t *turn) warnOfModel(prompt flow.Prompt, reply *Reply) {
	asked, got := prompt.Model, reply.Meta.Model
	if asked == "" || got == "" || namesModel(asked, got) {
		return
	}
	if _, warned := t.warned.LoadOrStore(strings.Join([]string{"model", t.call.Info.ID, prompt.Agent, asked, got}, "\x00"), true); !warned {
		t.logWarning(fmt.Sprintf("agent `%s` answered with the model `%s`, although `%s` was asked", prompt.Agent, got, asked))
	}
}

// namesModel reports whether a name may mean a model: each of its words is another one of the model's,
// or begins with it. The full name has more words, such as a vendor and a date: `opus` means
// claude-opus-5-5. A vendor before a slash and a variant in brackets are not compared.
func namesModel(name, model string) bool {
	words := func(text string) []string {
		text = strings.ToLower(text[strings.LastIndexByte(text, '/')+1:])
		text, _, _ = strings.Cut(text, "[")
		return strings.FieldsFunc(text, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') })
	}
	left := words(model)
	for _, word := range words(name) {
		switch word {
		case "latest", "default", "auto", "inherit": // leave the choice to the service
			continue
		}
		i := slices.IndexFunc(left, func(w string) bool { return w == word || len(w) >= shortestName && strings.HasPrefix(word, w) })
		if i < 0 {
			return false
		}
		left = slices.Delete(left, i, i+1)
	}
	return true
}

// shortestName is the length of the shortest word of a model to which a name may add an ending, as
// opusplan does.
const shortestName = 4
