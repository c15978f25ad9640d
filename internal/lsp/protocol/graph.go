package protocol

// A Graph is the picture of a workflow. The method wfc/graph returns it; the protocol has
// no such method.
type Graph struct {
	Name string `json:"name"`
	// SVG is the picture. The group of a node has its key as the attribute data-node.
	SVG string `json:"svg"`
	// Stale is set if the text has no program: the picture is of the last version that had
	// one, and so are the ranges.
	Stale bool        `json:"stale"`
	Nodes []GraphNode `json:"nodes"`
}

// A GraphNode is a node of the workflow's file. Nodes inside a loop or a fork may have no
// box in the picture.
type GraphNode struct {
	Key            string `json:"key"`
	Range          Range  `json:"range"`
	SelectionRange Range  `json:"selectionRange"`
}
