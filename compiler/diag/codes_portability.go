package diag

// 9xx: where the original engine would behave differently.
var portabilityCodes = []*Code{}
