package compiler

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// No file that a workflow names is read through a link out of the project, whatever it is
// for, and a finding says why. Links within the repository, and those of the home folder,
// are followed.
func TestLinksOutOfTheProject(t *testing.T) {
	const archon, steps = "name: w\ndescription: d\nnodes:\n", "name: x\nsteps:\n"
	for _, test := range []struct{ name, link, content, flow, text string }{
		{"command", ".archon/commands/s.md", "Hello", ".archon/workflows/w.yaml", archon + "  - {id: a, command: s}\n"},
		{"script", ".archon/scripts/s.ts", "console.log(1)", ".archon/workflows/w.yaml", archon + "  - {id: a, script: s, runtime: bun}\n"},
		{"MCP file", "m.json", "{}", ".archon/workflows/w.yaml", archon + "  - {id: a, prompt: hi, mcp: m.json}\n"},
		{"included workflow", ".archon/workflows/o.yaml", "name: o\ndescription: d\nnodes:\n  - {id: b, bash: echo}\n", ".archon/workflows/w.yaml", archon + "  - {id: a, include: o}\n"},
		{"called workflow", ".archon/workflows/o.yaml", "name: o\ndescription: d\nnodes:\n  - {id: b, bash: echo}\n", ".archon/workflows/w.yaml", archon + "  - {id: a, workflow: o}\n"},
		{"folder of commands", ".archon/commands", "/s.md:Hello", ".archon/workflows/w.yaml", archon + "  - {id: a, command: s}\n"},
		{"prompt", "xprompts/p.md", "Hello", "x.yml", steps + "  - {name: a, agent: '#p'}\n"},
		{"step", "xprompts/steps/st.yml", "name: s\nbash: echo\n", "x.yml", steps + "  - use: st\n"},
		{"template", ".graph-loop/templates/t.yaml", "templates: {r: {agent: reader, prompt_prefix: Hello}}\n", "g.yaml", "workflow: w\nnodes:\n  a: {type: task, template: r, prompt: hi, outputs: [done]}\nedges:\n  - {from: START, to: a}\n  - {from: a, to: END}\n"},
	} {
		for _, home := range []bool{false, true} {
			for _, outside := range []bool{true, false} {
				top := t.TempDir()
				root := filepath.Join(top, "repo", "project")
				kept := "repo/shared"
				if outside {
					kept = "outside"
				}
				target := filepath.Join(top, filepath.FromSlash(kept), "file")
				write := func(path, text string) {
					if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
						t.Fatal(err)
					}
				}
				file, text := target, test.content
				if name, content, isDir := strings.Cut(strings.TrimPrefix(text, "/"), ":"); isDir && strings.HasPrefix(text, "/") {
					file, text = filepath.Join(target, name), content
				}
				write(file, text)
				write(filepath.Join(top, "repo", ".git", "HEAD"), "")
				write(filepath.Join(root, "wfc.yaml"), "")
				flow, link := filepath.Join(root, filepath.FromSlash(test.flow)), filepath.Join(root, filepath.FromSlash(test.link))
				write(flow, test.text)
				if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(target, link)); err != nil {
					t.Skip("no symbolic links here: ", err)
				}
				opt := Options{Path: flow, Root: root, Home: filepath.Join(top, "home")}
				opt.Settings.Agents = []settings.Agent{{Name: "reader", Use: "claude"}}
				if home {
					opt.Home = root
				}
				r := Compile(source.NewFile(test.flow, []byte(test.text)), opt)
				told, all := 0, ""
				for _, d := range r.Diagnostics {
					whole := d.Code.ID + " " + d.Message
					for _, related := range d.Related {
						whole += related.Text
					}
					all += whole + "\n"
					if d.Severity == diag.Error && strings.Contains(whole, "a symbolic link leads out of the project") {
						told++
					}
				}
				if want := outside && !home; (told == 1) != want || told > 1 || !want && r.HasErrors() {
					t.Errorf("%s, outside %v, home %v: %d findings of the link\n%s", test.name, outside, home, told, all)
				}
			}
		}
	}
}
