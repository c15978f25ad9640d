package diag

// 8xx: style.
var styleCodes = []*Code{}
