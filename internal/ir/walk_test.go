package ir_test

import (
	"testing"

	"github.com/wfc-lang/wfc/internal/ir"
)

func TestFilesAndSessions(t *testing.T) {
	node := func(id string, a ir.Action) *ir.Node { return &ir.Node{ID: id, Action: a} }
	prompt := func(agent string) *ir.Prompt { return &ir.Prompt{Agent: ir.Agent{Name: agent}} }
	loop := func(fresh bool, p *ir.Prompt) *ir.Loop {
		return &ir.Loop{Max: 3, FreshSession: fresh, Body: &ir.Sequence{Nodes: []*ir.Node{node("p", p)}}}
	}
	next := prompt("api")
	next.Continues = []string{"first"}
	kept := prompt("api")
	kept.Persist = true
	read := prompt("api")
	read.Files = []string{"notes.md"}
	for _, tt := range []struct {
		name           string
		action         ir.Action
		files, session bool
	}{
		{"bash", &ir.Bash{}, true, false},
		{"script", &ir.Script{}, true, false},
		{"program", prompt("program"), true, false},
		{"service", prompt("api"), false, false},
		{"service with files", read, true, false},
		{"conversation", next, false, true},
		{"kept session", kept, false, true},
		{"approval", &ir.Approval{}, false, false},
		{"rework", &ir.Approval{Rework: prompt("program")}, true, false},
		{"wait", &ir.Wait{}, false, false},
		{"loop", loop(false, prompt("api")), false, true},
		{"fresh loop", loop(true, prompt("program")), true, false},
		{"until", &ir.Loop{Body: &ir.DAG{}, Until: &ir.Bash{}}, true, false},
		{"join", &ir.Join{Prompt: prompt("program")}, true, false},
	} {
		w := &ir.Workflow{Body: &ir.DAG{Nodes: []*ir.Node{node("ask", &ir.Approval{}), node("n", tt.action)}}}
		files := w.FilesNode(func(agent string) bool { return agent == "program" })
		if found := files != nil && files.ID == "n"; found != tt.files || files != nil && !found {
			t.Errorf("%s: files are used by %v", tt.name, files)
		}
		if session := w.SessionNode(); (session != nil) != tt.session || session != nil && session.ID != "n" {
			t.Errorf("%s: a session is continued by %v", tt.name, session)
		}
	}
}
