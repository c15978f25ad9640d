package tuning

import "time"

// Enough is how many looks make Adapt change the number of processors.
const Enough = enough

// Look is Scarce with a new look at the machine.
func Look(crowded bool, mine int) bool {
	machine.Lock()
	machine.at = time.Time{}
	machine.Unlock()
	return Scarce(crowded, mine)
}
