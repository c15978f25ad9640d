package config

import (
	"path"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/grants"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

var (
	sandboxLevel = newLevel("under `sandbox:`")
	grantsLevel  = newLevel("under `grants:`")
	grantLevel   = newLevel("in a grant")
	modes        = []settings.SandboxMode{settings.SandboxOn, settings.SandboxReport, settings.SandboxOff}
	// kinds are the kinds of nodes that start programs.
	kinds = []string{"bash", "deliver", "prompt", "script"}
)

// A nodeName is the id of a node that a setting for all workflows names.
type nodeName struct {
	setting, id string
	at          source.Span
}

// readSandbox reads a mode for all steps, or modes by agent, kind and node.
func (d *decoder) readSandbox(setting string, n *yamlsrc.Node) {
	s := &d.config.settings.Sandbox
	if n.Kind != yamlsrc.Mapping {
		s.Default = oneOf(d.reader, modes...)(setting, n)
		return
	}
	d.readSection(setting, n, d.sandboxKeys(s))
}

func (d *decoder) sandboxKeys(s *settings.Sandbox) []key {
	return scopedKeys(d, "Mode", decode.OneOf(plain.Strings(modes)...), oneOf(d.reader, modes...), &s.Default, &s.Agents, &s.Kinds, &s.Nodes)
}

// readGrants reads names of grants for all steps, or by agent, kind and node.
func (d *decoder) readGrants(setting string, n *yamlsrc.Node) {
	g := &d.config.settings.Sandbox.Grants
	if n.Kind != yamlsrc.Mapping {
		g.Default = d.grantNames(setting, n)
		return
	}
	d.readSection(setting, n, d.grantsKeys(g))
}

func (d *decoder) grantsKeys(g *settings.Grants) []key {
	return scopedKeys(d, "Grants", orList(decode.FilledString), d.grantNames, &g.Default, &g.Agents, &g.Kinds, &g.Nodes)
}

// scopedKeys is the table of a setting of all steps, with values by agent, kind and node.
func scopedKeys[T any](d *decoder, what string, shape decode.Shape, read func(setting string, n *yamlsrc.Node) T, all *T, agents, ofKinds, nodes *map[string]T) []key {
	// table reads a mapping; check reports whether a name can be in it.
	table := func(into *map[string]T, check func(setting string, name *yamlsrc.Node)) func(setting string, n *yamlsrc.Node) {
		return func(setting string, n *yamlsrc.Node) {
			for pair := range d.mappingPairs(setting, n) {
				check(setting, pair.Key)
				plain.PutEntry(into, pair.Key.Value, read(joinSetting(setting, pair.Key.Value), pair.Value))
			}
		}
	}
	among := func(setting string, name *yamlsrc.Node, known []string) {
		if !slices.Contains(known, name.Value) {
			d.bag.Add(finding.ConfigKey(name.Span, name.Value, "in `"+setting+"`", known))
		}
	}
	return []key{
		newSetting("default", shape, what+" of all steps.", readInto(all, read)),
		newSetting("agents", decode.MapOf(shape).OrNull(), what+" of single agents, by name.", table(agents, func(setting string, name *yamlsrc.Node) {
			d.later = append(d.later, func() { among(setting, name, d.agentNames()) })
		})),
		newSetting("kinds", decode.MapOf(shape).Named(kinds...).OrNull(), what+" of single kinds: bash, prompt, script (also `python` of xprompt), and deliver (programs of channels).", table(ofKinds, func(setting string, name *yamlsrc.Node) {
			among(setting, name, kinds)
		})),
		newSetting("nodes", decode.MapOf(shape).OrNull(), what+" of single nodes, by id.", table(nodes, func(setting string, name *yamlsrc.Node) {
			d.config.nodes = append(d.config.nodes, nodeName{setting, name.Value, name.Span})
		})),
	}
}

// grantNames reads names of grants. Sets may come later in the file, so names are checked when
// all have been read.
func (d *decoder) grantNames(setting string, n *yamlsrc.Node) []string {
	return listReader(d.reader, "the name of a grant, or a list of names", func(n *yamlsrc.Node) (string, bool) {
		ok := n.IsString() && n.Value != ""
		if ok {
			d.later = append(d.later, func() {
				d.readChoice(setting, n, catalog.Grants(d.config.settings.Sandbox.Sets))
				if n.Value == "docker" {
					d.bag.Add(finding.WideGrant(n.Place(), setting, n.Value, anything))
				}
			})
		}
		return n.Value, ok
	})(setting, n)
}

// grantSets reads the project's own grants.
func (d *decoder) grantSets(setting string, n *yamlsrc.Node) {
	known := catalog.Grants(nil)
	for pair := range d.mappingPairs(setting, n) {
		name := pair.Key.Value
		setting := joinSetting(setting, name)
		switch {
		case !validTag(name):
			d.reportWrong(setting, pair.Key, "a name of letters, digits, `.`, `-` and `_`")
		case slices.Contains(known, name):
			d.reportWrong(setting, pair.Key, "a name that no known grant has")
		default:
			var g settings.Grant
			d.readSection(setting, pair.Value, d.grantKeys(&g))
			plain.PutEntry(&d.config.settings.Sandbox.Sets, name, g)
		}
	}
}

func (d *decoder) grantKeys(g *settings.Grant) []key {
	paths := func(want string, write bool) func(setting string, n *yamlsrc.Node) []string {
		return func(setting string, n *yamlsrc.Node) []string {
			return listReader(d.reader, want+": absolute, below `~/` or relative to the project, without wildcards", func(n *yamlsrc.Node) (string, bool) {
				if !n.IsString() || !validPath(n.Value) {
					return "", false
				}
				if effect := excessAccess(n.Value, write); effect != "" {
					d.bag.Add(finding.WideGrant(n.Place(), setting, n.Value, effect))
				}
				return n.Value, true
			})(setting, n)
		}
	}
	return []key{
		newSetting("hosts", orList(someText), "Hosts: `host`, `host:port`, `*.domain`, an IP address with a port, or `local:host:port` in private networks.", readInto(&g.Hosts, d.readHosts)).
			withExamples(`["git.example.com", "*.example.org", "local:localhost:5432"]`),
		newSetting("read", orList(someText), "Files and folders that can be read.", readInto(&g.Read, paths("a path", false))).withExamples(`["~/.config/tool"]`),
		newSetting("write", orList(someText), "Files and folders that can be read and written.", readInto(&g.Write, paths("a path", true))).withExamples(`["../shared"]`),
		newSetting("private", orList(someText), "Folders of which each step sees a private copy, such as caches.", readInto(&g.Private, paths("the path of a folder", false))).withExamples(`["~/.cache/tool"]`),
	}
}

// readHosts reads patterns of hosts.
func (d *decoder) readHosts(setting string, n *yamlsrc.Node) []string {
	return listReader(d.reader, "a host: `example.com`, `example.com:22`, `*.example.com`, an IP address with a port, or for this machine and private networks `local:localhost:8080`", func(n *yamlsrc.Node) (string, bool) {
		host := strings.ToLower(n.Value)
		if !n.IsString() || !grants.ValidHost(host) {
			return "", false
		}
		if domain, all := strings.CutPrefix(host, "*."); all && !strings.Contains(domain, ".") {
			d.bag.Add(finding.WideGrant(n.Place(), setting, n.Value, "lets a step reach nearly every host"))
		}
		return host, true
	})(setting, n)
}

// validPath reports whether a string has the form of a path in a grant. A variable at its start
// is one of the environment.
func validPath(text string) bool {
	first, _, _ := strings.Cut(text, "/")
	variable, isVariable := strings.CutPrefix(first, "$")
	switch {
	case strings.TrimSpace(text) == "", strings.ContainsAny(text, "*?[\x00\n"), strings.HasPrefix(text, "~") && first != "~", isVariable && !validVariable(variable):
		return false
	}
	return true
}

const anything = "lets a step do anything to this machine"

// excessAccess returns what a path gives beyond what it seems to give, or "".
func excessAccess(text string, write bool) string {
	text = path.Clean(text)
	base := path.Base(text)
	switch {
	case slices.Contains([]string{"docker.sock", "podman.sock", "containerd.sock", "crio.sock", "system_bus_socket"}, base), write && (text == "/run" || text == "/var/run"):
		return anything
	case text == "/" && write:
		return anything
	case text == "/":
		return "lets a step read every file of this machine, also keys and tokens"
	case slices.Contains([]string{"~", "/home", "/root", "/Users", "$HOME"}, text) && write:
		return "lets a step change what your shell and your programs run, and read keys and tokens"
	case slices.Contains([]string{"~", "/home", "/root", "/Users", "$HOME"}, text):
		return "lets a step read the keys and tokens in the home folder"
	case write && slices.Contains([]string{"~/.bashrc", "~/.bash_profile", "~/.profile", "~/.zshrc", "~/.config", "~/.local", "~/.local/bin", "~/bin", "~/.ssh", "~/.gitconfig"}, text):
		return "lets a step change what your shell and your programs run"
	}
	return ""
}
