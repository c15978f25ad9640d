package diag

// 55x: scripts in Python and JavaScript.
var scriptCodes = []*Code{}
