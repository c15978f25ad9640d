package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A recorder keeps the turns of all runs, and gives each node its replies in order.
type recorder struct {
	mu    sync.Mutex
	lists []byte // the replies as scripted agents read them
	nodes map[string]*nodeReplies
	turns []Turn
	// performed are the results of actions, for the simulation.
	performed map[string]flow.Result
}

// nodeReplies are the replies of a node: how many turns it had, and the strings that
// choose a reply, in order.
type nodeReplies struct {
	turns  int
	chosen []string
}

// chosenList names the list of one reply with the key "for".
func chosenList(node string, i int) string { return fmt.Sprintf("%s/for%d", node, i) }

func (r *recorder) read(replies map[string][]json.RawMessage) error {
	lists := map[string][]json.RawMessage{}
	for _, node := range slices.Sorted(maps.Keys(replies)) {
		n := &nodeReplies{}
		r.nodes[node] = n
		for _, reply := range replies[node] {
			fields := map[string]json.RawMessage{}
			chosen := ""
			if json.Unmarshal(reply, &fields) == nil && fields["for"] != nil {
				if err := json.Unmarshal(fields["for"], &chosen); err != nil {
					return err
				}
				delete(fields, "for")
				text, err := json.Marshal(fields)
				if err != nil {
					return err
				}
				lists[chosenList(node, len(n.chosen))] = []json.RawMessage{text}
				n.chosen = append(n.chosen, chosen)
				continue
			}
			lists[node] = append(lists[node], reply)
		}
	}
	var err error
	r.lists, err = json.Marshal(lists)
	return err
}

var (
	iterations = regexp.MustCompile(`[#@][0-9]+|\[[0-9]+\]|/attempt[0-9]+`)
	reworked   = regexp.MustCompile(`/rework$`)
)

// NodeOf returns the name that recorded cases give to the node of a step.
func NodeOf(key string) string {
	key = iterations.ReplaceAllString(key, "")
	key = reworked.ReplaceAllString(key, ":on_reject")
	return key[strings.LastIndex(key, ".")+1:]
}

// A speaker is an agent whose replies are those of the node, and whose sessions have the
// node's name and the number of its turn.
type speaker struct {
	*recorder
	dir string
	agent.Agent
}

func (s *speaker) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	node := NodeOf(r.Key)
	s.mu.Lock()
	n := s.nodes[node]
	if n == nil {
		n = &nodeReplies{}
		s.nodes[node] = n
	}
	n.turns++
	turn := n.turns
	name := node
	for i, text := range n.chosen {
		if strings.Contains(r.Text, text) {
			name = chosenList(node, i)
			break
		}
	}
	s.turns = append(s.turns, Turn{Step: r.Key, Node: node, Prompt: r.Text, Session: r.Session, Agent: r.Agent, Model: r.Model, Options: r.Options})
	s.mu.Unlock()

	asked := *r
	asked.Key, asked.Attempt, asked.RunDir = name, turn, s.dir
	reply, err := s.Agent.Turn(ctx, &asked)
	if reply != nil && reply.Meta.Session == "" {
		reply.Meta.Session = fmt.Sprintf("%s#%d", node, turn)
	}
	return reply, err
}
