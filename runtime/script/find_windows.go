package script

// pythons are the names of Python 3, whose installer calls it python alone.
var pythons = []string{"python3", "python"}
