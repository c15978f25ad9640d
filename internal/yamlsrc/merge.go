package yamlsrc

import (
	"gopkg.in/yaml.v3"

	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// A keySet is the pairs of a mapping under construction, found by key.
type keySet struct {
	to *Node
	// index is the position of the pair of a key; nil while a linear search is fast
	// enough.
	index map[string]int
	// first is the first key of those that are repeated.
	first map[string]*Node
	// dropped are the pairs that a later one of the same key replaced.
	dropped map[int]bool
}

const fewKeys = 16

func newKeySet(to *Node, size int) *keySet {
	k := &keySet{to: to}
	if size > fewKeys {
		k.index = make(map[string]int, size)
	}
	return k
}

// indexOf returns the position of the pair of a key, or -1.
func (k *keySet) indexOf(key string) int {
	if k.index != nil {
		if i, ok := k.index[key]; ok {
			return i
		}
		return -1
	}
	for i := len(k.to.Pairs) - 1; i >= 0; i-- {
		if k.to.Pairs[i].Key.Value == key {
			return i
		}
	}
	return -1
}

func (k *keySet) appendPair(p Pair) {
	if k.index == nil && len(k.to.Pairs) >= fewKeys {
		k.index = make(map[string]int, 2*fewKeys)
		for i, q := range k.to.Pairs {
			k.index[q.Key.Value] = i
		}
	}
	if k.index != nil {
		k.index[p.Key.Value] = len(k.to.Pairs)
	}
	k.to.Pairs = append(k.to.Pairs, p)
}

// removeReplaced takes the replaced pairs out.
func (k *keySet) removeReplaced() {
	if len(k.dropped) == 0 {
		return
	}
	kept := k.to.Pairs[:0]
	for i, p := range k.to.Pairs {
		if !k.dropped[i] {
			kept = append(kept, p)
		}
	}
	k.to.Pairs = kept
}

// addPair adds a pair that is written in the mapping itself.
func (r *reader) addPair(k *keySet, p Pair) {
	name := p.Key.Value
	if i := k.indexOf(name); i >= 0 {
		r.reportDuplicate(k, k.to.Pairs[i].Key, p.Key)
		plain.PutEntry(&k.dropped, i, true)
	}
	k.appendPair(p)
}

// reportDuplicate notes a duplicate key of its mapping.
func (r *reader) reportDuplicate(k *keySet, before, again *Node) {
	if k.first == nil {
		k.first = map[string]*Node{}
	}
	first := k.first[again.Value]
	if first == nil {
		first = before
		k.first[again.Value] = first
	}
	r.doc.Duplicates = append(r.doc.Duplicates, Duplicate{Key: again.Value, First: first.Place(), Second: again.Place()})
}

// isMergeKey reports whether a key is the plain <<. Quoted it is a key as any
// other.
func isMergeKey(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "<<" && n.Style&^yaml.TaggedStyle == 0 && (n.Tag == "!!merge" || n.Style&yaml.TaggedStyle == 0)
}

// mergePairs brings in the pairs of a merge key's value: a mapping, or a list of
// mappings, of which the earlier ones win. The mapping's own pairs win over all of
// them, whatever their position.
func (r *reader) mergePairs(k *keySet, m Pair) {
	switch m.Value.Kind {
	case Mapping:
		k.mergeFrom(m.Value)
	case Sequence:
		for _, item := range m.Value.Items {
			if item.Kind != Mapping {
				r.bag.Add(finding.MergeKey(item.Place()))
				continue
			}
			k.mergeFrom(item)
		}
	default:
		at := m.Value.Place()
		if at.Start == at.End {
			at = m.Key.Place()
		}
		r.bag.Add(finding.MergeKey(at))
	}
}

func (k *keySet) mergeFrom(from *Node) {
	for _, p := range from.Pairs {
		if k.indexOf(p.Key.Value) < 0 {
			p.Merged = true
			k.appendPair(p)
		}
	}
}
