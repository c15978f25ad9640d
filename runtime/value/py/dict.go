package py

import (
	"encoding/binary"
	"math"
	"math/big"
	"strconv"
)

// A Dict is a dict that can change; all who hold it see the change. It keeps
// the order in which keys came.
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
func hashOf(v Value, depth int) (hashKey, error) {
	if depth > maxDepth {
		return hashKey{}, tooDeep()
	}
	switch v := v.(type) {
	case None:
		return hashKey{kind: 'n'}, nil
	case Bool:
		return hashKey{kind: 'i', n: boolInt(v)}, nil
	case Int:
		return hashKey{kind: 'i', n: int64(v)}, nil
	case *Big:
		return hashKey{kind: 'b', s: v.i.Text(62)}, nil
	case Float:
		return hashFloat(float64(v)), nil
	case Str:
		return hashKey{kind: 's', s: string(v)}, nil
	case *Tuple:
		return hashTuple(v, depth)
	case *Range:
		return hashRange(v), nil
	case *Undefined:
		if v.lenient {
			return hashKey{kind: 'u'}, nil
		}
		return hashKey{}, v.fail()
	case *List, *Dict, *View:
		return hashKey{}, typeError("unhashable type: '%s'", v.typeName())
	}
	return hashKey{kind: 'p', id: v}, nil
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
func hashTuple(t *Tuple, depth int) (hashKey, error) {
	var b []byte
	for _, item := range t.items {
		k, err := hashOf(item, depth+1)
		if err != nil {
			return hashKey{}, err
		}
		if k.id != nil {
			return hashKey{}, unsupported("a tuple that holds a %s cannot be the key of a dict", item.typeName())
		}
		b = append(b, k.kind)
		b = binary.BigEndian.AppendUint64(b, uint64(k.n))
		b = binary.BigEndian.AppendUint64(b, uint64(len(k.s)))
		b = append(b, k.s...)
		if err := checkText(int64(len(b))); err != nil {
			return hashKey{}, err
		}
	}
	return hashKey{kind: 't', s: string(b)}, nil
}

// hashRange follows the equality of ranges: the same numbers.
func hashRange(r *Range) hashKey {
	n := r.length()
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

// Get returns the value of a key. The error is that of a key that cannot be
// one, such as a list.
func (d *Dict) Get(key Value) (Value, bool, error) {
	h, err := hashOf(key, 0)
	if err != nil {
		return nil, false, err
	}
	at, ok := d.index[h]
	if !ok {
		return nil, false, nil
	}
	return d.entries[at].value, true, nil
}

// GetStr returns the value of a text key.
func (d *Dict) GetStr(key string) (Value, bool) {
	at, ok := d.index[hashKey{kind: 's', s: key}]
	if !ok {
		return nil, false
	}
	return d.entries[at].value, true
}

// Set sets the value of a key. A key that is there keeps its place and its form.
func (d *Dict) Set(key, value Value) error {
	h, err := hashOf(key, 0)
	if err != nil {
		return err
	}
	if at, ok := d.index[h]; ok {
		d.entries[at].value = value
		return nil
	}
	if err := checkItems(int64(d.Len()) + 1); err != nil {
		return err
	}
	d.index[h] = len(d.entries)
	d.entries = append(d.entries, entry{hash: h, key: key, value: value})
	return nil
}

// SetStr sets the value of a text key.
func (d *Dict) SetStr(key string, value Value) error { return d.Set(Str(key), value) }

// DeleteStr takes a text key out, if it is there.
func (d *Dict) DeleteStr(key string) {
	_, _, _ = d.remove(Str(key)) // every text can be a key
}

// remove takes a key out and returns its value.
func (d *Dict) remove(key Value) (Value, bool, error) {
	h, err := hashOf(key, 0)
	if err != nil {
		return nil, false, err
	}
	at, ok := d.index[h]
	if !ok {
		return nil, false, nil
	}
	v := d.entries[at].value
	delete(d.index, h)
	d.entries[at] = entry{}
	d.dead++
	if d.dead > 16 && d.dead > len(d.entries)/2 {
		d.compact()
	}
	return v, true, nil
}

func (d *Dict) compact() {
	live := make([]entry, 0, d.Len())
	for _, e := range d.entries {
		if e.key != nil {
			d.index[e.hash] = len(live)
			live = append(live, e)
		}
	}
	d.entries, d.dead = live, 0
}

// next returns the first item at or after place at, and its place.
func (d *Dict) next(at int) (entry, int, bool) {
	for ; at < len(d.entries); at++ {
		if d.entries[at].key != nil {
			return d.entries[at], at, true
		}
	}
	return entry{}, at, false
}

// Each calls f with each item in order until f returns an error.
func (d *Dict) Each(f func(key, value Value) error) error {
	for _, e := range d.entries {
		if e.key == nil {
			continue
		}
		if err := f(e.key, e.value); err != nil {
			return err
		}
	}
	return nil
}

func (d *Dict) clear() {
	d.entries, d.dead = nil, 0
	d.index = map[hashKey]int{}
}

func (d *Dict) copy() *Dict {
	c := NewDict()
	for _, e := range d.entries {
		if e.key != nil {
			c.index[e.hash] = len(c.entries)
			c.entries = append(c.entries, entry{hash: e.hash, key: e.key, value: e.value})
		}
	}
	return c
}

// A View is what dict.keys(), dict.values() and dict.items() return: it shows
// the dict as it is when it is read.
type View struct {
	dict *Dict
	kind viewKind
}

type viewKind uint8

const (
	keysView viewKind = iota
	valuesView
	itemsView
)

func (v *View) typeName() string {
	return [...]string{"dict_keys", "dict_values", "dict_items"}[v.kind]
}

func (v *View) of(e entry) Value {
	switch v.kind {
	case keysView:
		return e.key
	case valuesView:
		return e.value
	}
	return NewTuple(e.key, e.value)
}
