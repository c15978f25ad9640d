package shell

func (s *script) checkCommands()  {}
func (s *script) checkVariables() {}
