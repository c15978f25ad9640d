package py

import (
	"encoding/binary"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// A Dict is a Python dict: a mutable reference that keeps the order in which keys were
// added. It is not safe for concurrent use.
type Dict struct {
	index   map[hashKey]int
	entries []entry
	dead    int
}

// An entry is one item of a dict. A removed one keeps its place, without a key, until
// half of them are removed.
type entry struct {
	hash       hashKey
	key, value Value
}

// NewDict returns an empty dict.
func NewDict() *Dict { return &Dict{index: map[hashKey]int{}} }

func (*Dict) typeName() string { return "dict" }

// A hashKey is equal for two values exactly when Python holds them for one key.
type hashKey struct {
	kind byte
	n    int64
	s    string
	id   any
}

// hashOf returns the key under which a dict keeps v.
func hashOf(v Value, depth int) hashKey {
	if depth > maxDepth {
		panic(tooDeep())
	}
	switch v := v.(type) {
	case None:
		return hashKey{kind: 'n'}
	case Bool:
		return hashKey{kind: 'i', n: boolInt(v)}
	case Int:
		return hashKey{kind: 'i', n: int64(v)}
	case *bigInt:
		return hashKey{kind: 'b', s: v.i.Text(62)}
	case Float:
		return hashFloat(float64(v))
	case Str:
		return hashKey{kind: 's', s: string(v)}
	case *tuple:
		return hashTuple(v, depth)
	case *rangeValue:
		return hashRange(v)
	case *undefined:
		if v.lenient {
			return hashKey{kind: 'u'}
		}
		panic(v.useError())
	case *List, *Dict, *dictView:
		panic(typeError("unhashable type: '%s'", v.typeName()))
	}
	return hashKey{kind: 'p', id: v}
}

func hashFloat(f float64) hashKey {
	if f == math.Trunc(f) && !math.IsInf(f, 0) {
		if -1<<63 <= f && f < 1<<63 {
			return hashKey{kind: 'i', n: int64(f)}
		}
		i, _ := big.NewFloat(f).Int(nil)
		return hashKey{kind: 'b', s: i.Text(62)}
	}
	return hashKey{kind: 'f', n: int64(math.Float64bits(f))}
}

// hashTuple writes the keys of the items one after the other, each with its
// length.
func hashTuple(t *tuple, depth int) hashKey {
	var b []byte
	for _, item := range t.items {
		k := hashOf(item, depth+1)
		if k.id != nil {
			panic(unsupportedError("a tuple that holds a %s cannot be the key of a dict", item.typeName()))
		}
		b = append(b, k.kind)
		b = binary.BigEndian.AppendUint64(b, uint64(k.n))
		b = binary.BigEndian.AppendUint64(b, uint64(len(k.s)))
		b = append(b, k.s...)
		checkText(int64(len(b)))
	}
	return hashKey{kind: 't', s: string(b)}
}

// hashRange follows the equality of ranges: the same numbers.
func hashRange(r *rangeValue) hashKey {
	n := r.itemCount()
	s := strconv.FormatInt(n, 10)
	if n > 0 {
		s += " " + strconv.FormatInt(r.start, 10)
	}
	if n > 1 {
		s += " " + strconv.FormatInt(r.step, 10)
	}
	return hashKey{kind: 'r', s: s}
}

func boolInt(b Bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Len returns the number of items.
func (d *Dict) Len() int { return len(d.entries) - d.dead }

// get returns the value of a key.
func (d *Dict) get(key Value) (Value, bool) {
	at, ok := d.index[hashOf(key, 0)]
	if !ok {
		return nil, false
	}
	return d.entries[at].value, true
}

// GetStr returns the value of a string key, and whether it exists.
func (d *Dict) GetStr(key string) (Value, bool) {
	at, ok := d.index[hashKey{kind: 's', s: key}]
	if !ok {
		return nil, false
	}
	return d.entries[at].value, true
}

// set sets the value of a key; see Set.
func (d *Dict) set(key, value Value) {
	h := hashOf(key, 0)
	if at, ok := d.index[h]; ok {
		d.entries[at].value = value
		return
	}
	checkItems(int64(d.Len()) + 1)
	d.index[h] = len(d.entries)
	d.entries = append(d.entries, entry{hash: h, key: key, value: value})
}

// setStr sets the value of a text key.
func (d *Dict) setStr(key string, value Value) { d.set(Str(key), value) }

// DeleteStr removes a string key, if it exists.
func (d *Dict) DeleteStr(key string) {
	d.remove(Str(key)) // every text can be a key
}

// remove takes a key out and returns its value.
func (d *Dict) remove(key Value) (Value, bool) {
	h := hashOf(key, 0)
	at, ok := d.index[h]
	if !ok {
		return nil, false
	}
	v := d.entries[at].value
	delete(d.index, h)
	d.entries[at] = entry{}
	d.dead++
	if d.dead > 16 && d.dead > len(d.entries)/2 {
		d.compact()
	}
	return v, true
}

func (d *Dict) compact() {
	d.entries, d.dead = d.liveEntries(), 0
	for i, e := range d.entries {
		d.index[e.hash] = i
	}
}

// liveEntries returns the items in order, in a new slice.
func (d *Dict) liveEntries() []entry {
	live := make([]entry, 0, d.Len())
	for _, e := range d.entries {
		if e.key != nil {
			live = append(live, e)
		}
	}
	return live
}

// nextEntry returns the first item at or after place at, and its place.
func (d *Dict) nextEntry(at int) (entry, int, bool) {
	for ; at < len(d.entries); at++ {
		if d.entries[at].key != nil {
			return d.entries[at], at, true
		}
	}
	return entry{}, at, false
}

// forEach calls f with each item in order.
func (d *Dict) forEach(f func(key, value Value)) {
	for _, e := range d.entries {
		if e.key == nil {
			continue
		}
		f(e.key, e.value)
	}
}

func (d *Dict) clear() {
	d.entries, d.dead = nil, 0
	d.index = map[hashKey]int{}
}

func (d *Dict) copy() *Dict {
	return &Dict{index: maps.Clone(d.index), entries: slices.Clone(d.entries), dead: d.dead}
}

// A dictView is what dict.keys(), dict.values() and dict.items() return: it shows
// the dict as it is when it is read.
type dictView struct {
	dict *Dict
	kind viewKind
}

type viewKind uint8

const (
	keysView viewKind = iota
	valuesView
	itemsView
)

func (v *dictView) typeName() string {
	return [...]string{"dict_keys", "dict_values", "dict_items"}[v.kind]
}

func (v *dictView) entryValue(e entry) Value {
	switch v.kind {
	case keysView:
		return e.key
	case valuesView:
		return e.value
	}
	return newTuple(e.key, e.value)
}

// dictMethod returns a method of dicts; nil when there is none of the name.
func dictMethod(name string) method {
	switch name {
	case "get":
		return dictGet
	case "setdefault":
		return dictSetDefault
	case "pop":
		return dictPop
	case "popitem":
		return dictPopItem
	case "update":
		return func(v Value, a Args) Value {
			if len(a.Pos) > 1 {
				panic(typeError("update expected at most 1 argument, got %d", len(a.Pos)))
			}
			updateDict(v.(*Dict), a)
			return None{}
		}
	case "fromkeys":
		return dictFromKeys
	case "keys", "values", "items", "copy", "clear":
		return dictPlain(name)
	}
	return nil
}

func dictPlain(name string) method {
	return func(v Value, a Args) Value {
		a.bindPositional("dict."+name, 0, 0)
		d := v.(*Dict)
		switch name {
		case "keys":
			return &dictView{dict: d, kind: keysView}
		case "values":
			return &dictView{dict: d, kind: valuesView}
		case "items":
			return &dictView{dict: d, kind: itemsView}
		case "copy":
			return d.copy()
		}
		d.clear()
		return None{}
	}
}

func dictGet(v Value, a Args) Value {
	args := a.bindPositional("get", 1, 2)
	got, _ := v.(*Dict).get(args[0])
	return orDefault(got, orDefault(args[1], None{}))
}

func dictSetDefault(v Value, a Args) Value {
	args := a.bindPositional("setdefault", 1, 2)
	d := v.(*Dict)
	got, ok := d.get(args[0])
	if ok {
		return got
	}
	d.set(args[0], orDefault(args[1], None{}))
	return orDefault(args[1], None{})
}

func dictPop(v Value, a Args) Value {
	args := a.bindPositional("pop", 1, 2)
	got, ok := v.(*Dict).remove(args[0])
	switch {
	case ok:
		return got
	case args[1] != nil:
		return args[1]
	}
	panic(keyError(args[0]))
}

func dictPopItem(v Value, a Args) Value {
	a.bindPositional("dict.popitem", 0, 0)
	d := v.(*Dict)
	for i := len(d.entries) - 1; i >= 0; i-- {
		if e := d.entries[i]; e.key != nil {
			d.remove(e.key)
			return newTuple(e.key, e.value)
		}
	}
	panic(newException("KeyError", "'popitem(): dictionary is empty'"))
}

func dictFromKeys(_ Value, a Args) Value {
	args := a.bindPositional("fromkeys", 1, 2)
	keys := collectValues(args[0])
	d := NewDict()
	for _, key := range keys {
		d.set(key, orDefault(args[1], None{}))
	}
	return d
}

// updateDict adds the items of a dict or of pairs, and then those of keywords.
func updateDict(d *Dict, a Args) {
	if len(a.Pos) > 0 {
		updateFrom(d, a.Pos[0])
	}
	for _, kw := range a.Kw {
		d.setStr(kw.Name, kw.Value)
	}
}

func updateFrom(d *Dict, v Value) {
	if from, ok := v.(*Dict); ok {
		from.copy().forEach(d.set)
		return
	}
	for i, p := range collectValues(v) {
		var pair []Value
		if tryCatch(func() { pair = collectValues(p) }, "TypeError") != nil {
			panic(typeError("cannot convert dictionary update sequence element #%d to a sequence", i))
		}
		if len(pair) != 2 {
			panic(valueError("dictionary update sequence element #%d has length %d; 2 is required", i, len(pair)))
		}
		d.set(pair[0], pair[1])
	}
}
