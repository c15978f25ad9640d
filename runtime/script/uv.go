package script

// uv makes the command line of a Python script. A named script is given to uv
// as a file, which may declare packages of its own in its head; an inline one
// runs as `python -c` would run it.
func (j *job) uv() error {
	j.args = []string{"run"}
	for _, d := range j.script.Deps {
		j.args = append(j.args, "--with", d)
	}
	if j.script.Name != "" && len(j.script.Bindings) == 0 {
		path, _, err := j.named()
		j.args = append(j.args, path)
		return err
	}
	return j.inline("python")
}
