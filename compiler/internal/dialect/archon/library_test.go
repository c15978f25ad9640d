package archon_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// A packaged workflow has its own commands and scripts only, and others never have them.
func TestPackagedFiles(t *testing.T) {
	const pack, grouped = ".archon/workflows/tools/build", ".archon/workflows/tools"
	for _, test := range []struct {
		name, folder, node, file string
		found                    bool
	}{
		{"its own command", pack, "command: c", pack + "/commands/c.md", true},
		{"a folder of its commands", pack, "command: c", pack + "/commands/x/c.md", true},
		{"no shared command", pack, "command: c", ".archon/commands/c.md", false},
		{"no command of the project", pack, "command: c", "commands/c.md", false},
		{"no configured command", pack, "command: c", "prompts/c.md", false},
		{"no command of the home folder", pack, "command: c", "home/.archon/commands/c.md", false},
		{"no command of its neighbour", pack, "command: c", grouped + "/test/commands/c.md", false},
		{"a command of a loop", pack, "loop: {command: c, until: D, max_iterations: 2}", pack + "/commands/c.md", true},
		{"no shared command of a loop", pack, "loop: {command: c, until: D, max_iterations: 2}", ".archon/commands/c.md", false},
		{"its own script", pack, "script: c, runtime: bun", pack + "/scripts/c.ts", true},
		{"no shared script", pack, "script: c, runtime: bun", ".archon/scripts/c.ts", false},
		{"a flat workflow", ".archon/workflows", "command: c", pack + "/commands/c.md", false},
		{"a grouped workflow", grouped, "command: c", ".archon/commands/c.md", true},
		{"no folder of a group", grouped, "command: c", grouped + "/commands/c.md", false},
		{"a package of the defaults", ".archon/workflows/defaults/tools/build", "command: c", ".archon/workflows/defaults/tools/build/commands/c.md", true},
		{"a grouped default", ".archon/workflows/defaults/group", "command: c", ".archon/commands/c.md", true},
		{"a package in the home folder", "home/" + pack, "command: c", "home/" + pack + "/commands/c.md", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			env := project(testkit.Memory{test.file: "text"})
			env.Settings.Commands = []string{"prompts"}
			if env.Dir = filepath.FromSlash("/" + test.folder); test.folder[0] == '.' {
				env.Dir = filepath.FromSlash("/repo/" + test.folder)
			}
			p, _ := lint(t, env, nodes("  - {id: a, "+test.node+"}\n"))
			if _, fails := p.Workflow.Body.All()[0].Action.(*ir.Fail); fails == test.found {
				t.Errorf("found: %v", !fails)
			}
		})
	}
}

// The name of a script says where it may run: that of a package has the path of its file in
// the project or in the home folder.
func TestNamesOfPackagedScripts(t *testing.T) {
	const pack, inPack = ".archon/workflows/tools/build", ".archon/workflows/tools/build/scripts/s.js"
	for _, test := range []struct{ name, root, folder, file, want string }{
		{"a package", "/repo", "/repo/" + pack, inPack, inPack},
		{"a folder of a package", "/repo", "/repo/" + pack, pack + "/scripts/x/s.js", pack + "/scripts/x/s.js"},
		{"a package of the home folder", "/repo", "/home/" + pack, "home/" + inPack, "~/" + inPack},
		{"a package of the home folder, run from there", "/home", "/home/" + pack, "home/" + inPack, "~/" + inPack},
		{"a flat workflow", "/repo", "/repo/.archon/workflows", ".archon/scripts/s.js", "s.js"},
		{"a flat workflow of the home folder", "/home", "/home/.archon/workflows", "home/.archon/scripts/s.js", "s.js"},
	} {
		t.Run(test.name, func(t *testing.T) {
			env := project(testkit.Memory{test.file: "1"})
			env.Root, env.Dir = filepath.FromSlash(test.root), filepath.FromSlash(test.folder)
			p, _ := lint(t, env, nodes("  - {id: a, script: s, runtime: bun}\n"))
			script, _ := p.Workflow.Body.All()[0].Action.(*ir.Script)
			if script == nil || script.Name != test.want {
				t.Errorf("%+v, want the name %s", script, test.want)
			}
		})
	}
}

// Workflows are found by their names two folders down, and neither in other parts of a
// package nor in folders that start with a dot.
func TestPlacesOfWorkflows(t *testing.T) {
	flow := func(name string) string { return "name: " + name + "\nnodes: []\n" }
	const root = ".archon/workflows/"
	env := project(testkit.Memory{
		root + "flat.yaml": flow("flat"), root + "group/one.yml": flow("grouped"), root + "pack/build/w.yaml": flow("packaged"),
		root + "pack/build/commands/x.yaml": flow("command"), root + "pack/build/fixtures/good.stubs.yaml": flow("stubs"),
		root + "a.stubs.yaml": flow("stubs"), root + "a/b/c/w.yaml": flow("deep"), root + ".hidden/b/w.yaml": flow("hidden"),
		root + "pack/.shared/w.yaml": flow("shared"), root + "defaults/sdlc/w/w.yaml": flow("default"), "home/" + root + "pack/test/w.yaml": flow("home"),
	})
	want := []string{"flat", "default", "grouped", "packaged", "home"}
	if got := archon.WorkflowNames(env); !slices.Equal(got, want) {
		t.Errorf("workflows %q, want %q", got, want)
	}
}

// The nodes of another workflow file have the commands of that file.
func TestCommandsOfIncludedFiles(t *testing.T) {
	const pack = ".archon/workflows/tools/build/"
	env := project(testkit.Memory{pack + "commands/c.md": "own", ".archon/commands/c.md": "shared", pack + "w.yaml": ""})
	for path, want := range map[string]string{"/repo/" + pack + "w.yaml": "own", "/repo/.archon/workflows/v.yaml": "shared"} {
		if text, files := archon.CommandOf(env, filepath.FromSlash(path), "c"); text != want || files != 1 {
			t.Errorf("%s: %q in %d files, want %q in one", path, text, files, want)
		}
	}
}

// A workflow is found by the name that its file declares, in whatever form.
func TestWorkflowsByName(t *testing.T) {
	const body = "description: d\nnodes:\n  - {id: a, bash: echo}\n"
	for name, c := range map[string]struct {
		files testkit.Memory
		want  string
	}{
		"plain":        {testkit.Memory{"a.yaml": "name: kid\n" + body}, "a.yaml"},
		"quoted":       {testkit.Memory{"a.yml": "name: 'kid' # its name\n" + body}, "a.yml"},
		"crlf":         {testkit.Memory{"a.yaml": strings.ReplaceAll("name: kid\n"+body, "\n", "\r\n")}, "a.yaml"},
		"flow":         {testkit.Memory{"a.yaml": "{name: kid, description: d, nodes: [{id: a, bash: echo}]}\n"}, "a.yaml"},
		"at the end":   {testkit.Memory{"a.yaml": body + "name: kid\n"}, "a.yaml"},
		"in a comment": {testkit.Memory{"a.yaml": "name: other\n# name: kid\n" + body}, ""},
		"in a string":  {testkit.Memory{"a.yaml": "name: other\ndescription: |\n  x\n  name: kid\nnodes:\n  - {id: a, bash: echo}\n"}, ""},
		"duplicate":    {testkit.Memory{"a.yaml": "name: first\nname: kid\n" + body}, "a.yaml"},
		"no list":      {testkit.Memory{"a.yaml": "name: kid\nnodes:\n  a: {bash: echo}\n"}, ""},
		"no nodes":     {testkit.Memory{"a.yaml": "name: kid\nsteps:\n  - {name: a, bash: echo}\n"}, ""},
		"other ending": {testkit.Memory{"a.txt": "name: kid\n" + body}, ""},
		"deep":         {testkit.Memory{".archon/workflows/pack/sub/a.yaml": "name: kid\n" + body}, ".archon/workflows/pack/sub/a.yaml"},
		"home":         {testkit.Memory{"home/.archon/workflows/a.yaml": "name: kid\n" + body}, "/home/.archon/workflows/a.yaml"},
		"nearer": {testkit.Memory{"home/.archon/workflows/a.yaml": "name: kid\n" + body, ".archon/workflows/b.yaml": "name: kid\n" + body},
			".archon/workflows/b.yaml"},
		"overridden": {testkit.Memory{".archon/workflows/defaults/a.yaml": "name: kid\n" + body, ".archon/workflows/b.yaml": "name: kid\n" + body},
			".archon/workflows/b.yaml"},
		"override of the user": {testkit.Memory{".archon/workflows/defaults/a.yaml": "name: kid\n" + body, "home/.archon/workflows/b.yaml": "name: kid\n" + body},
			"/home/.archon/workflows/b.yaml"},
		"exact before loose": {testkit.Memory{"a.yaml": "name: Kid\n" + body, "b.yaml": "name: kid\n" + body, "c.yaml": "name: my-kid\n" + body}, "b.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			p, list := lint(t, project(c.files), nodes("  - {id: a, workflow: kid}\n"))
			call, ok := p.Workflow.Body.All()[0].Action.(*ir.Call)
			switch {
			case c.want == "" && (ok || len(list) == 0):
				t.Errorf("it is found: %q", findings(list))
			case c.want != "" && (!ok || len(p.Resources) != 1 || !strings.HasSuffix(p.Resources[0].Name, c.want) || hasError(list)):
				t.Errorf("call %v, resources %v, findings %q", call, p.Resources, findings(list))
			}
		})
	}
}
