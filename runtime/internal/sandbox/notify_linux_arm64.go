package sandbox

// operationsHere are those of calls that only this processor has.
var operationsHere []operation
