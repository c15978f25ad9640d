package flow

import "strings"

// Prompt returns the text of a prompt for the time that Make is called for. From
// the second one on the agent is told its last answer and all that the person has
// said so far.
func (a Again) Prompt(text string) string {
	if len(a.Feedback) == 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(text)
	b.WriteString("\n\n---\n\nYou have answered this before. Your last answer was:\n\n")
	b.WriteString(a.Previous)
	b.WriteString("\n\nA person has reviewed it and wants it changed:\n")
	for _, said := range a.Feedback {
		b.WriteString("\n- ")
		b.WriteString(strings.ReplaceAll(said, "\n", "\n  "))
	}
	b.WriteString("\n\nAnswer again, in the same form as before, with these changes made.")
	return b.String()
}
