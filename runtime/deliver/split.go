package deliver

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// most is how many messages one text becomes at most.
const most = 10

// split parts a text into messages of at most limit units, of which weigh tells
// how many a character has. It parts at line ends, else at blanks, else between
// two characters. What would be more than the most messages is left out, and the
// last one says so.
func split(text string, limit int, weigh func(rune) int) []string {
	const note = "\n… (%d more characters)"
	room := limit - len(note) - 12
	var list []string
	for text != "" {
		end := fitting(text, limit, weigh)
		if end == len(text) {
			return append(list, text)
		}
		if len(list) == most-1 {
			end = whole(text, fitting(text, room, weigh))
			return append(list, text[:end]+fmt.Sprintf(note, utf8.RuneCountInString(text[end:])))
		}
		end = whole(text, end)
		list = append(list, strings.TrimRight(text[:end], " \n"))
		text = strings.TrimLeft(text[end:], "\n")
	}
	return list
}

// fitting returns how many bytes of a text, in whole characters, have at most
// limit units; one character at least.
func fitting(text string, limit int, weigh func(rune) int) int {
	units := 0
	for i, r := range text {
		if units += weigh(r); units > limit && i > 0 {
			return i
		}
	}
	return len(text)
}

// whole moves an end back to a line's or word's end, unless that is far away.
func whole(text string, end int) int {
	for _, at := range []int{strings.LastIndexByte(text[:end], '\n'), strings.LastIndexByte(text[:end], ' ')} {
		if at > end/2 {
			return at + 1
		}
	}
	return end
}

// units is the length of a character in UTF-16, as chat services count.
func units(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}
