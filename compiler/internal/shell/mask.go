package shell

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/bind"
)

// mask returns the script with every hole overlaid by a word of the same length.
// The word is one letter repeated, chosen so that it is not a word of the script: a
// hole alone on a line must not end a here-document, nor must one in command
// position be a keyword.
func mask(src string, spots []*spot) string {
	if len(spots) == 0 {
		return src
	}
	letter := maskLetter(src)
	b := []byte(src)
	for _, p := range spots {
		for i := p.Start; i < p.End; i++ {
			b[i] = letter
		}
	}
	return string(b)
}

// maskLetter returns a letter such that no word of the script consists of it alone.
// A script that uses every letter as a separate word gets the letter that is the
// shortest such word there.
func maskLetter(src string) byte {
	const letters = "QXZJKVWYUHGFDNBMPLRTSCAEIOqxzjkvwyuhgfdnbmplrtscaeio"
	if strings.IndexByte(src, letters[0]) < 0 {
		return letters[0]
	}
	var longest [256]int // longest word made of a letter alone
	for i := 0; i < len(src); {
		if !bind.IsNameByte(src[i]) {
			i++
			continue
		}
		start, same := i, true
		for ; i < len(src) && bind.IsNameByte(src[i]); i++ {
			same = same && src[i] == src[start]
		}
		if same {
			longest[src[start]] = max(longest[src[start]], i-start)
		}
	}
	best := letters[0]
	for i := range len(letters) {
		if longest[letters[i]] < longest[best] {
			best = letters[i]
		}
	}
	return best
}

// unmask puts labels back into a message that may quote masked text.
func (s *script) unmask(message string) string {
	for _, p := range s.spots {
		message = strings.ReplaceAll(message, s.masked[p.Start:p.End], p.Label)
	}
	return message
}

func isName(s string) bool {
	if s == "" || '0' <= s[0] && s[0] <= '9' {
		return false
	}
	for i := range len(s) {
		if !bind.IsNameByte(s[i]) {
			return false
		}
	}
	return true
}
