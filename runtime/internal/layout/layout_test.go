package layout

import (
	"reflect"
	"testing"
)

// box is a node of the usual size.
func box(parent int) Node { return Node{Width: 80, Height: 40, Parent: parent} }

// Two edges that cross in the order of the nodes do not cross in the picture.
func TestCrossings(t *testing.T) {
	l := Place(&Graph{
		Nodes: []Node{box(-1), box(-1), box(-1), box(-1)},
		Edges: []Edge{{From: 0, To: 3}, {From: 1, To: 2}},
	})
	if (l.Boxes[0].X < l.Boxes[1].X) != (l.Boxes[3].X < l.Boxes[2].X) {
		t.Errorf("the edges cross: %v", l.Boxes)
	}
}

// A chain is straight, and an edge that leads back goes around the nodes between its ends.
func TestChain(t *testing.T) {
	l := Place(&Graph{
		Nodes: []Node{box(-1), box(-1), box(-1)},
		Edges: []Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 0, Back: true}},
	})
	for i := range 2 {
		if l.Boxes[i].Y >= l.Boxes[i+1].Y {
			t.Errorf("node %d is not above the next one: %v", i, l.Boxes)
		}
	}
	back := l.Paths[2]
	if first, last := back[0], back[len(back)-1]; first.Y0 != l.Boxes[2].Y || last.Y1 != l.Boxes[0].Y+l.Boxes[0].H {
		t.Errorf("the edge does not lead up: %v", back)
	}
	beside := false
	for _, p := range back {
		beside = beside || p.X0 == p.X1 && (p.X0 < l.Boxes[1].X || p.X0 > l.Boxes[1].X+l.Boxes[1].W)
	}
	if !beside {
		t.Errorf("the edge does not pass the node: %v", back)
	}
}

// A node inside a group is inside its box, and an edge out of the group crosses its border once.
func TestGroup(t *testing.T) {
	group := Node{Parent: -1, TitleWidth: 50, TitleHeight: 20}
	l := Place(&Graph{Nodes: []Node{group, box(0), box(-1)}, Edges: []Edge{{From: 1, To: 2}}})
	g, in := l.Boxes[0], l.Boxes[1]
	if in.X <= g.X || in.Y <= g.Y || in.X+in.W >= g.X+g.W || in.Y+in.H >= g.Y+g.H {
		t.Errorf("%v is not inside %v", in, g)
	}
	crossed := 0
	for _, p := range l.Paths[0] {
		if bottom := g.Y + g.H; p.Y0 < bottom && p.Y1 >= bottom {
			crossed++
		}
	}
	if crossed != 1 {
		t.Errorf("the edge crosses the border %d times: %v", crossed, l.Paths[0])
	}
}

// A group that an outer node both follows and precedes cannot be one box: its nodes leave it.
func TestGroupInACircle(t *testing.T) {
	group := Node{Width: 80, Height: 40, Parent: -1, TitleWidth: 50, TitleHeight: 20}
	l := Place(&Graph{Nodes: []Node{group, box(0), box(0), box(-1)}, Edges: []Edge{{From: 1, To: 3}, {From: 3, To: 2}}})
	if l.Titles[0].W != 0 || l.Boxes[1].Y >= l.Boxes[3].Y || l.Boxes[3].Y >= l.Boxes[2].Y {
		t.Errorf("titles %v, boxes %v", l.Titles, l.Boxes)
	}
}

// Parents in a circle, and nothing at all, have a layout.
func TestOdd(t *testing.T) {
	if l := Place(&Graph{}); len(l.Boxes) != 0 || l.Width <= 0 {
		t.Errorf("nothing: %+v", l)
	}
	g := &Graph{Nodes: []Node{box(1), box(0), box(2)}, Edges: []Edge{{From: 0, To: 1}, {From: 2, To: 2}}}
	if l := Place(g); !reflect.DeepEqual(l, Place(g)) || len(l.Boxes) != 3 {
		t.Errorf("parents in a circle: %+v", l)
	}
}
