package diag

// 4xx: control flow.
var flowCodes = []*Code{}
