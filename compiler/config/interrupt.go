package config

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// nodeKinds are the kinds of nodes for which a policy can be set.
func nodeKinds() []string { return []string{"approval", "bash", "loop", "prompt", "script"} }

// onInterrupt reads a policy for all nodes, or policies by kind and node.
func (d *decoder) onInterrupt(setting string, n *yamlsrc.Node) {
	o := &d.config.OnInterrupt
	if n.Kind != yamlsrc.Mapping {
		o.Default = d.policy(setting, n)
		return
	}
	keys := []key{
		{"default", func(d *decoder, setting string, n *yamlsrc.Node) { o.Default = d.policy(setting, n) }},
		{"nodes", func(d *decoder, setting string, n *yamlsrc.Node) {
			o.Nodes = map[string]Policy{}
			for pair := range d.pairs(setting, n) {
				o.Nodes[pair.Key.Value] = d.policy(join(setting, pair.Key.Value), pair.Value)
			}
		}},
	}
	o.Kinds = map[string]Policy{}
	for _, kind := range nodeKinds() {
		keys = slices.Insert(keys, len(keys)-1, key{kind, func(d *decoder, setting string, n *yamlsrc.Node) {
			o.Kinds[kind] = d.policy(setting, n)
		}})
	}
	d.section(setting, n, keys)
}

func (d *decoder) policy(setting string, n *yamlsrc.Node) Policy {
	return Policy(d.choice(setting, n, []string{string(Rerun), string(Ask), string(Fail)}))
}
