//go:build unix

package agentlab

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/dev/agentlab/model"
	"github.com/wfc-lang/wfc/dev/agentlab/stamp"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// mcp calls the tool of a server that the node brings.
func mcp(l *lab) {
	exe, err := os.Executable()
	if err != nil {
		l.Fatal(err)
	}
	file := filepath.Join(l.work, "stamps")
	server := object{"command": exe, "args": []string{}, "env": object{role: "stamp", stamp.Note: "${STAMP_VALUE}", stamp.File: file}}
	if l.program.remote {
		s := httptest.NewServer(stamp.Handler(file))
		l.Cleanup(s.Close)
		l.tools = s.URL
		server = object{"type": "http", "url": s.URL, "headers": object{stamp.NoteHeader: "${STAMP_VALUE}"}}
	}
	l.write("stamps", "")
	l.writes = []string{file} // the sandbox keeps some agents, and so their servers, from writing others
	l.environ = append(l.environ, "STAMP_VALUE=the $value")
	l.write("mcp.json", toJSON(object{"stamper": server}))
	l.model.Script("mcp", model.Step{Calls: []model.Call{l.program.stamp("hello")}}, model.Step{Say: "It is stamped."})
	l.build("safe", `
  - id: mcp
    mcp: mcp.json
    prompt: Stamp it. `+model.Mark("mcp")+`
`)
	r := l.run(0, "run")
	r.wants("mcp", "It is stamped.")
	list := l.asked("mcp", 2)
	if !strings.Contains(string(list[0].Body), "stamper") { // some programs report tools and declare them later
		l.Errorf("the model is not told of the tool; it has %q", list[0].Tools)
	}
	if got := strings.Join(list[1].Results(), "\n"); !strings.Contains(got, "stamped hello|the $value") {
		l.Errorf("the tool's result is %q", got)
	}
	if got := l.read("stamps"); got != "hello|the $value\n" {
		l.Errorf("the server was called with %q", got)
	}
}

// artifacts finds the run's folder for artifacts in a prompt.
var artifacts = regexp.MustCompile(`also into (/\S+/artifacts)`)

// edit creates a file in the working directory, and one in the run's folder for artifacts, which the
// permission allows.
func edit(l *lab) {
	l.model.Script("edit", model.Step{Calls: []model.Call{l.program.write(l.work+"/made.txt", "written")}}, model.Step{}, model.Step{Say: "It is written."})
	l.model.Disturb(func(q *model.Request) *model.Step {
		if q.Position != 1 {
			return nil
		}
		for _, said := range q.Said(model.User) {
			if found := artifacts.FindStringSubmatch(said); found != nil {
				return &model.Step{Calls: []model.Call{l.program.write(found[1]+"/made.txt", "kept")}}
			}
		}
		return nil
	})
	l.build("edit", `
  - id: edit
    prompt: Write it, also into $ARTIFACTS_DIR. `+model.Mark("edit")+`
  - id: show
    depends_on: [edit]
    bash: echo "$(cat made.txt) $(cat "$ARTIFACTS_DIR/made.txt")"
`)
	r := l.run(0, "run")
	r.wants("edit", "It is written.")
	if l.program.stays {
		r.wants("show", "written ")
	} else {
		r.wants("show", "written kept")
	}
	l.asked("edit", 3)
}

// denial tries to write a file and to run a command, which the permission
// forbids.
func denial(l *lab) {
	l.model.Script("denial",
		model.Step{Calls: []model.Call{l.program.write(l.work+"/made.txt", "written")}},
		model.Step{Calls: []model.Call{l.program.shell("echo made >" + l.work + "/made2.txt")}},
		model.Step{Say: "I could not."})
	l.build("safe", `
  - id: denial
    prompt: Write it. `+model.Mark("denial")+`
`)
	if l.program.quits {
		n := l.run(1, "run").node("denial")
		if n.Error == nil || n.Error.Class != flow.ClassFatal || !strings.Contains(n.Error.Message, "Set `permission: edit` of agent `worker`") || l.read("made.txt") != "" {
			l.Errorf("the node is %s: %+v", n.Status, n.Error)
		}
		return
	}
	r := l.run(0, "run")
	r.wants("denial", "I could not.")
	if l.read("made.txt") != "" || l.read("made2.txt") != "" {
		l.Error("a file was made")
	}
	if list := l.asked("denial", 3); len(list[2].Results()) != 2 {
		l.Errorf("the model got the results %q", list[2].Results())
	}
	logs := strings.Split(l.logs(), "\n")
	if !slices.ContainsFunc(logs, func(line string) bool {
		return strings.Contains(line, "permission: ") && strings.Contains(line, "worker")
	}) {
		l.Errorf("the log does not say which permission would do:\n%s", strings.Join(logs, "\n"))
	}
}

// helpers has a helper agent answer, of the option `agents`.
func helpers(l *lab) {
	unit := model.Usage{Input: 1000, Output: 500}
	l.model.Script("unit", model.Step{Say: "One request.", Usage: unit})
	l.model.Script("main", model.Step{Calls: []model.Call{l.program.helper("Help out. " + model.Mark("help"))}, Usage: unit}, model.Step{Say: "All is done.", Usage: unit})
	l.model.Script("help", model.Step{Say: "The helper's words.", Usage: unit})
	l.build("safe", `
  - id: unit
    prompt: Say it. `+model.Mark("unit")+`
  - id: main
    depends_on: [unit]
    context: fresh
    agents:
      helper: {description: helps, prompt: You help in the lab., tools: [Read]}
    prompt: Have it done. `+model.Mark("main")+`
`)
	r := l.run(0, "run")
	r.wants("main", "All is done.")
	if q := l.asked("help", 1)[0]; !strings.Contains(q.System, "You help in the lab.") || q.HasTool("Write") {
		l.Errorf("the helper is told %q and has the tools %q", q.System, q.Tools)
	}
	list := l.model.Requests("main")
	last := list[len(list)-1]
	if all := strings.Join(append(last.Said(model.User), last.Results()...), "\n"); !strings.Contains(all, "The helper's words.") {
		l.Errorf("the helper's words did not come back: %s", all)
	}
	one, all := r.node("unit").Meta, r.node("main").Meta
	if want := one.CostUSD * float64(len(list)+1); one.CostUSD == 0 || !near(all.CostUSD, want) {
		l.Errorf("the node cost $%v, want $%v: %d requests and the helper's", all.CostUSD, want, len(list))
	}
}
