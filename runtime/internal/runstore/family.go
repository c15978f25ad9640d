package runstore

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A Parent is the run, and the step in it, to which a child belongs.
type Parent struct {
	Run  string `json:"run"`
	Step string `json:"step"`
}

// ParentOf reads the parent from a run's settings; a run that no other run began has none.
func ParentOf(settings json.RawMessage) Parent {
	var own struct{ Parent *Parent }
	if len(settings) == 0 || json.Unmarshal(settings, &own) != nil || own.Parent == nil {
		return Parent{}
	}
	return *own.Parent
}

// Overlay returns settings of a run with those of over in their place. over is an object.
func Overlay(settings, over json.RawMessage) (json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(settings)) > 0 {
		if err := json.Unmarshal(settings, &all); err != nil {
			return nil, fmt.Errorf("the settings of the run are not a JSON object: %w", plain.JSONError(err, ""))
		}
	}
	if err := json.Unmarshal(over, &all); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// Descendants returns the children of a run, their children and so on, parents first, with the
// fields that store.Filter.Brief names.
func Descendants(ctx context.Context, from store.Store, id string) ([]store.Run, error) {
	head, _, _ := strings.Cut(id, runid.ChildMark)
	var all []store.Run
	for _, head := range slices.Compact([]string{head, runid.Head(head)}) {
		some, err := from.Runs(ctx, store.Filter{Prefix: head + runid.ChildMark, Brief: true})
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortStableFunc(all, func(a, b store.Run) int {
		return cmp.Or(a.Created.Compare(b.Created), len(a.ID)-len(b.ID), strings.Compare(a.ID, b.ID))
	})
	family := map[string]bool{id: true}
	var list []store.Run
	for _, r := range all {
		if family[ParentOf(r.Settings).Run] {
			family[r.ID] = true
			list = append(list, r)
		}
	}
	return list, nil
}
