package process

// KillSurvivors ends at once every process that is recorded in a run's own
// folder, its own of this process included: it is for a program that is about
// to end without waiting for its steps.
func KillSurvivors(dir string) { _, _ = endSurvivors(dir, 0) }
