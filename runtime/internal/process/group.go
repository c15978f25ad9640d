package process

import "time"

// lookAgain is the time between two looks at whether a group has ended.
const lookAgain = 5 * time.Millisecond

// stopGroup asks the group to end and kills it when it has not after the
// grace. exited, if not nil, is closed when its leader has ended; until then
// the group cannot have.
func stopGroup(group int, grace time.Duration, exited <-chan struct{}) {
	if !alive(group) {
		return
	}
	terminate(group)
	deadline := time.NewTimer(grace)
	defer deadline.Stop()
	if exited != nil {
		select {
		case <-exited:
		case <-deadline.C:
			kill(group)
			return
		}
	}
	look := time.NewTicker(lookAgain)
	defer look.Stop()
	for alive(group) {
		select {
		case <-look.C:
		case <-deadline.C:
			kill(group)
			return
		}
	}
}
