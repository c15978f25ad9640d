package diag

// 5xx: shell and scripts.
var shellCodes = []*Code{}
