package flow

// Reachable returns workflows and those that their runs can begin, each once.
func Reachable(workflows ...*Definition) []*Definition {
	var list []*Definition
	seen := map[*Definition]bool{}
	var add func(workflows []*Definition)
	add = func(workflows []*Definition) {
		for _, d := range workflows {
			if !seen[d] {
				seen[d] = true
				list = append(list, d)
				add(d.Children)
			}
		}
	}
	add(workflows)
	return list
}
