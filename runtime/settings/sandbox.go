package settings

import (
	"slices"
	"strings"
)

// A SandboxMode says what the programs of a step can reach: what they were granted, or
// everything that the account can reach.
type SandboxMode string

// The modes.
const (
	// SandboxOn lets programs reach only what every step can reach and what the Sandbox grants.
	SandboxOn SandboxMode = "on"
	// SandboxReport refuses nothing, and lists what SandboxOn would have refused.
	SandboxReport SandboxMode = "report"
	// SandboxOff starts programs without a sandbox. "" is the same, except that a mode of ""
	// leaves the decision to the next, more general mode.
	SandboxOff SandboxMode = "off"
)

// A Sandbox says which steps run in the sandbox, and what they can reach there. The zero
// Sandbox contains no step.
type Sandbox struct {
	// Default is the mode of all steps. Agents, Kinds and Nodes are modes by the agent's name,
	// by the kind of the action (bash, script or prompt) and by the node's id; see Of. The mode
	// of the node comes first, then those of the agent and of the kind.
	Default              SandboxMode
	Agents, Kinds, Nodes map[string]SandboxMode
	// Grants are the names of what steps can reach beside what every step can reach.
	Grants Grants
	// Sets are the project's own grants, by name.
	Sets map[string]Grant
	// Programs are absolute paths of programs that people execute outside of the sandbox, such as
	// this one, and words of commands, which may be files in a run's folder. Sources are absolute
	// paths of workflow files. No step in the sandbox can change the programs,
	// or a wfc.yaml that the workflow files could use. The engine knows those of earlier runs.
	Programs, Sources []string `settings:"process"`
}

// Grants are names of grants: those of all steps, and those by the agent's name, by the kind
// of the action and by the node's id. They add up.
type Grants struct {
	Default              []string
	Agents, Kinds, Nodes map[string][]string
}

// A Grant is what a step can reach by a name. A path is absolute, starts with ~/ for the home
// folder or $NAME/ for an environment variable, or is relative to the project's folder. Of two
// paths the longer one decides about what is below it.
type Grant struct {
	// Hosts are names of hosts: host, host:port, *.domain with an optional port, an IP address
	// with a port, or local:host:port for an address of this machine or of a private network.
	Hosts []string
	// Read and Write are files and folders that can be read, and read and written.
	Read, Write []string
	// Private are folders, such as the caches of packages, of which each step sees a private
	// copy that ends with the step.
	Private []string
}

// Of returns the mode of an action and the names of its grants, without repetition. The mode is
// never "". agent is "" for actions that ask no agent. node is the id of the action's node, after
// those of the nodes around it, with points between them: in fix.test, the mode of fix counts if
// fix.test has none.
func (s *Sandbox) Of(kind, agent, node string) (mode SandboxMode, grants []string) {
	add := func(m SandboxMode, names []string) {
		if mode == "" {
			mode = m
		}
		for _, name := range names {
			if !slices.Contains(grants, name) {
				grants = append(grants, name)
			}
		}
	}
	for node != "" {
		add(s.Nodes[node], s.Grants.Nodes[node])
		node = node[:max(strings.LastIndexByte(node, '.'), 0)]
	}
	if agent != "" {
		add(s.Agents[agent], s.Grants.Agents[agent])
	}
	add(s.Kinds[kind], s.Grants.Kinds[kind])
	add(s.Default, s.Grants.Default)
	add(SandboxOff, nil)
	return mode, grants
}

// Wanted reports whether any step has a mode other than SandboxOff.
func (s *Sandbox) Wanted() bool { return s.Has(SandboxOn) || s.Has(SandboxReport) }

// Has reports whether any step may have a mode other than SandboxOff.
func (s *Sandbox) Has(mode SandboxMode) bool {
	modes := []SandboxMode{s.Default}
	for _, table := range []map[string]SandboxMode{s.Agents, s.Kinds, s.Nodes} {
		for _, mode := range table {
			modes = append(modes, mode)
		}
	}
	return slices.Contains(modes, mode)
}
