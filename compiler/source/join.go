package source

// Join concatenates texts of one file, in the order of the file, such as the parts of a
// template that remain after others were removed. If one of them is not Exact, neither is
// the result.
func Join(texts ...Text) Text {
	var joined Text
	length := 0
	for _, t := range texts {
		if t.pieces != nil {
			return Splice(texts...)
		}
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
