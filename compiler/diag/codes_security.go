package diag

// 6xx: security.
var securityCodes = []*Code{}
