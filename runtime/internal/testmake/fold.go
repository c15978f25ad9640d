package testmake

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/runtime/internal/testfile"
)

// A standIns has lists of stand-ins by address, in the order of their first additions.
type standIns struct {
	order []string
	lists map[string][]any
}

func (s *standIns) add(address string, list ...any) {
	if s.lists == nil {
		s.lists = map[string][]any{}
	}
	if _, known := s.lists[address]; !known {
		s.order = append(s.order, address)
	}
	s.lists[address] = append(s.lists[address], list...)
}

// object returns the stand-ins. Those of all iterations of one loop make one list: fix has those
// of fix#1, fix#2 and so on. Iterations of several loops, and items, can run in other orders, so
// each keeps its own list.
func (s *standIns) object() *testfile.Object {
	all, folded := testfile.NewObject(), map[string]bool{}
	for _, address := range s.order {
		loop, n, ok := strings.Cut(address, "#")
		switch {
		case folded[loop] && ok && s.folds(loop):
		case ok && s.lists[loop] == nil && isNumber(n) && s.folds(loop):
			folded[loop] = true
			var list []any
			for i := 1; s.lists[iterationOf(loop, i)] != nil; i++ {
				list = append(list, s.lists[iterationOf(loop, i)]...)
			}
			all.Add(loop, one(list))
		default:
			all.Add(address, one(s.lists[address]))
		}
	}
	return all
}

// folds reports whether a loop has its iterations from the first to the last, and nothing else
// has iterations around it.
func (s *standIns) folds(loop string) bool {
	if strings.ContainsAny(loop, "@[") {
		return false
	}
	have, last := 0, 0
	for _, address := range s.order {
		if n, ok := strings.CutPrefix(address, loop+"#"); ok {
			number, err := strconv.Atoi(n)
			if err != nil {
				return false
			}
			have, last = have+1, max(last, number)
		}
	}
	return have == last
}

func iterationOf(loop string, n int) string { return fmt.Sprintf("%s#%d", loop, n) }

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// one returns the only element of a list, or the list.
func one(list []any) any {
	if len(list) == 1 {
		return list[0]
	}
	return list
}
