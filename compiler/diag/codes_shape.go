package diag

// 1xx: shape of a workflow file: keys and kinds of values.
var shapeCodes = []*Code{}
