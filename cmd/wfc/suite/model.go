package suite

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// A place is a node with its address in a run.
type place struct {
	node *ir.Node
	// key is the address of the node, and outer the node around it, or nil.
	key   string
	outer *place
	// inner are the nodes inside it, or those of the workflow that it runs.
	inner []*place
	// scope has the nodes of the same workflow by id, and its inputs.
	scope *scope
}

// A scope is a workflow of the program.
type scope struct {
	program *ir.Program
	places  map[string]*place
	// lists are the lists of the variables of loops, by variable.
	lists map[*expr.Declared]expr.Expr
	// rounds are the nodes whose previous value a variable is.
	rounds map[*expr.Declared]*place
	// call is the node that runs the workflow, or nil.
	call *place
}

// A producer is a slot whose gives come from an agent or a program.
type producer struct {
	slot  slot
	place *place
	shape shape
	// repeats says that the slot can be used more than once in a run.
	repeats bool
	// labels are the outputs of a node of a state graph.
	labels []string
	// signal and field are the word and the bool field by which the gives end the loop around.
	signal string
	field  string
	// test says that the program tests the end of a loop.
	test bool
	// candidates are the values at paths that conditions distinguish.
	candidates []candidate
	// form is the form of values without a schema, as far as uses show it, or nil.
	form *form
}

// A candidate is a value at a path of a give that some condition distinguishes from
// others.
type candidate struct {
	path []string
	to   give
}

// A model is the program as the search sees it.
type model struct {
	program   *ir.Program
	top       *scope
	places    []*place // all, in order
	producers map[slot]*producer
	order     []slot // of producers
	inputs    map[string]*ir.Input
	files     map[string]string
	// reaching are the places whose solutions are being computed, and solved the results.
	reaching map[*place]bool
	solved   map[*place][][]flip
}

// mostCalls bounds workflows that run workflows.
const mostCalls = 4

func newModel(p *ir.Program) *model {
	m := &model{
		program: p, producers: map[slot]*producer{}, inputs: map[string]*ir.Input{}, files: map[string]string{},
		reaching: map[*place]bool{}, solved: map[*place][][]flip{},
	}
	m.top = m.addScope(p, "", nil, 0)
	for _, in := range p.Workflow.Inputs {
		m.inputs[in.Name] = in
		at := slot{"inputs", in.Name}
		m.addProducer(&producer{slot: at, shape: m.inputShape(in)})
	}
	for _, pl := range m.places {
		m.addSlots(pl)
	}
	m.learnForms()
	m.collectValues()
	return m
}

func (m *model) inputShape(in *ir.Input) shape {
	s := typeShape(in.Type, 0)
	if pl := m.top.places[in.Replaces]; pl != nil && s == nil {
		s = outputShape(pl.node) // the input is the output of this step
		if loop, ok := pl.node.Action.(*ir.ForEach); ok && s == nil {
			s = outputShape(loop.Body)
		}
		if s == nil {
			s = shape{"type": "object", "properties": map[string]any{}}
		}
	}
	if s == nil {
		s = shape{"type": "string"}
	}
	return s
}

func (m *model) addProducer(p *producer) {
	if m.producers[p.slot] == nil {
		m.producers[p.slot] = p
		m.order = append(m.order, p.slot)
	}
}

// addScope adds the nodes of a workflow.
func (m *model) addScope(p *ir.Program, prefix string, call *place, depth int) *scope {
	s := &scope{program: p, places: map[string]*place{}, lists: map[*expr.Declared]expr.Expr{}, rounds: map[*expr.Declared]*place{}, call: call}
	var visit func(nodes []*ir.Node, outer *place, key func(*ir.Node) string) []*place
	visit = func(nodes []*ir.Node, outer *place, key func(*ir.Node) string) (list []*place) {
		for _, n := range nodes {
			pl := &place{node: n, key: key(n), outer: outer, scope: s}
			list = append(list, pl)
			m.places = append(m.places, pl)
			if s.places[n.ID] == nil {
				s.places[n.ID] = pl
			}
			own := func(inner *ir.Node) string { return prefix + inner.ID }
			switch a := n.Action.(type) {
			case *ir.Fork:
				own = func(inner *ir.Node) string { return pl.key + "/" + inner.Local() }
			case *ir.ForEach:
				for _, v := range a.Vars {
					s.lists[v.Var] = v.Items
				}
				own = func(*ir.Node) string { return pl.key }
			case *ir.Repeat:
				s.rounds[a.Previous] = pl
				own = func(*ir.Node) string { return pl.key }
			case *ir.Block:
				s.recordFanItems(a.Fan)
			case *ir.Call:
				s.recordFanItems(a.Fan)
				if depth < mostCalls {
					called := m.addScope(a.Callee, pl.key+"/", pl, depth+1)
					for _, inner := range a.Callee.Workflow.Body.All() {
						pl.inner = append(pl.inner, called.places[inner.ID])
					}
				}
			}
			if inner := n.Inner(); len(inner) > 0 {
				pl.inner = visit(inner, pl, own)
			}
		}
		return list
	}
	visit(p.Workflow.Body.All(), call, func(n *ir.Node) string { return prefix + n.ID })
	return s
}

func (s *scope) recordFanItems(f *ir.Fan) {
	if f != nil && f.Item != nil {
		s.lists[f.Item] = f.Items
	}
}

// isRepeated reports whether a run can perform a node more than once.
func (pl *place) isRepeated() bool {
	if _, ok := pl.scope.program.Workflow.Body.(*ir.Graph); ok {
		return true
	}
	for at := pl; at != nil; at = at.outer {
		switch a := at.node.Action.(type) {
		case *ir.Loop, *ir.Repeat, *ir.ForEach, *ir.Block:
			return true
		case *ir.Call:
			if a.Fan != nil {
				return true
			}
		}
		if at.node.Review != nil || at.node.Retry != nil {
			return true
		}
	}
	return false
}

// addSlots adds the slots of a node.
func (m *model) addSlots(pl *place) {
	n := pl.node
	output := func(kind, key string) *producer {
		p := &producer{slot: slot{kind, key}, place: pl, shape: outputShape(n), repeats: pl.isRepeated(), labels: n.LabelNames()}
		m.addProducer(p)
		return m.producers[p.slot]
	}
	switch a := n.Action.(type) {
	case *ir.Prompt:
		output("agents", pl.key)
	case *ir.Bash:
		output("bash", pl.key)
	case *ir.Script:
		output("scripts", pl.key)
	case *ir.Join:
		if a.Prompt != nil {
			output("agents", pl.key)
		}
	case *ir.Loop:
		if a.Until != nil {
			m.addProducer(&producer{slot: slot{"bash", pl.key}, place: pl, repeats: true, test: true})
		}
	case *ir.Approval:
		if a.Rework != nil {
			m.addProducer(&producer{slot: slot{"agents", pl.key + "/rework"}, place: pl, repeats: true})
		}
	}
}

func outputShape(n *ir.Node) shape {
	switch {
	case n.Spec != nil && n.Spec.Schema != "":
		return shapeOf(n.Spec.Schema, n.Spec.Type)
	case n.Spec != nil:
		return typeShape(n.Spec.Type, 0)
	case n.Schema != "":
		return shapeOf(n.Schema, n.Output)
	}
	if types.IsText(n.Output) {
		return nil
	}
	s := typeShape(n.Output, 0)
	if k := types.SchemaKind(s); k == "object" && len(s["properties"].(map[string]any)) == 0 {
		return nil
	}
	return s
}

// outputSources returns the slots that make the output of a node, with the path that leads to a
// part of it there.
func (m *model) outputSources(pl *place, path []string, depth int) (list []source) {
	if pl == nil || depth > deepest {
		return nil
	}
	key := pl.key
	switch a := pl.node.Action.(type) {
	case *ir.Prompt, *ir.Join:
		list = append(list, source{slot: slot{"agents", key}, path: path})
	case *ir.Bash:
		list = append(list, source{slot: slot{"bash", key}, path: path})
	case *ir.Script:
		list = append(list, source{slot: slot{"scripts", key}, path: path})
	case *ir.Approval, *ir.Human, *ir.Wait:
		list = append(list, source{slot: slot{"answers", key}, path: path})
	case *ir.Loop:
		last := a.Last
		if len(last) == 0 && a.Body != nil {
			last = a.Body.All()
		}
		for _, n := range last {
			list = append(list, m.outputSources(m.placeOf(pl, n), path, depth+1)...)
		}
	case *ir.Block:
		for _, n := range a.Last {
			list = append(list, m.outputSources(m.placeOf(pl, n), afterElement(path), depth+1)...)
		}
	case *ir.ForEach:
		list = append(list, m.outputSources(m.placeOf(pl, a.Body), joinedPath(a.Join, path), depth+1)...)
	case *ir.Repeat:
		list = append(list, m.outputSources(m.placeOf(pl, a.Body), path, depth+1)...)
	case *ir.Fork:
		for _, n := range a.Nodes {
			inner := m.placeOf(pl, n)
			switch {
			case a.Join != ir.JoinObject:
				list = append(list, m.outputSources(inner, joinedPath(a.Join, path), depth+1)...)
			case len(path) > 0 && path[0] == n.Local():
				list = append(list, m.outputSources(inner, path[1:], depth+1)...)
			case len(path) == 0:
				list = append(list, m.outputSources(inner, nil, depth+1)...)
			}
		}
	case *ir.Call:
		if a.Fan != nil {
			path = afterElement(path)
		}
		w := a.Callee.Workflow
		for _, inner := range pl.inner {
			if inner != nil && (w.Returns == nil || w.Returns == inner.node) {
				list = append(list, m.outputSources(inner, path, depth+1)...)
			}
		}
	}
	return list
}

// placeOf returns the place of a node inside another one.
func (m *model) placeOf(outer *place, n *ir.Node) *place {
	i := slices.IndexFunc(outer.inner, func(pl *place) bool { return pl.node == n })
	if i < 0 {
		return nil
	}
	return outer.inner[i]
}

func joinedPath(mode ir.JoinMode, path []string) []string {
	if mode == ir.JoinArray {
		return afterElement(path)
	}
	return path
}

// afterElement removes the part of a path that means an element.
func afterElement(path []string) []string {
	if len(path) > 0 && path[0] == element {
		return path[1:]
	}
	return path
}

// walkTemplates calls visit for the templates of a node.
func walkTemplates(n *ir.Node, visit func(*template.Template)) {
	ir.EachPart(n.Action, func(*expr.Expr) {}, func(t *template.Template, _ bool) { visit(t) })
}

// displayKey is a key as names of tests have it.
func displayKey(key string) string { return strings.NewReplacer("/", " ", ".", " ").Replace(key) }
