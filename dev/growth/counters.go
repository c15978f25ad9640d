package growth

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// Executed adds up the counters of a file in Go's format of coverage counters, and returns how
// many counted blocks of statements its process executed.
//
// The file has a header of 32 bytes whose 25th is 2 for numbers in ULEB128; how many functions,
// the lengths of a table of strings and one of arguments; and for each function the number of its
// counters, its package, its index and the counters.
func Executed(file []byte) (total int64, err error) {
	const header, segment = 32, 16
	if len(file) < header+segment || file[24] != 2 {
		return 0, errors.New("this version of Go has another format of counters")
	}
	functions := binary.LittleEndian.Uint64(file[header:])
	skip := header + segment + int(binary.LittleEndian.Uint32(file[header+8:])) + int(binary.LittleEndian.Uint32(file[header+12:]))
	skip += -skip & 3
	numbers := bytes.NewReader(file[min(skip, len(file)):])
	for range functions {
		count, err := binary.ReadUvarint(numbers)
		if err != nil {
			return 0, err
		}
		for i := range count + 2 {
			n, err := binary.ReadUvarint(numbers)
			if err != nil {
				return 0, err
			}
			if i >= 2 {
				total += int64(n)
			}
		}
	}
	return total, nil
}
