package py

// A trail is the containers that a walk is within, outermost first. Deep ones
// are looked up rather than searched.
type trail struct {
	list []Value
	deep map[Value]bool
}

// searched is how many containers are searched one by one.
const searched = 8

// has tells whether the walk is within v.
func (t *trail) has(v Value) bool {
	for _, above := range t.list[:min(len(t.list), searched)] {
		if above == v {
			return true
		}
	}
	return t.deep[v]
}

// push enters a container; it fails when it is too deep.
func (t *trail) push(v Value) error {
	if len(t.list) >= maxDepth {
		return tooDeep()
	}
	if len(t.list) >= searched {
		if t.deep == nil {
			t.deep = map[Value]bool{}
		}
		t.deep[v] = true
	}
	t.list = append(t.list, v)
	return nil
}

// pop leaves the container that was entered last.
func (t *trail) pop() {
	last := len(t.list) - 1
	if last >= searched {
		delete(t.deep, t.list[last])
	}
	t.list = t.list[:last]
}
