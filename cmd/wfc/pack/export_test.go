package pack

// OnStep has a project call reached before each step of a change.
func (p *Project) OnStep(reached func(step string)) { p.reached = reached }
