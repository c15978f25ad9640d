//go:build unix

package agentlab

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/dev/agentlab/install"
	"github.com/wfc-lang/wfc/dev/agentlab/model"
)

// A program is an agent program, with its properties for the scenarios.
type program struct {
	install.Pin
	// beside are the names of further pinned programs that it starts.
	beside []string
	// use is its entry in wfc.yaml, without the braces and the permission.
	use string
	// settings are the files of its home folder, by path. $URL represents the fake
	// model's address.
	settings map[string]string
	// environ are its variables. $URL is replaced there, too.
	environ []string
	// key is the variable of environ that holds its key; the doctor says that the
	// program is signed out without it. "" when the program does not tell.
	key string

	// write and shell are calls of its tools that create a file and that run a
	// command.
	write func(path, content string) model.Call
	shell func(command string) model.Call
	// stamp is a call of the MCP server's tool.
	stamp func(text string) model.Call
	// typed is how it answers with an object.
	typed func(object map[string]any) []model.Step
	// helper is a call that has a helper agent answer a prompt.
	helper func(prompt string) model.Call
	// remote says that it takes MCP servers over HTTP only; quits, that it ends its
	// turn when something is refused; forks, that it can continue a session from
	// the state before an interrupted turn; forgets, that it reports nothing about an
	// interrupted turn; stays, that it writes in no folder but its own.
	remote, quits, forks, forgets, stays bool
	// without is the reason for leaving the program out of a scenario, and remarks
	// describe how it passes one.
	without, remarks map[string]string
}

// object is a JSON object, such as the input of a tool.
type object = map[string]any

// programs returns all programs of the tests, in the order of the table.
func programs(t *testing.T) []*program {
	t.Helper()
	pins, err := install.Pins()
	if err != nil {
		t.Fatal(err)
	}
	var list []*program
	for _, pin := range pins {
		if kind, ok := kinds[pin.Name]; ok {
			p := kind()
			p.Pin = pin
			maps.Copy(p.without, lacks[pin.String()])
			list = append(list, p)
		}
	}
	return list
}

// kinds are the programs by name. A helper that a program needs (pi) is not in the
// list.
var kinds = map[string]func() *program{
	"claude": claude, "codex": codex, "opencode": opencode, "gemini": gemini, "copilot": copilot,
	"pi-acp": pi, "claude-agent-acp": claudeACP, "codex-acp": codexACP,
}

// lacks says why single versions are not taken through scenarios.
var lacks = map[string]map[string]string{
	"claude-2.1.197": {"1 MB": "claude 2.1.197 can end before it has written its whole reply, if a busy machine reads slowly; wfc retries, then the node fails"},
}

// folders returns the folders with the program's commands.
func (p *program) folders(t *testing.T) []string {
	t.Helper()
	cache, err := install.Cache()
	if err != nil {
		t.Fatal(err)
	}
	pins, err := install.Pins()
	if err != nil {
		t.Fatal(err)
	}
	list := []string{p.Bin(cache)}
	for _, pin := range pins {
		if slices.Contains(p.beside, pin.Name) {
			list = append(list, filepath.Clean(pin.Bin(cache)))
		}
	}
	return list
}

// call is a call of a tool.
func call(tool string, input object) model.Call { return model.Call{Tool: tool, Input: input} }

// words is how programs answer with an object that have no other way: the text is
// the object.
func words(o object) []model.Step { return []model.Step{{Say: toJSON(o)}} }
