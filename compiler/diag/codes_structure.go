package diag

// 2xx: node structure and references.
var structureCodes = []*Code{}
