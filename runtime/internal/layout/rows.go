package layout

// rows gives nodes without edges ranks, so that they form rows of about the same length.
func (v *level) rows() {
	const most = 6 // in a row, unless there are more rows
	var nodes []*item
	for _, it := range v.items {
		if it.node >= 0 {
			nodes = append(nodes, it)
		}
	}
	if len(nodes) == 0 {
		return
	}
	each := most
	for each*each < len(nodes) {
		each++
	}
	n := (len(nodes) + each - 1) / each
	each = (len(nodes) + n - 1) / n
	for i, it := range nodes {
		it.rank = 2 * (i / each)
	}
}
