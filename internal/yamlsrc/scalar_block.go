package yamlsrc

// A header is the first line of a block scalar.
type header struct {
	// chomp is '-', '+' or 0; increment is the indentation indicator or 0.
	chomp     byte
	increment int
	// end is the end of the indicators, next the start of the following line.
	end, next int
}

// blockHeader reads the header of the block scalar at i.
func blockHeader(src []byte, i int) header {
	var h header
	for i++; i < len(src); i++ {
		switch c := src[i]; {
		case c == '+' || c == '-':
			h.chomp = c
			continue
		case isDigit(c):
			h.increment = int(c - '0')
			continue
		}
		break
	}
	h.end = i
	h.next = lineEnd(src, i)
	h.next += breakLen(src, h.next)
	return h
}

// blockIndent returns the column at which the text of a block scalar starts; parent
// is the column of the collection around it, -1 if there is none.
func blockIndent(src []byte, h header, parent int) int {
	if h.increment > 0 {
		return max(parent, 0) + h.increment
	}
	widest := 0
	for i := h.next; ; {
		text := i
		for text < len(src) && src[text] == ' ' {
			text++
		}
		widest = max(widest, text-i)
		n := breakLen(src, text)
		if n == 0 {
			return max(widest, parent+1, 1)
		}
		i = text + n
	}
}

// decodeBlock decodes the block scalar at i, whose text starts at column indent. The
// result is the end of its last line of text, or of its header if it has none.
func (d *decoder) decodeBlock(i, indent int, folded bool) int {
	h := blockHeader(d.src, i)
	end := h.end
	lead := -1         // the break after the last line of text
	leadBlank := false // that line started with a space
	var breaks []int   // the breaks of the empty lines after it
	for at := h.next; ; {
		text, n := blockLine(d.src, at, indent)
		if n > 0 {
			breaks = append(breaks, text)
			at = text + n
			continue
		}
		if text-at < indent || text >= len(d.src) {
			break
		}
		blank := isBlank(d.src[text])
		if lead >= 0 {
			d.joinLines(lead, folded && !leadBlank && !blank, len(breaks) > 0)
		}
		d.putBreaks(breaks)
		breaks, leadBlank = breaks[:0], blank
		end = lineEnd(d.src, text)
		d.copyBytes(text, end)
		lead = end
		n = breakLen(d.src, end)
		if n == 0 {
			lead = -1
			break
		}
		at = end + n
	}
	if h.chomp != '-' && lead >= 0 {
		d.putBreaks([]int{lead})
	}
	if h.chomp == '+' {
		d.putBreaks(breaks)
	}
	return end
}

// blockLine steps over up to indent spaces of the line at i. n is the length of
// the break found there, 0 on a line of text or at the end of the scalar.
func blockLine(src []byte, i, indent int) (text, n int) {
	text = i
	for text < len(src) && text-i < indent && src[text] == ' ' {
		text++
	}
	return text, breakLen(src, text)
}

// joinLines puts the break at i between two lines of text of a block scalar.
func (d *decoder) joinLines(i int, fold, emptyLines bool) {
	text := breakText(d.src, i, breakLen(d.src, i))
	switch {
	case !fold || text != "\n":
		d.appendText(text, i)
	case !emptyLines:
		d.appendText(" ", i)
	}
}

func (d *decoder) putBreaks(at []int) {
	for _, i := range at {
		d.appendText(breakText(d.src, i, breakLen(d.src, i)), i)
	}
}

// blockEnd is the end that decoder.block returns.
func blockEnd(src []byte, i, indent int) int {
	h := blockHeader(src, i)
	end := h.end
	for at := h.next; ; {
		text, n := blockLine(src, at, indent)
		if n > 0 {
			at = text + n
			continue
		}
		if text-at < indent || text >= len(src) {
			return end
		}
		end = lineEnd(src, text)
		n = breakLen(src, end)
		if n == 0 {
			return end
		}
		at = end + n
	}
}
