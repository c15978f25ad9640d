package diag

// 3xx: types, conditions and presence.
var typeCodes = []*Code{}
