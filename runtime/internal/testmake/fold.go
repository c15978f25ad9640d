package testmake

import (
	"regexp"
	"strconv"
	"sync"

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

// iteration is the address of a step in an iteration of one loop. Iterations of several loops,
// and items, can run in other orders.
var iteration = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([^#@\[\]]*)#([0-9]+)([^#@\[\]]*)$`) })

// object returns the stand-ins. Those of all iterations of one loop make one list: `fix` has
// those of fix#1, fix#2 and so on.
func (s *standIns) object() *testfile.Object {
	numbers := map[string]map[int]string{}
	for _, address := range s.order {
		if loop, n := loopOf(address); loop != "" {
			if numbers[loop] == nil {
				numbers[loop] = map[int]string{}
			}
			numbers[loop][n] = address
		}
	}
	all, folded := testfile.NewObject(), map[string]bool{}
	for _, address := range s.order {
		loop, _ := loopOf(address)
		list := s.inOrder(numbers[loop])
		switch {
		case folded[loop]:
		case list != nil && s.lists[loop] == nil:
			folded[loop] = true
			all.Add(loop, one(list))
		default:
			all.Add(address, one(s.lists[address]))
		}
	}
	return all
}

// loopOf returns the address of a step without the number of its iteration, and the number; loop
// is "" if the step is not in exactly one loop.
func loopOf(address string) (loop string, n int) {
	m := iteration().FindStringSubmatch(address)
	if m == nil {
		return "", 0
	}
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return "", 0
	}
	return m[1] + m[3], n
}

// inOrder returns the stand-ins of the iterations of a loop, or nil if some are missing.
func (s *standIns) inOrder(addresses map[int]string) (list []any) {
	for n := 1; n <= len(addresses); n++ {
		address, ok := addresses[n]
		if !ok {
			return nil
		}
		list = append(list, s.lists[address]...)
	}
	return list
}

// one returns the only element of a list, or the list.
func one(list []any) any {
	if len(list) == 1 {
		return list[0]
	}
	return list
}
