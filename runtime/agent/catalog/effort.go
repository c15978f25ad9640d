package catalog

import "slices"

// efforts are the levels of reasoning effort, the weakest first.
var efforts = []string{"minimal", "low", "medium", "high", "xhigh", "max", "ultra", "persistent"}

// KnownEfforts returns the levels of reasoning effort that the kind knows, the weakest
// first: all, if Efforts is nil.
func (k KindInfo) KnownEfforts() []string {
	if k.Efforts == nil {
		return slices.Clone(efforts)
	}
	return k.Efforts
}

// NearestEffort returns the effort that an agent of the kind gets: the wanted one, else the
// nearest weaker one that the kind knows, else its weakest. It is "" if the kind knows none,
// or if wanted is not an effort.
func (k KindInfo) NearestEffort(wanted string) string {
	known := k.KnownEfforts()
	rung := slices.Index(efforts, wanted)
	if rung < 0 || len(known) == 0 {
		return ""
	}
	nearest := known[0]
	for _, effort := range efforts[:rung+1] {
		if slices.Contains(known, effort) {
			nearest = effort
		}
	}
	return nearest
}
