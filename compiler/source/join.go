package source

// Join joins texts of one file, in the order of the file: the result of a template
// that leaves out some of its parts. If the place of one of them is only known as a
// whole, so is that of the result.
func Join(texts ...Text) Text {
	var joined Text
	length := 0
	for _, t := range texts {
		length += len(t.Value)
	}
	value := make([]byte, 0, length)
	for _, t := range texts {
		if t.Value == "" {
			continue
		}
		whole := t.Whole()
		if len(value) == 0 {
			joined.file, joined.start = t.file, whole.Start
		}
		joined.coarse = joined.coarse || t.coarse
		joined.end = max(joined.end, whole.End)
		joined.runs = t.appendRuns(joined.runs, len(value))
		value = append(value, t.Value...)
	}
	joined.Value, joined.size = string(value), len(value)
	return joined
}

// appendRuns adds the runs of a text that begins at an offset of another one.
func (t Text) appendRuns(runs []Run, at int) []Run {
	runs = append(runs, Run{at, t.offset(0)})
	for _, r := range t.runs {
		if offset := r.Decoded - t.base; offset > 0 && offset < len(t.Value) {
			runs = append(runs, Run{at + offset, r.Source})
		}
	}
	return runs
}
