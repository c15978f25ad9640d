package stepkey

import (
	"slices"
	"strconv"
	"strings"
)

// ListOf returns the key of the step whose list a step is an item of: "items" of "items[2]".
func ListOf(key string) (list string, ok bool) {
	at := strings.LastIndexByte(key, '[')
	if at < 0 || !strings.HasSuffix(key, "]") {
		return "", false
	}
	_, err := strconv.Atoi(key[at+1 : len(key)-1])
	return key[:at], err == nil
}

// SortItems sorts the items of each list, with their parts, by their numbers. Other steps
// stay in the order in which they came.
func SortItems[T any](steps []T, key func(T) string) {
	first := map[string]int{} // when a list, or a step of an item, came
	places := make(map[string][]int, len(steps))
	for _, s := range steps {
		places[key(s)] = sortPosition(key(s), first)
	}
	slices.SortStableFunc(steps, func(a, b T) int { return slices.Compare(places[key(a)], places[key(b)]) })
}

// sortPosition is where a step stands: for each list around it the list's place and the number of
// the item, and its own place in that.
func sortPosition(key string, first map[string]int) (list []int) {
	for from := 0; from < len(key); {
		end, next, number := len(key), len(key), -1
		for at := from; at < len(key); at++ {
			if key[at] != '[' {
				continue
			}
			if size := strings.IndexByte(key[at:], ']'); size > 0 {
				if n, err := strconv.Atoi(key[at+1 : at+size]); err == nil {
					end, next, number = at, at+size+1, n
					break
				}
			}
		}
		if _, ok := first[key[:end]]; !ok {
			first[key[:end]] = len(first)
		}
		if list = append(list, first[key[:end]]); number >= 0 {
			list = append(list, number)
		}
		from = next
	}
	return list
}
