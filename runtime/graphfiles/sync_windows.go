package graphfiles

// syncFolder does nothing: folders cannot be synchronised there, and renaming is
// journalled by the file system.
func syncFolder(string) error { return nil }
