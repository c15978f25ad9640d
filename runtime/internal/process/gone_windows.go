package process

// gone reports whether the process of an identity has ended.
func gone(pid int, id string) bool {
	now, err := identity(pid)
	return err == nil && now != id
}
