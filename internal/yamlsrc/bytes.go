package yamlsrc

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
)

// checkBytes returns the fault of a file before any YAML is read: its size, its
// encoding, or characters that YAML does not allow.
func checkBytes(f *source.File) *diag.Diagnostic {
	if len(f.Content) > maxSize {
		return finding.YAMLTooLarge(source.Span{File: f}, fmt.Sprintf("larger than %d MiB", maxSize>>20))
	}
	if isUTF16(f.Content) {
		return finding.YAMLEncoding(source.Span{File: f, End: min(2, len(f.Content))}, "the file is UTF-16").
			WithHelp("save it as UTF-8")
	}
	for i := bomLen(f.Content); i < len(f.Content); {
		c := f.Content[i]
		if c >= ' ' && c < 0x7F || c == '\n' || c == '\t' || c == '\r' {
			i++
			continue
		}
		n, problem, help := badRune(f.Content[i:])
		if problem != "" {
			return finding.YAMLEncoding(source.Span{File: f, Start: i, End: i + n}, problem).WithHelp(help)
		}
		i += n
	}
	return nil
}

// badRune judges the character at the start of text, n bytes long. The problem
// is empty if YAML allows it.
func badRune(text []byte) (n int, problem, help string) {
	r, n := utf8.DecodeRune(text)
	switch {
	case r == utf8.RuneError && n <= 1:
		return 1, fmt.Sprintf("byte 0x%02X is not UTF-8", text[0]), "save the file as UTF-8"
	case r == 0:
		return n, "a NUL byte", "remove it; a workflow is a text file"
	case r == '\ufeff':
		return n, "a byte order mark in the middle of the file", "remove this invisible character; it is allowed only at the start of a file"
	case r < ' ' || r == 0x7F || r > 0x7F && r < 0xA0 && r != 0x85:
		return n, fmt.Sprintf("control character U+%04X", r), fmt.Sprintf("remove it, or write it as \"\\x%02X\" in a double-quoted string", r)
	case r == 0xFFFE || r == 0xFFFF:
		return n, fmt.Sprintf("U+%04X is not a character", r), "remove it"
	}
	return n, "", ""
}

// isUTF16 recognises UTF-16 by its byte order mark, or by the NUL bytes that
// every ASCII character has in it.
func isUTF16(text []byte) bool {
	if bytes.HasPrefix(text, []byte{0xFF, 0xFE}) || bytes.HasPrefix(text, []byte{0xFE, 0xFF}) {
		return true
	}
	return len(text) >= 4 && (text[0] == 0 && text[2] == 0 && text[1] != 0 && text[3] != 0 ||
		text[1] == 0 && text[3] == 0 && text[0] != 0 && text[2] != 0)
}
