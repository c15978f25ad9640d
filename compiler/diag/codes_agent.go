package diag

// 7xx: agents and limits.
var agentCodes = []*Code{}
