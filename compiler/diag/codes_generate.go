package diag

// 49x: what the generator cannot build.
var generateCodes = []*Code{}
