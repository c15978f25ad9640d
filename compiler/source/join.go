package source

// Join concatenates texts, which may come from several files. A span over texts of several
// files covers only the part in the first of these files. If one of the texts is not Exact,
// neither is the result.
func Join(texts ...Text) Text {
	if !ordered(texts) {
		return splice(texts)
	}
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
