package script

// python makes the command line of a script for the Python that is installed.
// It runs as `python3 -c` would run it, and leaves no compiled modules beside
// those that it imports.
func (j *job) python() error {
	j.environ = append(j.environ, "PYTHONDONTWRITEBYTECODE=1")
	return j.inline()
}

// inline lays down a script and its values, and adds what starts it to the
// command line: words that lead to an interpreter, and the interpreter's own.
func (j *job) inline(interpreter ...string) error {
	source, vars := j.path(".py"), ""
	if err := j.write(source, []byte(j.script.Source)); err != nil {
		return err
	}
	if len(j.script.Bindings) > 0 {
		content, err := values(j.script.Bindings)
		if err != nil {
			return err
		}
		vars = j.path(".json")
		if err := j.write(vars, content); err != nil {
			return err
		}
	}
	j.args = append(append(j.args, interpreter...), "-c", preludePython, vars, source)
	return nil
}
