package engine

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// MissingPrograms returns a line about each program that is not on the PATH of Environ, and
// how to get it. steps has the key of a step that starts the program, by the program's name;
// "" is the worktree of the run.
func (i *Inspection) MissingPrograms(steps map[string]string) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(steps)) {
		if _, err := process.LookTool(name, i.Environ); err != nil {
			user := "the worktree"
			if steps[name] != "" {
				user = "step `" + steps[name] + "`"
			}
			lines = append(lines, fmt.Sprintf("%s starts `%s`: %v", user, name, err))
		}
	}
	return lines
}

// Ready returns an error if a run could not use a program of MissingPrograms, or an agent
// with one of the states. It says what is wrong with each, and the remedy.
func (i *Inspection) Ready(steps map[string]string, states []AgentState) error {
	text, list := "programs are missing", i.MissingPrograms(steps)
	if list == nil {
		text = "these agents could not answer"
		for i := range states {
			if s := &states[i]; s.Usable == No || s.Installed == No {
				list = append(list, unusableLine(s))
			}
		}
	}
	if list == nil {
		return nil
	}
	return errors.New(text + ":\n  " + strings.Join(list, "\n  ") + "\n--skip-agent-check starts the run anyway")
}

// unusableLine says in one line why an agent cannot answer and what to do about it.
func unusableLine(s *AgentState) string {
	text := s.Name
	if s.Kind != "" && s.Kind != s.Name {
		text += " (" + s.Kind + ")"
	}
	problem := cmp.Or(strings.TrimPrefix(format.FirstLine(s.Problem), "agent `"+s.Name+"`: "), "it cannot be used")
	text += ": " + problem
	if hint := format.FirstLine(s.Hint); hint != "" && !strings.Contains(problem, hint) {
		text += "; " + hint
	}
	if s.Kind != "" {
		text += fmt.Sprintf("; or replace it with --agent %s=KIND, such as scripted:FILE or command:PROGRAM", s.Name)
	}
	return text
}
