package shell

// A Program says where a program runs text that it is given.
type Program struct {
	// Runs are the operands that are program text, from 1; 0 means all.
	Runs []int
	// Options are the options whose value is program text.
	Options []string
	// Values are further options that take a value of their own.
	Values []string
}

func (s *script) checkOptions(c *command, name string) {}
func (s *script) checkMake(c *command, name string)    {}
func (s *script) checkFiles()                          {}
