// Package detect holds the evidence by which front ends recognise their files.
//
// Most YAML files with `steps:` or `nodes:` belong to other tools: pipelines,
// clusters, lists of machines. So a front end recognises a file only by positive
// evidence: a list or mapping of the right name, entries in it that only its format
// has, and no key of another tool.
package detect

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A Look is one attempt to recognise a document.
type Look struct {
	// Root is the document's top level; nil for an empty file.
	Root *yamlsrc.Node
	// Near accepts one misspelt key where evidence needs it. Front ends use it only
	// if none of them recognised the file as written.
	Near bool
}

// Key returns the pair of the top level that has the name. With Near it is also
// one whose key resembles the name, and then misspelt is true.
func (l Look) Key(name string) (p *yamlsrc.Pair, misspelt bool) {
	if p := l.Root.Pair(name); p != nil {
		return p, false
	}
	if !l.Near || l.Root == nil {
		return nil, false
	}
	for i := range min(len(l.Root.Pairs), most) {
		if p := &l.Root.Pairs[i]; plain.Nearest(p.Key.Value, []string{name}) != "" {
			return p, true
		}
	}
	return nil, false
}

// most is the maximum number of entries and keys to check. A file without evidence
// in them is not a workflow.
const most = 500

// Entries are the first items of a list, or the first values of a mapping.
func Entries(n *yamlsrc.Node) []*yamlsrc.Node {
	if n.Kind == yamlsrc.Sequence {
		return n.Items[:min(len(n.Items), most)]
	}
	var list []*yamlsrc.Node
	for i := range min(len(n.Pairs), most) {
		list = append(list, n.Pairs[i].Value)
	}
	return list
}

// Has reports whether the top level has any of the keys.
func (l Look) Has(keys ...string) bool { return First(l.Root, keys...) != "" }

// Quote is how a reason calls a key: with the name that it was meant to have.
func Quote(p *yamlsrc.Pair, name string) string {
	if p.Key.Value == name {
		return "`" + name + ":`"
	}
	return "`" + p.Key.Value + ":` (meant as `" + name + ":`)"
}

// First returns the first of the keys that a mapping has, or "".
func First(n *yamlsrc.Node, keys ...string) string {
	for _, key := range keys {
		if n.Pair(key) != nil {
			return key
		}
	}
	return ""
}

// Misspelt returns a key of a mapping that resembles one of the given keys, and the
// resembled key; "" if there is none. known are the other keys that such a mapping
// may have: they are not misspellings.
func Misspelt(n *yamlsrc.Node, known []string, keys ...string) (written, meant string) {
	if n == nil {
		return "", ""
	}
	for i := range min(len(n.Pairs), most) {
		key := n.Pairs[i].Key.Value
		if slices.Contains(known, key) {
			continue
		}
		if meant := plain.Nearest(key, keys); meant != "" {
			return key, meant
		}
	}
	return "", ""
}

// Only reports whether a mapping has no other keys than these.
func Only(n *yamlsrc.Node, keys ...string) bool {
	if n == nil || n.Kind != yamlsrc.Mapping {
		return false
	}
	for i := range n.Pairs {
		if !slices.Contains(keys, n.Pairs[i].Key.Value) {
			return false
		}
	}
	return true
}

// otherSteps are keys that steps of other formats have: of pipelines, builds,
// recipes and requests. An entry that has one is not evidence for wfc's formats.
var otherSteps = []string{
	"action", "args", "block", "checkout", "commands", "displayName", "entrypoint", "group", "http", "image", "input", "inputs",
	"key", "label", "plugins", "powershell", "publish", "pwsh", "request", "run", "script", "secretEnv", "task", "template", "trigger",
	"uses", "volumes", "wait", "waitFor", "with", "working_directory",
}

// OtherStep reports whether an entry of `steps:` belongs to another format.
func OtherStep(n *yamlsrc.Node) bool { return First(n, otherSteps...) != "" }

// otherNodes are keys that nodes of other formats have: of clusters, machines,
// networks, graphs and diagrams.
var otherNodes = []string{
	"address", "addresses", "callback", "children", "cores", "cpu", "cpus", "data", "device", "disk", "edges", "endpoint",
	"groups", "host", "hostname", "hosts", "image", "inputs", "ip", "labels", "links", "memory", "operator", "parameters", "parent",
	"parents", "path", "port", "ports", "position", "public_key", "roles", "source", "typeVersion", "url", "user", "x", "y",
}

// OtherNode reports whether an entry of `nodes:` belongs to another format.
func OtherNode(n *yamlsrc.Node) bool { return First(n, otherNodes...) != "" }

// IsOtherEntry reports whether entries that have a key belong to another format.
func IsOtherEntry(key string) bool {
	return slices.Contains(otherSteps, key) || slices.Contains(otherNodes, key)
}

// otherFiles are top-level keys of other tools' files, with the kinds of those
// files.
var otherFiles = []struct{ key, what string }{
	{"apiVersion", "a Kubernetes resource or similar"},
	{"kind", "a Kubernetes resource or similar"},
	{"jobs", "a CI pipeline"},
	{"on", "a CI pipeline"},
	{"trigger", "a CI pipeline"},
	{"pr", "a CI pipeline"},
	{"pool", "a CI pipeline"},
	{"stages", "a CI pipeline"},
	{"pipelines", "a CI pipeline"},
	{"orbs", "a CI pipeline"},
	{"runs", "a CI action"},
	{"openapi", "an API description"},
	{"swagger", "an API description"},
	{"asyncapi", "an API description"},
	{"services", "a set of services"},
	{"topology", "a network"},
	{"links", "a network"},
	{"connections", "a graph of another tool"},
}

// Other returns a top-level key of another tool's files, and the kind of file; ""
// if there is none.
func Other(root *yamlsrc.Node) (key, what string) {
	for _, o := range otherFiles {
		if root.Pair(o.key) != nil {
			return o.key, o.what
		}
	}
	return "", ""
}

// IsOther reports whether a top-level key says that a file is something else.
func IsOther(key string) bool {
	return slices.ContainsFunc(otherFiles, func(o struct{ key, what string }) bool { return o.key == key })
}
