package diag

// 25x to 29x: references to nodes and their fields.
var referenceCodes = []*Code{}
