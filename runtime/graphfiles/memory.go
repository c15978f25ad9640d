package graphfiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
)

// memory.md collects the lines in which agents say what they have learned, and its
// content goes into later prompts; see flow.MemoryRule. People may write into it, too:
// the performer reads it each time that it saves a state, and the run's journal keeps the
// content.

// mostLines is how many lines of one answer are kept, and mostShown how many bytes of the
// file, the last ones, go into prompts.
const (
	mostLines = 5
	mostShown = 64 << 10
)

// tellers are the words that mark a line to keep, in any case.
var tellers = []string{"learn", "insight", "note", "remember", "gotcha", "decision", "chose", "because"}

// linesToKeep returns the lines of an answer to keep.
func linesToKeep(answer string) (list []string) {
	for line := range strings.Lines(answer) {
		line = strings.TrimSpace(line)
		lower := strings.ToLower(line)
		if slices.ContainsFunc(tellers, func(word string) bool { return strings.Contains(lower, word) }) {
			list = append(list, line)
		}
		if len(list) == mostLines {
			break
		}
	}
	return list
}

// memoryHeader is the beginning of a memory.
func memoryHeader(task string, def *flow.Definition) string {
	context := ""
	if def != nil && def.Description != "" {
		context = strings.TrimSpace(def.Description) + "\n\n"
	}
	return "# Memory of " + task + "\n\n## Initial Context\n\n" + context + "## Learnings\n\n## Decisions Made\n\n## Gotchas\n"
}

// updateMemory writes the lines to keep from the nodes that have ended, and returns the
// memory for later prompts; "" if there is none.
func updateMemory(dir *os.Root, call *engine.Attempt, s *graphstate.State) (string, error) {
	if call.Info.Graph != nil && call.Info.Graph.Memory == flow.MemoryNone {
		return "", nil
	}
	empty := memoryHeader(taskName(call.Info, call.Workflow), call.Workflow)
	before, err := wholefile.Output.Read(filepath.Join(dir.Name(), memoryFile))
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return "", err
	}
	text := string(before)
	if missing {
		text = empty
	}
	if len(s.Ended) > 0 {
		text = memoryBefore(text, s.Ended[0].Iteration)
	}
	for _, e := range s.Ended {
		list := linesToKeep(e.Text)
		title := fmt.Sprintf("## Iteration %d", e.Iteration)
		if !e.Agent || len(list) == 0 || !call.Info.Graph.Remembers(agentOf(call.Workflow, e.Node)) {
			continue
		}
		text = strings.TrimRight(text, "\n") + "\n\n" + title + "\n\n" + strings.Join(list, "\n") + "\n"
	}
	if text != string(before) {
		if err := wholefile.WriteIn(dir, memoryFile, []byte(text), 0o644, s.Checkpoint); err != nil {
			return "", err
		}
	}
	return promptMemory(text, empty), nil
}

// memoryBefore returns a memory without the lines of an iteration and later ones: a run that repeats
// nodes, or the saving of a state, keeps them once. Other paragraphs are of people and stay.
func memoryBefore(text string, iteration int) string {
	parts := strings.Split(text, "\n\n")
	var kept []string
	for i := 0; i < len(parts); i++ {
		number, ok := strings.CutPrefix(strings.TrimSpace(parts[i]), "## Iteration ")
		if n, err := strconv.Atoi(number); ok && err == nil && n >= iteration {
			i++ // the lines of the iteration
			continue
		}
		kept = append(kept, parts[i])
	}
	return strings.TrimRight(strings.Join(kept, "\n\n"), "\n") + "\n"
}

// promptMemory is the part of a memory that goes into prompts.
func promptMemory(text, empty string) string {
	if text == empty {
		return ""
	}
	if text = strings.TrimSpace(text); len(text) > mostShown {
		text = text[len(text)-mostShown:]
		if _, rest, ok := strings.Cut(text, "\n"); ok {
			text = rest
		}
		text = strings.ToValidUTF8(text, "")
	}
	return text
}

// agentOf is the agent of a node, or "".
func agentOf(def *flow.Definition, node string) string {
	if def == nil {
		return ""
	}
	for _, n := range def.Nodes {
		if n.Key == node {
			return n.Agent
		}
	}
	return ""
}
