package draw

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
)

func TestWriteLayers(t *testing.T) {
	nodes := []flow.NodeInfo{
		{Key: "fetch", Kind: "bash"},
		{Key: "classify", Kind: "prompt", After: []string{"fetch"}},
		{Key: "fix it", Kind: "prompt", After: []string{"classify"}},
		{Key: "note", Kind: "bash", Order: []string{"fetch"}},
		{Key: "end", Kind: "cancel", After: []string{"fix it", "note"}},
	}
	var b strings.Builder
	if err := WriteLayers(&b, nodes); err != nil {
		t.Fatal(err)
	}
	if want := "[fetch] [classify note] [\"fix it\"] [end]\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestLayersRecorded(t *testing.T) {
	path := filepath.Join("..", "..", "..", "shared", "conformance", "archon", "cases.json")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("no recorded cases: %v", err)
	}
	var cases []struct {
		Name, Op string
		Input    json.RawMessage
		Expect   json.RawMessage
	}
	if err := json.Unmarshal(content, &cases); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range cases {
		if c.Op != "layers" {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			var in struct {
				Nodes []struct {
					ID        string
					DependsOn []string `json:"depends_on"`
				}
			}
			var want struct{ OK [][]string }
			if err := json.Unmarshal(c.Input, &in); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(c.Expect, &want); err != nil {
				t.Fatal(err)
			}
			var nodes []flow.NodeInfo
			for _, n := range in.Nodes {
				nodes = append(nodes, flow.NodeInfo{Key: n.ID, After: n.DependsOn})
			}
			got := Layers(nodes)
			if want.OK == nil {
				if len(got) >= len(nodes) {
					t.Errorf("a cycle is in layers: %v", got)
				}
				return
			}
			if !reflect.DeepEqual(got, want.OK) {
				t.Errorf("got %v, want %v", got, want.OK)
			}
		})
		ran++
	}
	t.Logf("%d recorded cases", ran)
}
